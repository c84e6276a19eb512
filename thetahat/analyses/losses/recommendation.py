"""Marks the recommended interval of each target, in the order of the module ``rules``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache
from typing import Final, NamedTuple

from thetahat.cautions import IGNORES_CLUSTERS, OUTSIDE_THE_RULE
from thetahat.intervals.base import Interval, PairedRatesInterval
from thetahat.registry import MethodInfo
from thetahat.traits import IntervalForm
from thetahat.values.number_text import name_target
from thetahat.values.types import BlockKind, Needs, Target
from thetahat.variances import VARIANCES

DEFAULT_TARGET: Final = {
    BlockKind.RANDOM: Target.THESE_SOURCES,
    BlockKind.SOURCE: Target.NEW_SOURCE,
    BlockKind.HOLDOUT: Target.THESE_MODELS,
    BlockKind.SUBSAMPLES: Target.THESE_SOURCES,
}
"""The target of the verdict on two models, unless the request names another."""


class RecommendationGroup(IntEnum):
    """Groups of intervals; an interval of an earlier group is recommended before later ones."""

    REFIT = 0  # listed by a rule; fits the learner again
    LISTED = 1  # listed by a rule
    UNLISTED = 2  # listed by no rule
    PREDICTION = 3  # about one further block, and not about a mean
    NEVER = 4


class BuiltInterval(NamedTuple):
    """An interval with its methods, whose names may differ from the keys in the result."""

    interval: Interval
    """As the result has it."""
    method: MethodInfo
    """The interval's method."""
    variance: MethodInfo | None
    """The method of its variance; None if it uses no variance."""
    of_rates: PairedRatesInterval | None = None
    """The method with its parameters, if it is for paired rates: a verdict on the interval takes
    its p-values from the counts, and further ends from the method."""


def recommend(
    kind: BlockKind,
    built: Sequence[BuiltInterval],
    *,
    fixed_models: bool = False,
    named_variances: bool = True,
) -> list[BuiltInterval]:
    """Mark one interval per target as recommended; the order stays.

    Where clusters show no spread, no interval that takes their instances as independent takes the
    place of the one that could not be built, unless the request names the variances.

    Parameters
    ----------
    kind : BlockKind
        What a block is.
    built : sequence of BuiltInterval
        All intervals of one model, or of one difference.
    fixed_models : bool
        Whether no model was trained on any of these instances.
    named_variances : bool
        Whether the variances are those that a request names.
    """
    of_clusters = (
        frozenset()
        if named_variances
        else _list_targets_of_clusters(kind, fixed_models=fixed_models)
    )
    best: dict[Target, tuple[RecommendationGroup, int, int]] = {}
    for i, entry in enumerate(built):
        target = entry.interval.target
        place, rank = _rank_interval(entry, kind, fixed_models=fixed_models)
        if target in of_clusters and _ignores_clusters(entry.interval):
            place = RecommendationGroup.NEVER
        best[target] = min(best.get(target, (place, rank, i)), (place, rank, i))
    recommended = {
        i: place for place, _, i in best.values() if place is not RecommendationGroup.NEVER
    }
    return [
        _mark_recommended(entry, recommended[i]) if i in recommended else entry
        for i, entry in enumerate(built)
    ]


def get_rank(
    method: MethodInfo,
    variance: MethodInfo | None,
    kind: BlockKind,
    target: Target,
    *,
    fixed_models: bool,
) -> int | None:
    """Return the rank of an interval method on a variance; None where no rule lists it.

    Parameters
    ----------
    method, variance : MethodInfo
        The method of the interval and that of its variance: None if it uses no variance, the same
        method if one method builds both.
    kind : BlockKind
        What a block is.
    target : Target
        What the interval is about.
    fixed_models : bool
        Whether no model was trained on any of these instances.
    """
    ranked = method if variance is None else variance
    form = IntervalForm.OWN if ranked is method else method.interval.form
    if form is IntervalForm.OWN and ranked is not method:
        return None
    ranks = (
        entry.rank(form)
        for entry in ranked.recommended
        if entry.applies(kind, target, fixed_models=fixed_models)
    )
    return next((rank for rank in ranks if rank is not None), None)


def _rank_interval(
    entry: BuiltInterval, kind: BlockKind, *, fixed_models: bool
) -> tuple[RecommendationGroup, int]:
    target, method, variance = entry.interval.target, entry.method, entry.variance
    rank = get_rank(method, variance, kind, target, fixed_models=fixed_models)
    ranked = method if variance is None else variance
    if rank is not None:
        fits_again = ranked.needs is Needs.REFITS
        return (RecommendationGroup.REFIT if fits_again else RecommendationGroup.LISTED), rank
    if ranked.never_recommended:
        return RecommendationGroup.NEVER, 0
    return (
        RecommendationGroup.PREDICTION
        if method.interval.is_prediction
        else RecommendationGroup.UNLISTED
    ), 0


@cache
def _list_targets_of_clusters(kind: BlockKind, *, fixed_models: bool) -> frozenset[Target]:
    """Return the targets for which a variance that knows clusters is recommended."""
    entries = (
        entry
        for method in VARIANCES.values()
        if method.info.variance.knows_clusters
        for entry in method.info.recommended
    )
    return frozenset(
        entry.target
        for entry in entries
        if entry.applies(kind, entry.target, fixed_models=fixed_models)
    )


def _ignores_clusters(interval: Interval) -> bool:
    return any(caution.code == IGNORES_CLUSTERS.code for caution in interval.cautions)


def _mark_recommended(entry: BuiltInterval, place: RecommendationGroup) -> BuiltInterval:
    interval = entry.interval
    cautions = interval.cautions
    if place > RecommendationGroup.LISTED:
        cautions = (
            *cautions,
            OUTSIDE_THE_RULE(target=name_target(interval.target.value)),
        )
    return entry._replace(interval=replace(interval, recommended=True, cautions=cautions))


def get_recommended_by_target(intervals: Iterable[Interval]) -> dict[Target, Interval]:
    """Return the recommended interval of each target."""
    return {interval.target: interval for interval in intervals if interval.recommended}
