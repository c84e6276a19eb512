"""Ranks of many models: how often all rank intervals hold at once, and what they resolve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy.special import ndtr

import thetahat
from thetahat.analyses.losses.result import EvaluationResult, RankOfModel
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
APART: Final = 4.0
"""Standard deviations of a difference by which the first model is better, for the power."""

TITLE: Final = "Ranks"
ABOUT: Final = f"""
Models on one test set, ranked by their mean losses. Each column but the last three is a share
of samples with its standard error.

- `all ranks`: the intervals of all ranks hold at once: no model is shown to be better than one that
  is truly as good or better. That is to be in {LEVEL:g} or more.
- `best`: the truly best models are all among those that can have rank 1. Likewise.
- `own interval`: for comparison, how often the interval of the best model of the sample alone
  covers its true mean; the search makes it too good.
- `width`: mean number of ranks that a model can have, as a share of all ranks.
- `gap`: mean smallest gap that the test set can resolve, in standard deviations of a loss.
- `power`: how often the first model alone can have rank 1, if its mean is made less by {APART:g}
  standard deviations of its difference from the second one. It is a share of how often an oracle
  finds that in the same samples, which knows the standard deviation of each difference of two
  models, and the quantile of the largest of all these differences in their standard deviations.
"""


@dataclass(frozen=True, slots=True)
class RankDesign:
    """Losses of many models on the same rows."""

    name: str
    """What is drawn."""
    means: tuple[float, ...]
    """True mean loss of each model."""
    n: int
    """Rows."""
    correlation: float = 0.5
    """Correlation of the losses of two models on a row."""
    is_binary: bool = False
    """Whether losses are 0 or 1."""
    cluster_size: int = 1
    """Rows of each cluster, with a correlation of .3 within; 1 for independent rows."""

    @property
    def clusters(self) -> IntArray | None:
        """(n,) cluster of each row; None for independent rows."""
        if self.cluster_size == 1:
            return None
        return np.arange(self.n) // self.cluster_size

    def draw(self, rng: np.random.Generator) -> FloatArray:
        """Return (K, n) losses."""
        shape = (len(self.means), self.n)
        own = rng.standard_normal(shape)
        clusters = self.clusters
        if clusters is not None:
            shared = rng.standard_normal((shape[0], int(clusters[-1]) + 1))[:, clusters]
            own = np.sqrt(0.3) * shared + np.sqrt(0.7) * own
        common = rng.standard_normal(self.n)
        latent = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
        means = np.array(self.means)[:, None]
        if not self.is_binary:
            return np.asarray(means + latent)
        return np.asarray((ndtr(latent) < means) * 1.0)


_RATES: Final = (0.1, 0.1, 0.15, 0.25)
_OF_RATES: Final = "0/1, 4 models with rates .1, .1, .15 and .25, 200 rows"
_THREE_WORSE: Final = "9 models, three of them worse by .4, 100 rows"
_IN_CLUSTERS: Final = "4 models, two of them worse by .4, 30 clusters of 5"
DESIGNS: Final = (
    RankDesign("4 equal models, 100 rows", means=(0.0,) * 4, n=100),
    RankDesign("9 equal models, 100 rows", means=(0.0,) * 9, n=100),
    RankDesign(_THREE_WORSE, means=(0.0,) * 6 + (0.4,) * 3, n=100),
    RankDesign(_OF_RATES, means=_RATES, n=200, is_binary=True),
    RankDesign(_IN_CLUSTERS, means=(0.0, 0.0, 0.4, 0.4), n=150, cluster_size=5),
)


COLUMNS: Final = "design | all ranks | best | own interval | width | gap | power"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the ranks hold in each design."""
    for number, design in enumerate(DESIGNS):
        yield _judge(design, repetitions, np.random.default_rng([seed, number]))


def _judge(design: RankDesign, repetitions: int, rng: np.random.Generator) -> TableRow:
    samples = [_judge_sample(design, rng, place) for place in range(repetitions)]
    shares = np.array([outcome for outcome, *_ in samples]).mean(axis=0)
    widths, gaps, differences = np.array([numbers for _, *numbers in samples]).T
    first, *others = design.means
    better = replace(design, means=(first - APART * float(differences.std(ddof=1)), *others))
    written = (format_share(float(s), repetitions) for s in shares)
    power = _measure_power(better, repetitions, rng)
    return (design.name, *written, float(widths.mean()), float(gaps.mean()), power)


def _measure_power(design: RankDesign, repetitions: int, rng: np.random.Generator) -> float:
    """Return how often the first model alone can have rank 1, as a share of the oracle's."""
    drawn = [design.draw(rng) for _ in range(repetitions)]
    ranks = [_evaluate(design, losses, place)[1] for place, losses in enumerate(drawn)]
    found = np.mean([all(rank.best > 1 for rank in of_sample[1:]) for of_sample in ranks])
    means = np.mean(drawn, axis=2)
    gaps = means[:, None] - means[:, :, None]
    spread = gaps.std(axis=0, ddof=1) + np.eye(len(design.means))
    critical = np.quantile(((gaps - gaps.mean(axis=0)) / spread).max(axis=(1, 2)), LEVEL)
    ideal = np.mean((gaps[:, 0, 1:] > critical * spread[0, 1:]).all(axis=1))
    return float(found / ideal) if ideal else float("nan")


def _evaluate(
    design: RankDesign, losses: FloatArray, place: int
) -> tuple[EvaluationResult, list[RankOfModel]]:
    """Return the result of (K, n) losses, and the rank of each model."""
    names = [f"m{i}" for i in range(len(losses))]
    result = thetahat.evaluate(
        dict(zip(names, losses, strict=True)),
        blocks="holdout",
        cluster=design.clusters,
        better="lower",
        seed=place,
    )
    if result.ranking is None or result.ranking.ranks is None:
        message = "the result has no ranks"
        raise RuntimeError(message)
    return result, [result.ranking.ranks[name] for name in names]


def _judge_sample(
    design: RankDesign, rng: np.random.Generator, place: int
) -> tuple[tuple[bool, bool, bool], float, float, float]:
    """Return whether each statement holds, and numbers.

    They are the mean share of ranks, the smallest gap and the difference of the first two models.
    """
    losses = design.draw(rng)
    result, ranks = _evaluate(design, losses, place)
    means, n = np.array(design.means), len(design.means)
    holds = all(
        rank.best <= 1 + (means < mean).sum() and rank.worst >= n - (means > mean).sum()
        for rank, mean in zip(ranks, means, strict=True)
    )
    best = all(
        rank.best == 1 for rank, mean in zip(ranks, means, strict=True) if mean == means.min()
    )
    first = result.summary.models[0]
    truth = float(means[int(first.name[1:])])
    covers = first.lower is not None and first.upper is not None
    covers = covers and float(first.lower or 0.0) <= truth <= float(first.upper or 0.0)
    width = float(np.mean([rank.worst - rank.best + 1 for rank in ranks])) / n
    gap = None if result.ranking is None else result.ranking.smallest_gap
    difference = float(losses[0].mean() - losses[1].mean())
    spread = float(losses.std())
    return (holds, best, covers), width, np.nan if gap is None else gap / spread, difference
