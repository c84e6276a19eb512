"""Ranks of many models: how often all rank intervals hold at once, and what they resolve."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtr

import thetahat
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95

TITLE: Final = "Ranks"
ABOUT: Final = f"""
Models on one test set, ranked by their mean losses. Each column but the last two is a share of
samples with its standard error.

- `all ranks`: the intervals of all ranks hold at once: no model is shown to be better than one that
  is truly as good or better. That is to be in {LEVEL:g} or more.
- `best`: the truly best models are all among those that can have rank 1. Likewise.
- `own interval`: for comparison, how often the interval of the best model of the sample alone
  covers its true mean; the search makes it too good.
- `width`: mean number of ranks that a model can have, as a share of all ranks.
- `gap`: mean smallest gap that the test set can resolve, in standard deviations of a loss.
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


COLUMNS: Final = "design | all ranks | best | own interval | width | gap"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the ranks hold in each design."""
    for number, design in enumerate(DESIGNS):
        yield _judge(design, repetitions, np.random.default_rng([seed, number]))


def _judge(design: RankDesign, repetitions: int, rng: np.random.Generator) -> TableRow:
    samples = [_judge_sample(design, rng, place) for place in range(repetitions)]
    shares = np.array([outcome for outcome, _, _ in samples]).mean(axis=0)
    widths, gaps = (float(np.mean([sample[i] for sample in samples])) for i in (1, 2))
    return (design.name, *(format_share(float(s), repetitions) for s in shares), widths, gaps)


def _judge_sample(
    design: RankDesign, rng: np.random.Generator, place: int
) -> tuple[tuple[bool, bool, bool], float, float]:
    """Return whether each statement holds, the mean share of ranks, and the smallest gap."""
    losses = design.draw(rng)
    names = [f"m{i}" for i in range(len(design.means))]
    result = thetahat.evaluate(
        dict(zip(names, losses, strict=True)),
        blocks="holdout",
        cluster=design.clusters,
        better="lower",
        seed=place,
    )
    ranking = result.ranking
    if ranking is None or ranking.ranks is None:
        message = "the result has no ranks"
        raise RuntimeError(message)
    means, n = np.array(design.means), len(design.means)
    holds = all(
        ranking.ranks[name].best <= 1 + (means < mean).sum()
        and ranking.ranks[name].worst >= n - (means > mean).sum()
        for name, mean in zip(names, means, strict=True)
    )
    best = all(
        ranking.ranks[name].best == 1
        for name, mean in zip(names, means, strict=True)
        if mean == means.min()
    )
    first = result.summary.models[0]
    truth = float(means[names.index(first.name)])
    covers = first.lower is not None and first.upper is not None
    covers = covers and float(first.lower or 0.0) <= truth <= float(first.upper or 0.0)
    widths = [rank.worst - rank.best + 1 for rank in ranking.ranks.values()]
    spread = float(losses.std())
    gap = np.nan if ranking.smallest_gap is None else ranking.smallest_gap / spread
    return (holds, best, covers), float(np.mean(widths)) / n, float(gap)
