"""What the list of evaluations shows of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from thetahat_presentation.showing import name_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEntry:
    """One evaluation in the list."""

    id: UUID
    """Its id."""
    title: str
    """Its name, or its kind if it has no name."""
    kind: str
    """Its kind, as in the request."""
    status: str
    """Its state."""
    verdict: str | None
    """The decision on the best model; None without one."""
    gate: str | None
    """The outcome of the gate; None without one."""
    sign_off: str | None
    """The decision of the newest sign-off; None without one."""
    can_compare: bool
    """Whether it can be put beside another evaluation."""
    headline: str
    """The verdict, or why it failed; empty while it runs."""
    labels: Mapping[str, str]
    """Its labels."""
    created_at: datetime
    """When it was submitted."""
    done: int
    """Finished units of work."""
    total: int | None
    """All units of work; None until they are known."""
    unit: str
    """What is counted."""
    protocol: Mapping[str, Any] | None
    """How it follows its protocol; None without one."""

    @property
    def is_open(self) -> bool:
        """Whether the evaluation waits or runs."""
        return self.status in {"queued", "running"}


def describe_entry(row: Any, outcome: str = "") -> ListEntry:
    """Return what the list shows of an evaluation, from its row.

    Parameters
    ----------
    outcome : str
        The headline of a result of an older release, whose row has none.
    """
    headline = row.headline or outcome
    if row.error is not None:
        headline = str(row.error.get("detail", ""))
    return ListEntry(
        id=row.id,
        title=row.name or name_kind(row.kind),
        kind=row.kind,
        status=row.status,
        verdict=row.verdict,
        gate=row.gate,
        sign_off=row.sign_off,
        can_compare=row.summary is not None,
        headline=headline,
        labels=row.labels,
        created_at=row.created_at,
        done=row.progress_done,
        total=row.progress_total,
        unit=row.progress_unit,
        protocol=row.protocol,
    )
