"""Costs of rows: how often the intervals of their ratios hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from thetahat.analyses.losses.cost_coverage import CLUSTERS, COSTS, FEW_DEAR, RATIO, ROWS, name_data
from thetahat.analyses.losses.relative_differences import compute_relative_difference
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray
from thetahat.variances import VARIANCES
from thetahat_replications.edges.simulated_intervals import SHIFT, iterate_designs, measure_power
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import KeptPage, TableCell, TableRow, format_share

LEVEL: Final = 0.95
TRUE_RATIO: Final = 0.5
"""True mean cost of the new model over that of the old one."""
N_FOR_SPREAD: Final = 1000
"""Samples for the true standard error of the ratio."""
FEWEST_DEAR: Final = 0.5
"""Dear rows of a sample, on average, below which a design is not drawn in such samples."""

Draw: TypeAlias = Callable[[np.random.Generator, IntArray], tuple[FloatArray, FloatArray]]
"""Draws (n,) costs of both models with the means TRUE_RATIO and 1, for (n,) clusters of rows."""

TITLE: Final = "Costs of rows"
ABOUT: Final = f"""
Two models with costs by row, whose true means are {TRUE_RATIO:g} and 1. Where a model has dear
rows, all vary by a lognormal factor with sigma .3. Clusters have 2 to 10 rows, and two fifths of
the variance of normal numbers in common. Each column is a share of the samples, with its standard
error.

- `interval`: Fieller's set of the ratio of means is an interval. It is none where the mean cost of
  the old model is not clearly above 0.
- `too high`, `too low`: the set is an interval above, or below, the true ratio. Each is to be in
  .025. A gate that asks for a new model that is cheaper by exactly the true share fails by cost in
  the first, and passes in the second.
- `ratio`: of the samples with an interval, it holds the true ratio in so many. That is to be in
  {LEVEL:g}.
- `length`: mean length of the interval over twice 1.96 true standard errors of the ratio.
- `power`: how often the interval excludes a ratio that is {SHIFT:g} true standard errors above or
  below the true one, as a share of the power of the normal test that knows the standard error. A
  ratio below 0 is left out, and what is no interval excludes nothing.
- `dear`: a result takes the sample for one of `{FEW_DEAR}`.

Reading: where only one model has dear rows, and samples have few of them, the interval covers too
rarely. It misses in the samples that by chance have none, which look like any others: no interval
can tell. Designs with less than half a dear row in a sample are not drawn; it would hold in almost
none of their samples.
"""


@dataclass(frozen=True, slots=True)
class CostDesign:
    """Costs of rows."""

    draw: Draw
    """Draws the costs of both models."""
    dear_share: float = 1.0
    """Share of the rows, or clusters, that are dear in a model; 1 without such rows."""


def _draw_normal(
    rng: np.random.Generator, clusters: IntArray, correlation: float
) -> tuple[FloatArray, FloatArray]:
    """Return (n,) standard normal numbers of both models, which are alike within clusters."""
    n, n_clusters = len(clusters), int(clusters[-1]) + 1
    common = np.sqrt(correlation) * rng.standard_normal(n)
    a, b = (common + np.sqrt(1 - correlation) * rng.standard_normal(n) for _ in range(2))
    if n_clusters < n:
        shared = rng.standard_normal(n_clusters)[clusters]
        a, b = (np.sqrt(0.4) * shared + np.sqrt(0.6) * own for own in (a, b))
    return np.asarray(a), np.asarray(b)


def _spread(normal: FloatArray, sigma: float) -> FloatArray:
    return np.asarray(np.exp(sigma * normal - sigma**2 / 2))


def _draw_lognormal(sigma: float, correlation: float) -> Draw:
    """Return costs whose logarithms are normal and correlated between the models."""

    def draw(rng: np.random.Generator, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
        a, b = _draw_normal(rng, clusters, correlation)
        return TRUE_RATIO * _spread(a, sigma), _spread(b, sigma)

    return draw


def _draw_exponential(
    rng: np.random.Generator, clusters: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return independent exponential costs, such as waiting times."""
    a, b = rng.exponential(size=(2, len(clusters)))
    return TRUE_RATIO * a, b


def _draw_lengths(rng: np.random.Generator, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return tokens: lengths of answers by question, and the new model's with little noise."""
    lengths = rng.gamma(2.0, 0.5, len(clusters))
    return TRUE_RATIO * lengths * rng.gamma(20.0, 1 / 20, len(clusters)), lengths


def _build_dear(
    share: float, times: float, *models: str, whole_clusters: bool = False
) -> CostDesign:
    """Return costs of which this share is so many times as dear, for each model by itself."""

    def draw(rng: np.random.Generator, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
        costs = [_spread(normal, 0.3) for normal in _draw_normal(rng, clusters, 0.0)]
        for place, model in enumerate(("new", "old")):
            if model in models:
                is_dear = rng.random(len(clusters)) < share
                if whole_clusters:
                    is_dear = is_dear[clusters]
                costs[place] *= np.where(is_dear, times, 1.0) / (1 + share * (times - 1))
        return TRUE_RATIO * costs[0], costs[1]

    return CostDesign(draw, share)


SIZES: Final = (10, 40, 160, 640, 2560)
"""Rows. Samples below 20 rows, whose skewness says nothing, are nearest to the first."""
N_CLUSTERS: Final = (10, 40, 160)
DESIGNS: Final[Mapping[str, CostDesign]] = {
    "lengths of answers, gamma of shape 2": CostDesign(_draw_lengths),
    "lognormal, sigma 1, correlation .5": CostDesign(_draw_lognormal(1.0, 0.5)),
    "exponential, independent": CostDesign(_draw_exponential),
    "both: one row in ten costs ten times as much": _build_dear(0.1, 10, "new", "old"),
    "old: one row in 20 costs 20 times as much": _build_dear(0.05, 20, "old"),
    "new: one row in 20 costs 20 times as much": _build_dear(0.05, 20, "new"),
    "new: one row in 50 costs 50 times as much": _build_dear(0.02, 50, "new"),
    "old: one row in 200 costs 100 times as much": _build_dear(0.005, 100, "old"),
}
IN_CLUSTERS: Final[Mapping[str, CostDesign]] = {
    "lognormal, sigma .8, in clusters": CostDesign(_draw_lognormal(0.8, 0.5)),
    "old: one row in 20 costs 20 times as much, in clusters": _build_dear(0.05, 20, "old"),
    "new: one cluster in ten costs ten times as much": _build_dear(
        0.1, 10, "new", whole_clusters=True
    ),
}


COLUMNS: Final = (
    "design | rows | clusters | interval | too high | too low | ratio | length | power | dear"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the statements hold in each design."""
    for name, design, n, rng in iterate_designs(DESIGNS, SIZES, seed):
        if n * design.dear_share >= FEWEST_DEAR:
            yield (name, n, "", *_judge(design.draw, np.arange(n), repetitions, rng))
    for name, design, n, rng in iterate_designs(IN_CLUSTERS, N_CLUSTERS, seed + 1):
        clusters = np.repeat(np.arange(n), [2 + i % 9 for i in range(n)])
        yield (name, len(clusters), n, *_judge(design.draw, clusters, repetitions, rng))


def collect_shares(page: KeptPage) -> Iterable[tuple[StudiedShare, ...]]:
    """Return how often intervals of a ratio covered, by size and what most samples look like."""
    together: dict[tuple[str, str, str], list[StudiedShare]] = defaultdict(list)
    for row in page.rows:
        data = FEW_DEAR if float(row["dear"]) >= 0.5 else COSTS
        numbers = {ROWS: float(row["rows"])}
        if row["clusters"]:
            numbers[CLUSTERS] = float(row["clusters"])
        share = StudiedShare(
            interval=RATIO,
            data=data,
            numbers=numbers,
            population=row["design"],
            share=float(row["ratio"].split()[0]),
            repetitions=round(page.repetitions * float(row["interval"].split()[0])),
        )
        together[data, row["rows"], row["clusters"]].append(share)
    return [tuple(shares) for shares in together.values()]


class _CostSample(NamedTuple):
    """What one sample shows."""

    lower: float
    upper: float
    """Ends of the set; NaN where it is no interval."""
    has_few_dear: bool


def _judge(
    draw: Draw, clusters: IntArray, repetitions: int, rng: np.random.Generator
) -> tuple[TableCell, ...]:
    samples = [_judge_sample(draw, clusters, rng) for _ in range(repetitions)]
    true_sd = float(np.std([_draw_ratio(draw, clusters, rng) for _ in range(N_FOR_SPREAD)], ddof=1))
    lower, upper, dear = np.array(samples).T
    is_interval, too_high, too_low = (
        ~np.isnan(upper - lower),
        lower > TRUE_RATIO,
        upper < TRUE_RATIO,
    )
    shares = [float(each.mean()) for each in (is_interval, too_high, too_low)]
    n_intervals = int(is_interval.sum())
    within, length = "-", 0.0
    if n_intervals:
        missed = int((too_high | too_low).sum())
        within = format_share(1 - missed / n_intervals, n_intervals)
        length = float(np.nanmean(upper - lower)) / (2 * 1.96 * true_sd)
    above_0 = (-TRUE_RATIO, np.inf)
    return (
        *(format_share(share, repetitions) for share in shares),
        within,
        f"{length:.2f}",
        measure_power(lower - TRUE_RATIO, upper - TRUE_RATIO, true_sd, possible=above_0),
        f"{dear.mean():.2f}",
    )


def _draw_ratio(draw: Draw, clusters: IntArray, rng: np.random.Generator) -> float:
    new, old = draw(rng, clusters)
    return float(new.mean() / old.mean())


def _judge_sample(draw: Draw, clusters: IntArray, rng: np.random.Generator) -> _CostSample:
    """Return what costs show, with the variance that a result takes."""
    new, old = draw(rng, clusters)
    in_clusters = clusters[-1] + 1 < len(clusters)
    layout = build_layout(
        BlockKind.HOLDOUT,
        np.zeros(len(new), dtype=np.intp),
        cluster=clusters if in_clusters else None,
    )
    a, b = BlockLosses(layout, values=new), BlockLosses(layout, values=old)
    losses = PairedLosses(a, b, a.minus(b), higher_is_better=False)
    variance = VARIANCES["cluster_robust" if in_clusters else "iid"]()
    found = compute_relative_difference(
        losses,
        ("new", "old"),
        (variance.info.name, variance, variance.estimate(losses.difference)),
        alpha=1 - LEVEL,
        level=LEVEL,
        simultaneous_pairs=None,
    )
    ends = (found.lower, found.upper) if found.shape == "interval" else (None, None)
    lower, upper = np.array(ends, dtype=np.float64).tolist()
    deviations = BlockLosses(layout, values=new - new.mean() / old.mean() * old)
    return _CostSample(lower, upper, name_data(deviations) == FEW_DEAR)
