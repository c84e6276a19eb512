"""The gate about costs: whether a model that is good enough is also cheaper."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from thetahat.analyses.losses.choices import Gate
from thetahat.analyses.losses.cost_result import CostOfPair
from thetahat.analyses.losses.costs import write_share
from thetahat.analyses.losses.gate import write_counted
from thetahat.analyses.losses.result import Comparison, GateOutcome, GateResult
from thetahat.values.number_text import format_number

ROUNDING: Final = 1e-9
"""By how much a ratio of two written numbers may exceed its limit: 0.2 is 80 % less than 1."""


def add_cost_to_gate(gate: Gate, of_quality: GateResult, pair: Comparison) -> GateResult:
    """Return the outcome of quality and cost together.

    Both are tested at the level of the request. The gate passes by mistake only if a statement that
    is false is shown, and the chance of that is at most its level, whatever the other one is.
    """
    of_cost = _judge_cost(gate, pair)
    quality = GateOutcome.UNDECIDED if of_quality.undecided else of_quality.outcome
    both = {quality, of_cost}
    is_undecided = False
    if GateOutcome.FAIL in both:
        outcome = GateOutcome.FAIL
    elif both == {GateOutcome.PASS}:
        outcome = GateOutcome.PASS
    else:
        outcome, is_undecided = gate.undecided, True
    return replace(
        of_quality,
        outcome=outcome,
        undecided=is_undecided,
        cheaper_by=gate.cheaper_by,
        cost=pair.cost,
        sentence=_write(gate, of_quality, pair.cost, of_cost, outcome, is_undecided=is_undecided),
    )


def is_shown_cheaper(gate: Gate, pair: Comparison) -> bool:
    """Return whether the model is shown to be cheaper by the share that the gate requires."""
    return _judge_cost(gate, pair) is GateOutcome.PASS


def _judge_cost(gate: Gate, pair: Comparison) -> GateOutcome:
    """Return whether the model is shown to be cheaper by the share that is required."""
    cost, share = pair.cost, gate.cheaper_by
    if cost is None or share is None:
        return GateOutcome.UNDECIDED
    limit = 1 - share
    if cost.method == "exact":
        is_met = cost.cheaper == gate.model and (
            cost.ratio is None or cost.ratio <= limit * (1 + ROUNDING)
        )
        return GateOutcome.PASS if is_met else GateOutcome.FAIL
    if cost.shape != "interval" or cost.lower is None or cost.upper is None:
        return GateOutcome.UNDECIDED
    if cost.upper < limit:
        return GateOutcome.PASS
    return GateOutcome.FAIL if cost.lower > limit else GateOutcome.UNDECIDED


def _write(  # noqa: PLR0913 - both outcomes and the numbers behind them
    gate: Gate,
    of_quality: GateResult,
    cost: CostOfPair | None,
    of_cost: GateOutcome,
    outcome: GateOutcome,
    *,
    is_undecided: bool,
) -> str:
    """Return the sentence about quality, and what the cost adds to or takes from it."""
    share = gate.cheaper_by or 0.0
    wanted = f"costs at least {write_share(share)} less than" if share else "is cheaper than"
    required = f"{gate.model} {wanted} {gate.against}"
    required = f"{required}{_write_ratio(cost)}"
    if of_cost is GateOutcome.PASS:
        return f"{of_quality.sentence} It is also shown that {required}."
    if of_cost is GateOutcome.FAIL:
        return f"By cost it is required that {required}. {of_quality.sentence}"
    counted = write_counted(outcome) if is_undecided else ""
    return f"It is not shown that {required}{counted}. {of_quality.sentence}"


def _write_ratio(cost: CostOfPair | None) -> str:
    """Return the cost of the model as a share of the other's, in parentheses."""
    if cost is None or cost.ratio is None:
        return ""
    ends = ""
    if cost.lower is not None and cost.upper is not None:
        ends = f", interval {_write_percent(cost.lower)} to {_write_percent(cost.upper)}"
    return f" (its cost is {_write_percent(cost.ratio)} of the other's{ends})"


def _write_percent(ratio: float) -> str:
    return f"{format_number(float(f'{100 * ratio:.3g}'))} %"
