"""Plans: how much more data would settle an undecided comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from thetahat.analyses.losses.power import compute_power, find_detectable_difference
from thetahat.analyses.losses.result import Plan, PlanAlternative, PlanUnit
from thetahat.analyses.losses.verdict_basis import PairedRatesBasis, VerdictBasis
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_count, format_number, format_percent, format_to_error
from thetahat.values.types import BlockKind, Target

SPLITS_OF_STUDY: Final = 100
"""Splits up to which ``thetahat_replications.test_errors`` repeats undecided comparisons."""

MAX_UNITS: Final = 10**12
"""The largest number of units in a plan."""

MOST_COUNTED: Final = 10**6
"""Units up to which the sentence of a plan has their number."""

SHARE_DECIDED_BY_REPEATS: Final = {"one": 0.45, "several": 0.21}
"""Share of undecided comparisons that repeats of the same rows up to ``SPLITS_OF_STUDY`` splits
decided in ``thetahat_replications.test_errors``, after one partition and after several partitions
or draws.

The formula of the variance promises more: of plans with a chance of 0.80 by it, 0.29 were kept.
What a division of the rows does not change is in every repeat, and the plans are made where the
first standard error happened to be small.
"""


class _Growth(NamedTuple):
    """The standard error and the degrees of freedom as a function of the number of units."""

    unit: PlanUnit
    """The unit of which the plan adds more."""
    now: int
    """The number of units in the data."""
    error_at: Callable[[int], tuple[float, float | None]]
    """Returns standard error and degrees of freedom for a number of units."""
    floor: float = 0.0
    """Limit of the standard error for infinitely many units."""
    because: str = ""
    """Why more units do not help, where they do not."""
    power_at: Callable[[int, float, float], float] | None = None
    """Returns the power for a number of units, an assumed difference and alpha; None means that of
    a t test with the standard error and the degrees of freedom."""

    def compute_power(self, total: int, assumed: float, alpha: float) -> float:
        """Return the power of a test at alpha with so many units."""
        if self.power_at is not None:
            return self.power_at(total, assumed, alpha)
        error, degrees = self.error_at(total)
        return compute_power(assumed, error, degrees, alpha)


def plan(
    basis: VerdictBasis, layout: Layout, *, alpha: float, power: float, margin: float | None
) -> tuple[Plan | None, str | None]:
    """Return the plan, or None and the reason why there is no plan.

    The plan is the smallest experiment whose two-sided test at alpha has the requested power
    against the assumed difference, if the variances are as estimated. With few blocks this
    estimate is so uncertain that the plan may be wrong by a factor. Units are tried in the order
    below. The first that reaches the power is the plan; the others are its ``alternatives``, with
    their number or the reason why they do not help.

    - ``new_source``: sources, with the variance B / K and K - 1 degrees of freedom; then
      instances in these sources, which only reduce the part of B that is due to their number.
    - Else instances, with a variance proportional to 1 / N; blocks and clusters grow alike. For
      paired rates it is the power of the test that the verdict rests on, with the share of
      discordant instances as observed, and at least the assumed difference. Where more splits of
      the same instances are possible, an alternative says why they are no plan.

    Parameters
    ----------
    basis : VerdictBasis
        The difference and its error.
    layout : Layout
        Layout of the present data.
    alpha, power : float
        Level and power of the test, both in (0, 1).
    margin : float or None
        Assumed true difference; None means the observed difference.
    """
    assumed = basis.difference if margin is None else margin
    if assumed == 0:
        return None, (
            "The observed difference is 0 and the request has no margin, so there is no difference "
            "to plan for."
        )
    now = basis.compute_power(assumed, alpha)
    if now >= power:
        effect = (
            "the observed difference" if margin is None else "a difference as large as the margin"
        )
        return None, (
            f"The data already have a chance of {format_percent(round(now, 2))} to show {effect}, "
            "so more data of the same kind need not decide it."
        )
    options = [
        _plan_unit(growth, layout, assumed, alpha, power) for growth in _list_growths(basis, layout)
    ]
    if basis.traits.shrinks_with_splits and _can_repeat(layout):
        options.append(PlanAlternative(unit="repeats", reason=_explain_repeats(layout)))
    text = (
        format_to_error(abs(assumed), basis.standard_error)
        if margin is None
        else format_number(margin)
    )
    for option in options:
        if option.additional is not None and option.total is not None:
            smallest = Plan(
                unit=option.unit,
                additional=option.additional,
                total=option.total,
                power=power,
                assumed_difference=assumed,
                assumes="observed" if margin is None else "margin",
                alternatives=tuple(other for other in options if other is not option),
                sentence=_write_plan(
                    option.additional, option.total, _name(option.unit, layout), text, power
                ),
            )
            return smallest, None
    return None, " ".join(option.reason for option in options if option.reason is not None)


def _name(unit: PlanUnit, layout: Layout) -> str:
    """Return the word for the units of a plan; the grades of a judge grow with the labels."""
    if unit == "instances" and layout.judge is not None:
        return "labelled instances beside judged ones in the same proportion"
    return layout.words.blocks if unit == "sources" else unit


def _write_plan(additional: int, total: int, units: str, assumed: str, power: float) -> str:
    if total > MOST_COUNTED:
        return (
            f"If the true difference is {assumed}, more than {format_count(MOST_COUNTED)} {units} "
            f"are needed for a chance of {format_percent(power)} to show it."
        )
    return (
        f"If the true difference is {assumed}, about {format_count(total)} "
        f"{units} ({format_count(additional)} more) give a chance of {format_percent(power)} to "
        "show it."
    )


def _explain_repeats(layout: Layout) -> str:
    share = SHARE_DECIDED_BY_REPEATS["one" if _is_one_partition(layout) else "several"]
    return (
        "More repeats of the same instances are no plan: they change the division of the instances "
        f"and not the instances. In a simulation, repeats up to {SPLITS_OF_STUDY} splits decided "
        f"{format_percent(share)} of the comparisons that were undecided."
    )


def _is_one_partition(layout: Layout) -> bool:
    return layout.kind is not BlockKind.SUBSAMPLES and layout.n_repeats == 1


def _plan_unit(
    growth: _Growth, layout: Layout, assumed: float, alpha: float, power: float
) -> PlanAlternative:
    """Return the unit with its number, or with the reason why it does not reach the power."""
    if growth.floor > 0 and compute_power(assumed, growth.floor, None, alpha) < power:
        return PlanAlternative(unit=growth.unit, reason=growth.because)
    total = _find_smallest_total(growth, assumed, alpha, power)
    if total is None:
        more = f"It would take more than {format_count(MAX_UNITS)} {_name(growth.unit, layout)}."
        return PlanAlternative(unit=growth.unit, reason=growth.because or more)
    return PlanAlternative(unit=growth.unit, additional=total - growth.now, total=total)


def _find_smallest_total(growth: _Growth, assumed: float, alpha: float, power: float) -> int | None:
    """Return the smallest total that has the power, by bisection; None if the largest has not."""

    def enough(total: int) -> bool:
        return growth.compute_power(total, assumed, alpha) >= power

    low, high = growth.now, MAX_UNITS
    if high <= low or not enough(high):
        return None
    error, _ = growth.error_at(growth.now)
    needed = (find_detectable_difference(error, None, alpha, power) / abs(assumed)) ** 2
    guess = int(min(max(growth.now * needed, low + 1), high))
    reach = 1 + guess // 64
    while high - low > 1:  # the power at low is too small, at high it is large enough
        if enough(guess):
            high, guess = guess, guess - reach
        else:
            low, guess = guess, guess + reach
        reach *= 2
        if not low < guess < high:
            guess = (low + high) // 2
    return high


def _list_growths(basis: VerdictBasis, layout: Layout) -> list[_Growth]:
    if basis.target is Target.NEW_SOURCE:
        within = (
            []
            if basis.within is None
            else [_build_within_source_growth(basis, layout, basis.within)]
        )
        return [_build_source_growth(basis, layout), *within]
    if isinstance(basis, PairedRatesBasis):
        return [_build_growth_of_rates(basis)]
    return [_build_instance_growth(basis, layout)]


def _build_source_growth(basis: VerdictBasis, layout: Layout) -> _Growth:
    k = layout.n_blocks
    error_of_one_source = basis.standard_error * math.sqrt(k)
    normal = basis.degrees_of_freedom is None
    return _Growth(
        "sources",
        k,
        lambda n: (error_of_one_source / math.sqrt(n), None if normal else n - 1.0),
    )


def _build_within_source_growth(basis: VerdictBasis, layout: Layout, within: float) -> _Growth:
    n, between = layout.n_instances, max(0.0, basis.standard_error**2 - within)
    blocks = layout.words.blocks
    return _Growth(
        "instances",
        n,
        lambda total: (math.sqrt(between + within * n / total), basis.degrees_of_freedom),
        floor=math.sqrt(between),
        because=(
            f"More instances in these {blocks} leave the spread between {blocks}, which is "
            f"{format_percent(round(between / (between + within), 3))} of the variance."
        ),
    )


def _can_repeat(layout: Layout) -> bool:
    """Return whether further splits of the same instances are possible.

    Sources that were tested once are not divided in another way.
    """
    if layout.kind is BlockKind.SOURCE and layout.n_repeats == 1:
        return False
    if layout.kind is BlockKind.SUBSAMPLES:
        n, m = layout.n_instances, layout.smallest_block
        is_complete = n <= layout.n_splits and math.comb(n, m) == layout.n_splits
        return layout.n_rows > n and not is_complete
    return bool(layout.n_test.max() > 1)


def _build_instance_growth(basis: VerdictBasis, layout: Layout) -> _Growth:
    n, degrees = layout.n_instances, basis.degrees_of_freedom
    grows_with = basis.traits.degrees_grow_with
    each_is_a_split = layout.kind is BlockKind.RANDOM and layout.n_test.max() == 1

    def error_at(total: int) -> tuple[float, float | None]:
        error = basis.standard_error * math.sqrt(n / total)
        if degrees is None:
            return error, None
        if grows_with == "instances" or each_is_a_split:
            return error, degrees + total - n
        if grows_with == "data":
            return error, (degrees + 1) * total / n - 1
        return error, degrees

    return _Growth("instances", n, error_at)


def _build_growth_of_rates(basis: PairedRatesBasis) -> _Growth:
    from thetahat.analyses.losses.power_of_rates import compute_power_of_rates  # noqa: PLC0415 - only rates need it

    counts, discordance = basis.counts, basis.discordance
    n, degrees = counts.n_instances, counts.degrees_of_freedom

    def power_at(total: int, assumed: float, alpha: float) -> float:
        grown = None if degrees is None else (degrees + 1) * total / n - 1
        return compute_power_of_rates(
            assumed, discordance, total / counts.design_effect, alpha, grown
        )

    return _Growth(
        "instances",
        n,
        lambda total: (basis.standard_error * math.sqrt(n / total), None),
        power_at=power_at,
    )
