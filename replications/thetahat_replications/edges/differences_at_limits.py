"""Differences of a metric of two models, one of which is often at an end of the range."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from scipy import special

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.metrics.inference import MetricInference, infer_metric
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.square_and_add import find_differences_of_limits
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.f1 import F1
from thetahat.metrics.precision import Precision
from thetahat.metrics.recall import Recall
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = ((3, 40), (5, 40), (5, 100), (10, 100), (10, 200))
"""Numbers of positives and of rows."""
SHIFTS: Final = ((4.0, 4.0), (4.0, 2.0))
"""How far the scores of positives are shifted, in standard deviations, for each of two models."""
CORRELATIONS: Final = (0.0,)
"""Of the scores of one row; the new rule takes 0, and is longer than needed for a positive one."""
METRICS: Final[Mapping[str, Metric]] = {
    metric.info.name: metric
    for metric in (
        RocAuc(n_resamples=0),
        AveragePrecision(n_resamples=0),
        Precision(n_resamples=0),
        Recall(n_resamples=0),
        F1(n_resamples=0),
        BalancedAccuracy(n_resamples=0),
    )
}

TITLE: Final = "Differences of metrics from a model that is nearly perfect"
ABOUT: Final = f"""
Two models score the same rows of one test set; the scores of each are normal, those of positives
shifted by so many standard deviations, and the scores of one row have this correlation. Half the
shift is the cut. A model shifted by 4 makes no error in many samples. Intervals of level
{LEVEL:g} for the difference of a metric: the old rule is the normal or t interval on the variance
of the difference, to which a perfect model adds nothing; the new one is `square_and_add` where one
of the models is at a limit, and the old one elsewhere. Where there is no interval it does not
cover. Two equal models are said to differ in at most 0.05 of the samples by a rule that keeps its
level.
"""
COLUMNS: Final = (
    "metric | positives | rows | shifts | correlation | one at a limit | old rule: they differ | "
    "new rule: they differ | old rule covers | new rule covers"
)


class _Found(NamedTuple):
    is_at_limit: bool
    old: tuple[bool, bool]
    new: tuple[bool, bool]


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the old and the new intervals exclude 0, and cover."""
    for positives, n in SIZES:
        for shifts in SHIFTS:
            for correlation in CORRELATIONS:
                rng = np.random.default_rng(
                    [seed, positives, n, round(shifts[1]), round(10 * correlation)]
                )
                samples: dict[str, list[_Found]] = {name: [] for name in METRICS}
                truths = [compute_truths(positives / n, shift) for shift in shifts]
                layout = build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
                for _ in range(repetitions):
                    judged = _draw(positives, n, shifts, correlation, rng)
                    for name, metric in METRICS.items():
                        truth = truths[0][name] - truths[1][name]
                        found = _judge(metric, judged, layout, truth)
                        if found is not None:
                            samples[name].append(found)
                words = f"{shifts[0]:g} and {shifts[1]:g}"
                for name, of_metric in samples.items():
                    place = (name, positives, n, words, f"{correlation:g}")
                    if of_metric:
                        yield (*place, *_summarise(of_metric))


def _draw(
    positives: int,
    n: int,
    shifts: tuple[float, float],
    correlation: float,
    rng: np.random.Generator,
) -> list[TruthAndPredictions]:
    truth = (np.arange(n) < positives).astype(np.intp)
    common = rng.standard_normal(n)
    judged = []
    for shift in shifts:
        own = rng.standard_normal(n)
        scores = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own + shift * truth
        output = (scores >= shift / 2).astype(np.intp)
        judged.append(
            TruthAndPredictions(
                task="classification", truth=truth, output=output, scores=scores, classes=(0, 1)
            )
        )
    return judged


def _judge(
    metric: Metric, judged: list[TruthAndPredictions], layout: Layout, truth: float
) -> _Found | None:
    """Return what both rules say of one sample; None where the metric is undefined."""
    a, b = (measure(metric, one, layout, 0) for one in judged)
    difference = a.minus(b)
    if np.isnan(difference.pooled):
        return None
    choices = Choices(level=LEVEL)
    old = _read(infer_metric(metric, difference, choices, is_difference=True), truth)
    new = _read_new(metric, a, b, difference, truth)
    return _Found(new is not None, old, old if new is None else new)


def _read_new(
    metric: Metric, a: MetricValues, b: MetricValues, difference: MetricValues, truth: float
) -> tuple[bool, bool] | None:
    of_limits = find_differences_of_limits(metric, a, b, difference, Choices(level=LEVEL))
    if not of_limits:
        return None
    built = of_limits[0].build(LEVEL, Alternative.TWO_SIDED)
    return None if built is None else _place(built.interval.lower, built.interval.upper, truth)


def _read(reading: MetricInference, truth: float) -> tuple[bool, bool]:
    interval = reading.interval
    if interval is None:
        return False, False
    return _place(interval.lower, interval.upper, truth)


def _place(lower: float | None, upper: float | None, truth: float) -> tuple[bool, bool]:
    """Return whether an interval excludes 0, and whether it covers the truth."""
    if lower is None or upper is None:
        return False, False
    return not lower <= 0 <= upper, lower <= truth <= upper


def _summarise(found: list[_Found]) -> Iterator[float | str]:
    yield float(np.mean([each.is_at_limit for each in found]))
    for place in (0, 1):
        for rule in (0, 1):
            share = float(np.mean([(each.old, each.new)[rule][place] for each in found]))
            yield format_share(share, len(found))


def compute_truths(share: float, shift: float) -> Mapping[str, float]:
    """Return the metrics of normal scores in a population with that share of positives."""
    recall = float(special.ndtr(shift / 2))
    false = 1 - recall
    quantiles: FloatArray = special.ndtri((np.arange(100_000) + 0.5) / 100_000) + shift
    above = share * special.ndtr(shift - quantiles)
    precision = share * recall / (share * recall + (1 - share) * false)
    return {
        "roc_auc": float(special.ndtr(shift / np.sqrt(2))),
        "average_precision": float(
            (above / (above + (1 - share) * special.ndtr(-quantiles))).mean()
        ),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "balanced_accuracy": recall,
    }
