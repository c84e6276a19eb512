"""Filters of the list of evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from service.errors import FieldError, InvalidRequest
from service.storage.evaluations import Filters

MOST_LABELS: Final = 16


def filters_of(
    status: str | None,
    kind: str | None,
    labels: Sequence[str],
    created_after: datetime | None,
    created_before: datetime | None,
) -> Filters:
    """Return the filters that a query names; moments without a zone are in UTC."""
    faults = [
        FieldError(("query", "label"), "must be key:value", label)
        for label in labels
        if ":" not in label or "\0" in label
    ]
    if len(labels) > MOST_LABELS:
        faults.append(FieldError(("query", "label"), f"at most {MOST_LABELS} labels", len(labels)))
    if kind is not None and "\0" in kind:
        faults.append(FieldError(("query", "kind"), "cannot hold a NUL character", kind))
    if faults:
        raise InvalidRequest(f"{faults[0].loc[-1]}: {faults[0].message}", tuple(faults))
    pairs = [label.partition(":") for label in labels]
    return Filters(
        status=status,
        kind=kind,
        labels=tuple((key, value) for key, _, value in pairs),
        created_after=_in_utc(created_after, "created_after"),
        created_before=_in_utc(created_before, "created_before"),
    )


def _in_utc(moment: datetime | None, name: str) -> datetime | None:
    if moment is None:
        return None
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError:
        fault = FieldError(("query", name), "is outside the calendar", moment.isoformat())
        raise InvalidRequest(f"{name}: {fault.message}", (fault,)) from None
