"""Intervals of one kappa, or Matthews' coefficient, with few of the rarer class or few errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from scipy import stats

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.metrics.at_limit import AT_LIMIT
from thetahat.analyses.metrics.inference import infer_metric
from thetahat.analyses.metrics.intervals import LOGIT
from thetahat.analyses.metrics.metric_values import measure
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.cohen_kappa import CohenKappa
from thetahat.metrics.matthews import Matthews
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind
from thetahat_replications.edges.simulated_intervals import (
    LEVEL,
    WHAT_IS_SHOWN,
    iterate_designs,
    measure_ends,
    name_columns,
)
from thetahat_replications.edges.table import TableRow

CHOICES: Final = Choices(level=LEVEL)
METRICS: Final[Mapping[str, Metric]] = {
    metric.info.name: metric for metric in (CohenKappa(n_resamples=0), Matthews(n_resamples=0))
}


class AgreementDesign(NamedTuple):
    """What a model does in a population of two classes."""

    rows: int
    share: float
    """Of the positive class in the population."""
    sensitivity: float
    specificity: float

    def draw(self, rng: np.random.Generator) -> TruthAndPredictions:
        """Return the predictions for a test set of independent rows."""
        truth = rng.random(self.rows) < self.share
        called = rng.random(self.rows) < np.where(truth, self.sensitivity, 1 - self.specificity)
        return TruthAndPredictions(
            task="classification",
            truth=truth.astype(np.intp),
            output=called.astype(np.intp),
            classes=(0, 1),
        )

    def compute_truth(self, metric: Metric) -> float:
        """Return the metric in the population, by a table of a million rows."""
        positives = round(self.share * 1_000_000)
        negatives = 1_000_000 - positives
        hits, right = round(self.sensitivity * positives), round(self.specificity * negatives)
        truth = np.repeat([1, 1, 0, 0], [hits, positives - hits, right, negatives - right])
        output = np.repeat([1, 0, 0, 1], [hits, positives - hits, right, negatives - right])
        judged = TruthAndPredictions(
            task="classification", truth=truth, output=output, classes=(0, 1)
        )
        return metric.statistic(judged).value()


DESIGNS: Final = (
    AgreementDesign(20, 0.4, 0.75, 0.9),
    AgreementDesign(30, 0.5, 0.97, 0.9),
    AgreementDesign(40, 0.2, 0.6, 0.97),
    AgreementDesign(60, 0.12, 0.3, 0.9),
    AgreementDesign(90, 0.5, 0.65, 0.65),
    AgreementDesign(120, 0.08, 0.45, 0.98),
    AgreementDesign(150, 0.06, 0.95, 0.995),
    AgreementDesign(250, 0.05, 0.6, 0.93),
    AgreementDesign(250, 0.5, 0.995, 0.985),
    AgreementDesign(400, 0.025, 0.75, 0.995),
    AgreementDesign(400, 0.04, 0.35, 0.85),
    AgreementDesign(400, 0.25, 0.9, 0.9),
)
"""On none of them was the rule chosen."""

TITLE: Final = "Agreements with few of a class"
ABOUT: Final = f"""
One kappa, or Matthews' coefficient, of a test set of independent rows of two classes. The old rule
is the logit interval (Fisher's z) with a normal quantile; t would have the number of the rarer
class less 1 as degrees of freedom. The new rule is `limits_of_shares`, which has the logit interval
inside. At 1 all three have the bound of a metric without an error. Samples in which the metric is
undefined are left out. The rule was chosen on 139 other designs of 20 to 400 rows with 5 to 60 of
the rarer class and judged on 267 more, each with both metrics: on all of these it covered in .932
and more at a median length of 1.06, the old rule in .806 and more at 1.01, t in .827 and more at
1.13, and the limits without the logit interval in .884 and more.
{WHAT_IS_SHOWN}"""
COLUMNS: Final = "metric | rows | share | sensitivity | specificity | value | " + name_columns(
    "old rule", "t", "new rule"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of the old and the new intervals."""
    for name, metric in METRICS.items():
        by_name = {" | ".join(f"{x:g}" for x in design): design for design in DESIGNS}
        for _, design, _, rng in iterate_designs(by_name, (0,), seed):
            truth, layout = design.compute_truth(metric), _lay_out(design.rows)
            found = []
            for _ in range(repetitions):
                ends = _judge(metric, design.draw(rng), layout)
                if ends is not None:
                    found.append(ends)
            values = np.array(found) - truth
            true_sd = float(values[:, 0].std(ddof=1))
            rules = (measure_ends(values[:, i], values[:, i + 1], true_sd) for i in (1, 3, 5))
            yield (name, *design, truth, *(each for rule in rules for each in rule))


def _lay_out(rows: int) -> Layout:
    return build_layout(BlockKind.HOLDOUT, np.zeros(rows, dtype=np.intp))


def _judge(metric: Metric, judged: TruthAndPredictions, layout: Layout) -> tuple[float, ...] | None:
    """Return the value and the ends of all rules; None where the metric is undefined."""
    measured = measure(metric, judged, layout, 0, has_replicates=False)
    if np.isnan(measured.pooled):
        return None
    reading = infer_metric(metric, measured, CHOICES, is_difference=False)
    bound = next((each for each in reading.intervals if each.method == AT_LIMIT.name), None)
    logit = next((each for each in reading.intervals if each.method == LOGIT.name), bound)
    old, new = _list_ends(logit), _list_ends(reading.interval)
    return (measured.pooled, *old, *_widen(old, measured.pooled, judged, logit), *new)


def _list_ends(interval: Interval | None) -> tuple[float, float]:
    """Return the ends; two that are the same where there is no interval."""
    if interval is None or interval.lower is None or interval.upper is None:
        return 2.0, 2.0
    return interval.lower, interval.upper


def _widen(
    ends: tuple[float, float], value: float, judged: TruthAndPredictions, logit: Interval | None
) -> tuple[float, float]:
    """Return the ends of the logit interval with a quantile of t."""
    if logit is None or logit.method != LOGIT.name:
        return ends
    counts = np.bincount(judged.truth, minlength=2)
    ratio = stats.t.ppf((1 + LEVEL) / 2, max(1, counts.min() - 1)) / stats.norm.ppf((1 + LEVEL) / 2)
    centre = np.arctanh(value)
    low, high = (float(np.tanh(centre + ratio * (np.arctanh(end) - centre))) for end in ends)
    return low, high
