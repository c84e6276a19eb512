"""Coverage, length and power of intervals whose true standard deviation is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from thetahat.values.types import FloatArray
from thetahat_replications.edges.table import BETWEEN, format_share

T = TypeVar("T")

LEVEL: Final = 0.95
SHIFT: Final = 3.0
"""True difference, in standard deviations of the estimate, at which power is measured."""
NORMAL: Final = float(ndtri((1 + LEVEL) / 2))


def compute_oracle_power(shifts: FloatArray | float, level: float = LEVEL) -> FloatArray:
    """Return the power of the normal test that knows the standard deviation of the estimate.

    ``shifts`` are true differences in such standard deviations.
    """
    of_side = (1 + level) / 2
    return compute_power_of_bounds(shifts, of_side) + compute_power_of_bounds(-shifts, of_side)


def compute_power_of_bounds(shifts: FloatArray | float, level: float = LEVEL) -> FloatArray:
    """Return the power of the one-sided normal test that knows the standard deviation."""
    return np.asarray(ndtr(shifts - ndtri(level)))


ORACLE: Final = float(compute_oracle_power(SHIFT))

WHAT_IS_SHOWN: Final = """
Each rule has three columns: the share of samples in which the interval of level 95 % covers (with
its standard error), its median length over that of the normal interval with the true standard
deviation, and its power at a true difference of three standard deviations, as a share of the power
of the test that knows the standard deviation.
"""


def name_columns(*rules: str) -> str:
    """Return the headings of the three columns of each rule."""
    return BETWEEN.join(f"{rule} | length | power" for rule in rules)


def iterate_designs(
    designs: Mapping[str, T], sizes: Iterable[int], seed: int
) -> Iterator[tuple[str, T, int, np.random.Generator]]:
    """Yield each design by name with each size, and a generator of their own."""
    for number, (name, design) in enumerate(designs.items()):
        for n in sizes:
            yield name, design, n, np.random.default_rng([seed, number, n])


def is_inside(lower: float | None, upper: float | None, value: float) -> bool:
    """Return whether an interval has a value; an end that is None is infinite."""
    return (lower is None or lower <= value) and (upper is None or value <= upper)


def measure_t_rule(
    errors: FloatArray, standard_errors: FloatArray, degrees: FloatArray | float, true_sd: float
) -> tuple[str, float, float]:
    """Return coverage, length and power of t intervals.

    Parameters
    ----------
    errors : ndarray of float
        (R,) estimates less the truth.
    standard_errors, degrees : ndarray of float
        (R,) standard errors, 0 where there is no interval, and degrees of freedom.
    true_sd : float
        Standard deviation of the estimate.
    """
    reach = np.where(standard_errors > 0, stdtrit(degrees, (1 + LEVEL) / 2) * standard_errors, 0.0)
    return measure_ends(errors - reach, errors + reach, true_sd)


def measure_power(
    lower: FloatArray,
    upper: FloatArray,
    true_sd: float,
    *,
    possible: tuple[float, float] = (-np.inf, np.inf),
    n_intervals: int = 1,
) -> float:
    """Return how often intervals exclude a value ``SHIFT`` standard deviations from the truth.

    It is the mean of ``find_exclusions``, with Sidak's level for ``n_intervals`` that hold together
    at ``LEVEL``.
    """
    level = LEVEL ** (1 / n_intervals)
    return float(np.mean(find_exclusions(lower, upper, true_sd, possible=possible, level=level)))


def find_exclusions(
    lower: FloatArray,
    upper: FloatArray,
    true_sd: float,
    *,
    possible: tuple[float, float] = (-np.inf, np.inf),
    level: float = LEVEL,
) -> FloatArray:
    """Return the share of two values that each interval excludes, over the oracle's power.

    The values are ``SHIFT`` standard deviations above and below the truth, and the oracle is the
    test that knows the standard deviation.

    Parameters
    ----------
    lower, upper : ndarray of float
        (R,) ends, less the truth; where both are the same, or NaN, there is no interval.
    true_sd : float
        Standard deviation of the estimate.
    possible : tuple of float
        The least and the largest value there is, less the truth. A value beyond is left out; the
        shares are NaN where both are.
    level : float
        Level of the oracle's test.
    """
    is_built = upper > lower
    shift = SHIFT * true_sd
    finds = []
    if -shift >= possible[0]:
        finds.append(is_built & (lower > -shift))
    if shift <= possible[1]:
        finds.append(is_built & (upper < shift))
    if not finds:
        return np.full(len(lower), np.nan)
    return np.asarray(np.mean(finds, axis=0) / compute_oracle_power(SHIFT, level))


def measure_power_of_all(
    found: FloatArray, truth: FloatArray, value_range: tuple[float, float]
) -> float:
    """Return the power of intervals that hold together, averaged over those that have one.

    Parameters
    ----------
    found : ndarray of float
        (R, G, 3) estimates and ends, NaN for what there is none of.
    truth : ndarray of float
        (G,) true values.
    value_range : tuple of float
        The least and the largest value there is.
    """
    least, largest = value_range
    powers = []
    for of_group, value in zip(found.transpose(1, 2, 0), truth, strict=True):
        estimates, lower, upper = of_group - value
        power = measure_power(
            lower,
            upper,
            float(np.nanstd(estimates, ddof=1)),
            possible=(least - value, largest - value),
            n_intervals=len(truth),
        )
        powers += [] if np.isnan(power) else [power]
    return float(np.mean(powers)) if powers else float("nan")


def measure_ends(lower: FloatArray, upper: FloatArray, true_sd: float) -> tuple[str, float, float]:
    """Return coverage, length and power of intervals by their (R,) ends, less the truth.

    Where both ends are the same there is no interval: it covers nothing, and finds nothing.
    """
    is_built = upper > lower
    covers = float(np.mean(is_built & (lower <= 0) & (upper >= 0)))
    finds = float(np.mean(is_built & (lower > -SHIFT * true_sd)))
    length = float(np.median(upper - lower)) / (2 * NORMAL * true_sd)
    return format_share(covers, len(lower)), length, finds / ORACLE
