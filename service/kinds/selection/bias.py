"""The bias of the internal estimate of the chosen candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.kinds.selection.plan import SelectionPlan
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


def estimate_bias(  # noqa: PLR0913 - the losses, the choices and the plan
    table: LossTable,
    external: External | None,
    choices: Choices,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
    plan: SelectionPlan,
) -> dict[str, Any]:
    """Return how much too small the internal error of the chosen candidate is.

    With external splits it is external minus internal error, with intervals, and with the part of
    it that would be there without a choice. Without them it is estimated from the best candidate
    of each internal split. The gap of a metric is the mean over the external splits, without an
    interval: a metric is no average over rows.
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
    kept = [entry for entry in choices.intervals or () if not entry.method.info.only_zero_one]
    intervals = tuple(kept) or None  # a gap is no share, whatever the losses are
    plainly = replace(choices, intervals=intervals, tests=(), omnibus=(), control=None, clip=False)
    gaps = evaluate(LossTable(table.layout, {"gap": gap}), plainly, plan.job.seed)
    model = to_json(gaps)["models"]["gap"]
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
