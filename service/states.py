"""The states of an evaluation and of its units of work, and which may follow which."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class EvaluationStatus(StrEnum):
    """What a client sees."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class UnitState(StrEnum):
    """What the workers see."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Stage(StrEnum):
    """What a unit of work is."""

    START = "start"  # check and cut into chunks, or do all of a small evaluation
    CHUNK = "chunk"  # one part
    GATHER = "gather"  # put the parts together


FINISHED: Final = frozenset(
    {EvaluationStatus.SUCCEEDED, EvaluationStatus.FAILED, EvaluationStatus.CANCELLED}
)
UNFINISHED: Final = frozenset(EvaluationStatus) - FINISHED
