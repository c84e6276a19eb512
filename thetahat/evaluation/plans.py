"""How much more data would settle an undecided comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from scipy.special import nctdtr, ndtr, ndtri, stdtrit

from thetahat.layout import Layout
from thetahat.types import BlockKind, Target

MOST_SPLITS: Final = 100
"""More splits than this narrow a repeated cross-validation by next to nothing."""

MOST_UNITS: Final = 10**12
"""A plan that needs more is no plan."""

_DEGREES_GROW = frozenset({"theta_4", "theta_A", "theta_B", "iid"})  # one per instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """What a verdict rests on: a difference, its error and where they come from.

    Parameters
    ----------
    difference : float
        a minus b, in units of the loss.
    standard_error : float
        Of the difference, above 0.
    degrees_of_freedom : float or None
        None means normal.
    target : Target
        What it speaks of.
    method, variance : str or None
        Keys in the result.
    variance_name : str or None
        Wire name of the variance.
    """

    difference: float
    standard_error: float
    degrees_of_freedom: float | None
    target: Target
    method: str
    variance: str | None
    variance_name: str | None


@dataclass(frozen=True, slots=True)
class _Growth:
    """The variance and the degrees of freedom of a larger experiment of one unit."""

    unit: str
    now: int
    most: int
    error_at: Callable[[int], tuple[float, float | None]]


def power_of(
    difference: float, standard_error: float, degrees_of_freedom: float | None, alpha: float
) -> float:
    r"""Chance that the two-sided test rejects when the true difference is this one.

    .. math:: P(|T_{\nu, \delta / s}| > t_{\nu, 1 - \alpha / 2})

    with T non-central t; normal where there are no degrees of freedom, and where the non-central
    distribution function gives no number (very large arguments, where the two agree).
    """
    shift = abs(difference) / standard_error
    if degrees_of_freedom is not None:
        critical = float(stdtrit(degrees_of_freedom, 1 - alpha / 2))
        upper = float(nctdtr(degrees_of_freedom, shift, critical))
        lower = float(nctdtr(degrees_of_freedom, shift, -critical))
        if math.isfinite(upper) and math.isfinite(lower):
            return 1 - upper + lower
        return float(ndtr(shift - critical) + ndtr(-shift - critical))
    critical = float(ndtri(1 - alpha / 2))
    return float(ndtr(shift - critical) + ndtr(-shift - critical))


def plan(
    basis: Basis, layout: Layout, *, alpha: float, power: float, margin: float | None
) -> tuple[dict[str, Any] | None, str | None]:
    """Return the plan, or None and the reason why there is none.

    The plan asks for the smallest experiment whose two-sided test at alpha finds the assumed
    difference with the asked power, if the variances are what they were estimated to be. That
    estimate is uncertain too: with few blocks the plan may be off by a factor.

    - ``new_source``: sources; the variance is B / K with K - 1 degrees of freedom.
    - ``nadeau_bengio`` on random folds: repeats, as long as (1 / J + n2 / n1) S^2, which has a
      floor, comes low enough within ``MOST_SPLITS`` splits.
    - else instances, the variance falling as 1 / N; blocks (and clusters) grow alike.

    Parameters
    ----------
    basis : Basis
        The difference and its error.
    layout : Layout
        What the data are now.
    alpha, power : float
        Of the test, both in (0, 1).
    margin : float or None
        Assumed as the true difference where given; else the observed one is.
    """
    assumed = basis.difference if margin is None else margin
    if assumed == 0:
        return (
            None,
            "the observed difference is 0 and no margin is given, so there is no size to look for",
        )
    now = power_of(assumed, basis.standard_error, basis.degrees_of_freedom, alpha)
    what = "the observed difference" if margin is None else "a difference as large as the margin"
    if now >= power:
        return None, (
            f"the data already find {what} with power {now:.2f}: more of the same "
            "need not settle it"
        )
    for growth in _growths(basis, layout):
        total = _smallest(growth, assumed, alpha, power)
        if total is not None:
            return {
                "unit": growth.unit,
                "additional": total - growth.now,
                "total": total,
                "power": power,
                "assumed_difference": assumed,
                "assumes": "observed" if margin is None else "margin",
            }, None
    return None, f"finding {what} would take more than {MOST_UNITS:.0e} units"


def _smallest(growth: _Growth, assumed: float, alpha: float, power: float) -> int | None:
    """Return the smallest total with the power, by doubling and bisection."""

    def enough(total: int) -> bool:
        error, degrees = growth.error_at(total)
        return power_of(assumed, error, degrees, alpha) >= power

    low, high = growth.now, min(2 * growth.now, growth.most)
    while not enough(high):
        if high >= growth.most:
            return None
        low, high = high, min(2 * high, growth.most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _growths(basis: Basis, layout: Layout) -> list[_Growth]:
    if basis.target is Target.NEW_SOURCE:
        return [_sources(basis, layout)]
    repeated = basis.variance_name == "nadeau_bengio" and layout.n_test.max() > 1
    if repeated and _most_repeats(layout) > layout.n_repeats:
        return [_repeats(basis, layout), _instances(basis, layout)]
    return [_instances(basis, layout)]


def _sources(basis: Basis, layout: Layout) -> _Growth:
    k = layout.n_blocks
    one = basis.standard_error * math.sqrt(k)
    normal = basis.degrees_of_freedom is None
    return _Growth(
        "sources", k, MOST_UNITS, lambda n: (one / math.sqrt(n), None if normal else n - 1.0)
    )


def _most_repeats(layout: Layout) -> int:
    return MOST_SPLITS * layout.n_repeats // layout.n_splits


def _repeats(basis: Basis, layout: Layout) -> _Growth:
    ratio = layout.test_to_train_ratio or 0.0
    per_repeat = layout.n_splits / layout.n_repeats
    s2 = basis.standard_error**2 / (1 / layout.n_splits + ratio)
    normal = basis.degrees_of_freedom is None

    def error_at(repeats: int) -> tuple[float, float | None]:
        splits = per_repeat * repeats
        return math.sqrt((1 / splits + ratio) * s2), None if normal else splits - 1

    return _Growth("repeats", layout.n_repeats, _most_repeats(layout), error_at)


def _instances(basis: Basis, layout: Layout) -> _Growth:
    n, degrees = layout.n_instances, basis.degrees_of_freedom
    each_is_a_split = layout.kind is BlockKind.RANDOM and layout.n_test.max() == 1

    def error_at(total: int) -> tuple[float, float | None]:
        error = basis.standard_error * math.sqrt(n / total)
        if degrees is None:
            return error, None
        if basis.variance_name in _DEGREES_GROW or each_is_a_split:
            return error, degrees + total - n
        if basis.variance_name == "cluster_robust":
            return error, (degrees + 1) * total / n - 1
        return error, degrees

    return _Growth("instances", n, MOST_UNITS, error_at)
