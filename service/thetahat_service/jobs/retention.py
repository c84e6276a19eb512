"""Deleting what is older than the settings say: evaluations, series, protocols, data sets, audit.

A series is deleted that was closed so long ago, and a protocol that was withdrawn so long ago and
that nothing names. An unfinished evaluation stays, and so does one that an unfinished evaluation
extends or that somebody has signed, and a data set that any evaluation names. Each is deleted in a
transaction of its own, and a call deletes at most one batch of each, so that no request waits for
it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from thetahat_service.jobs import datasets as stored_datasets
from thetahat_service.jobs import delete
from thetahat_service.protocols import keeping as planned
from thetahat_service.series import keeping
from thetahat_service.settings import Settings
from thetahat_service.storage import audit, datasets, evaluations, protocols, series
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.unit_of_work import reading, unit_of_work

log = logging.getLogger(__name__)

BATCH: Final = 50  # most evaluations, series, protocols and data sets, deleted by one call
AUDIT_BATCH: Final = 1000  # most audit entries deleted by one call


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedCounts:
    """How many rows were deleted, and whether there may be more to delete now."""

    evaluations: int = 0
    series: int = 0
    protocols: int = 0
    datasets: int = 0
    audit_entries: int = 0
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class _Deletion:
    """How old rows of a kind are found and deleted."""

    setting: str
    """The setting with the days for which they are kept."""
    find: Callable[[sa.Connection, datetime, int], list[UUID]]
    """Returns those from before a moment, at most a number of them."""
    delete: Callable[[UUID, datetime], bool]
    """Deletes one from before a moment; False if it stays."""


DELETIONS: Final = {
    "evaluations": _Deletion(
        "keep_results_days", evaluations.list_finished_before, delete.delete_expired
    ),
    "series": _Deletion("keep_results_days", series.list_closed_before, keeping.delete_expired),
    "protocols": _Deletion(
        "keep_results_days",
        protocols.list_withdrawn_before,
        lambda identifier, _: planned.delete_expired(identifier),
    ),
    "datasets": _Deletion(
        "keep_datasets_days", datasets.list_unused, stored_datasets.delete_expired
    ),
}
"""By what they are, in the order in which they are deleted."""


def remove_expired(settings: Settings, now: datetime | None = None) -> RemovedCounts:
    """Delete one batch of evaluations, series, data sets and audit entries that are too old.

    Raises ``Unavailable`` if the file store cannot be used; nothing is deleted then.
    """
    now = now or datetime.now(UTC)
    days = {name: getattr(settings, each.setting) for name, each in DELETIONS.items()}
    before = {name: now - timedelta(days=kept) for name, kept in days.items() if kept}
    if before:
        open_file_store().check()
    counts: dict[str, int] = {}
    has_more = False
    for name, moment in before.items():
        deletion = DELETIONS[name]
        with reading() as connection:
            expired = deletion.find(connection, moment, BATCH)
        counts[name] = sum(deletion.delete(identifier, moment) for identifier in expired)
        has_more |= len(expired) == BATCH and counts[name] > 0
    if settings.keep_audit_days:
        moment = now - timedelta(days=settings.keep_audit_days)
        with unit_of_work() as connection:
            counts["audit_entries"] = audit.remove_before(connection, moment, AUDIT_BATCH)
        has_more |= counts["audit_entries"] == AUDIT_BATCH
    removed = RemovedCounts(**counts, has_more=has_more)
    if any(counts.values()):
        fields = asdict(removed)
        del fields["has_more"]
        log.info("retention.removed", extra=fields)
    return removed
