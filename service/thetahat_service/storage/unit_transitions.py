"""The states of a unit of work, and what each event changes, as one table without a database.

``unit_statements`` builds the SQL from the table. Everything that happens to a unit after it was
queued is an event of the table, except that a claimed gathering is removed if chunks are computed
again: it is queued anew after them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from thetahat_service.states import UnitState


class UnitEvent(Enum):
    """What happens to a unit."""

    CLAIM = auto()  # a worker begins an attempt
    RENEW = auto()  # the worker is still computing
    FINISH = auto()  # the worker records the outcome
    FAIL = auto()  # the unit cannot be computed
    PUT_BACK = auto()  # the worker stops before the end
    LOSE = auto()  # the worker process ended, or had an internal error
    POSTPONE = auto()  # the file store or the database failed
    CANCEL = auto()  # the evaluation ends without the unit
    SKIP = auto()  # the unit's part of the evaluation failed
    RECOMPUTE = auto()  # the stored arrays are lost or damaged


class Condition(Enum):
    """What must hold, besides the state, for an event to change a unit."""

    DUE = auto()  # its time ``not_before`` has come
    HELD = auto()  # the columns of ``CLAIM_COLUMNS`` are those of the caller's claim


class Write(Enum):
    """The value that an event writes to a column; times are in seconds by the database's clock."""

    GIVEN = auto()  # the caller's value
    NOW = auto()
    GIVEN_SECONDS_FROM_NOW = auto()
    NULL = auto()
    ZERO = auto()
    ONE_MORE = auto()
    NOW_IF_NULL = auto()  # the old value is kept if there is one
    SECONDS_OF_ATTEMPT = auto()  # without a measurement, up to the end of the lease
    PLUS_SECONDS_OF_ATTEMPT = auto()  # likewise
    PLUS_SECONDS = auto()  # the column ``seconds`` is added


CLAIM_COLUMNS: Final = ("attempt", "worker_id")
"""The columns that show whose claim a unit is.

A worker may lose a claim and claim the unit again, so its id does not show which attempt it is.
"""


@dataclass(frozen=True, slots=True)
class Transition:
    """What an event does to a unit that is in one of the states before and meets ``needs``."""

    before: frozenset[UnitState]
    after: UnitState
    """The states before and after it."""
    needs: Condition | None = None
    """A further condition; None if there is none."""
    writes: Mapping[str, Write] = field(default_factory=dict)
    """What is written to other columns than the state."""
    progress: int = 0
    """1 if the size of a chunk is added to the progress of its evaluation, which goes on; -1 if it
    is subtracted."""


_QUEUED = frozenset({UnitState.QUEUED})
_RUNNING = frozenset({UnitState.RUNNING})
_ENDED: Final = {
    "lease_until": Write.NULL,
    "output_file": Write.GIVEN,
    "seconds": Write.SECONDS_OF_ATTEMPT,
}
_QUEUED_AGAIN: Final = {
    "worker_id": Write.NULL,
    "lease_until": Write.NULL,
    "not_before": Write.GIVEN_SECONDS_FROM_NOW,
    "message_sent_at": Write.ZERO,
}
_STOPPED: Final = _QUEUED_AGAIN | {
    "lost_seconds": Write.PLUS_SECONDS_OF_ATTEMPT,
    "unavailable_since": Write.NULL,
}
TRANSITIONS: Final[Mapping[UnitEvent, Transition]] = {
    UnitEvent.CLAIM: Transition(
        _QUEUED,
        UnitState.RUNNING,
        Condition.DUE,
        {
            "attempt": Write.ONE_MORE,
            "worker_id": Write.GIVEN,
            "claimed_at": Write.NOW,
            "lease_until": Write.GIVEN_SECONDS_FROM_NOW,
        },
    ),
    UnitEvent.RENEW: Transition(
        _RUNNING,
        UnitState.RUNNING,
        Condition.HELD,
        {"lease_until": Write.GIVEN_SECONDS_FROM_NOW},
    ),
    UnitEvent.FINISH: Transition(_RUNNING, UnitState.DONE, Condition.HELD, _ENDED, progress=1),
    UnitEvent.FAIL: Transition(_RUNNING, UnitState.FAILED, Condition.HELD, _ENDED, progress=1),
    UnitEvent.PUT_BACK: Transition(_RUNNING, UnitState.QUEUED, Condition.HELD, _STOPPED),
    UnitEvent.LOSE: Transition(
        _RUNNING, UnitState.QUEUED, Condition.HELD, _STOPPED | {"lost": Write.ONE_MORE}
    ),
    UnitEvent.POSTPONE: Transition(
        _RUNNING,
        UnitState.QUEUED,
        Condition.HELD,
        _QUEUED_AGAIN | {"unavailable_since": Write.NOW_IF_NULL},
    ),
    UnitEvent.CANCEL: Transition(
        _QUEUED | _RUNNING, UnitState.CANCELLED, writes={"lease_until": Write.NULL}
    ),
    UnitEvent.SKIP: Transition(
        _QUEUED, UnitState.CANCELLED, writes={"output_file": Write.GIVEN}, progress=1
    ),
    UnitEvent.RECOMPUTE: Transition(
        frozenset({UnitState.DONE, UnitState.FAILED, UnitState.CANCELLED}),
        UnitState.QUEUED,
        writes={
            "worker_id": Write.NULL,
            "lease_until": Write.NULL,
            "not_before": Write.NOW,
            "message_sent_at": Write.NOW,
            "output_file": Write.NULL,
            "lost": Write.ONE_MORE,
            "seconds": Write.NULL,
            "lost_seconds": Write.PLUS_SECONDS,
            "unavailable_since": Write.NULL,
        },
        progress=-1,
    ),
}
