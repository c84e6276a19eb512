"""The gate about groups: whether a model is worse in none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from thetahat.analyses.groups.columns import write_group
from thetahat.analyses.groups.pair_groups import MOST_NAMED
from thetahat.analyses.groups.rows import FEW_UNITS
from thetahat.analyses.losses.choices import Choices, Gate
from thetahat.analyses.losses.gate import build_gate_result, write_counted, write_requirement
from thetahat.analyses.losses.result import Comparison, GateOutcome, GateResult
from thetahat.analyses.thresholds import FEWEST_SKEWED
from thetahat.cautions import SKEWED_GROUPS
from thetahat.values.types import Label

_Groups = list[Mapping[str, Label | None]]


def judge_groups(gate: Gate, choices: Choices, pair: Comparison, *, settles: bool) -> GateResult:
    """Return whether the model is shown to be not worse by the margin in every group.

    Each group is tested at the level of the request, since all of them have to pass; that the model
    is worse by more than the margin in some group is said at a level for all groups together.
    ``settles`` says whether the outcome of the gate follows from it.
    """
    margin = choices.margin or 0.0
    failed: _Groups = []
    undecided: _Groups = []
    small: _Groups = []
    equal: _Groups = []
    n_groups = 0
    for of_column in (pair.groups or {}).values():
        for item in of_column.items:
            n_groups += 1
            at_most, at_least = item.worse_by_at_most, item.worse_by_at_least
            has_units = min(item.n, item.n if item.clusters is None else item.clusters) >= FEW_UNITS
            if at_least is not None and at_least > margin:
                failed.append(item.group)
            elif at_most is None or at_most >= margin or not has_units:
                undecided.append(item.group)
                if item.interval is None and has_units:
                    equal.append(item.group)
                elif item.too_few or not has_units:
                    small.append(item.group)
    requirement = write_requirement(gate, margin)
    is_undecided = not failed and bool(undecided)
    if failed:
        outcome = GateOutcome.FAIL
        sentence = (
            f"It is required that {requirement}. {gate.model} is worse by more in "
            f"{_list_groups(failed)}."
        )
    elif undecided:
        outcome = gate.undecided
        counted = write_counted(outcome) if settles else ""
        sentence = f"It is not shown that {requirement}{counted}."
        sentence += "".join(_explain_undecided(undecided, small, equal))
    else:
        outcome = GateOutcome.PASS
        counted = f"{n_groups} group" if n_groups == 1 else f"{n_groups} groups"
        sentence = f"It is shown that {requirement} ({counted}).{_warn_of_few_skewed(pair)}"
    result = build_gate_result(
        gate, choices, outcome, sentence, is_undecided=is_undecided, pair=pair
    )
    return replace(
        result,
        groups_failed=tuple(failed),
        groups_undecided=tuple(undecided),
        groups_too_small=tuple(small),
    )


def _warn_of_few_skewed(pair: Comparison) -> str:
    """Return what a gate that passes may overlook; empty where it overlooks nothing known."""
    small = [
        item.group
        for of_column in (pair.groups or {}).values()
        if any(caution.code == SKEWED_GROUPS.code for caution in of_column.cautions)
        for item in of_column.items
        if min(item.n, item.n if item.clusters is None else item.clusters) < FEWEST_SKEWED
    ]
    if not small:
        return ""
    return (
        f" The differences are skewed. Groups with fewer than {FEWEST_SKEWED} of them may lack the "
        f"rare large ones, and then pass too often: {_list_groups(small)}."
    )


def _explain_undecided(undecided: _Groups, small: _Groups, equal: _Groups) -> Iterator[str]:
    """Yield a sentence for each reason why groups are undecided."""
    if open_groups := [group for group in undecided if group not in (*small, *equal)]:
        yield f" It is not clear in {_list_groups(open_groups)}."
    if equal:
        yield (
            f" All differences are equal in {_list_groups(equal)}, so their variance is not known."
        )
    if small:
        yield f" There are too few instances to say in {_list_groups(small)}."


def _list_groups(groups: _Groups) -> str:
    """Return groups in words; of many the first and their number."""
    named = "; ".join(write_group(group) for group in groups[:MOST_NAMED])
    rest = len(groups) - MOST_NAMED
    return f"{named} and {rest} more groups" if rest > 0 else named
