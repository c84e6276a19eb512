"""What the interval of a look shows, and whether that meets a requirement."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from thetahat.analyses.losses.result import GateOutcome, Requirement


class Statement(StrEnum):
    """A statement about the first model, compared with the second one or with the reference."""

    EQUIVALENT = "equivalent"
    BETTER = "better"
    WORSE = "worse"
    NOT_WORSE = "not_worse"
    FUTILE = "futile"


ORDER: Final = tuple(Statement)
"""Of several statements that hold, the first is the decision."""
NEED_MARGIN: Final = (Statement.EQUIVALENT, Statement.NOT_WORSE)
_MET_BY: Final = {
    Requirement.BETTER: frozenset({Statement.BETTER}),
    Requirement.NOT_WORSE: frozenset({Statement.NOT_WORSE, Statement.BETTER}),
    Requirement.EQUIVALENT: frozenset({Statement.EQUIVALENT}),
}


def list_statements(ends: tuple[float, float], margin: float | None) -> tuple[Statement, ...]:
    """Return all statements that an interval shows.

    The interval covers at all looks together, so that the chance that any of these statements is
    ever wrong is that of the interval: no statement needs a correction. ``ends`` are those of the
    interval of the loss of the first model minus that of the second, or minus the reference;
    ``margin`` is None without one.
    """
    lower, upper = ends
    holds = {
        Statement.EQUIVALENT: margin is not None and -margin < lower and upper < margin,
        Statement.BETTER: upper < 0,
        Statement.WORSE: lower > 0,
        Statement.NOT_WORSE: margin is not None and upper < margin,
        Statement.FUTILE: False,
    }
    return tuple(statement for statement in ORDER if holds[statement])


def judge_requirement(
    requirement: Requirement,
    holding: Collection[Statement],
    ends: tuple[float, float] | None,
    margin: float | None,
) -> GateOutcome:
    """Return whether statements meet a requirement: pass, fail or undecided.

    It is refuted if the first model is shown to be worse, or, where equivalence is required, if the
    interval lies beyond the margin.
    """
    if not _MET_BY[requirement].isdisjoint(holding):
        return GateOutcome.PASS
    is_beyond = (
        ends is not None and margin is not None and (ends[0] >= margin or ends[1] <= -margin)
    )
    if Statement.WORSE in holding or (requirement is Requirement.EQUIVALENT and is_beyond):
        return GateOutcome.FAIL
    return GateOutcome.UNDECIDED
