"""Differences of a metric of two models that make few errors, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from scipy import special, stats

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.metrics.inference import MetricInference
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.square_and_add import SQUARE_AND_ADD, find_limits, infer_difference
from thetahat.distributions import compute_upper_quantile
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.balanced_accuracy import BalancedAccuracy
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.precision import Precision
from thetahat.metrics.recall import Recall
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat.variances._clusters import weigh_all_clusters
from thetahat_replications.edges.simulated_intervals import SHIFT, measure_power
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
CHOICES: Final = Choices(level=LEVEL)
METRICS: Final[Mapping[str, Metric]] = {
    metric.info.name: metric
    for metric in (
        RocAuc(n_resamples=0),
        AveragePrecision(n_resamples=0),
        Precision(n_resamples=0),
        Recall(n_resamples=0),
        BalancedAccuracy(n_resamples=0),
    )
}
CLUSTER_SIZE: Final = 4
WITHIN_CLUSTERS: Final = 0.3
"""Correlation of the scores of two rows of one cluster."""
N_FOLDS: Final = 5


class Noise(NamedTuple):
    """What is added to the scores, from a normal variable."""

    transform: Callable[[FloatArray], FloatArray]
    of_positives: float = 1.0
    """The factor of the noise of positives."""


NOISE: Final[Mapping[str, Noise]] = {
    "normal": Noise(np.asarray),
    "wide": Noise(np.asarray, 1.6),
    "exponential": Noise(lambda z: np.asarray(-np.log(special.ndtr(-z)))),
    "t of 3": Noise(lambda z: np.asarray(stats.t.ppf(special.ndtr(z), 3))),
}


@dataclass(frozen=True)
class ErrorDesign:
    """Two models that score the rows of one test set."""

    positives: int
    rows: int
    shifts: tuple[float, float]
    correlation: float = 0.0
    noise: str = "normal"
    layout: str = "rows"

    def build_layout(self) -> Layout:
        """Return the layout: independent rows, clusters, or folds with as many of each class."""
        one = np.zeros(self.rows, dtype=np.intp)
        if self.layout == "folds":
            return build_layout(BlockKind.RANDOM, np.arange(self.rows) % N_FOLDS)
        if self.layout == "rows":
            return build_layout(BlockKind.HOLDOUT, one)
        return build_layout(BlockKind.HOLDOUT, one, cluster=self.find_clusters())

    def find_clusters(self) -> IntArray:
        """Return (n,) codes of clusters that are of one class, or of both."""
        rows = np.arange(self.rows)
        whole = self.layout == "clusters of one class"
        clusters: IntArray = rows // CLUSTER_SIZE if whole else rows % (self.rows // CLUSTER_SIZE)
        return clusters

    def draw(self, rng: np.random.Generator) -> list[TruthAndPredictions]:
        """Return the predictions of two models; half of the shift is the cut."""
        n, share, noise = self.rows, self.correlation, NOISE[self.noise]
        truth = (np.arange(n) < self.positives).astype(np.intp)
        common = self._draw_noise(rng)
        judged = []
        for shift in self.shifts:
            own = np.sqrt(share) * common + np.sqrt(1 - share) * self._draw_noise(rng)
            about = noise.transform(own) * np.where(truth == 1, noise.of_positives, 1.0)
            scores = about + shift * truth
            output = (scores >= shift / 2).astype(np.intp)
            judged.append(
                TruthAndPredictions(
                    task="classification", truth=truth, output=output, scores=scores, classes=(0, 1)
                )
            )
        return judged

    def _draw_noise(self, rng: np.random.Generator) -> FloatArray:
        own = rng.standard_normal(self.rows)
        if not self.layout.startswith("clusters"):
            return own
        cluster = self.find_clusters()
        of_cluster = rng.standard_normal(int(cluster.max()) + 1)[cluster]
        return np.asarray(
            np.sqrt(WITHIN_CLUSTERS) * of_cluster + np.sqrt(1 - WITHIN_CLUSTERS) * own
        )


STREAM: Final = (9, 106)
"""Keeps the samples apart from those on which the rule was chosen."""
DESIGNS: Final = (
    ErrorDesign(7, 70, (3.5, 1.8), 0.3),
    ErrorDesign(7, 70, (2.5, 2.5), 0.3),
    ErrorDesign(24, 160, (2.5, 2.5), 0.3, layout="clusters of one class"),
    ErrorDesign(12, 160, (3.0, 1.5), 0.3, layout="clusters of both classes"),
    ErrorDesign(15, 150, (2.5, 2.5), 0.3, layout="folds"),
    ErrorDesign(12, 120, (3.5, 1.8), 0.8),
    ErrorDesign(8, 240, (2.5, 2.5), 0.3),
    ErrorDesign(8, 120, (2.5, 2.5), 0.5, "wide"),
    ErrorDesign(25, 200, (3.0, 1.5), 0.5, "exponential"),
    ErrorDesign(12, 150, (3.0, 1.5), 0.5, "t of 3"),
    ErrorDesign(40, 250, (3.5, 1.8), 0.3),
    ErrorDesign(40, 250, (1.2, 0.8), 0.3),
)
"""On none of them was the rule chosen."""

TITLE: Final = "Differences of metrics of models with few errors"
ABOUT: Final = f"""
Two models score the same rows of one test set; the scores of positives are shifted by so many
standard deviations, and the scores of one row have this correlation. The noise of *wide* has 1.6
times the standard deviation for positives. Half the shift is the cut. Clusters have {CLUSTER_SIZE}
rows, whose scores have a correlation of {WITHIN_CLUSTERS:g}; folds are {N_FOLDS}, tested with the
same models. Intervals of level {LEVEL:g} for the difference of a metric: the old rule is the normal
interval on the variance of the difference (over clusters that of t), to which a perfect model, or a
class without an error, adds nothing; where it is 0 there is no interval, which is counted as not
covering. The new one is `square_and_add` where one of the models makes few errors; elsewhere areas
and average precisions have quantiles of t. Two equal models are said to differ in at most 0.05 of
the samples by a rule that keeps its level. Power is how often an interval excludes a difference
that is {SHIFT:g} standard deviations of the estimate above or below the true one, as a share of the
power of the normal test that knows the standard deviation; a difference beyond -1 or 1 is left out,
and an estimate that does not vary (recalls with exponential noise) has none. The rule was chosen on
other designs (`FEWEST_ERRORS`), and judged once on these, with one change afterwards: by the limits
of both models alone, equal areas differed in 0.088 of the samples with 8 positives of 240 and in
0.086 with wide noise, so that for areas and average precisions the normal interval on the
variance is now inside. The mean of average precisions over folds is about another quantity, and is
left out.
"""
COLUMNS: Final = (
    "metric | noise | layout | positives | rows | shifts | correlation | "
    "square_and_add | old rule: they differ | new rule: they differ | old rule covers | "
    "new rule covers | new over old length | old rule, power | new rule, power"
)


class _Found(NamedTuple):
    by_limits: bool
    estimate: float
    old: tuple[float, float]
    new: tuple[float, float]
    """Ends of the intervals; NaN where there is none."""


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the old and the new intervals exclude 0, and cover."""
    for number, design in enumerate(DESIGNS):
        rng = np.random.default_rng([seed, *STREAM, number])
        samples: dict[str, list[_Found]] = {name: [] for name in METRICS}
        share = design.positives / design.rows
        truths = [compute_truths(share, shift, design.noise) for shift in design.shifts]
        layout = design.build_layout()
        for _ in range(repetitions):
            judged = design.draw(rng)
            for name, metric in METRICS.items():
                found = _judge(metric, judged, layout)
                if found is not None:
                    samples[name].append(found)
        words = f"{design.shifts[0]:g} and {design.shifts[1]:g}"
        for name, of_metric in samples.items():
            if of_metric and not (name == "average_precision" and design.layout == "folds"):
                sizes = (design.positives, design.rows, words, f"{design.correlation:g}")
                yield (
                    name,
                    design.noise,
                    design.layout,
                    *sizes,
                    *_summarise(of_metric, truths[0][name] - truths[1][name]),
                )


def _judge(metric: Metric, judged: list[TruthAndPredictions], layout: Layout) -> _Found | None:
    """Return what both rules say of one sample; None where the metric is undefined."""
    a, b = (measure(metric, one, layout, 0) for one in judged)
    difference = a.minus(b)
    if np.isnan(difference.pooled):
        return None
    of_a, of_b = (find_limits(metric, one, CHOICES) for one in (a, b))
    reading, _ = infer_difference(metric, of_a, of_b, difference, CHOICES)
    interval = reading.interval
    new = (np.nan, np.nan)
    if interval is not None and interval.lower is not None and interval.upper is not None:
        new = interval.lower, interval.upper
    by_limits = interval is not None and interval.method == SQUARE_AND_ADD.name
    estimate = difference.pooled if interval is None else interval.estimate
    return _Found(by_limits, estimate, _find_old_ends(reading, difference), new)


def _find_old_ends(reading: MetricInference, difference: MetricValues) -> tuple[float, float]:
    """Return the ends of the interval on the variance of the difference alone."""
    name, layout = reading.main[0], difference.layout
    variance = None if name is None else reading.variances[name]
    if variance is None or not variance.value > 0:
        return np.nan, np.nan
    degrees = None if layout.cluster is None else float(weigh_all_clusters(layout).degrees[0])
    reach = compute_upper_quantile((1 - LEVEL) / 2, degrees) * float(np.sqrt(variance.value))
    return variance.estimate - reach, variance.estimate + reach


def _summarise(found: list[_Found], truth: float) -> Iterator[float | str]:
    by_limits, estimates, old, new = zip(*found, strict=True)
    yield float(np.mean(by_limits))
    lower, upper = np.moveaxis(np.array([old, new]), -1, 0)
    for holds in ((lower > 0) | (upper < 0), (lower <= truth) & (truth <= upper)):
        for of_rule in holds:
            yield format_share(float(np.mean(of_rule)), len(found))
    lengths = upper - lower
    both = np.isfinite(lengths).all(axis=0)
    yield float(lengths[1, both].mean() / lengths[0, both].mean()) if both.any() else ""
    true_sd, possible = float(np.std(estimates, ddof=1)), (-1 - truth, 1 - truth)
    for low, high in zip(lower - truth, upper - truth, strict=True):
        yield measure_power(low, high, true_sd, possible=possible)


def compute_truths(share: float, shift: float, noise: str = "normal") -> Mapping[str, float]:
    """Return the metrics of such scores in a population with that share of positives."""
    z = special.ndtri((np.arange(200_000) + 0.5) / 200_000)
    negatives = NOISE[noise].transform(z)
    scores = NOISE[noise].of_positives * negatives + shift
    above = (np.arange(len(z))[::-1] + 0.5) / len(z)
    false_above = 1 - np.searchsorted(negatives, scores) / len(z)
    recall = float((scores >= shift / 2).mean())
    false = float((negatives >= shift / 2).mean())
    precision = share * recall / (share * recall + (1 - share) * false)
    precisions = share * above / (share * above + (1 - share) * false_above)
    return {
        "roc_auc": float(1 - false_above.mean()),
        "average_precision": float(precisions.mean()),
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "balanced_accuracy": (recall + 1 - false) / 2,
    }
