"""Marking the interval that is recommended for each target; ``rules`` says which and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from thetahat.analyses.losses.rules import RULES, Pair
from thetahat.cautions import OUTSIDE_THE_RULE
from thetahat.intervals.base import Interval
from thetahat.values.types import BlockKind, Target

NEVER: Final = frozenset(
    {"theta_1", "theta_2", "theta_5", "location_shifted_bootstrap", "two_stage_bootstrap"}
)
"""Variances, and methods that fit again, that no recommended interval rests on."""

LAST: Final = frozenset({"prediction"})
"""Intervals recommended only where nothing else was built."""

PROPORTIONS: Final = frozenset({"wilson", "clopper_pearson"})
"""Intervals of a proportion: they rest on no variance, and a difference has none."""

DEFAULT_TARGET: Final = {
    BlockKind.RANDOM: Target.THESE_SOURCES,
    BlockKind.SOURCE: Target.NEW_SOURCE,
    BlockKind.HOLDOUT: Target.THESE_MODELS,
    BlockKind.SUBSAMPLES: Target.THESE_SOURCES,
}
"""What the verdict on two models speaks of, unless the request says otherwise."""


@dataclass(frozen=True, slots=True)
class Built:
    """An interval with the wire names that its keys in the result stand for."""

    interval: Interval
    interval_name: str
    variance_name: str | None

    @property
    def pair(self) -> Pair:
        """What the orders of ``RULES`` speak of."""
        return self.interval_name, self.variance_name


def recommend(
    kind: BlockKind, built: Sequence[Built], *, fixed_models: bool = False
) -> list[Built]:
    """Mark one interval per target as recommended; the order stays.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    built : sequence of Built
        All intervals of one model, or of one difference.
    fixed_models : bool
        Whether no model was trained on any of these instances.
    """
    orders = {
        target: order_of(kind, target, fixed_models=fixed_models)
        for target in dict.fromkeys(entry.interval.target for entry in built)
    }
    best: dict[Target, int] = {}
    for target, order in orders.items():
        ranked = [(_rank(order, e), i) for i, e in enumerate(built) if e.interval.target is target]
        best[target] = min(ranked)[1]
    return [
        _marked(orders[entry.interval.target], entry)
        if best[entry.interval.target] == i and _may_be(entry)
        else entry
        for i, entry in enumerate(built)
    ]


def _may_be(entry: Built) -> bool:
    return entry.variance_name not in NEVER


def _rank(order: tuple[Pair, ...], entry: Built) -> int:
    if entry.pair in order:
        return order.index(entry.pair)
    if not _may_be(entry):
        return len(order) + 2
    return len(order) + (1 if entry.interval_name in LAST else 0)


def order_of(kind: BlockKind, target: Target, *, fixed_models: bool = False) -> tuple[Pair, ...]:
    """Return the order of that kind and target, best first; empty where no rule speaks of it."""
    for rule in RULES:
        fits = (rule.blocks, rule.target) == (kind, target)
        if fits and (fixed_models or not rule.only_fixed_models):
            return (*rule.where_asked, *rule.order)
    return ()


def _marked(order: tuple[Pair, ...], entry: Built) -> Built:
    interval = entry.interval
    cautions = interval.cautions
    if entry.pair not in order:
        cautions = (
            *cautions,
            OUTSIDE_THE_RULE(target=interval.target.value),
        )
    return replace(entry, interval=replace(interval, recommended=True, cautions=cautions))
