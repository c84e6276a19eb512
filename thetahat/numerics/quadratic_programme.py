"""Quadratic programmes over a box, with optional bounds on the sum, by an active set method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from thetahat.values.types import FloatArray, IntArray

TOLERANCE: Final = 1e-10
"""Largest gradient of the wrong sign, as a share of the largest entry of q."""
_SUM: Final = 1e-10
_MAX_STEPS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class BoxSolution:
    """The solution of a quadratic programme."""

    w: FloatArray
    """(n,)."""
    objective: float
    """w'Kw/2 - q'w."""
    multiplier: float
    """Multiplier of the sum: above 0 if its lower bound is active, below 0 if its upper bound
    is."""
    violation: float
    """Largest gradient of the wrong sign, as a share of the largest entry of q."""


def minimise_in_slab(
    column: Callable[[int], FloatArray],
    q: FloatArray,
    *,
    upper: float,
    lowest: float,
    highest: float,
) -> BoxSolution:
    """Minimise w'Kw/2 - q'w over 0 <= w <= upper and lowest <= sum w <= highest.

    The programme is first solved without the bounds on the sum. If the sum violates a bound, the
    solution lies on that bound: a constant is added to q until the sum of the minimum over the box,
    which increases with the constant, equals the bound.
    """
    scale = float(np.abs(q).max()) or 1.0
    box = BoxProgramme(column, q, upper, TOLERANCE * scale)
    box.minimise()
    total = float(box.w.sum())
    multiplier, w = 0.0, box.w
    if not lowest <= total <= highest:
        multiplier, w = _solve_on_bound(box, lowest if total < lowest else highest)
    gradient = box.gradient_at(w)
    return BoxSolution(
        w=w,
        objective=0.5 * float(w @ (gradient + multiplier - q)),  # Kw is the gradient + q + it
        multiplier=multiplier,
        violation=box.violation(w, gradient) / scale,
    )


def _solve_on_bound(box: BoxProgramme, wanted: float) -> tuple[float, FloatArray]:
    """Return the constant and the weights at which the sum reaches its bound."""
    at = 0.0
    low: tuple[float, FloatArray, float] | None = None
    high: tuple[float, FloatArray, float] | None = None
    for _ in range(_MAX_STEPS):
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
                # the sum jumps, and every mixture of the two points is a minimum
                share = low[2] / (low[2] - high[2])
                return at, np.asarray((1 - share) * low[1] + share * high[1])
        box.shift(new - at)
        at = new
        box.minimise()
    return at, box.w


MAX_ROUNDS: Final = 100_000
_MAX_FREED_SINGLY: Final = 40
"""Largest number of coordinates for which one at a time is freed."""
_MIN_SEPARATION: Final = 0.5


class BoxProgramme:
    r"""Minimise w'Kw/2 - q'w over 0 <= w <= upper, for K positive semi-definite.

    A Lawson-Hanson active-set method with two bounds: the free coordinates are solved for, a
    coordinate that leaves the box is fixed at its bound, and of the fixed coordinates the one with
    the largest gradient of the wrong sign is freed. Only the columns of coordinates that were ever
    free are computed, so K need not be kept in memory. If the free part of K is nearly singular,
    Newton steps with a factor of K + jitter are repeated: the solution is that of K itself.

    Parameters
    ----------
    column : callable
        (n,) column j of K.
    q : ndarray of float
        (n,).
    upper : float
        Upper bound of every coordinate; may be infinite.
    tolerance : float
        Largest gradient of the wrong sign that counts as zero.
    """

    def __init__(
        self, column: Callable[[int], FloatArray], q: FloatArray, upper: float, tolerance: float
    ) -> None:
        self._column, self._upper, self._tolerance = column, upper, tolerance
        self.w = np.zeros(len(q))
        self._q = q
        self.gradient = -q  # Kw - q
        self._rows = np.empty((16, len(q)))  # columns of K that were computed
        self._small = np.empty((16, 16))  # entries of K between the coordinates of these columns
        self._index = np.empty(16, dtype=np.intp)  # coordinates of these columns
        self._place: dict[int, int] = {}  # row in which a coordinate's column is stored
        self._free = np.empty(0, dtype=np.intp)  # positions of the free coordinates

    def start_from(self, w: FloatArray) -> None:
        """Start from a point inside the box instead of 0."""
        for j in np.flatnonzero(w):
            self._store_column(int(j))
        self._free = np.arange(len(self._place))
        self._move(w[self._index[self._free]])

    def minimise(self) -> None:
        """Continue from the current point until every gradient is within the tolerance."""
        for _ in range(MAX_ROUNDS):
            self._solve_free_part()
            entering = self._find_coordinates_to_free()
            if not entering:
                return
            places = [self._store_column(j) for j in entering]
            self._free = np.append(self._free, places)

    def shift(self, by: float) -> None:
        """Add a constant to q."""
        self._q = self._q + by
        self.gradient = self.gradient - by

    def slope_of_sum(self) -> float:
        """Return the derivative of sum w by a constant added to q, for a fixed active set."""
        if not len(self._free):
            return 0.0
        ones = np.ones(len(self._free))
        return float(FreePart(self._small[np.ix_(self._free, self._free)], ones).newton.sum())

    def next_turn(self, direction: float) -> float:
        """Return the constant of this sign at which the active set first changes."""
        if direction > 0:
            return float(self.gradient[self.w < self._upper].min()) + 2 * self._tolerance
        return float(self.gradient[self.w > 0].max()) - 2 * self._tolerance

    def gradient_at(self, w: FloatArray) -> FloatArray:
        """Return Kw - q, computed from scratch."""
        known = len(self._place)
        return np.asarray(w[self._index[:known]] @ self._rows[:known] - self._q)

    def violation(self, w: FloatArray, gradient: FloatArray) -> float:
        """Return the largest gradient of the wrong sign."""
        wrong = np.abs(gradient)
        lowest, highest = w <= 0, w >= self._upper
        wrong[lowest] = np.maximum(-gradient[lowest], 0)
        wrong[highest] = np.maximum(gradient[highest], 0)
        return float(wrong.max())

    def _solve_free_part(self) -> None:
        """Solve for the free coordinates and fix those that would leave the box at their bound."""
        for _ in range(MAX_ROUNDS):
            F = self._index[self._free]
            g = self.gradient[F]
            if not len(F) or np.abs(g).max() <= 0.5 * self._tolerance:
                return
            part = FreePart(self._small[np.ix_(self._free, self._free)], g)
            w, on_bound = part.minimise(self.w[F], self._upper)
            self._move(w)
            self._free = self._free[~on_bound]

    def _move(self, to: FloatArray) -> None:
        """Move the free coordinates to the solution."""
        F = self._index[self._free]
        by_place = np.zeros(len(self._place))
        by_place[self._free] = to - self.w[F]
        self.w[F] = to
        self.gradient = self.gradient + by_place @ self._rows[: len(by_place)]

    def _find_coordinates_to_free(self) -> list[int]:
        """Return the coordinates to free: that with the largest gradient, and distant ones."""
        asks = np.where(self.w >= self._upper, self.gradient, -self.gradient)
        asks[self._index[self._free]] = 0
        first = int(np.argmax(asks))
        if asks[first] <= self._tolerance:
            return []
        chosen = [first]
        if len(asks) <= _MAX_FREED_SINGLY:
            return chosen
        most = max(8, len(asks) // 20)
        order = np.argpartition(-asks, 4 * most)[: 4 * most]
        place = self._store_column(first)  # which may move the rows
        near = self._rows[place] >= _MIN_SEPARATION
        for j in order[np.argsort(-asks[order], kind="stable")]:
            if asks[j] <= 0.1 * asks[first] or len(chosen) == most:
                break
            if not near[j]:
                chosen.append(int(j))
                place = self._store_column(int(j))
                near |= self._rows[place] >= _MIN_SEPARATION
        return chosen

    def _store_column(self, j: int) -> int:
        """Return the position at which column j is stored."""
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


_JITTER: Final = 1e-12
"""Jitter relative to the largest diagonal entry; it stabilises a factor, not the solution."""
_HALVINGS: Final = 3


class FreePart:
    r"""Newton steps for w'Kw/2 - q'w among the coordinates that are free at the start.

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
        Number of coordinates that reach a bound before K is factored again; None: a sixteenth of
        all, at least 8.
    """

    def __init__(self, K: FloatArray, g: FloatArray, most: int | None = None) -> None:
        self._K = K
        self._factorise = _factorise(K)
        self._slope = g
        self.newton = self._solve(g)  # v
        self._most = max(8, len(K) // 16) if most is None else most
        self._columns = np.empty((self._most, len(K)))  # of K^-1, at the coordinates on a bound
        self._bound = np.empty(0, dtype=np.intp)

    def minimise(self, w: FloatArray, upper: float) -> tuple[FloatArray, np.ndarray]:
        """Return the (f,) final point, and (f,) which coordinates reached a bound.

        It ends at the minimum over the other coordinates, or when too many reach a bound.
        """
        start = w
        met = np.zeros(len(w), dtype=np.bool_)
        while not met.all():
            d = self._find_direction()
            step, first = _find_longest_step(w, d, upper)
            if step >= 1:
                return w + d, met
            to = w + step * d
            to[first] = 0.0 if d[first] < 0 else upper
            to = self._search_projected_path(start, w, to, d, upper)
            now = ~met & (((to <= 0) & (d < 0)) | ((to >= upper) & (d > 0)))
            met |= now
            self.newton = self.newton + (to - w)
            w = to
            if not self._fix_at_bound(np.flatnonzero(now)):
                break
        return w, met

    def _find_direction(self) -> FloatArray:
        D = self._bound
        if not len(D):
            return -self.newton
        columns = self._columns[: len(D)]
        small = np.linalg.solve(columns[:, D], self.newton[D])
        d = small @ columns - self.newton
        d[D] = 0
        return np.asarray(d)

    def _fix_at_bound(self, new: IntArray) -> bool:
        """Store the inverse columns of these coordinates; return False if there are too many."""
        count = len(self._bound)
        if count + len(new) > self._most:
            return False
        unit = np.zeros((len(self._K), len(new)), order="F")
        unit[new, np.arange(len(new))] = 1
        self._columns[count : count + len(new)] = self._solve(unit).T
        self._bound = np.concatenate([self._bound, new])
        return True

    def _search_projected_path(
        self, start: FloatArray, w: FloatArray, to: FloatArray, d: FloatArray, upper: float
    ) -> FloatArray:
        """Return the lowest of several points on the projected path."""
        best, lowest = to, self._compute_value(to - start)
        share = 1.0
        for _ in range(_HALVINGS):
            there = np.clip(w + share * d, 0.0, upper)
            value = self._compute_value(there - start)
            if value < lowest:
                best, lowest = there, value
            elif best is not to:
                break
            share /= 2
        return best

    def _compute_value(self, by: FloatArray) -> float:
        return float(self._slope @ by + 0.5 * by @ (self._K @ by))

    def _solve(self, right: FloatArray) -> FloatArray:
        return np.asarray(scipy.linalg.lapack.dpotrs(self._factorise, right, lower=1)[0])


def _factorise(K: FloatArray) -> FloatArray:
    """Return the Cholesky factor of K + jitter."""
    steadied = K.copy()
    diagonal = K.diagonal().copy()
    jitter = _JITTER * (float(diagonal.max()) or 1.0)
    failed = 1
    while failed:
        steadied.flat[:: len(K) + 1] = diagonal + jitter
        factor, failed = scipy.linalg.lapack.dpotrf(steadied, lower=1)
        jitter *= 100
    return np.asarray(factor)


def _find_longest_step(w: FloatArray, d: FloatArray, upper: float) -> tuple[float, int]:
    """Return the longest step inside the box, and the coordinate that limits it."""
    room = np.where(d < 0, w, upper - w)
    steps = np.full(len(d), np.inf)
    with np.errstate(over="ignore"):  # a coordinate that hardly moves
        np.divide(room, np.abs(d), out=steps, where=d != 0)
    at = int(np.argmin(steps))
    return max(float(steps[at]), 0.0), at
