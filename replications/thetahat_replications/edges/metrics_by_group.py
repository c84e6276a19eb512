"""Metrics of all groups of rows at once: how often their intervals hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from thetahat.analyses.groups.columns import Grouping
from thetahat.analyses.groups.expected_coverage import GROUPS, SHARED_CLUSTERS, SMALLEST
from thetahat.analyses.groups.model_groups import GroupOptions
from thetahat.analyses.groups.result import GroupMetric
from thetahat.analyses.groups.rows import GroupRows
from thetahat.analyses.losses.choices import ChosenMethod
from thetahat.analyses.metrics.by_group import measure_groups
from thetahat.analyses.metrics.group_coverage import (
    CLUSTERS,
    NEGATIVES,
    NUMBERS,
    POSITIVES,
    ROWS,
    SKEWED,
    TWO_CLASSES,
)
from thetahat.analyses.metrics.log_jackknife import LOG_JACKKNIFE
from thetahat.analyses.metrics.mean_of_rates import MEAN_OF_RATES
from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import SHIFT, is_inside, measure_power_of_all
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableRow, format_share

LEVEL: Final = 0.95
N_FOR_TRUTH: Final = 400_000
SHARED: Final = 0.3
"""Share of the variance of scores and errors that a cluster has in common."""
OF_ONE_SET: Final = {"balanced_accuracy": MEAN_OF_RATES.name, "r2": LOG_JACKKNIFE.name}
"""Interval methods that were studied in test sets without groups, by metric."""

TITLE: Final = "Metrics by group"
ABOUT: Final = f"""
One model and groups of one column, or one test set. Of two classes the scores are normal, with
means 1 standard deviation apart in the first group and up to 2 in the last one; the second class is
predicted where the score is above the middle of both means. `r2` is that of normal numbers whose
predictions explain .5 of the variance in the first group and up to .8 in the last one; the
predictions of skewed numbers are exponential. A single test set is like the last group. Clusters
have from 2 to 20 rows, and {SHARED:g} of the variance of scores and errors in common. Each cell is
the share of samples in which the intervals of the metric of all groups hold, with its standard
error; that is to be in {LEVEL:g} or more. The column `none` is the share of samples in which a
group has no interval of the metric, because it has a single class, say: what has no interval counts
as no failure, and is shown as such. The last column is the power: how often the interval of a group
excludes a value that is {SHIFT:g} standard deviations of the estimate from the true one, averaged
over the groups and over the values above and below, as a share of the power of normal tests that
know the standard deviation and hold for all groups at {LEVEL:g}. Values that the metric cannot have
are left out; where all are, power is empty.

The intervals are those that the library gives without its bootstrap. With it they are the same, but
for about one of a thousand groups of 15 rows, which then has an interval instead of none.
"""


_Chosen: TypeAlias = ChosenMethod[Metric]


@dataclass(frozen=True, slots=True)
class MetricDesign:
    """Groups of rows, and the predictions of a model."""

    name: str
    """What is drawn."""
    sizes: tuple[int, ...]
    """Rows of each group."""
    rate: float | None
    """Share of the second class; None for numbers."""
    n_clusters: int = 0
    """Clusters that all groups share; 0 for independent rows."""
    skewed: bool = False
    """Whether numbers have a skewed distribution."""

    @property
    def codes(self) -> IntArray:
        """(n,) group of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def data(self) -> str:
        """What the data are like."""
        if self.rate is not None:
            return TWO_CLASSES
        return SKEWED if self.skewed else NUMBERS

    @property
    def metrics(self) -> dict[str, Metric]:
        """The metrics of such data; of one test set those whose intervals are studied in it."""
        task = "regression" if self.rate is None else "classification"
        kinds: Mapping[str, Any] = METRICS
        return {
            name: kind(n_resamples=0)
            for name, kind in kinds.items()
            if kind.task == task and (len(self.sizes) > 1 or name in OF_ONE_SET)
        }

    def prepare(self) -> tuple[IntArray, IntArray | None, Layout, GroupRows, list[_Chosen]]:
        """Return groups and clusters of the rows, both as the analysis has them, and metrics."""
        codes, cluster = self.codes, None
        if self.n_clusters:
            cluster = _assign_clusters(len(codes), self.n_clusters)
        blocks = np.zeros(len(codes), dtype=np.intp)
        layout = build_layout(BlockKind.HOLDOUT, blocks, cluster=cluster)
        labels = tuple((g,) for g in range(len(self.sizes)))
        rows = GroupRows.build(Grouping("g", ("g",), codes, labels), layout)
        metrics = [ChosenMethod(key, key, metric) for key, metric in self.metrics.items()]
        return codes, cluster, layout, rows, metrics

    def draw(
        self, rng: np.random.Generator, codes: IntArray, cluster: IntArray | None
    ) -> TruthAndPredictions:
        """Return rows of these groups, in these clusters."""
        step = codes / (len(self.sizes) - 1) if len(self.sizes) > 1 else np.ones(len(codes))
        error = rng.standard_normal(len(codes))
        if cluster is not None:
            common = rng.standard_normal(int(cluster.max()) + 1)[cluster]
            error = np.sqrt(SHARED) * common + np.sqrt(1 - SHARED) * error
        if self.rate is None:
            explained = 0.5 + 0.3 * step
            drawn = (
                rng.standard_exponential(len(codes)) - 1
                if self.skewed
                else rng.standard_normal(len(codes))
            )
            output = np.sqrt(explained) * drawn
            truth = output + np.sqrt(1 - explained) * error
            return TruthAndPredictions(task="regression", truth=truth, output=output)
        is_second = rng.random(len(codes)) < self.rate
        scores = (1 + step) * (is_second - 0.5) + error
        return TruthAndPredictions(
            task="classification",
            truth=is_second.astype(np.intp),
            output=(scores > 0).astype(np.intp),
            scores=scores,
            classes=(0, 1),
        )


DESIGNS: Final = (
    MetricDesign("five groups of 40, rate .4", (40,) * 5, 0.4),
    MetricDesign("five groups of 100, rate .1", (100,) * 5, 0.1),
    MetricDesign("five groups of 300, rate .1", (300,) * 5, 0.1),
    MetricDesign("25 to 200 rows, rate .3", (25, 40, 60, 100, 200), 0.3),
    MetricDesign("four groups of 15, rate .4", (15,) * 4, 0.4),
    MetricDesign("four groups of 60 in 40 shared clusters, rate .4", (60,) * 4, 0.4, 40),
    MetricDesign("five groups of 40, numbers", (40,) * 5, None),
    MetricDesign("25 to 200 rows, numbers", (25, 40, 60, 100, 200), None),
    MetricDesign("four groups of 60 in 40 shared clusters, numbers", (60,) * 4, None, 40),
    MetricDesign("five groups of 100, numbers", (100,) * 5, None),
    MetricDesign("four groups of 15, numbers", (15,) * 4, None),
    MetricDesign("five groups of 40, skewed numbers", (40,) * 5, None, 0, skewed=True),
    MetricDesign("five groups of 100, skewed numbers", (100,) * 5, None, 0, skewed=True),
    MetricDesign("five groups of 300, skewed numbers", (300,) * 5, None, 0, skewed=True),
    MetricDesign("200 in 50 shared clusters, rate .1", (40,) * 5, 0.1, 50),
    *(
        MetricDesign(f"one test set of {n}, rate {rate:g}", (n,), rate)
        for n, rate in ((40, 0.4), (100, 0.1), (300, 0.1), (1000, 0.02), (1000, 0.4))
    ),
    MetricDesign("one test set of 200 in 50 clusters, rate .2", (200,), 0.2, 50),
    *(MetricDesign(f"one test set of {n}, numbers", (n,), None) for n in (15, 40, 100, 300, 1000)),
    MetricDesign("one test set of 200 in 50 clusters, numbers", (200,), None, 50),
    *(
        MetricDesign(f"one test set of {n}, skewed numbers", (n,), None, 0, skewed=True)
        for n in (40, 100, 300, 1000)
    ),
    MetricDesign("12 groups of 40, rate .4", (40,) * 12, 0.4),
    MetricDesign("12 groups of 100, rate .1", (100,) * 12, 0.1),
    MetricDesign("12 groups of 40, numbers", (40,) * 12, None),
    MetricDesign("12 groups of 40, skewed numbers", (40,) * 12, None, 0, skewed=True),
)

COLUMNS: Final = "design | metric | covered at once | none | power"


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often the intervals of all groups held, by design and metric."""
    designs = {design.name: design for design in DESIGNS}
    for row in page.rows:
        design, metric = designs[row["design"]], row["metric"]
        yield (
            StudiedShare(
                interval=metric if len(design.sizes) > 1 else OF_ONE_SET[metric],
                data=design.data,
                numbers=count_rows(design),
                population=design.name,
                share=float(row["covered at once"].split()[0]),
                repetitions=page.repetitions,
            ),
        )


def count_rows(design: MetricDesign) -> Mapping[str, float]:
    """Return the numbers of a design by which data are compared with it."""
    has_groups = len(design.sizes) > 1
    numbers: dict[str, float] = {}
    if has_groups:
        numbers = {GROUPS: len(design.sizes), SMALLEST: min(design.sizes)}
    elif design.rate is None:
        numbers = {ROWS: design.sizes[0]}
    if design.rate is not None:
        numbers[POSITIVES] = round(sum(design.sizes) * design.rate)
        numbers[NEGATIVES] = sum(design.sizes) - numbers[POSITIVES]
    if design.n_clusters:
        numbers[SHARED_CLUSTERS if has_groups else CLUSTERS] = design.n_clusters
    return numbers


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the intervals of each metric hold in each design, and their power."""
    for number, design in enumerate(DESIGNS):
        yield from _judge(design, repetitions, np.random.default_rng([seed, number]))


def _judge(design: MetricDesign, repetitions: int, rng: np.random.Generator) -> Iterator[TableRow]:
    codes, cluster, layout, rows, metrics = design.prepare()
    truth = compute_truth(design, rng)
    holds, missing = (dict.fromkeys(design.metrics, 0) for _ in range(2))
    found = {key: np.full((repetitions, len(design.sizes), 3), np.nan) for key in design.metrics}
    for place in range(repetitions):
        judged = {"m": design.draw(rng, codes, cluster)}
        options = GroupOptions(level=LEVEL, margin=None, seed=place)
        groups = measure_groups(metrics, judged, layout, rows, options)["m"].of_groups
        for key in design.metrics:
            intervals = [group[key].interval for group in groups]
            found[key][place] = [_list_numbers(group[key]) for group in groups]
            missing[key] += any(each is None for each in intervals)
            holds[key] += all(
                each is None or is_inside(each.lower, each.upper, float(value))
                for each, value in zip(intervals, truth[key], strict=True)
            )
    for key in design.metrics:
        share = holds[key] / repetitions
        power = measure_power_of_all(found[key], truth[key], design.metrics[key].value_range)
        yield (
            design.name,
            key,
            format_share(share, repetitions),
            missing[key] / repetitions,
            power,
        )


def _list_numbers(measured: GroupMetric) -> tuple[float, float, float]:
    """Return the estimate and the ends of its interval; NaN for what there is none of."""
    interval = measured.interval
    if measured.estimate is None or interval is None:
        return (np.nan if measured.estimate is None else measured.estimate), np.nan, np.nan
    lower = -np.inf if interval.lower is None else interval.lower
    upper = np.inf if interval.upper is None else interval.upper
    return measured.estimate, lower, upper


def _assign_clusters(n: int, n_clusters: int) -> IntArray:
    """Return the cluster of each row, of sizes from 2 to 20, in an order without the groups."""
    shares = np.geomspace(2, 20, n_clusters)
    ends = np.cumsum(shares) / shares.sum() * n
    return np.random.default_rng(0).permutation(np.searchsorted(ends, np.arange(n), side="right"))


def compute_truth(design: MetricDesign, rng: np.random.Generator) -> Mapping[str, FloatArray]:
    """Return (G,) values of each metric from very many rows of each group."""
    values: dict[str, list[float]] = {key: [] for key in design.metrics}
    for group in range(len(design.sizes)):
        of_group = measure_many(design, rng, np.full(N_FOR_TRUTH, group))
        for key, value in of_group.items():
            values[key].append(value)
    return {key: np.array(of_metric) for key, of_metric in values.items()}


def measure_many(
    design: MetricDesign, rng: np.random.Generator, codes: IntArray
) -> dict[str, float]:
    """Return each metric of many independent rows of these groups."""
    judged = design.draw(rng, codes, None)
    return {key: metric.statistic(judged).value() for key, metric in design.metrics.items()}
