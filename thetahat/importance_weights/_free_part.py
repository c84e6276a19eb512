"""A quadratic programme over a box from one factor, while coordinates meet their bounds."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs

from thetahat.values.types import FloatArray, IntArray

_JITTER: Final = 1e-12
"""Relative to the largest diagonal entry; it steadies a factor and never enters the solution."""
_HALVINGS: Final = 3


class FreePart:
    r"""Newton steps for w'Kw/2 + ..., among coordinates that are free at the beginning.

    With :math:`v = K^{-1} g` a step along -v reaches the minimum. Where coordinates D have met
    their bound, with :math:`Z = K^{-1} E_D`, the step that leaves them there is
    :math:`-(v - Z Z_D^{-1} v_D)`, and after any move by a vector, v has grown by that vector: the
    factor of K serves until so many have met a bound that a smaller one is cheaper.

    Parameters
    ----------
    K : ndarray of float
        (f, f) positive semi-definite.
    g : ndarray of float
        (f,) gradient.
    most : int or None
        So many meet a bound before a factor is taken anew; None: a sixteenth of all, at least 8.
    """

    def __init__(self, K: FloatArray, g: FloatArray, most: int | None = None) -> None:
        self._K = K
        self._factor = _factor(K)
        self._slope = g
        self.newton = self._solved(g)  # v
        self._most = max(8, len(K) // 16) if most is None else most
        self._columns = np.empty((self._most, len(K)))  # of K^-1, at the coordinates on a bound
        self._bound = np.empty(0, dtype=np.intp)

    def minimise(self, w: FloatArray, upper: float) -> tuple[FloatArray, np.ndarray]:
        """Return (f,) where it ends, and (f,) which coordinates met a bound on the way.

        It ends at the minimum of those that did not, or where too many did.
        """
        start = w
        met = np.zeros(len(w), dtype=np.bool_)
        while not met.all():
            d = self._direction()
            step, first = _longest(w, d, upper)
            if step >= 1:
                return w + d, met
            to = w + step * d
            to[first] = 0.0 if d[first] < 0 else upper
            to = self._farther(start, w, to, d, upper)
            now = ~met & (((to <= 0) & (d < 0)) | ((to >= upper) & (d > 0)))
            met |= now
            self.newton = self.newton + (to - w)
            w = to
            if not self._puts_on_bound(np.flatnonzero(now)):
                break
        return w, met

    def _direction(self) -> FloatArray:
        D = self._bound
        if not len(D):
            return -self.newton
        columns = self._columns[: len(D)]
        small = np.linalg.solve(columns[:, D], self.newton[D])
        d = small @ columns - self.newton
        d[D] = 0
        return np.asarray(d)

    def _puts_on_bound(self, new: IntArray) -> bool:
        """Keep the columns of the inverse that these need; false where they are too many."""
        count = len(self._bound)
        if count + len(new) > self._most:
            return False
        unit = np.zeros((len(self._K), len(new)), order="F")
        unit[new, np.arange(len(new))] = 1
        self._columns[count : count + len(new)] = self._solved(unit).T
        self._bound = np.concatenate([self._bound, new])
        return True

    def _farther(
        self, start: FloatArray, w: FloatArray, to: FloatArray, d: FloatArray, upper: float
    ) -> FloatArray:
        """Return the lowest point of some on the way through the bounds, and along them."""
        best, lowest = to, self._value(to - start)
        share = 1.0
        for _ in range(_HALVINGS):
            there = np.clip(w + share * d, 0.0, upper)
            value = self._value(there - start)
            if value < lowest:
                best, lowest = there, value
            elif best is not to:
                break
            share /= 2
        return best

    def _value(self, by: FloatArray) -> float:
        return float(self._slope @ by + 0.5 * by @ (self._K @ by))

    def _solved(self, right: FloatArray) -> FloatArray:
        return np.asarray(dpotrs(self._factor, right, lower=1)[0])


def _factor(K: FloatArray) -> FloatArray:
    """Return the Cholesky factor of K + jitter."""
    steadied = K.copy()
    diagonal = K.diagonal().copy()
    jitter = _JITTER * (float(diagonal.max()) or 1.0)
    failed = 1
    while failed:
        steadied.flat[:: len(K) + 1] = diagonal + jitter
        factor, failed = dpotrf(steadied, lower=1)
        jitter *= 100
    return np.asarray(factor)


def _longest(w: FloatArray, d: FloatArray, upper: float) -> tuple[float, int]:
    """Return the longest step that stays in the box, and which coordinate ends it."""
    room = np.where(d < 0, w, upper - w)
    steps = np.full(len(d), np.inf)
    with np.errstate(over="ignore"):  # a coordinate that hardly moves
        np.divide(room, np.abs(d), out=steps, where=d != 0)
    at = int(np.argmin(steps))
    return max(float(steps[at]), 0.0), at
