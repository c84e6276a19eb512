"""Storing, reading, previewing and deleting data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from thetahat_service.data.base import Inspected
from thetahat_service.data.formats import find_format, list_table_suffixes
from thetahat_service.data.parsing import inspect_file, preview_file, understand_file
from thetahat_service.errors import DatasetInUse, QuotaExceeded
from thetahat_service.jobs.stored_datasets import build_dataset_file, is_intact
from thetahat_service.json_types import DatasetPreviewJson, DatasetUnderstandingJson
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.settings import get_settings
from thetahat_service.storage import audit, datasets, ladders, test_sets
from thetahat_service.storage.audit import Action
from thetahat_service.storage.checksums import append_digest
from thetahat_service.storage.datasets import DatasetRow
from thetahat_service.storage.files import build_dataset_file_name
from thetahat_service.storage.newest_first import Position
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.test_sets import Uses
from thetahat_service.storage.unit_of_work import reading, unit_of_work


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was received completely."""

    file: IO[bytes]
    table: IO[bytes]
    """Temporary files of the store: the bytes, and an empty one for the table of a text."""
    media_type: str
    """Media type of a supported format."""
    sha256: str
    """SHA-256 of the bytes, in hexadecimal."""
    size: int
    """Number of bytes."""
    name: str | None
    """Name from the client."""


def store_upload(owner_id: UUID, upload: Upload) -> tuple[DatasetRow, bool]:
    """Check and store an upload; return its data set, and whether the data set is new.

    For bytes that were uploaded before with the same type, the earlier data set is returned; if its
    stored file is lost or damaged, or was read in another way by an earlier release, the upload
    replaces it.
    """
    identifier = datasets.derive_id(owner_id, upload.media_type, upload.sha256)
    with reading() as connection:
        existing = datasets.ROWS.find(connection, owner_id, identifier)
    form = find_format(upload.media_type)
    if (
        existing is not None
        and is_intact(build_dataset_file(existing, open_file_store()))
        and _note_upload(existing.id)
    ):
        return existing, False
    upload.file.flush()
    inspected = inspect_file(
        Path(upload.file.name), upload.media_type, Path(upload.table.name), upload.name
    )
    # Before the transaction, because it can take seconds.
    files, name = open_file_store(), build_dataset_file_name(upload.sha256)
    if inspected.has_table:
        append_digest(upload.table)
        files.stage(upload.table, name + form.table_suffix)
    files.stage(upload.file, name)
    return _store(owner_id, identifier, upload, inspected)


def _store(
    owner_id: UUID, identifier: UUID, upload: Upload, inspected: Inspected
) -> tuple[DatasetRow, bool]:
    """Store the file and the row of an upload; return the row, and whether it is new."""
    row = DatasetRow(
        id=identifier,
        sha256=upload.sha256,
        media_type=upload.media_type,
        bytes=upload.size,
        rows=inspected.rows,
        columns=list(inspected.columns),
        details=inspected.details,
        name=upload.name,
        created_at=datetime.now(UTC),
    )
    files, name = open_file_store(), build_dataset_file_name(upload.sha256)
    with unit_of_work() as connection:
        datasets.lock_bytes(connection, upload.sha256)
        existing = datasets.ROWS.find(connection, owner_id, identifier)
        if existing is None:
            _check_quota(connection, owner_id, upload.size)
        if inspected.has_table:
            files.keep(upload.table, name + find_format(upload.media_type).table_suffix)
        files.keep(upload.file, name)
        if existing is not None:  # uploaded at the same time, or to repair a damaged file
            datasets.note_upload(connection, identifier)
            if existing.columns != row.columns or existing.rows != row.rows:
                datasets.replace_content(connection, row)
                return replace(row, name=existing.name, created_at=existing.created_at), False
            return existing, False
        datasets.ROWS.insert(connection, row, owner_id=owner_id)
        audit.add(connection, Action.UPLOAD_DATASET, identifier, owner_id)
    return row, True


def _note_upload(identifier: UUID) -> bool:
    with unit_of_work() as connection:
        return datasets.note_upload(connection, identifier)


def _check_quota(connection: sa.Connection, owner_id: UUID, size: int) -> None:
    """Raise ``QuotaExceeded`` if a file of this size would exceed the owner's quota."""
    limit = get_settings().max_stored_bytes
    stored = datasets.sum_bytes(connection, owner_id) if limit else 0
    if stored + size > limit > 0:
        raise QuotaExceeded(
            f"The data sets of this owner have {stored} bytes, and the limit is {limit}, so there "
            f"is no room for {size} more. Delete data sets that are no longer needed."
        )


def list_datasets(
    owner_id: UUID, before: Position | None, limit: int
) -> tuple[list[DatasetRow], Position | None]:
    """Return one page of an owner's list, newest first, and the position of its end."""
    with reading() as connection:
        rows, has_more = datasets.list_page(connection, owner_id, before, limit)
    return rows, (rows[-1].created_at, rows[-1].id) if has_more else None


def read_uses(owner_id: UUID, rows: Sequence[DatasetRow]) -> dict[str, Uses]:
    """Return the owner's uses of the content of data sets, by its digest."""
    with reading() as connection:
        return test_sets.read_uses(connection, owner_id, {row.sha256 for row in rows})


def preview(owner_id: UUID, identifier: UUID, rows: int) -> DatasetPreviewJson:
    """Return the first rows and the properties of the file."""
    row = datasets.ROWS.fetch(owner_id, identifier)
    file = build_dataset_file(row, open_file_store())
    return {
        "id": row.id,
        **preview_file(file, rows, row.name),
        "media_type": row.media_type,
        "understood": row.details,
    }


def understand(owner_id: UUID, identifier: UUID) -> DatasetUnderstandingJson:
    """Return the roles of the columns, what the file holds, and what it can answer."""
    row = datasets.ROWS.fetch(owner_id, identifier)
    file = build_dataset_file(row, open_file_store())
    return {"id": row.id, **understand_file(file, row.rows, row.name)}


def delete(owner_id: UUID, identifier: UUID) -> None:
    """Delete an owner's data set; its bytes are deleted when no owner has them."""
    in_use = DatasetInUse(f"A queued or running evaluation reads data set {identifier}.")
    try:
        with unit_of_work() as connection:
            row = datasets.ROWS.get(connection, owner_id, identifier)
            if datasets.is_in_use(connection, identifier):
                raise in_use
            datasets.delete(connection, identifier)
            ladders.delete_without_dataset(connection, owner_id, row.sha256)
            audit.add(connection, Action.DELETE_DATASET, identifier, owner_id)
    except IntegrityError:  # an evaluation that reads it was submitted at the same moment
        raise in_use from None
    delete_unused_bytes(row.sha256)


def delete_expired(identifier: UUID, before: datetime) -> bool:
    """Delete a data set that was last uploaded before a moment and that no evaluation names.

    False if it was uploaded again or named meanwhile; it stays then.
    """
    try:
        with unit_of_work() as connection:
            deleted = datasets.delete_unused(connection, identifier, before)
            if deleted is None:
                return False
            owner_id, sha256 = deleted
            ladders.delete_without_dataset(connection, owner_id, sha256)
            audit.add(connection, Action.DELETE_DATASET, identifier, owner_id, audit.BY_SERVICE)
    except IntegrityError:  # an evaluation that reads it was submitted at the same moment
        return False
    delete_unused_bytes(sha256)
    return True


def delete_unused_bytes(sha256: str) -> bool:
    """Delete a file that no data set uses, after the row is deleted, so that no row lacks a file.

    Returns False if a data set uses it.
    """
    files, name = open_file_store(), build_dataset_file_name(sha256)
    with unit_of_work() as connection:
        datasets.lock_bytes(connection, sha256)
        if datasets.are_bytes_needed(connection, sha256):
            return False
        files.delete(name)
        for suffix in list_table_suffixes():
            files.delete(name + suffix)
    return True


def read_dataset_files(owner_id: UUID, identifiers: Sequence[UUID]) -> dict[UUID, DatasetFile]:
    """Return the data sets of an owner that exist, by id, to check a request against."""
    if not identifiers:
        return {}
    with reading() as connection:
        rows = datasets.get_some(connection, owner_id, identifiers)
    files = open_file_store()
    return {row.id: build_dataset_file(row, files) for row in rows}
