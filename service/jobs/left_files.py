"""Deleting files without a row in the database, which killed processes leave in the file store.

A file is deleted only if it is older than an hour, no process has it locked, no row names it, and
its evaluation has ended or was deleted.
"""

from __future__ import annotations

import fcntl
import logging
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from service.jobs.chunk_files import KEPT
from service.jobs.datasets import delete_unused_bytes
from service.states import UNFINISHED, EvaluationStatus
from service.storage.files import UPLOADS, FileEntry, FileStore
from service.storage.open_files import open_file_store
from service.storage.tables import DATASET, EVALUATION, EVALUATION_RESULT
from service.storage.unit_of_work import reading

log = logging.getLogger(__name__)

LEAST_AGE_S: Final = 3600.0
_EVALUATION_FILE: Final = re.compile(r"(?:chunks|losses)/([0-9a-f-]{36})[/-].*")
_DATASET_FILE: Final = re.compile(r"datasets/[0-9a-f]{2}/([0-9a-f]{64})(?:\..*)?")


@dataclass(frozen=True, slots=True)
class _NamedFiles:
    """The files and evaluations that the database names.

    Parameters
    ----------
    kept_evaluations : set of UUID
        Evaluations whose chunks stay: unfinished ones, and those that another one may continue.
    unfinished : set of UUID
        Evaluations that have not ended.
    losses : set of str
        Files of losses.
    digests : set of str
        SHA-256 of data sets.
    """

    kept_evaluations: set[UUID]
    unfinished: set[UUID]
    losses: set[str]
    digests: set[str]


def remove_left_files(least_age_s: float = LEAST_AGE_S) -> int:
    """Delete the old files that the database does not name, and return their number.

    Raises ``Unavailable`` if the file store cannot be used.
    """
    store, written_before = open_file_store(), time.time() - least_age_s
    store.check()
    old_files = [
        file
        for folder in (UPLOADS, "chunks", "losses", "datasets")
        for file in store.list_files(folder)
        if file.modified_at < written_before
    ]
    # The rows are read after the files: a file that is named later is not in the list.
    named = _read_names()
    count = sum(_remove(store, file, named) for file in old_files)
    if count:
        log.info("files.removed", extra={"count": count})
    return count


def _read_names() -> _NamedFiles:
    columns = EVALUATION.c
    may_continue = columns.kind.in_(KEPT) & (columns.status != EvaluationStatus.SUCCEEDED)
    is_unfinished = columns.status.in_(UNFINISHED)
    losses = EVALUATION_RESULT.c.losses_file
    with reading() as connection:
        unfinished = set(connection.scalars(sa.select(columns.id).where(is_unfinished)))
        return _NamedFiles(
            unfinished | set(connection.scalars(sa.select(columns.id).where(may_continue))),
            unfinished,
            set(connection.scalars(sa.select(losses).where(losses.is_not(None)))),
            set(connection.scalars(sa.select(DATASET.c.sha256).distinct())),
        )


def _remove(store: FileStore, file: FileEntry, named: _NamedFiles) -> bool:
    """Delete a file unless it is named or in use; return whether it was deleted."""
    if file.name.startswith(f"{UPLOADS}/"):
        return _remove_upload(store, file.name)
    if match := _DATASET_FILE.fullmatch(file.name):
        # It looks again, under a lock: the same bytes may be uploaded at this moment.
        return match[1] not in named.digests and delete_unused_bytes(match[1])
    identifiers = list(_find_evaluation(file.name))
    if not identifiers:
        return False
    if file.name.startswith("losses/"):
        is_named = identifiers[0] in named.unfinished or file.name in named.losses
    else:
        is_named = identifiers[0] in named.kept_evaluations
    if not is_named:
        store.delete(file.name)
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
        with store.path(name).open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            store.delete(name)
    except (BlockingIOError, FileNotFoundError):
        return False
    return True
