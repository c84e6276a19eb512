"""How often intervals for the mean of rows in the order of time cover, and how long they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Final

import numpy as np
from scipy import stats

from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.variances._times import TIMES
from thetahat.variances.block_bootstrap import BlockBootstrap
from thetahat.variances.iid import Iid
from thetahat.variances.newey_west import NeweyWest
from thetahat.variances.newey_west_small_sample import NeweyWestSmallSample
from thetahat_replications.edges.neighbouring_rows import draw_autoregression
from thetahat_replications.edges.simulated_intervals import NORMAL, iterate_designs, measure_power
from thetahat_replications.edges.studied_shares import StudiedShare
from thetahat_replications.edges.table import BETWEEN, KeptPage, TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = (30, 100, 400)
METHODS: Final = (Iid(), NeweyWest(), BlockBootstrap(), NeweyWestSmallSample())

SHIPPED: Final = tuple(method.info.name for method in METHODS if not isinstance(method, Iid))
"""The variances for series, whose intervals results may recommend."""
SKEWED: Final = "squared errors"
"""Losses that are like none of the others, of one correlation alone."""

Sampler = Callable[[np.random.Generator, int], FloatArray]


def draw_states(rng: np.random.Generator, n: int, rate: float, correlation: float) -> FloatArray:
    """Return n losses of 0 and 1 of a Markov chain with that correlation between neighbours."""
    fresh = rng.random(n) >= correlation
    fresh[0] = True
    drawn = (rng.random(n) < rate).astype(np.float64)
    return np.asarray(drawn[np.maximum.accumulate(np.where(fresh, np.arange(n), 0))])


def draw_skewed(rng: np.random.Generator, n: int, correlation: float) -> FloatArray:
    """Return n squares of an autoregression; their correlation is the square of its own."""
    coefficient = correlation**0.5
    scale = (1 - coefficient**2) ** 0.5
    return np.asarray((scale * draw_autoregression(rng, n, coefficient)) ** 2)


DESIGNS: Final[Mapping[str, tuple[Sampler, float, float]]] = {
    "independent, normal": (lambda g, n: g.standard_normal(n), 0.0, 0.0),
    "autoregression": (lambda g, n: draw_autoregression(g, n, 0.2), 0.2, 0.0),
    "autoregression ": (lambda g, n: draw_autoregression(g, n, 0.5), 0.5, 0.0),
    "autoregression  ": (lambda g, n: draw_autoregression(g, n, 0.7), 0.7, 0.0),
    "autoregression   ": (lambda g, n: draw_autoregression(g, n, 0.9), 0.9, 0.0),
    "errors, rate .2": (lambda g, n: draw_states(g, n, 0.2, 0.5), 0.5, 0.2),
    SKEWED: (lambda g, n: draw_skewed(g, n, 0.3), 0.3, 1.0),
}
"""Losses by time, the correlation of neighbours, and the mean."""

TITLE: Final = "Rows in the order of time"
ABOUT: Final = f"""
Losses at n times, with a correlation between neighbours that falls with the distance. Columns: how
often the t interval of level {LEVEL:g} on each variance covers, its mean length over that of the
ideal interval, 3.92 standard deviations of the mean loss, and its power: how often it excludes a
value three standard deviations from the truth, as a share of the ideal interval's.
"""


def collect_shares(page: KeptPage) -> Iterable[tuple[StudiedShare, ...]]:
    """Return how often intervals on a variance covered, by correlation and number of times."""
    together: dict[tuple[str, str, str], list[StudiedShare]] = {}
    for name, row in product(SHIPPED, page.rows):
        if row["losses"] != SKEWED:
            share = StudiedShare(
                interval=name,
                data=f"{float(row['correlation']):g}",
                numbers={TIMES: float(row["n"])},
                population=f"{row['losses']}, correlation {float(row['correlation']):g}",
                share=float(row[f"{name} covers"].split()[0]),
                repetitions=page.repetitions,
            )
            together.setdefault((name, share.data, row["n"]), []).append(share)
    return [tuple(shares) for shares in together.values()]


_NAMES: Final = [method.info.name for method in METHODS]
COLUMNS: Final = BETWEEN.join(
    [
        "losses | correlation | n",
        *(f"{name}{what}" for what in (" covers", ", length", ", power") for name in _NAMES),
    ]
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of the intervals on three variances."""
    for name, (draw, correlation, mean), n, rng in iterate_designs(DESIGNS, SIZES, seed):
        samples = [draw(rng, n) for _ in range(repetitions)]
        yield (name.strip(), correlation, n, *_judge(samples, mean))


def _judge(samples: list[FloatArray], mean: float) -> tuple[str | float, ...]:
    n, repetitions = len(samples[0]), len(samples)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp), time=np.arange(n))
    means = np.array([values.mean() for values in samples])
    true_sd = float(means.std(ddof=1))
    ideal = 2 * NORMAL * true_sd
    covers, lengths, powers = [], [], []
    for method in METHODS:
        estimates = [method.estimate(BlockLosses(layout, values=values)) for values in samples]
        quantile = float(stats.t.ppf((1 + LEVEL) / 2, estimates[0].degrees_of_freedom or np.inf))
        reach = quantile * np.array([estimate.standard_error or 0.0 for estimate in estimates])
        share = float(np.mean(np.abs(means - mean) <= reach))
        covers.append(format_share(share, repetitions))
        lengths.append(round(2 * float(reach.mean()) / ideal, 3))
        powers.append(measure_power(means - mean - reach, means - mean + reach, true_sd))
    return (*covers, *lengths, *powers)
