"""Where the arrays of an evaluation's chunks lie, and removing them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from service.storage import evaluations
from service.storage.files import FileStore
from service.storage.unit_of_work import reading

KEPT: Final = frozenset({"study"})
"""Kinds that another evaluation may go on from: what was done of them is kept until deletion."""


def chunk_folder(evaluation_id: UUID) -> str:
    """Return the name under which the arrays of an evaluation's chunks lie."""
    return f"chunks/{evaluation_id}"


def discard_chunks(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Remove the arrays of an evaluation whose result is there, or that is deleted."""
    (files or FileStore.open()).delete_folder(chunk_folder(evaluation_id))


def discard_unfinished(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Remove the arrays of an evaluation that failed, unless its kind keeps them."""
    with reading() as connection:
        kind = evaluations.kind_of(connection, evaluation_id)
    if kind not in KEPT:
        discard_chunks(evaluation_id, files)
