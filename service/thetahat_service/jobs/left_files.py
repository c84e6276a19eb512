"""Deleting files without a row in the database, which killed processes leave in the file store.

A file is deleted only if it is older than an hour, no process has it locked, no row names it, and
its evaluation has ended or was deleted. The rows are looked up by the names of a batch of files, so
that what is read grows with neither the number of evaluations nor that of files.
"""

from __future__ import annotations

import fcntl
import logging
import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.jobs.chunk_files import KEPT
from thetahat_service.jobs.datasets import delete_unused_bytes
from thetahat_service.states import UNFINISHED, EvaluationStatus
from thetahat_service.storage.files import UPLOADS, FileStore
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.tables import DATASET, EVALUATION, EVALUATION_RESULT
from thetahat_service.storage.unit_of_work import reading

log = logging.getLogger(__name__)

LEAST_AGE_S: Final = 3600.0
BATCH: Final = 500  # files whose rows are read together
_EVALUATION_FILE: Final = re.compile(r"(?:chunks|losses)/([0-9a-f-]{36})[/-].*")
_DATASET_FILE: Final = re.compile(r"datasets/[0-9a-f]{2}/([0-9a-f]{64})(?:\..*)?")


@dataclass(frozen=True, slots=True)
class _NamedFiles:
    """The rows of the evaluations and data sets that occur in the names of some files."""

    kept_evaluations: set[UUID]
    """Evaluations whose chunks stay: unfinished ones, and those that another one may continue."""
    unfinished: set[UUID]
    """Evaluations that have not ended."""
    losses: set[str]
    """Files of losses."""
    digests: set[str]
    """SHA-256 of data sets."""


def remove_left_files(least_age_s: float = LEAST_AGE_S) -> int:
    """Delete the old files that the database does not name, and return their number.

    Raises ``Unavailable`` if the file store cannot be used.
    """
    store, written_before = open_file_store(), time.time() - least_age_s
    store.check()
    old_files = (
        file.name
        for folder in (UPLOADS, "chunks", "losses", "datasets")
        for file in store.list_files(folder)
        if file.modified_at < written_before
    )
    count = 0
    while names := list(islice(old_files, BATCH)):
        # The rows are read after the files: a file that is named later is not in the list.
        named = _read_names(names)
        count += sum(_remove(store, name, named) for name in names)
    if count:
        log.info("files.removed", extra={"count": count})
    return count


def _read_names(names: Sequence[str]) -> _NamedFiles:
    identifiers = {identifier for name in names for identifier in _find_evaluation(name)}
    digests = {match[1] for name in names if (match := _DATASET_FILE.fullmatch(name))}
    with reading() as connection:
        rows = connection.execute(select_evaluations(identifiers)).all() if identifiers else []
        return _NamedFiles(
            kept_evaluations={
                row.id
                for row in rows
                if row.status in UNFINISHED
                or (row.kind in KEPT and row.status != EvaluationStatus.SUCCEEDED)
            },
            unfinished={row.id for row in rows if row.status in UNFINISHED},
            losses={row.losses_file for row in rows if row.losses_file is not None},
            digests=set(connection.scalars(select_digests(digests)) if digests else ()),
        )


def select_evaluations(identifiers: Collection[UUID]) -> sa.Select[Any]:
    """Return the query of the evaluations among the identifiers, with their files of losses."""
    columns = EVALUATION.c
    return (
        sa.select(columns.id, columns.kind, columns.status, EVALUATION_RESULT.c.losses_file)
        .outerjoin_from(
            EVALUATION, EVALUATION_RESULT, EVALUATION_RESULT.c.evaluation_id == columns.id
        )
        .where(columns.id.in_(identifiers))
    )


def select_digests(digests: Collection[str]) -> sa.Select[tuple[str]]:
    """Return the query of the digests that a data set has."""
    return sa.select(DATASET.c.sha256).where(DATASET.c.sha256.in_(digests)).distinct()


def _remove(store: FileStore, name: str, named: _NamedFiles) -> bool:
    """Delete a file unless it is named or in use; return whether it was deleted."""
    if name.startswith(f"{UPLOADS}/"):
        return _remove_upload(store, name)
    if match := _DATASET_FILE.fullmatch(name):
        # This checks again under a lock, because the same bytes may be uploaded now.
        return match[1] not in named.digests and delete_unused_bytes(match[1])
    identifiers = list(_find_evaluation(name))
    if not identifiers:
        return False
    if name.startswith("losses/"):
        is_named = identifiers[0] in named.unfinished or name in named.losses
    else:
        is_named = identifiers[0] in named.kept_evaluations
    if not is_named:
        store.delete(name)
    return not is_named


def _find_evaluation(name: str) -> Iterator[UUID]:
    if match := _EVALUATION_FILE.fullmatch(name):
        try:
            yield UUID(match[1])
        except ValueError:
            return


def _remove_upload(store: FileStore, name: str) -> bool:
    """Delete a temporary file that no process has locked."""
    try:
        with store.build_path(name).open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            store.delete(name)
    except (BlockingIOError, FileNotFoundError):
        return False
    return True
