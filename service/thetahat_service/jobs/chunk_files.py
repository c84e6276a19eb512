"""Deleting the arrays of an evaluation's chunks."""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

from thetahat_service.errors import Unavailable
from thetahat_service.storage import evaluations, results, units
from thetahat_service.storage.files import FileStore, build_chunk_folder
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import reading

KEPT: Final = frozenset({"study"})
"""Kinds whose chunks another evaluation may continue from; these are kept until deletion."""


def discard_chunks(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Delete the arrays of an evaluation that has a result or is deleted.

    If the file store cannot be used now, they stay.
    """
    with suppress(OSError, Unavailable):
        (files or open_file_store()).delete_folder(build_chunk_folder(evaluation_id))


def discard_unrecorded(evaluation_id: UUID, name: str) -> None:
    """Delete a file that an attempt wrote, unless it was recorded.

    A transaction may have been written although its answer was lost. If the file store cannot be
    used now, the file stays.
    """
    with reading() as connection:
        is_recorded = units.has_output_file(connection, evaluation_id, name)
        result = results.get(connection, evaluation_id)
    if is_recorded or (result is not None and result.losses_file == name):
        return
    with suppress(OSError, Unavailable):
        open_file_store().delete(name)


def discard_unfinished(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Delete the arrays of an evaluation that failed, unless its kind keeps them."""
    with reading() as connection:
        kind = evaluations.get_kind(connection, evaluation_id)
    if kind not in KEPT:
        discard_chunks(evaluation_id, files)
