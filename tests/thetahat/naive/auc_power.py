"""The confidence level and the area at which a test of an area has a power, by bisection."""

from __future__ import annotations

from collections.abc import Callable

from thetahat.metrics._auc_power import estimate_power


def level_for(power: float, positives: float, negatives: float, area: float) -> float:
    """Return the confidence level at which the test has the requested power."""
    return _solved(
        lambda level: estimate_power(positives, negatives, area, level) - power, 0.0, 1.0
    )


def area_for(power: float, positives: float, negatives: float, level: float) -> float:
    """Return the area above one half that the test detects with the requested power."""
    return _solved(lambda area: power - estimate_power(positives, negatives, area, level), 0.5, 1.0)


def _solved(excess: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a decreasing function by halving, to the last bit."""
    while True:
        middle = (low + high) / 2
        if middle in {low, high}:
            return middle
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
