"""The folder with the arrays of an evaluation's chunks, and deleting it."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from service.storage import evaluations
from service.storage.files import FileStore
from service.storage.unit_of_work import reading

KEPT: Final = frozenset({"study"})
"""Kinds whose chunks another evaluation may continue from; these are kept until deletion."""


def chunk_folder(evaluation_id: UUID) -> str:
    """Return the folder of the arrays of an evaluation's chunks, in the file store."""
    return f"chunks/{evaluation_id}"


def discard_chunks(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Delete the arrays of an evaluation that has a result, or that is deleted."""
    (files or FileStore.open()).delete_folder(chunk_folder(evaluation_id))


def discard_unfinished(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Delete the arrays of an evaluation that failed, unless its kind keeps them."""
    with reading() as connection:
        kind = evaluations.kind_of(connection, evaluation_id)
    if kind not in KEPT:
        discard_chunks(evaluation_id, files)
