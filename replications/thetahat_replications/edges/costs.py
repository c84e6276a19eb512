"""Costs of rows: how often the intervals of means and ratios hold, and how often a gate errs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

import thetahat
from thetahat.analyses.losses.choices import Gate
from thetahat.analyses.losses.result import GateOutcome, Requirement
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import is_inside
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
RATIO: Final = 0.5
"""True mean cost of the new model over that of the old one."""

Draw: TypeAlias = Callable[[np.random.Generator, IntArray], tuple[FloatArray, FloatArray]]
"""Draws (n,) costs of both models with the means RATIO and 1, for (n,) clusters of rows."""

TITLE: Final = "Costs of rows"
ABOUT: Final = f"""
Two models with costs by row, whose true means are {RATIO:g} and 1. Each column is a share of the
samples, with its standard error.

- `mean`: the recommended interval of the mean cost of the old model holds.
- `ratio`: Fieller's set of the ratio of means holds. Both are to be in {LEVEL:g}.
- `too high`, `too low`: the whole set is above, or below, the true ratio. Each is to be in .025.
- `gate`: a gate that asks for a model that is cheaper by exactly the true share passes by cost, or
  fails by cost. That is the sum of the two columns before.
- `length`: mean length of the set over twice 1.96 true standard errors of the ratio.
"""


@dataclass(frozen=True, slots=True)
class CostDesign:
    """Costs of rows."""

    name: str
    """What is drawn."""
    sizes: tuple[int, ...]
    """Rows of each cluster; one of each for independent rows."""
    draw: Draw
    """Draws the costs of both models."""

    @property
    def clusters(self) -> IntArray:
        """(n,) cluster of each row."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def _draw_lognormal(sigma: float, correlation: float) -> Draw:
    """Return costs whose logarithms are normal and correlated between the models."""

    def draw(rng: np.random.Generator, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
        n, n_clusters = len(clusters), int(clusters[-1]) + 1
        common = np.sqrt(correlation) * rng.standard_normal(n)
        a, b = (common + np.sqrt(1 - correlation) * rng.standard_normal(n) for _ in range(2))
        if n_clusters < n:
            shared = rng.standard_normal(n_clusters)[clusters]
            a, b = (np.sqrt(0.4) * shared + np.sqrt(0.6) * own for own in (a, b))
        return RATIO * _spread(a, sigma), _spread(b, sigma)

    return draw


def _spread(normal: FloatArray, sigma: float) -> FloatArray:
    return np.asarray(np.exp(sigma * normal - sigma**2 / 2))


def _draw_exponential(
    rng: np.random.Generator, clusters: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return independent exponential costs, such as waiting times."""
    a, b = rng.exponential(size=(2, len(clusters)))
    return RATIO * a, b


def _draw_retries(rng: np.random.Generator, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return equal calls of which one in ten is repeated ten times, for each model by itself."""
    calls = np.where(rng.random((2, len(clusters))) < 0.1, 10.0, 1.0) / 1.9
    return RATIO * calls[0], calls[1]


def _draw_lengths(rng: np.random.Generator, clusters: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return tokens: lengths of answers by question, and the new model's with little noise."""
    lengths = rng.gamma(2.0, 0.5, len(clusters))
    return RATIO * lengths * rng.gamma(20.0, 1 / 20, len(clusters)), lengths


_IN_CLUSTERS: Final = tuple(2 + i % 9 for i in range(30))
_ALIKE, _LARGE = _draw_lognormal(0.5, 0.8), _draw_lognormal(1.0, 0.5)
DESIGNS: Final = (
    CostDesign("lengths of answers, gamma of shape 2, 40 rows", (1,) * 40, _draw_lengths),
    CostDesign("lognormal, sigma .5, correlation .8, 50 rows", (1,) * 50, _ALIKE),
    CostDesign("lognormal, sigma 1, correlation .5, 50 rows", (1,) * 50, _LARGE),
    CostDesign("lognormal, sigma 1, correlation .5, 500 rows", (1,) * 500, _LARGE),
    CostDesign("exponential, independent, 30 rows", (1,) * 30, _draw_exponential),
    CostDesign("one call in ten costs ten times as much, 100 rows", (1,) * 100, _draw_retries),
    CostDesign(
        "lognormal, sigma .8, in 30 clusters of 2 to 10", _IN_CLUSTERS, _draw_lognormal(0.8, 0.5)
    ),
)


COLUMNS: Final = "design | mean | ratio | too high | too low | gate | length"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the statements hold in each design."""
    for number, design in enumerate(DESIGNS):
        yield _judge(design, repetitions, np.random.default_rng([seed, number]))


def _judge(design: CostDesign, repetitions: int, rng: np.random.Generator) -> TableRow:
    draws = [_judge_sample(design, rng) for _ in range(repetitions)]
    holds = np.array([outcome for outcome, _ in draws])
    lengths = np.array([length for _, length in draws])
    ratios = np.array(_draw_ratios(design, rng))
    written = [format_share(float(share), repetitions) for share in holds.mean(axis=0)]
    ideal = 2 * 1.96 * ratios.std(ddof=1)
    return (design.name, *written, f"{np.nanmean(lengths) / ideal:.2f}")


def _draw_ratios(design: CostDesign, rng: np.random.Generator) -> list[float]:
    """Return ratios of means of further samples, whose spread is the true one."""
    drawn = (design.draw(rng, design.clusters) for _ in range(1000))
    return [float(new.mean() / old.mean()) for new, old in drawn]


def _judge_sample(design: CostDesign, rng: np.random.Generator) -> tuple[tuple[bool, ...], float]:
    """Return whether each statement holds or errs, and the length of the set of ratios."""
    clusters = design.clusters
    new, old = design.draw(rng, clusters)
    losses = (rng.random((2, len(clusters))) < 0.3) * 1.0
    result = thetahat.evaluate(
        {"new": losses[0], "old": losses[1]},
        blocks="holdout",
        cluster=clusters if len(design.sizes) < len(clusters) else None,
        margin=2.0,
        cost={"new": new, "old": old},
        gate=Gate(model="new", against="old", require=Requirement.NOT_WORSE, cheaper_by=1 - RATIO),
    )
    of_old = result.models["old"].cost
    pair, gate = result.comparisons[0].cost, result.gate
    if of_old is None or of_old.interval is None or pair is None or gate is None:
        message = "the costs have no interval"
        raise RuntimeError(message)
    mean = is_inside(of_old.interval.lower, of_old.interval.upper, 1.0)
    is_interval = pair.shape == "interval" and pair.lower is not None and pair.upper is not None
    lower, upper = (pair.lower, pair.upper) if is_interval else (None, None)
    too_high = lower is not None and lower > RATIO
    too_low = upper is not None and upper < RATIO
    length = np.nan if lower is None or upper is None else upper - lower
    return (
        (
            mean,
            not too_high and not too_low,
            too_high,
            too_low,
            gate.outcome is not GateOutcome.UNDECIDED,
        ),
        float(length),
    )
