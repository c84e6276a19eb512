"""Deleting what is older than the settings say: evaluations, series, protocols, data sets, audit.

A series is deleted that was closed so long ago, and a protocol that was withdrawn so long ago and
that nothing names. An unfinished evaluation stays, and so does one that an unfinished evaluation
extends or that somebody has signed, and a data set that any evaluation names. Each is deleted in a
transaction of its own, and a call deletes at most one batch of each, so that no request waits for
it.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

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


def remove_expired(settings: Settings, now: datetime | None = None) -> RemovedCounts:
    """Delete one batch of evaluations, series, data sets and audit entries that are too old.

    Raises ``Unavailable`` if the file store cannot be used; nothing is deleted then.
    """
    now = now or datetime.now(UTC)
    limits = settings.keep_results_days, settings.keep_datasets_days, settings.keep_audit_days
    results_before, datasets_before, audit_before = (
        now - timedelta(days=days) if days else None for days in limits
    )
    if results_before or datasets_before:
        open_file_store().check()
    counts = (
        (_remove_evaluations(results_before) if results_before else (0, False)),
        (_remove_series(results_before) if results_before else (0, False)),
        (_remove_protocols(results_before) if results_before else (0, False)),
        (_remove_datasets(datasets_before) if datasets_before else (0, False)),
        (_remove_audit_entries(audit_before) if audit_before else (0, False)),
    )
    removed = RemovedCounts(
        evaluations=counts[0][0],
        series=counts[1][0],
        protocols=counts[2][0],
        datasets=counts[3][0],
        audit_entries=counts[4][0],
        has_more=any(is_full for _, is_full in counts),
    )
    if any(number for number, _ in counts):
        fields = ("evaluations", "series", "protocols", "datasets", "audit_entries")
        log.info("retention.removed", extra={name: getattr(removed, name) for name in fields})
    return removed


def _remove_evaluations(before: datetime) -> tuple[int, bool]:
    """Return how many evaluations were deleted, and whether the batch was full."""
    with reading() as connection:
        expired = evaluations.list_finished_before(connection, before, BATCH)
    removed = sum(delete.delete_expired(identifier, before) for identifier in expired)
    return removed, len(expired) == BATCH and removed > 0


def _remove_series(before: datetime) -> tuple[int, bool]:
    with reading() as connection:
        expired = series.list_closed_before(connection, before, BATCH)
    removed = sum(keeping.delete_expired(identifier, before) for identifier in expired)
    return removed, len(expired) == BATCH and removed > 0


def _remove_protocols(before: datetime) -> tuple[int, bool]:
    with reading() as connection:
        expired = protocols.list_withdrawn_before(connection, before, BATCH)
    removed = sum(planned.delete_expired(identifier) for identifier in expired)
    return removed, len(expired) == BATCH and removed > 0


def _remove_datasets(before: datetime) -> tuple[int, bool]:
    with reading() as connection:
        expired = datasets.list_unused(connection, before, BATCH)
    removed = sum(stored_datasets.delete_expired(identifier, before) for identifier in expired)
    return removed, len(expired) == BATCH and removed > 0


def _remove_audit_entries(before: datetime) -> tuple[int, bool]:
    with unit_of_work() as connection:
        removed = audit.remove_before(connection, before, AUDIT_BATCH)
    return removed, removed == AUDIT_BATCH
