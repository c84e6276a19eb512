"""The gate: whether a model meets a requirement compared with another model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final

from thetahat.analyses.losses.choices import Choices, Gate
from thetahat.analyses.losses.result import (
    Comparison,
    Decision,
    GateOutcome,
    GateResult,
    Requirement,
)
from thetahat.errors import InvalidParameter, run_checks
from thetahat.similar_names import suggest_name
from thetahat.values.number_text import format_number

if TYPE_CHECKING:
    from thetahat.analyses.losses.costs import CostsOfTable
    from thetahat.values.layout import Layout

_MET_BY: Final = {
    Requirement.BETTER: frozenset({Decision.BETTER}),
    Requirement.NOT_WORSE: frozenset({Decision.NOT_WORSE, Decision.BETTER}),
    Requirement.EQUIVALENT: frozenset({Decision.EQUIVALENT}),
}
"""Decisions on the model and its reference, any of which meets the requirement."""


def check_gate(choices: Choices, models: Sequence[str]) -> None:
    """Refuse a gate whose models are not evaluated, or that lacks what its requirement needs.

    Raises ``InvalidParameter`` for an unknown model, a model beside itself, no margin, or another
    control.
    """
    gate = choices.gate
    if gate is None:
        return
    run_checks(
        lambda: _check_model("model", gate.model, models),
        lambda: _check_model("against", gate.against, models),
    )
    if choices.control != gate.against:
        raise InvalidParameter(
            f"The gate compares with {gate.against!r}, but control is {choices.control!r}. Leave "
            "control out, or name the same model in both.",
            loc=("control",),
            value=choices.control,
        )


def refuse_gate_without_groups(require: Requirement | None, *, has_groups: bool) -> None:
    """Raise ``InvalidParameter`` for a gate about groups if the request names none.

    ``require`` is what the gate requires; None without a gate.
    """
    if require is Requirement.NO_GROUP_WORSE and not has_groups:
        raise InvalidParameter(
            f"The gate requires {require}, and the request has no groups. Name the columns "
            "of the groups in groups.",
            loc=("gate", "require"),
            value=require.value,
        )


def refuse_gate_without_costs(cheaper_by: float | None, *, has_costs: bool) -> None:
    """Raise ``InvalidParameter`` for a gate about costs if the request has none.

    ``cheaper_by`` is what the gate requires; None if costs do not matter to it.
    """
    if cheaper_by is not None and not has_costs:
        raise InvalidParameter(
            "The gate requires that the model is cheaper (cheaper_by), and the request has no "
            "cost. Give the cost of each model in cost.",
            loc=("gate", "cheaper_by"),
            value=cheaper_by,
        )


def _check_model(field: str, name: str, models: Sequence[str]) -> None:
    if name not in models:
        raise InvalidParameter(
            f"The gate's {field} {name!r} is not one of the models"
            f"{suggest_name(name, models)}: {', '.join(models)}.",
            loc=("gate", field),
            value=name,
        )


def judge_gate(
    comparisons: Sequence[Comparison], choices: Choices, costs: CostsOfTable | None, layout: Layout
) -> GateResult | None:
    """Return whether the gate's requirement is met; None without a gate.

    It is met if the verdict on the two models says so, with its correction for several pairs. It
    is refuted if the model is shown to be worse, or, where equivalence is required, if the interval
    of the difference lies beyond the margin. Otherwise it is undecided. A model that could not be
    compared, because a learner failed or is not fitted yet, never passes.
    """
    gate = choices.gate
    if gate is None:
        return None
    pair = next(
        (pair for pair in comparisons if (pair.a, pair.b) == (gate.model, gate.against)), None
    )
    if pair is None:
        return build_gate_result(
            gate,
            choices,
            GateOutcome.UNDECIDED if gate.undecided is GateOutcome.PASS else gate.undecided,
            f"{gate.model} and {gate.against} could not be compared, because one of them has no "
            "losses.",
            is_undecided=True,
        )
    if gate.cheaper_by is not None:
        from thetahat.analyses.losses.cost_gate import add_cost_to_gate, judge_cost  # noqa: PLC0415 - seldom needed

        of_cost = judge_cost(gate, choices, pair.cost, costs, layout)
        settles = of_cost.outcome is GateOutcome.PASS
        quality = _judge_quality(gate, choices, pair, settles=settles)
        return add_cost_to_gate(gate, quality, pair, of_cost)
    return _judge_quality(gate, choices, pair, settles=True)


def _judge_quality(gate: Gate, choices: Choices, pair: Comparison, *, settles: bool) -> GateResult:
    """Return whether the requirement on the losses is met, whatever the models cost.

    ``settles`` says whether the outcome of the gate follows from it.
    """
    if gate.require is Requirement.NO_GROUP_WORSE:
        from thetahat.analyses.losses.group_gate import judge_groups  # noqa: PLC0415 - seldom needed

        return judge_groups(gate, choices, pair, settles=settles)
    holding = {pair.verdict.decision, *pair.verdict.also}
    outcome = _judge(gate.require, holding, pair, choices.margin)
    is_undecided = outcome is GateOutcome.UNDECIDED
    if is_undecided:
        outcome = gate.undecided
    reason, requirement = pair.verdict.reason, write_requirement(gate, choices.margin)
    if is_undecided:
        counted = write_counted(outcome) if settles else ""
        sentence = f"It is not shown that {requirement}{counted}. {reason}"
    elif outcome is GateOutcome.FAIL:
        sentence = f"It is required that {requirement}. {reason}"
    elif gate.require is Requirement.BETTER:  # which the verdict says
        sentence = reason
    else:
        sentence = f"It is shown that {requirement}. {reason}"
    return build_gate_result(gate, choices, outcome, sentence, is_undecided=is_undecided, pair=pair)


def _judge(
    requirement: Requirement,
    holding: Collection[Decision],
    pair: Comparison,
    margin: float | None,
) -> GateOutcome:
    if not _MET_BY[requirement].isdisjoint(holding):
        return GateOutcome.PASS
    if Decision.WORSE in holding:
        return GateOutcome.FAIL
    differs = requirement is Requirement.EQUIVALENT and Decision.BETTER in holding
    if differs and _is_beyond_margin(pair, margin):
        return GateOutcome.FAIL
    return GateOutcome.UNDECIDED


def _is_beyond_margin(pair: Comparison, margin: float | None) -> bool:
    if pair.interval is None or margin is None:
        return False
    lower, upper = pair.interval.lower, pair.interval.upper
    return (lower is not None and lower >= margin) or (upper is not None and upper <= -margin)


def build_gate_result(  # noqa: PLR0913 - the fields of the result
    gate: Gate,
    choices: Choices,
    outcome: GateOutcome,
    sentence: str,
    *,
    is_undecided: bool,
    pair: Comparison | None = None,
) -> GateResult:
    """Return the result of a gate, with the interval of its pair."""
    interval = None if pair is None else pair.interval
    difference = None if pair is None else pair.difference
    return GateResult(
        outcome=outcome,
        undecided=is_undecided,
        model=gate.model,
        against=gate.against,
        require=gate.require,
        margin=choices.margin,
        difference=difference if interval is None else interval.estimate,
        lower=None if interval is None else interval.lower,
        upper=None if interval is None else interval.upper,
        level=choices.level,
        target=None if interval is None else interval.target,
        sentence=sentence,
    )


def write_counted(outcome: GateOutcome) -> str:
    """Return the outcome that an undecided gate counts as; empty where it stays undecided."""
    return "" if outcome is GateOutcome.UNDECIDED else f", which counts as {outcome.value}"


def write_requirement(gate: Gate, margin: float | None) -> str:
    """Return what a gate requires, in words."""
    if gate.require is Requirement.BETTER:
        return f"{gate.model} is better than {gate.against}"
    limit = format_number(margin or 0.0)
    if gate.require is Requirement.NO_GROUP_WORSE:
        return f"in no group {gate.model} is worse than {gate.against} by {limit} or more"
    if gate.require is Requirement.NOT_WORSE:
        return f"{gate.model} is not worse than {gate.against} by {limit} or more"
    return f"{gate.model} and {gate.against} differ by less than {limit}"
