"""The summary of an evaluation: the best model, the verdicts in words, the main intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import (
    Comparison,
    ComparisonSummary,
    Decision,
    ModelResult,
    ModelSummary,
    Summary,
)
from thetahat.intervals.base import Interval
from thetahat.values.block_losses import LossTable
from thetahat.values.number_text import find_error, format_alike, format_number, format_percent
from thetahat.values.words import Words

MAX_MODELS: Final = 20
"""Models in a summary: the best ones. It is read in a list of evaluations."""
MAX_COMPARISONS: Final = 20
"""Comparisons in a summary: those with the best model, then the first ones."""


def summarise(
    table: LossTable,
    models: Mapping[str, ModelResult],
    comparisons: Sequence[Comparison],
    choices: Choices,
) -> Summary:
    """Return the summary of a result."""
    target = DEFAULT_TARGET[table.layout.kind] if choices.target is None else choices.target
    intervals = {name: model.recommended.get(target) for name, model in models.items()}
    estimates = _select_comparable_estimates(models, intervals)
    order = sorted(estimates, key=estimates.__getitem__, reverse=table.higher_is_better)
    best = order[0]
    shown = _select_most_relevant(comparisons, best)
    return Summary(
        best_model=best,
        target=target,
        better=table.layout.words.better,
        level=choices.level,
        margin=choices.margin,
        correction=choices.correction if len(comparisons) > 1 else None,
        sentences=(
            _write_best(order, estimates, intervals, table.layout.words),
            *(_write_verdict(pair) for pair in shown),
            *_write_rest(comparisons, shown),
        ),
        models=tuple(
            _summarise_model(name, estimates[name], intervals[name]) for name in order[:MAX_MODELS]
        ),
        comparisons=tuple(_summarise_comparison(pair) for pair in shown),
        decisions=dict(Counter(pair.verdict.decision for pair in comparisons)),
    )


def _select_comparable_estimates(
    models: Mapping[str, ModelResult], intervals: Mapping[str, Interval | None]
) -> dict[str, float]:
    """Return the estimates of the recommended intervals; the macro means where one has none."""
    estimates = {
        name: interval.estimate for name, interval in intervals.items() if interval is not None
    }
    if len(estimates) == len(models):
        return estimates
    return {name: model.mean.macro for name, model in models.items()}


def _select_most_relevant(comparisons: Sequence[Comparison], best: str) -> list[Comparison]:
    """Return the comparisons of the summary, in the order of the result."""
    if len(comparisons) <= MAX_COMPARISONS:
        return list(comparisons)
    by_relevance = sorted(
        range(len(comparisons)), key=lambda i: best not in {comparisons[i].a, comparisons[i].b}
    )
    return [comparisons[i] for i in sorted(by_relevance[:MAX_COMPARISONS])]


def _write_best(
    order: Sequence[str],
    estimates: Mapping[str, float],
    intervals: Mapping[str, Interval | None],
    words: Words,
) -> str:
    best = order[0]
    quantity = f"mean {words.value}"
    value = _write_estimate(estimates[best], intervals[best])
    if len(order) == 1:
        return f"The {quantity} of {best} is {value}."
    ties = [name for name in order if estimates[name] == estimates[best]]
    if len(ties) == len(order):
        every_model = "Both models" if len(order) == 2 else f"All {len(order)} models"
        return f"{every_model} have the same {quantity}: {value}."
    if len(ties) > 1:
        names = f"{', '.join(ties[:-1])} and {ties[-1]}"
        return f"{names} have the {words.best} {quantity} of {len(order)} models: {value}."
    return f"{best} has the {words.best} {quantity} of {len(order)} models: {value}."


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


def _summarise_model(name: str, estimate: float, interval: Interval | None) -> ModelSummary:
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
        p_value=pair.verdict.p_value,
    )
