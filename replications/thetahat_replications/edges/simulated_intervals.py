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
ORACLE: Final = float(ndtr(SHIFT - NORMAL) + ndtr(-SHIFT - NORMAL))

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


def measure_power(lower: FloatArray, upper: FloatArray, true_sd: float) -> float:
    """Return how often intervals exclude a value ``SHIFT`` standard deviations from the truth.

    It is the average of both sides, as a share of the power of the test that knows the standard
    deviation. Ends are (R,), less the truth; where both are the same there is no interval.
    """
    is_built = upper > lower
    shift = SHIFT * true_sd
    finds = np.mean(is_built & (lower > -shift)), np.mean(is_built & (upper < shift))
    return float(sum(finds)) / 2 / ORACLE


def measure_ends(lower: FloatArray, upper: FloatArray, true_sd: float) -> tuple[str, float, float]:
    """Return coverage, length and power of intervals by their (R,) ends, less the truth.

    Where both ends are the same there is no interval: it covers nothing, and finds nothing.
    """
    is_built = upper > lower
    covers = float(np.mean(is_built & (lower <= 0) & (upper >= 0)))
    finds = float(np.mean(is_built & (lower > -SHIFT * true_sd)))
    length = float(np.median(upper - lower)) / (2 * NORMAL * true_sd)
    return format_share(covers, len(lower)), length, finds / ORACLE
