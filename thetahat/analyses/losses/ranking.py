"""What the data show of the order of the models: the set tied with the best, and ranks.

A model leaves the set that is tied with the best if its difference from the best model is shown.
With all models equal, the chance that any model leaves it is at most 1 - level, also where the
best one was found in the same data: the correction is over all pairs of models. Comparisons with
the best alone would need a smaller bound (hsu1984), but it holds for the statement that a model is
not the best, and not for the one that it is worse than the best of these data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.inference import Inference
from thetahat.analyses.losses.pair_family import OrderedFamily
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.result import Comparison, Decision, ModelRanking, RankOfModel
from thetahat.corrections import bounds_any_false_statement
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import LossTable
from thetahat.values.number_text import find_error, format_to_error
from thetahat.values.types import Target
from thetahat.values.words import Words

MIN_MODELS: Final = 3
"""The verdict on two models says all that there is."""


class RankedModels(NamedTuple):
    """All models in the order of their estimates, with the intervals of one target."""

    order: tuple[str, ...]
    """Names, the best model first."""
    estimates: Mapping[str, float]
    """Centres of the recommended intervals, or the macro means where a model has none."""
    intervals: Mapping[str, Interval | None]
    """The recommended intervals."""
    target: Target
    """What they are about."""
    higher_is_better: bool
    """Whether the estimates are scores."""

    @property
    def best(self) -> str:
        """The best model."""
        return self.order[0]


def rank_models(
    table: LossTable, inferences: Mapping[str, Inference], choices: Choices
) -> RankedModels:
    """Return the models in the order of their estimates."""
    target = _find_target(table, inferences, choices)
    built = {name: inference.find_recommended(target) for name, inference in inferences.items()}
    intervals = {name: None if entry is None else entry.interval for name, entry in built.items()}
    estimates = {
        name: interval.estimate for name, interval in intervals.items() if interval is not None
    }
    if len(estimates) < len(intervals):
        estimates = {name: losses.moments.macro_mean for name, losses in table.models.items()}
    order = sorted(estimates, key=estimates.__getitem__, reverse=table.higher_is_better)
    return RankedModels(tuple(order), estimates, intervals, target, table.higher_is_better)


def _find_target(table: LossTable, inferences: Mapping[str, Inference], choices: Choices) -> Target:
    """Return what the verdicts are about.

    That is what the request asks about or, where it names only methods for another target and no
    target, what the first interval is about.
    """
    wanted = choices.get_target(table.layout.kind)
    if choices.target is not None:
        return wanted
    targets: tuple[Target, ...] = (wanted, *Target)
    for target in targets:
        if any(each.find_recommended(target) is not None for each in inferences.values()):
            return target
    return wanted


def build_ranking(
    ranked: RankedModels,
    comparisons: Sequence[Comparison],
    ordered: OrderedFamily,
    choices: Choices,
) -> ModelRanking | None:
    """Return the order of the models as far as it is shown; None for fewer than three."""
    if len(ranked.order) < MIN_MODELS:
        return None
    family = ordered.family
    reference = choices.control or ranked.best
    with_reference = [pair for pair in comparisons if reference in {pair.a, pair.b}]
    shown = _find_shown(comparisons)
    better = [name for name in ranked.order if (name, reference) in shown]
    worse = [name for name in ranked.order if (reference, name) in shown]
    tied = [name for name in ranked.order if name not in {reference, *better, *worse}]
    intervals = [pair.interval for pair in with_reference if pair.interval is not None]
    detectable = [pair.verdict.detectable for pair in with_reference]
    gaps = [each.difference for each in detectable if each is not None]
    return ModelRanking(
        compared_with=reference,
        is_best=choices.control is None or family.best is not None,
        target=intervals[0].target if intervals else None,
        better=tuple(better),
        tied=tuple(tied),
        worse=tuple(worse),
        correction=family.correction,
        n_pairs=family.n_pairs,
        smallest_gap=float(np.median(gaps)) if gaps else None,
        power=choices.power,
        ranks=_find_ranks(ranked, shown, ordered),
    )


def _find_shown(comparisons: Sequence[Comparison]) -> set[tuple[str, str]]:
    """Return the pairs (better, worse) of the comparisons whose difference is shown."""
    found: set[tuple[str, str]] = set()
    for pair in comparisons:
        holding = {pair.verdict.decision, *pair.verdict.also}
        if Decision.BETTER in holding:
            found.add((pair.a, pair.b))
        elif Decision.WORSE in holding:
            found.add((pair.b, pair.a))
    return found


def _find_ranks(
    ranked: RankedModels, shown: set[tuple[str, str]], ordered: OrderedFamily
) -> Mapping[str, RankOfModel] | None:
    family = ordered.family
    bounds = bounds_any_false_statement(family.correction)
    n_models = len(ranked.order)
    if not bounds or (family.best is None and len(family.places) < n_models * (n_models - 1) / 2):
        return None
    if family.best is not None:
        shown = shown | _list_shown_elsewhere(ranked, ordered)
    n_better = dict.fromkeys(ranked.order, 0)
    n_worse = dict.fromkeys(ranked.order, 0)
    for better, worse in shown:
        n_better[worse] += 1
        n_worse[better] += 1
    return {
        name: RankOfModel(
            best=1 + n_better[name],
            worst=n_models - n_worse[name],
            ties=n_models - 1 - n_better[name] - n_worse[name],
        )
        for name in ranked.order
    }


def _list_shown_elsewhere(ranked: RankedModels, ordered: OrderedFamily) -> set[tuple[str, str]]:
    """Return the pairs (better, worse) that are shown beside those with the best model."""
    names, family = ordered.family.names, ordered.family
    place = {name: i for i, name in enumerate(ranked.order)}
    found: set[tuple[str, str]] = set()
    for (i, j), p_value in zip(list_places(names, None), ordered.adjust_all(), strict=True):
        a, b = sorted((names[i], names[j]), key=place.__getitem__)
        if family.best not in {a, b} and p_value is not None and p_value < family.alpha:
            found.add((a, b))
    return found


def write_ranking(ranking: ModelRanking, ranked: RankedModels, scope: str, words: Words) -> str:
    """Return which models are tied with the best one, or how they compare with the control.

    The estimate has no interval: that of the best of many models would be about a search.
    """
    n_models, best = len(ranked.order), ranked.best
    quantity = f"mean {words.value}"
    own = ranked.intervals[best]
    error = 0.0 if own is None else find_error(own.standard_error, own.lower, own.upper)
    value = format_to_error(ranked.estimates[best], error)
    first = [name for name in ranked.order if ranked.estimates[name] == ranked.estimates[best]]
    names = best if len(first) == 1 else f"{', '.join(first[:-1])} and {first[-1]}"
    have = "has" if len(first) == 1 else "have"
    leads = f"{names} {have} the {words.best} {quantity}, {value}"
    if len(set(ranked.estimates.values())) == 1:
        return f"All {n_models} models have the same {quantity}, {value}."
    start = f"{scope}, " if scope else ""
    if not ranking.is_best:
        return (
            f"{start}{len(ranking.better)} of {n_models - 1} models are shown to be "
            f"better than {ranking.compared_with} and {len(ranking.worse)} to be worse; "
            f"{len(ranking.tied)} are not shown to differ from it. {leads}."
        )
    if not ranking.tied:
        text = f"{best} is shown to be better than each of the other {n_models - 1} models"
        return f"{start}{text}: its {quantity} is {value}."
    if not ranking.worse:
        none = f"{scope}, none" if scope else "None"
        return f"{none} of {n_models} models is shown to be worse than the best. {leads}."
    return (
        f"{start}{leads}: {best} is shown to be better than {len(ranking.worse)} of the other "
        f"{n_models - 1} models and tied with {len(ranking.tied)}."
    )
