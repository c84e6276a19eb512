"""Fieller's set and the interval of the log ratio for the ratio of two paired means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from scipy import stats

from thetahat.analyses.losses.pair_coverage import DIFFER, FEWER_ONES, NUMBERS, RATES, RATIOS, ROWS
from thetahat.analyses.losses.relative_differences import find_set
from thetahat.numerics.fieller import MeansOfPair, find_log_ratios
from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import ORACLE, SHIFT, iterate_designs
from thetahat_replications.edges.studied_shares import StudiedShare, share_designs
from thetahat_replications.edges.table import KeptPage, TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = (10, 20, 50, 200, 1000, 5000)
N_FOR_SPREAD: Final = 400_000
"""Rows from which the standard deviation of a ratio is computed."""

Sampler = Callable[[np.random.Generator, int], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _PositiveLosses:
    """Losses of 0 or more, and the ratio of their means."""

    draw: Sampler
    ratio: float

    def count(self, n: int) -> dict[str, float]:
        return {ROWS: n}


@dataclass(frozen=True, slots=True)
class _ErrorRates:
    """Losses of 0 and 1, which with probability ``alike`` come from one uniform number."""

    a: float
    b: float
    alike: float

    @property
    def ratio(self) -> float:
        return self.a / self.b

    def draw(self, rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
        first = rng.random(n)
        second = np.where(rng.random(n) < self.alike, first, rng.random(n))
        return (first < self.a).astype(np.float64), (second < self.b).astype(np.float64)

    def count(self, n: int) -> dict[str, float]:
        apart = self.a * (1 - self.b) + self.b * (1 - self.a)
        differ = self.alike * abs(self.a - self.b) + (1 - self.alike) * apart
        return {ROWS: n, FEWER_ONES: n * min(self.a, self.b), DIFFER: n * differ}


def _draw_gamma(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Return losses that share a part; that of a is 20 % smaller on average."""
    shared = rng.gamma(1.0, 0.5, n)
    return shared + rng.gamma(1.0, 0.3, n), shared + rng.gamma(1.0, 0.5, n)


def _draw_squares(rng: np.random.Generator, n: int) -> tuple[FloatArray, FloatArray]:
    """Return squares of errors with a correlation of .7; that of a is 10 % smaller on average."""
    first = rng.standard_normal(n)
    second = 0.7 * first + math.sqrt(0.51) * rng.standard_normal(n)
    return 0.9 * first**2, second**2


DESIGNS: Final[Mapping[str, _PositiveLosses | _ErrorRates]] = {
    "gamma losses": _PositiveLosses(draw=_draw_gamma, ratio=0.8),
    "rates .16 and .2": _ErrorRates(0.16, 0.2, 0.7),
    "rates .2 and .2, not alike": _ErrorRates(0.2, 0.2, 0.0),
    "rates .04 and .05": _ErrorRates(0.04, 0.05, 0.7),
    "rates .3 and .5": _ErrorRates(0.3, 0.5, 0.5),
    "squared errors": _PositiveLosses(draw=_draw_squares, ratio=0.9),
    "rates .05 and .3": _ErrorRates(0.05, 0.3, 0.5),
    "rates .3 and .05": _ErrorRates(0.3, 0.05, 0.5),
    "rates .95 and .9": _ErrorRates(0.95, 0.9, 0.5),
    "rates .75 and .7": _ErrorRates(0.75, 0.7, 0.5),
}
"""Paired losses. Those of 0 and 1 are also scores."""

TITLE: Final = "Ratios of two means"
ABOUT: Final = f"""
The ratio of the means of two models on n rows, by Fieller's set of level {LEVEL:g} (t with n - 1
degrees of freedom) and by the interval of the log ratio with the same standard errors. A set that
is no interval (`two_rays`, `everything`) covers where it has the true ratio; the log interval fails
where a mean is 0. Squared errors have a correlation of .7; rates are of losses of 0 and 1, which
with a chance of .5 or .7 (0 if not alike) come from one number. A result has no set where all
differences or the second mean are 0, or where the set is 0 alone; such samples are left out.
Columns: the share of samples with a set, how often each covers, the share of samples with a set
that is no interval, the median length of the intervals, and power: how often each excludes the
ratio that is {SHIFT:g} standard deviations (to first order) above the true one, as a share of the
power of the normal test that knows the standard deviation. A set that is no interval may exclude a
ratio too; no log interval excludes none. Samples without a set count here, and find nothing.
"""


COLUMNS: Final = (
    "losses | n | with a set | Fieller covers | log ratio covers | no interval | "
    "median length, Fieller | median length, log ratio | power, Fieller | power, log ratio"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of both intervals."""
    for name, design, n, rng in iterate_designs(DESIGNS, SIZES, seed):
        samples = [design.draw(rng, n) for _ in range(repetitions)]
        a, b = design.draw(rng, N_FOR_SPREAD)
        other = design.ratio + SHIFT * float((a - design.ratio * b).std() / b.mean()) / math.sqrt(n)
        yield (name, n, *_judge(samples, design.ratio, other))


def collect_shares(page: KeptPage) -> Iterator[tuple[StudiedShare, ...]]:
    """Yield how often Fieller's set covered."""
    return share_designs(map(partial(_read_share, page.repetitions), page.rows))


def _read_share(repetitions: int, row: Mapping[str, str]) -> StudiedShare:
    design = DESIGNS[row["losses"]]
    return StudiedShare(
        interval=RATIOS,
        data=RATES if isinstance(design, _ErrorRates) else NUMBERS,
        numbers=design.count(int(row["n"])),
        population=row["losses"],
        share=float(row["Fieller covers"].split()[0]),
        repetitions=round(repetitions * float(row["with a set"])),
    )


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
        if (a == b).all() or m_b == 0:
            continue
        means = MeansOfPair(a=m_a, b=m_b, variance_a=v_a, variance_b=v_b, covariance=c)
        found = find_set(means, quantile)
        if found is None:
            continue
        lower = -math.inf if found.lower is None else found.lower
        upper = math.inf if found.upper is None else found.upper
        n_found += not _has_ratio(found.shape, lower, upper, other)
        covers.append(_has_ratio(found.shape, lower, upper, ratio))
        if found.shape == "interval":
            lengths.append(upper - lower)
        else:
            n_open += 1
        log = find_log_ratios(means, quantile)
        if log is None:
            log_covers.append(False)
            continue
        log_covers.append(log[0] <= ratio <= log[1])
        n_found_by_log += not log[0] <= other <= log[1]
        log_lengths.append(log[1] - log[0])
    known = max(1, len(covers))
    return (
        len(covers) / len(samples),
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
