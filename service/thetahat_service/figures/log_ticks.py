"""Tick values of a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from thetahat_service.figures.style import LETTER

SHORT: Final = 100.0
"""Ratio of the ends of an axis from which the ticks are powers of ten, or 1, 2 and 5 of them."""
NARROW: Final = 3.0
"""Ratio of the ends of an axis below which ticks have equal distances."""
ENOUGH: Final = 4
MOST: Final = 7
MARGINS: Final = 90
"""Pixels of a picture beside its axis."""
BETWEEN: Final = 14
"""Pixels between two labels."""
_STEPS: Final = (1.0, 2.0, 2.5, 5.0)
_MANTISSAS: Final = (
    (1.0,),
    (1.0, 3.0),
    (1.0, 2.0, 5.0),
    (1.0, 1.5, 2.0, 3.0, 5.0, 7.0),
    (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0),
)


def log_ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers between the ends of a logarithmic axis.

    The ends are 0 < ``low`` < ``high``.
    """
    if high / low >= SHORT:
        return _choose_powers(low, high)
    if high / low < NARROW:
        return _choose_equal_steps(low, high)
    ticks: list[float] = []
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for mantissas in _MANTISSAS:
        candidates = [float(f"{m}e{power}") for power in powers for m in mantissas]
        ticks = [value for value in candidates if low <= value <= high]
        if len(ticks) >= ENOUGH:
            break
    return ticks


def thin_ticks(ticks: Sequence[float], width: int) -> list[float]:
    """Return as many ticks, evenly spread, as have room for their labels in a picture.

    Vega itself would keep the first and the last one alone where they are more than it counts.
    """
    longest = max((len(f"{tick:g}") for tick in ticks), default=1)
    most = max(2, int((width - MARGINS) // (LETTER * longest + BETWEEN)))
    return list(ticks[:: math.ceil(len(ticks) / most)]) if ticks else []


def _choose_powers(low: float, high: float) -> list[float]:
    """Return powers of ten, not all of them if there are many; in few decades more numbers."""
    powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
    if len(powers) < ENOUGH:
        for mantissas in ((1.0, 3.0), (1.0,)):
            tick_candidates = [
                float(f"{m}e{p}") for p in range(powers[0] - 1, powers[-1] + 1) for m in mantissas
            ]
            ticks = [value for value in tick_candidates if low <= value <= high]
            if len(ticks) <= MOST:
                return ticks
    step = -(-len(powers) // MOST)
    return [float(f"1e{power}") for power in powers[::step]]


def _choose_equal_steps(low: float, high: float) -> list[float]:
    """Return the multiples of a round step, of the smallest that gives ``MOST`` at most."""
    power = math.floor(math.log10((high - low) / MOST))
    steps = [float(f"{m}e{p}") for p in (power, power + 1) for m in _STEPS]
    fit = ((step, math.ceil(low / step), math.floor(high / step)) for step in steps)
    step, first, last = next(pair for pair in fit if pair[2] - pair[1] < MOST)
    return [times * step for times in range(first, last + 1)]
