"""How much too small, or too large, the internal number of what was chosen is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from thetahat.analyses.losses import Choices, evaluate
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.selection import (
    SELECTED,
    Choice,
    External,
    InternalEstimate,
    bias_of_least,
    gap_of,
)
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import plain, to_json

if TYPE_CHECKING:
    from service.kinds.selection.plan import Plan


def bias_of(  # noqa: PLR0913 - all that it is estimated from
    table: LossTable,
    external: External | None,
    choices: Choices,
    seed: int,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
    plan: Plan,
) -> dict[str, Any]:
    """Return how much too small the internal error of what is chosen is.

    With external splits from them: external minus internal error, with its intervals, and how
    much of it is there without a choice. Without, from the folds' own minima. The gap of a metric
    is the mean of the external splits', without an interval: a metric is no average over rows.
    """
    higher = plan.criterion.higher_is_better
    least = bias_of_least(internal, last.name, higher_is_better=higher)
    if external is None:
        return {"estimate": None, "of_minima": plain(least)}
    without, of_choice = external.parts_of_gap() or (None, None)
    parts = {
        "without_choice": plain(without),
        "of_choice": plain(of_choice),
        "of_minima": plain(least),
    }
    if plan.criterion.metric is not None:
        told = {"estimate": plain(external.gap()), "interval": None, **parts}
        return {**told, "variances": {}, "intervals": []}
    gap = gap_of(table.models[SELECTED], external.internal)
    kept = [i for i in choices.intervals or () if not i.method.info.only_zero_one]
    intervals = tuple(kept) or None  # a gap is no share, whatever the losses are
    plainly = replace(choices, intervals=intervals, tests=(), omnibus=(), control=None, clip=False)
    model = to_json(evaluate(LossTable(table.layout, {"gap": gap}), plainly, seed))["models"]["gap"]
    first = DEFAULT_TARGET[table.layout.kind]
    best = [i for i in model["intervals"] if i["recommended"]]
    best.sort(key=lambda interval: interval["target"] != first)
    return {
        "estimate": model["mean"]["macro"],
        "interval": best[0] if best else None,
        **parts,
        "variances": model["variances"],
        "intervals": model["intervals"],
    }
