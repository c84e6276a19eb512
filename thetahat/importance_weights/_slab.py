"""A quadratic programme over a box whose sum must lie between two numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.importance_weights._active_set import BoxProgramme
from thetahat.values.types import FloatArray

TOLERANCE: Final = 1e-10
"""Largest gradient of the wrong sign, as a share of the largest entry of q."""
_SUM: Final = 1e-10
_MOST_STEPS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The minimum.

    Parameters
    ----------
    w : ndarray of float
        (n,).
    objective : float
        w'Kw/2 - q'w.
    multiplier : float
        Of the sum: above 0 where its lower end binds, below 0 where its upper end does.
    violation : float
        Largest gradient of the wrong sign, as a share of the largest entry of q.
    """

    w: FloatArray
    objective: float
    multiplier: float
    violation: float


def minimise_in_slab(
    column: Callable[[int], FloatArray],
    q: FloatArray,
    *,
    upper: float,
    lowest: float,
    highest: float,
) -> Solved:
    """Minimise w'Kw/2 - q'w over 0 <= w <= upper and lowest <= sum w <= highest.

    Without the sum's bounds first. Where the sum leaves them it is on the bound it went through,
    and a constant is added to q until the sum of the box's own minimum, which rises with it, is
    there.
    """
    scale = float(np.abs(q).max()) or 1.0
    box = BoxProgramme(column, q, upper, TOLERANCE * scale)
    box.minimise()
    total = float(box.w.sum())
    multiplier, w = 0.0, box.w
    if not lowest <= total <= highest:
        multiplier, w = _on_the_bound(box, lowest if total < lowest else highest)
    gradient = box.gradient_at(w)
    return Solved(
        w=w,
        objective=0.5 * float(w @ (gradient + multiplier - q)),  # Kw is the gradient + q + it
        multiplier=multiplier,
        violation=box.violation(w, gradient) / scale,
    )


def _on_the_bound(box: BoxProgramme, wanted: float) -> tuple[float, FloatArray]:
    """Return the constant and the weights with which the sum is what is wanted."""
    at = 0.0
    low: tuple[float, FloatArray, float] | None = None
    high: tuple[float, FloatArray, float] | None = None
    for _ in range(_MOST_STEPS):
        missing = wanted - float(box.w.sum())
        if abs(missing) <= _SUM * wanted:
            break
        if missing > 0:
            low = (at, box.w.copy(), missing)
        else:
            high = (at, box.w.copy(), missing)
        slope = box.slope_of_sum()
        new = at + missing / slope if slope > 0 else at + box.next_turn(missing)
        if low and high:
            if not low[0] < new < high[0]:
                new = (low[0] + high[0]) / 2
            if high[0] - low[0] <= 1e-14 * max(abs(low[0]), abs(high[0])):
                # the sum jumps: any mix of the two is a minimum as good
                share = low[2] / (low[2] - high[2])
                return at, np.asarray((1 - share) * low[1] + share * high[1])
        box.shift(new - at)
        at = new
        box.minimise()
    return at, box.w
