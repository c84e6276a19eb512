"""The summary of an evaluation: the best model, the verdicts in words, the main intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.ranking import RankedModels, write_ranking
from thetahat.analyses.losses.result import (
    Comparison,
    ComparisonSummary,
    Decision,
    ModelRanking,
    ModelSummary,
    Summary,
)
from thetahat.analyses.losses.verdict_text import describe_scope
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import LossTable
from thetahat.values.number_text import find_error, format_alike, format_number, format_percent
from thetahat.values.words import Words

MAX_MODELS: Final = 20
"""Models in a summary: the best ones. It is read in a list of evaluations."""
MAX_COMPARISONS: Final = 6
"""Comparisons of which a summary has all."""
FEW_COMPARISONS: Final = 3
"""Those that it has of more: the best model beside its nearest rivals. The result has all, and need
not say them twice."""


def summarise(  # noqa: PLR0913 - what the sentences are about
    table: LossTable,
    ranked: RankedModels,
    comparisons: Sequence[Comparison],
    ranking: ModelRanking | None,
    family: PairFamily,
    choices: Choices,
) -> Summary:
    """Return the summary of a result."""
    shown = _select_most_relevant(comparisons, ranked.order)
    words = table.layout.words
    first = (
        _write_best(ranked, words)
        if ranking is None
        else write_ranking(ranking, ranked, describe_scope(ranking.target, table.layout), words)
    )
    return Summary(
        best_model=ranked.best,
        target=ranked.target,
        better=words.better,
        level=choices.level,
        margin=choices.margin,
        correction=family.correction if len(comparisons) > 1 else None,
        sentences=(
            first,
            *(_write_verdict(pair) for pair in shown),
            *_write_rest(comparisons, shown),
        ),
        models=tuple(_summarise_model(name, ranked) for name in ranked.order[:MAX_MODELS]),
        n_models=len(ranked.order) if len(ranked.order) > MAX_MODELS else None,
        comparisons=tuple(_summarise_comparison(pair) for pair in shown),
        decisions=dict(Counter(pair.verdict.decision for pair in comparisons)),
    )


def _select_most_relevant(
    comparisons: Sequence[Comparison], order: Sequence[str]
) -> list[Comparison]:
    """Return the comparisons of the summary, in the order of the result."""
    if len(comparisons) <= MAX_COMPARISONS:
        return list(comparisons)
    places = {name: place for place, name in enumerate(order)}
    by_relevance = sorted(
        range(len(comparisons)),
        key=lambda i: sorted((places[comparisons[i].a], places[comparisons[i].b])),
    )
    return [comparisons[i] for i in sorted(by_relevance[:FEW_COMPARISONS])]


def _write_best(ranked: RankedModels, words: Words) -> str:
    """Return the sentence on one model, or on the better one of two."""
    best, estimates = ranked.best, ranked.estimates
    quantity = f"mean {words.value}"
    value = _write_estimate(estimates[best], ranked.intervals[best])
    if len(ranked.order) == 1:
        return f"The {quantity} of {best} is {value}."
    if len(set(estimates.values())) == 1:
        return f"Both models have the same {quantity}: {value}."
    return f"{best} has the {words.best} {quantity} of {len(ranked.order)} models: {value}."


def _write_estimate(estimate: float, interval: Interval | None) -> str:
    if interval is None or interval.estimate != estimate:
        return format_number(estimate)
    lower, upper = interval.lower, interval.upper
    error = find_error(interval.standard_error, lower, upper)
    known = [number for number in (estimate, lower, upper) if number is not None]
    written = dict(zip(known, format_alike(known, error), strict=True))
    if lower is None and upper is None:
        return written[estimate]
    if lower is None:
        ends = f"below {written[upper]}" if upper is not None else ""
    else:
        ends = (
            f"above {written[lower]}" if upper is None else f"{written[lower]} to {written[upper]}"
        )
    level = format_percent(interval.level)
    return f"{written[estimate]} ({level} interval {ends})"


def _write_verdict(pair: Comparison) -> str:
    verdict = pair.verdict
    if verdict.plan is not None:
        return f"{verdict.reason} {verdict.plan.sentence}"
    return verdict.reason


def _write_rest(
    comparisons: Sequence[Comparison],
    shown: Sequence[Comparison],
) -> list[str]:
    if len(shown) == len(comparisons):
        return []
    counts = Counter(pair.verdict.decision for pair in comparisons)
    words = {
        "one model is better": counts[Decision.BETTER] + counts[Decision.WORSE],
        "the models are equivalent": counts[Decision.EQUIVALENT],
        "one model is not worse": counts[Decision.NOT_WORSE],
        "it is not clear which is better": counts[Decision.UNDECIDED],
    }
    listed = "; ".join(f"in {n} {text}" for text, n in words.items() if n)
    return [f"Of all {len(comparisons)} comparisons, {listed}."]


def _summarise_model(name: str, ranked: RankedModels) -> ModelSummary:
    estimate, interval = ranked.estimates[name], ranked.intervals[name]
    of_estimate = interval is not None and interval.estimate == estimate
    return ModelSummary(
        name=name,
        estimate=estimate,
        lower=interval.lower if of_estimate and interval is not None else None,
        upper=interval.upper if of_estimate and interval is not None else None,
    )


def _summarise_comparison(pair: Comparison) -> ComparisonSummary:
    interval = pair.interval
    return ComparisonSummary(
        a=pair.a,
        b=pair.b,
        difference=pair.difference if interval is None else interval.estimate,
        lower=None if interval is None else interval.lower,
        upper=None if interval is None else interval.upper,
        decision=pair.verdict.decision,
        p_value=pair.verdict.p_value
        if pair.verdict.p_value_adjusted is None
        else pair.verdict.p_value_adjusted,
    )
