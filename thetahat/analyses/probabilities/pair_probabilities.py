"""Two models' probabilities of one event on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.analyses.probabilities.estimates import build_missing, build_normal, estimate_mean
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.expected_coverage import (
    add_coverage_of_differences,
    add_coverage_of_rates,
)
from thetahat.analyses.probabilities.model_probabilities import INFINITE, ProbabilitySettings
from thetahat.analyses.probabilities.options import BRIER, LOG
from thetahat.analyses.probabilities.result import (
    PairProbabilities,
    PartDifferences,
    ProbabilityEstimate,
)
from thetahat.analyses.probabilities.score_parts import OutcomeScores, PartValues, divide_scores
from thetahat.analyses.probabilities.sentences import describe_pair
from thetahat.analyses.probabilities.threshold_rates import compare_threshold
from thetahat.special_functions import xlog1py, xlogy
from thetahat.values.types import FloatArray

PARTS: Final = ("miscalibration", "discrimination")
NO_DIFFERENCE: Final = "The two models have the same parts in every resample."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ResampledParts:
    """The parts of scores of all models in the same resamples of rows, or of clusters."""

    values: Mapping[tuple[str, str, str], FloatArray]
    """By model, score and part, (B,) values."""


def resample_parts(
    events: Mapping[str, BinaryEvent],
    names: Sequence[str],
    n_resamples: int,
    rng: np.random.Generator,
) -> ResampledParts:
    """Return the parts of scores in resamples of rows, or of whole clusters, with replacement."""
    first = next(iter(events.values()))
    values = {
        (model, name, part): np.empty(n_resamples)
        for model in events
        for name in names
        for part in PARTS
    }
    n_units = first.n if first.n_clusters is None else first.n_clusters
    scores = {
        model: OutcomeScores.build_all(names, event.levels.values)
        for model, event in events.items()
    }
    for b in range(n_resamples):
        drawn = np.bincount(rng.integers(0, n_units, n_units), minlength=n_units)
        weights = (drawn if first.cluster is None else drawn[first.cluster]).astype(np.float64)
        for model, event in events.items():
            levels = event.levels
            sizes, sums = levels.add_up(weights), levels.add_up(weights * event.outcomes)
            for name, parts in divide_scores(sums, sizes, scores[model]).items():
                for part in PARTS:
                    values[model, name, part][b] = getattr(parts, part)
    return ResampledParts(values=values)


def describe_pair_probabilities(
    names: tuple[str, str],
    events: tuple[BinaryEvent, BinaryEvent],
    resampled: ResampledParts,
    settings: ProbabilitySettings,
) -> PairProbabilities:
    """Return the differences of two models, a minus b."""
    scores = tuple(dict.fromkeys(settings.options.parts))
    divided = [
        divide_scores(
            event.sums,
            event.levels.sizes,
            OutcomeScores.build_all(scores, event.levels.values),
        )
        for event in events
    ]
    parts = {
        name: _compare_parts(name, names, events, divided, resampled, settings) for name in scores
    }
    thresholds = tuple(
        add_coverage_of_rates(events, compare_threshold(*events, threshold, settings.level))
        for threshold in settings.options.thresholds
    )
    return PairProbabilities(
        parts=parts,
        thresholds=thresholds,
        resamples=settings.n_samples,
        sentence=describe_pair(*names, parts, are_trained_here=settings.are_trained_here),
    )


def _compare_parts(  # noqa: PLR0913 - the pair and what is known of it
    name: str,
    names: tuple[str, str],
    events: tuple[BinaryEvent, BinaryEvent],
    divided: Sequence[Mapping[str, PartValues]],
    resampled: ResampledParts,
    settings: ProbabilitySettings,
) -> PartDifferences:
    level = settings.level
    n_wrong = max(event.n_surely_wrong for event in events)
    is_infinite = name == LOG and n_wrong > 0
    missing = build_missing(level, INFINITE.format(n=n_wrong, n_rows=events[0].n))
    found: dict[str, ProbabilityEstimate] = {}
    for part in PARTS:
        if is_infinite and part == "miscalibration":
            found[part] = missing
            continue
        a, b = (getattr(of_model[name], part) for of_model in divided)
        drawn = resampled.values[names[0], name, part] - resampled.values[names[1], name, part]
        error = float(drawn.std(ddof=1))
        found[part] = (
            build_normal(a - b, error, level, "bootstrap")
            if error > 0
            else build_missing(level, NO_DIFFERENCE, a - b)
        )
    if is_infinite:
        score = missing
    else:
        rows = [_compute_row_scores(name, event) for event in events]
        score = estimate_mean(rows[0] - rows[1], events[0].cluster, level, of_losses=True)
    found["score"] = score
    return PartDifferences(
        **{
            part: add_coverage_of_differences(events, f"{name}_{part}_difference", estimate)
            for part, estimate in found.items()
        }
    )


def _compute_row_scores(name: str, event: BinaryEvent) -> FloatArray:
    y, p = event.outcomes, event.probabilities
    if name == BRIER:
        return np.asarray((y - p) ** 2)
    return np.asarray(-xlogy(y, p) - xlog1py(1 - y, -p))
