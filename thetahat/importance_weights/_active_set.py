"""Quadratic programmes over a box, by an active set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.importance_weights._free_part import FreePart
from thetahat.values.types import FloatArray

MOST_ROUNDS: Final = 100_000
_FEW: Final = 40
"""Coordinates up to which one at a time is set free."""
_APART: Final = 0.5


class BoxProgramme:
    r"""Minimise w'Kw/2 - q'w over 0 <= w <= upper, for K positive semi-definite.

    A Lawson-Hanson active set with two bounds: the coordinates that are free are solved for, a
    coordinate that leaves the box is put on its bound, and of those on a bound the one whose
    gradient asks for it most is set free. Only the columns of K that were ever free are looked at,
    so K need not be held. Where the free part of K is nearly singular the Newton steps go through
    a factor of K + jitter and are repeated: the solution is that of K itself.

    Parameters
    ----------
    column : callable
        (n,) column j of K.
    q : ndarray of float
        (n,).
    upper : float
        The same for all; may be infinite.
    tolerance : float
        Largest gradient of the wrong sign that is taken for zero.
    """

    def __init__(
        self, column: Callable[[int], FloatArray], q: FloatArray, upper: float, tolerance: float
    ) -> None:
        self._column, self._upper, self._tolerance = column, upper, tolerance
        self.w = np.zeros(len(q))
        self._q = q
        self.gradient = -q  # Kw - q
        self._rows = np.empty((16, len(q)))  # columns of K that were looked at
        self._small = np.empty((16, 16))  # K among the coordinates whose columns those are
        self._index = np.empty(16, dtype=np.intp)  # which those are
        self._place: dict[int, int] = {}  # the row in which a coordinate's column is kept
        self._free = np.empty(0, dtype=np.intp)  # places of the free coordinates
        self.n_steps = 0

    def start_from(self, w: FloatArray) -> None:
        """Begin with a point inside the box in place of 0."""
        for j in np.flatnonzero(w):
            self._look_at(int(j))
        self._free = np.arange(len(self._place))
        self._move(w[self._index[self._free]])

    def minimise(self) -> None:
        """Go on from where it stands until no coordinate asks for more than the tolerance."""
        for _ in range(MOST_ROUNDS):
            self._settle()
            entering = self._entering()
            if not entering:
                return
            places = [self._look_at(j) for j in entering]
            self._free = np.append(self._free, places)

    def shift(self, by: float) -> None:
        """Add a constant to q."""
        self._q = self._q + by
        self.gradient = self.gradient - by

    def slope_of_sum(self) -> float:
        """Return how fast sum w grows with a constant added to q, while no coordinate turns."""
        if not len(self._free):
            return 0.0
        ones = np.ones(len(self._free))
        return float(FreePart(self._small[np.ix_(self._free, self._free)], ones).newton.sum())

    def next_turn(self, direction: float) -> float:
        """Return the constant, of that sign, with which the first coordinate leaves its bound."""
        if direction > 0:
            return float(self.gradient[self.w < self._upper].min()) + 2 * self._tolerance
        return float(self.gradient[self.w > 0].max()) - 2 * self._tolerance

    def gradient_at(self, w: FloatArray) -> FloatArray:
        """Return Kw - q anew, for w that is 0 where no coordinate was ever free."""
        known = len(self._place)
        return np.asarray(w[self._index[:known]] @ self._rows[:known] - self._q)

    def violation(self, w: FloatArray, gradient: FloatArray) -> float:
        """Return the largest gradient of the wrong sign."""
        wrong = np.abs(gradient)
        lowest, highest = w <= 0, w >= self._upper
        wrong[lowest] = np.maximum(-gradient[lowest], 0)
        wrong[highest] = np.maximum(gradient[highest], 0)
        return float(wrong.max())

    def _settle(self) -> None:
        """Solve for the free coordinates, putting on a bound those that would leave the box."""
        for _ in range(MOST_ROUNDS):
            F = self._index[self._free]
            g = self.gradient[F]
            if not len(F) or np.abs(g).max() <= 0.5 * self._tolerance:
                return
            part = FreePart(self._small[np.ix_(self._free, self._free)], g)
            w, on_bound = part.minimise(self.w[F], self._upper)
            self._move(w)
            self._free = self._free[~on_bound]

    def _move(self, to: FloatArray) -> None:
        """Move the free coordinates there."""
        F = self._index[self._free]
        by_place = np.zeros(len(self._place))
        by_place[self._free] = to - self.w[F]
        self.w[F] = to
        self.gradient = self.gradient + by_place @ self._rows[: len(by_place)]
        self.n_steps += 1

    def _entering(self) -> list[int]:
        """Return coordinates on a bound that ask to leave it: the most urgent, and some far off."""
        asks = np.where(self.w >= self._upper, self.gradient, -self.gradient)
        asks[self._index[self._free]] = 0
        first = int(np.argmax(asks))
        if asks[first] <= self._tolerance:
            return []
        found = [first]
        if len(asks) <= _FEW:
            return found
        most = max(8, len(asks) // 20)
        order = np.argpartition(-asks, 4 * most)[: 4 * most]
        place = self._look_at(first)  # which may move the rows
        near = self._rows[place] >= _APART
        for j in order[np.argsort(-asks[order], kind="stable")]:
            if asks[j] <= 0.1 * asks[first] or len(found) == most:
                break
            if not near[j]:
                found.append(int(j))
                place = self._look_at(int(j))
                near |= self._rows[place] >= _APART
        return found

    def _look_at(self, j: int) -> int:
        """Return where column j is kept, from now on."""
        place = self._place.get(j)
        if place is not None:
            return place
        place = self._place[j] = len(self._place)
        if place == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            self._index = np.concatenate([self._index, np.empty_like(self._index)])
            self._small = np.pad(self._small, (0, place))
        self._rows[place] = self._column(j)
        self._index[place] = j
        among = self._index[: place + 1]
        self._small[place, : place + 1] = self._small[: place + 1, place] = self._rows[place][among]
        return place
