"""One step of a series: a batch is added to its state, and looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from thetahat.analyses.series.batches import Batch, compute_values
from thetahat.analyses.series.design import SeriesDesign
from thetahat.analyses.series.sentences import write_sentence
from thetahat.analyses.series.statements import Statement, list_statements
from thetahat.errors import UnsupportedCombination
from thetahat.sequential.base import LookOutcome, limit_p_value

FUTILE_BELOW: Final = 0.1
"""Conditional power below which a goal counts as out of reach."""
LARGEST_LOG_E: Final = math.log(1e300)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesState:
    """What is kept of all batches: sums, never rows."""

    batches: int = 0
    """Batches so far."""
    rows: int = 0
    """Rows so far."""
    method: Mapping[str, Any] = field(default_factory=dict)
    """The sums of the method."""
    largest_log_e: float = 0.0
    """Logarithm of the largest e-value so far."""
    decision: Statement | None = None
    """The decision; it stays."""
    decided_at_look: int | None = None
    """Number of the look that decided."""

    def to_json(self) -> dict[str, Any]:
        """Return the state as JSON can hold it."""
        return {
            "batches": self.batches,
            "rows": self.rows,
            "method": dict(self.method),
            "largest_log_e": self.largest_log_e,
            "decision": None if self.decision is None else self.decision.value,
            "decided_at_look": self.decided_at_look,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> SeriesState:
        """Return the state that ``to_json`` wrote."""
        decision = value["decision"]
        return cls(**{**value, "decision": None if decision is None else Statement(decision)})


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialLook:
    """What a look after a batch has shown."""

    number: int
    """Number of the look, which is that of the batch, from 1."""
    rows: int
    """Rows so far."""
    n: int
    """Independent units so far: rows, or clusters."""
    estimate: float
    """Mean difference, or mean of one model, so far."""
    standard_deviation: float
    """Standard deviation of single units, divisor n."""
    lower: float | None
    """Lower end of the interval, which holds for all looks together; null without one."""
    upper: float | None
    """Upper end of the interval; null without one."""
    e_value: float | None
    """e-value against no difference, or against the reference; null for planned looks, without an
    interval, and above 1e300."""
    p_value: float | None
    """p-value that holds for all looks together: the inverse of the largest e-value so far, or of
    a planned look the least error at which it crosses its boundary; null without either."""
    holds: tuple[Statement, ...]
    """Statements that the interval shows."""
    decision: Statement | None
    """The decision of the series at this look; null if it is undecided."""
    conditional_power: float | None
    """Of planned looks, the probability that the last one reaches a goal of the stop rule if rows
    to come are like those so far; null for other methods and at the end."""
    sentence: str
    """The look in words."""
    reason: str
    """Why there is no interval; empty with one."""


def begin_series(design: SeriesDesign) -> SeriesState:
    """Return the state before the first batch."""
    return SeriesState(method=design.method.begin())


def add_batch(
    design: SeriesDesign, state: SeriesState, batch: Batch
) -> tuple[SeriesState, SequentialLook]:
    """Return the state and the look after one more batch.

    Raises
    ------
    InvalidParameter
        The batch does not fit the series.
    UnsupportedCombination
        The last planned look was made.
    """
    if design.method.is_over(state.method):
        raise UnsupportedCombination(
            "The last planned look of this series was made, and no further look is allowed.",
            loc=("losses",),
        )
    values = compute_values(design, batch)
    sums, outcome = design.method.advance(state.method, values, design.question)
    largest = max(state.largest_log_e, outcome.log_e_value or 0.0)
    power = _compute_power(design, sums)
    holding = _list_holding(design, outcome, power)
    number = state.batches + 1
    decision, decided_at = state.decision, state.decided_at_look
    if decision is None:
        decision = next((held for held in holding if held in design.decisions), None)
        decided_at = None if decision is None else number
    rows = state.rows + batch.n_rows
    p_value = outcome.p_value
    if outcome.log_e_value is not None:
        p_value = limit_p_value(largest)
    after = SeriesState(
        batches=number,
        rows=rows,
        method=sums,
        largest_log_e=largest,
        decision=decision,
        decided_at_look=decided_at,
    )
    look = SequentialLook(
        number=number,
        rows=rows,
        n=outcome.n,
        estimate=outcome.estimate or 0.0,
        standard_deviation=outcome.standard_deviation or 0.0,
        lower=outcome.lower,
        upper=outcome.upper,
        e_value=_exponentiate(outcome.log_e_value),
        p_value=p_value,
        holds=holding,
        decision=decision,
        conditional_power=power,
        sentence=write_sentence(design, outcome, holding, rows),
        reason=outcome.reason,
    )
    return after, look


def _exponentiate(log_e_value: float | None) -> float | None:
    if log_e_value is None or log_e_value > LARGEST_LOG_E:
        return None
    return math.exp(log_e_value)


def _list_holding(
    design: SeriesDesign, outcome: LookOutcome, power: float | None
) -> tuple[Statement, ...]:
    holding: tuple[Statement, ...] = ()
    if outcome.lower is not None and outcome.upper is not None:
        holding = list_statements(design.orient(outcome.lower, outcome.upper), design.margin)
    is_look = outcome.lower is not None
    is_futile = is_look and power is not None and power < FUTILE_BELOW
    return (*holding, Statement.FUTILE) if is_futile else holding


def _compute_power(design: SeriesDesign, sums: Mapping[str, Any]) -> float | None:
    """Return the largest conditional power of the goals; None without a last look to come."""
    found = [
        design.method.compute_conditional_power(sums, *_find_bounds(design, goal), design.question)
        for goal in design.decisions
        if goal not in {Statement.FUTILE, Statement.WORSE}
    ]
    known = [power for power in found if power is not None]
    return max(known) if known else None


def _find_bounds(design: SeriesDesign, goal: Statement) -> tuple[float | None, float | None]:
    """Return the bounds between which the interval must lie for a goal."""
    margin = design.margin or 0.0
    least = -margin if goal is Statement.EQUIVALENT else None
    most = 0.0 if goal is Statement.BETTER else margin
    reference = design.question.reference
    if design.better == "higher":
        return reference - most, None if least is None else reference - least
    return None if least is None else reference + least, reference + most
