"""The gate about costs: whether a model that is good enough is also cheaper."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from thetahat.analyses.losses.choices import Choices, Gate
from thetahat.analyses.losses.cost_doubts import choose_tail, describe_missed_rows, find_doubt
from thetahat.analyses.losses.cost_result import CostOfPair
from thetahat.analyses.losses.costs import CostsOfTable
from thetahat.analyses.losses.gate import write_counted
from thetahat.analyses.losses.result import Comparison, CostUndecided, GateOutcome, GateResult
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_number, write_share

ROUNDING: Final = 1e-9
"""By how much a ratio of two written numbers may exceed its limit: 0.2 is 80 % less than 1."""


@dataclass(frozen=True, slots=True)
class OutcomeOfCost:
    """Whether a model is shown to be cheaper by the share that is required."""

    outcome: GateOutcome
    undecided: CostUndecided | None = None
    """Why that is not said, although the whole set of ratios is on one side."""
    reason: str = ""
    """The same, as the rest of a sentence after a colon."""
    unseen: str = ""
    """Which kinds of rows may be missing, as a sentence; empty if these are rare."""


def add_cost_to_gate(
    gate: Gate, of_quality: GateResult, pair: Comparison, of_cost: OutcomeOfCost
) -> GateResult:
    """Return the outcome of quality and cost together.

    Both are tested at the level of the request. The gate passes by mistake only if a statement that
    is false is shown, and the chance of that is at most its level, whatever the other one is.
    """
    quality = GateOutcome.UNDECIDED if of_quality.undecided else of_quality.outcome
    both = {quality, of_cost.outcome}
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
        cost_undecided=of_cost.undecided,
        sentence=_write(gate, of_quality, pair.cost, of_cost, outcome, is_undecided=is_undecided),
    )


def judge_cost(
    gate: Gate,
    choices: Choices,
    cost: CostOfPair | None,
    costs: CostsOfTable | None,
    layout: Layout,
) -> OutcomeOfCost:
    """Return whether the model is shown to be cheaper by the share that is required.

    Costs of rows show it if the whole set of ratios does, if the few dear rows are allowed for, and
    if rows that were not seen could not change it.
    """
    share = gate.cheaper_by
    if cost is None or share is None or costs is None:
        return OutcomeOfCost(GateOutcome.UNDECIDED)
    limit = 1 - share
    if cost.method == "exact":
        is_met = cost.cheaper == gate.model and (
            cost.ratio is None or cost.ratio <= limit * (1 + ROUNDING)
        )
        return OutcomeOfCost(GateOutcome.PASS if is_met else GateOutcome.FAIL)
    if cost.shape != "interval" or cost.lower is None or cost.upper is None:
        return OutcomeOfCost(GateOutcome.UNDECIDED)
    model, other = costs.rows[gate.model], limit * costs.rows[gate.against]
    layout = costs.layout or layout
    if cost.upper < limit:
        outcome, lower, higher = GateOutcome.PASS, model, other
    elif cost.lower > limit:
        outcome, lower, higher = GateOutcome.FAIL, other, model
    else:
        return OutcomeOfCost(GateOutcome.UNDECIDED)
    doubt = find_doubt(lower, higher, layout, choose_tail(cost.simultaneous_pairs, choices))
    if doubt is not None:
        return OutcomeOfCost(GateOutcome.UNDECIDED, doubt.code, doubt.reason)
    return OutcomeOfCost(outcome, unseen=describe_missed_rows(layout))


def _write(  # noqa: PLR0913 - both outcomes and the numbers behind them
    gate: Gate,
    of_quality: GateResult,
    cost: CostOfPair | None,
    of_cost: OutcomeOfCost,
    outcome: GateOutcome,
    *,
    is_undecided: bool,
) -> str:
    """Return the sentence about quality, and what the cost adds to or takes from it."""
    share = gate.cheaper_by or 0.0
    wanted = f"costs at least {write_share(share)} less than" if share else "is cheaper than"
    required = f"{gate.model} {wanted} {gate.against}"
    required = f"{required}{_write_ratio(cost)}"
    if of_cost.outcome is GateOutcome.PASS:
        shown = f"{of_quality.sentence} It is also shown that {required}."
        return f"{shown} {of_cost.unseen}".rstrip()
    if of_cost.outcome is GateOutcome.FAIL:
        return f"By cost it is required that {required}. {of_quality.sentence}"
    counted = write_counted(outcome) if is_undecided else ""
    if of_cost.reason:  # the interval of the cost, which stands beside it, is on one side
        return (
            f"It is not decided whether {required}{counted}: {of_cost.reason} {of_quality.sentence}"
        )
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
