"""States, times and sizes as pages write them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from thetahat_presentation.numbers import MISSING
from thetahat_presentation.wording import capitalise

STATES: Final = {
    "queued": "Queued",
    "running": "Running",
    "succeeded": "Finished",
    "failed": "Failed",
    "cancelled": "Cancelled",
}


BADGES: Final = {
    "better": "Better",
    "equivalent": "Equivalent",
    "not_worse": "Not worse",
    "undecided": "Undecided",
    "worse": "Worse",
    "mixed": "Mixed",
    "pass": "Pass",
    "fail": "Fail",
    "approved": "Approved",
    "rejected": "Rejected",
    "needs_changes": "Needs changes",
    "none": "Not signed",
}
"""Verdicts, outcomes of gates and decisions of sign-offs in a word or two."""


def describe_outcome(outcome: str) -> str:
    """Return a verdict, the outcome of a gate or the decision of a sign-off in a word or two."""
    return BADGES.get(outcome, capitalise(outcome))


def describe_state(state: str) -> str:
    """Return the state of an evaluation in a word."""
    return STATES.get(state, capitalise(state))


def write_moment(moment: datetime | None) -> str:
    """Return a time in UTC, to the minute."""
    return "" if moment is None else f"{moment.astimezone(UTC):%-d %b %Y, %H:%M} UTC"


def write_duration(seconds: float | None) -> str:
    """Return a duration in the unit that suits it."""
    if seconds is None:
        return MISSING
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"{seconds:.0f} seconds" if seconds >= 1.5 else "1 second"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def write_bytes(size: int) -> str:
    """Return a size in bytes with a unit."""
    number = float(size)
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} GB"
