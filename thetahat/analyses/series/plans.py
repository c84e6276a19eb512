"""How many batches are expected until a decision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from thetahat.analyses.series.design import SeriesDesign
from thetahat.analyses.series.statements import Statement, list_statements
from thetahat.analyses.series.steps import SequentialLook, SeriesState
from thetahat.values.number_text import format_count, format_number

MOST_UNITS: Final = 10**9
"""A decision that would take more units is not expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPlan:
    """When a decision is expected, if the mean and the spread are as assumed."""

    assumes: str
    """expected: what the request expects; so_far: what the rows so far have."""
    difference: float
    """The mean difference, or the mean minus the reference, that is assumed."""
    standard_deviation: float
    """The standard deviation of single units that is assumed."""
    batch_units: float
    """Rows, or clusters, in a batch that are assumed."""
    decision: Statement | None
    """The decision that is expected; null if none is."""
    units: int | None
    """Rows, or clusters, from the beginning to the decision; null if none is expected."""
    batches: int | None
    """Batches from the beginning to the decision; null if none is expected."""
    additional_batches: int | None
    """Batches from now to the decision; null if none is expected."""
    sentence: str
    """The plan in words."""


def plan_series(
    design: SeriesDesign, state: SeriesState, look: SequentialLook | None
) -> SeriesPlan | None:
    """Return when a decision is expected; None if there is one, or nothing is known to expect.

    The interval of a method is followed along the assumed mean. At half of all series the decision
    comes earlier, at the others later. ``look`` is the newest look, from whose mean and spread the
    plan goes on; without one, or before it has an interval, the plan is about what the design
    expects.
    """
    if state.decision is not None or design.method.is_over(state.method):
        return None
    expected = design.expected
    if look is not None and (expected is None or look.lower is not None):
        shift = look.estimate - design.question.reference
        spread, per_batch, assumes = look.standard_deviation, look.n / state.batches, "so_far"
    elif expected is not None:
        shift, spread = expected.difference, expected.standard_deviation
        per_batch, assumes = float(expected.batch_units), "expected"
    else:
        return None
    n_now = 0 if look is None else look.n
    found = _find_decision(design, shift, spread, n_now)
    if found is None:
        batches = additional = units = decision = None
    else:
        units, decision = found
        batches_more = math.ceil(max(units - n_now, 1) / per_batch)
        additional = batches_more
        batches = state.batches + batches_more
    return SeriesPlan(
        assumes=assumes,
        difference=shift,
        standard_deviation=spread,
        batch_units=per_batch,
        decision=decision,
        units=units,
        batches=batches,
        additional_batches=additional,
        sentence=_write(assumes, shift, spread, additional, decision),
    )


def _write(
    assumes: str, shift: float, spread: float, additional: int | None, decision: Statement | None
) -> str:
    source = "as expected" if assumes == "expected" else "as in the rows so far"
    condition = (
        f"If the mean difference is {format_number(shift)} and the standard deviation "
        f"{format_number(spread)}, {source}"
    )
    if additional is None or decision is None:
        return f"{condition}, no decision is expected."
    word = decision.value.replace("_", " ")
    count = f"{format_count(additional)} more {'batch' if additional == 1 else 'batches'}"
    return f"{condition}, the decision {word} is expected after {count}."


def _find_decision(
    design: SeriesDesign, shift: float, spread: float, n_now: int
) -> tuple[int, Statement] | None:
    """Return the first number of units after which a decision holds, and which one."""

    def decide(n: int) -> Statement | None:
        mean = design.question.reference + shift
        interval = design.method.foresee(n, mean, spread, design.question)
        if interval is None:
            return None
        holding = list_statements(design.orient(*interval), design.margin)
        return next((held for held in holding if held in design.decisions), None)

    planned = design.method.list_looks()
    if planned is not None:
        looks = [n for n in planned if n > n_now]
        return next(((n, held) for n in looks if (held := decide(n)) is not None), None)
    low, high = n_now, max(n_now, 1)
    while (held := decide(high)) is None:
        if high >= MOST_UNITS:
            return None
        low, high = high, min(2 * high, MOST_UNITS)
    while high - low > 1:
        middle = (low + high) // 2
        earlier = decide(middle)
        low, high = (middle, high) if earlier is None else (low, middle)
        held = earlier or held
    return high, held
