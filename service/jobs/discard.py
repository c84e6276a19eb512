"""Where the arrays of an evaluation's chunks lie, and removing them."""

from __future__ import annotations

from uuid import UUID

from service.storage.files import FileStore


def chunk_folder(evaluation_id: UUID) -> str:
    """Return the name under which the arrays of an evaluation's chunks lie."""
    return f"chunks/{evaluation_id}"


def discard_chunks(evaluation_id: UUID, files: FileStore | None = None) -> None:
    """Remove the arrays of an evaluation that has come to its end."""
    (files or FileStore.open()).delete_folder(chunk_folder(evaluation_id))
