"""Fieller's set and the interval of the log ratio for the ratio of two paired means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
from scipy import stats

from thetahat.numerics.fieller import MeansOfPair, find_ratios
from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import ORACLE, SHIFT, iterate_designs
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = (10, 20, 50, 200)
N_FOR_SPREAD: Final = 400_000
"""Rows from which the standard deviation of a ratio is computed."""

Sampler = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]


def draw_gamma(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Return losses that share a part; that of a is 20 % smaller on average."""
    shared = rng.gamma(1.0, 0.5, n)
    return shared + rng.gamma(1.0, 0.3, n), shared + rng.gamma(1.0, 0.5, n)


def draw_rates(
    rng: np.random.Generator, n: int, rates: tuple[float, float], alike: float
) -> tuple[FloatArray, FloatArray]:
    """Return losses of 0 and 1, which with probability ``alike`` come from one uniform number."""
    first = rng.random(n)
    second = np.where(rng.random(n) < alike, first, rng.random(n))
    return (first < rates[0]).astype(np.float64), (second < rates[1]).astype(np.float64)


DESIGNS: Final[Mapping[str, tuple[Sampler, float]]] = {
    "gamma losses": (draw_gamma, 0.8),
    "rates .16 and .2": (lambda g, n: draw_rates(g, n, (0.16, 0.2), 0.7), 0.8),
    "rates .2 and .2, not alike": (lambda g, n: draw_rates(g, n, (0.2, 0.2), 0.0), 1.0),
    "rates .04 and .05": (lambda g, n: draw_rates(g, n, (0.04, 0.05), 0.7), 0.8),
    "rates .3 and .5": (lambda g, n: draw_rates(g, n, (0.3, 0.5), 0.5), 0.6),
}
"""Paired losses, and the ratio of their means."""

TITLE: Final = "Ratios of two means"
ABOUT: Final = f"""
The ratio of the means of two models on n rows, by Fieller's set of level {LEVEL:g} (t with n - 1
degrees of freedom) and by the interval of the log ratio with the same standard errors. A set that
is no interval (`two_rays`, `everything`) covers where it has the true ratio; the log interval fails
where a mean is 0. Samples in which all differences are 0 have no set, and are left out. Columns:
how often each covers, the share of samples with a set that is no interval, the median length of
the intervals, and power: how often each excludes the ratio that is {SHIFT:g} standard deviations
(to first order) above the true one, as a share of the power of the normal test that knows the
standard deviation. A set that is no interval may exclude a ratio too; no log interval excludes
none. Samples without a set count here, and find nothing.
"""


COLUMNS: Final = (
    "losses | n | Fieller covers | log ratio covers | no interval | median length, Fieller | "
    "median length, log ratio | power, Fieller | power, log ratio"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of both intervals."""
    for name, (draw, ratio), n, rng in iterate_designs(DESIGNS, SIZES, seed):
        samples = [draw(rng, n) for _ in range(repetitions)]
        a, b = draw(rng, N_FOR_SPREAD)
        other = ratio + SHIFT * float((a - ratio * b).std() / b.mean()) / math.sqrt(n)
        yield (name, n, *_judge(samples, ratio, other))


def _judge(
    samples: list[tuple[FloatArray, FloatArray]], ratio: float, other: float
) -> tuple[str | float, ...]:
    n = len(samples[0][0])
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
    covers, log_covers, lengths, log_lengths = [], [], [], []
    n_open = n_found = n_found_by_log = 0
    for a, b in samples:
        (v_a, c), (_, v_b) = np.cov(a, b) / n
        m_a, m_b = float(a.mean()), float(b.mean())
        if (a == b).all():
            continue
        found = find_ratios(
            MeansOfPair(a=m_a, b=m_b, variance_a=v_a, variance_b=v_b, covariance=c), quantile
        )
        lower = -math.inf if found.lower is None else found.lower
        upper = math.inf if found.upper is None else found.upper
        n_found += not _has_ratio(found.shape, lower, upper, other)
        covers.append(_has_ratio(found.shape, lower, upper, ratio))
        if found.shape == "interval":
            lengths.append(upper - max(lower, 0.0))
        else:
            n_open += 1
        if m_a == 0 or m_b == 0:
            log_covers.append(False)
            continue
        error = math.sqrt(v_a / m_a**2 + v_b / m_b**2 - 2 * c / (m_a * m_b))
        log_covers.append(abs(math.log(m_a / m_b / ratio)) <= quantile * error)
        n_found_by_log += abs(math.log(m_a / m_b / other)) > quantile * error
        log_lengths.append(m_a / m_b * 2 * math.sinh(quantile * error))
    known = max(1, len(covers))
    return (
        format_share(sum(covers) / known, known),
        format_share(sum(log_covers) / known, known),
        n_open / known,
        float(np.median(lengths)) if lengths else math.nan,
        float(np.median(log_lengths)) if log_lengths else math.nan,
        n_found / len(samples) / ORACLE,
        n_found_by_log / len(samples) / ORACLE,
    )


def _has_ratio(shape: str, lower: float, upper: float, ratio: float) -> bool:
    """Return whether a set has a ratio; of two rays the ends are those of the gap."""
    if shape == "interval":
        return lower <= ratio <= upper
    return shape == "everything" or not lower < ratio < upper
