"""Nearest rows of many queries by compiled loops over four-byte products."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.learners.fast.thresholds import MIN_PAIRS_FOR_LOOPS
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.numerics.loops.nearest_rows import (
    near_by_kernel,
    ranked_by_kernel,
    smallest_by_kernel,
)
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.types import FloatArray, IntArray

_MIN_QUERIES: Final = 16
_MIN_LIST_ROOM: Final = 4096
"""Least room for rows that are about as near as the last one of a list."""
_N_SAMPLED_ROWS: Final = 256
"""Rows whose median is their middle."""
_MIN_DISTANCE_SCALE: Final = 1e-30
"""What numbers too small for four bytes may add up to."""


def loops_suit(n: int, p: int, n_queries: int, length: int) -> bool:
    """Return whether a search of this size should use the compiled loops."""
    has_many_pairs = uses_loops(n * n_queries, MIN_PAIRS_FOR_LOOPS)
    return has_many_pairs and 4 * length <= n and not tree_suits(n, p, n_queries)


def tree_suits(n: int, p: int, n_queries: int) -> bool:
    """Return whether a search of this size should use a tree."""
    return n * n_queries >= MIN_PAIRS_FOR_LOOPS and n > 10 * 4**p


class RoughRows:
    r"""Rows centred, scaled to length at most 1, and stored in four-byte numbers.

    Their products show in half the time which few rows may be near; those are then ranked by their
    exact distances. The rounding error is bounded: a squared distance from a query q
    to a row x of p columns is off by less than :math:`c (|q|^2 + |x|^2)` with :math:`c = (p + 8)
    \epsilon`. That much is added, so that none is too small. As :math:`|x|^2 \le 2 |q|^2 + 2 d^2`,
    a row with :math:`d^2 \le t` comes out at :math:`t (1 + 4 c) + 6 c |q|^2` at most. All up to
    there are ranked, with t what the wanted number of rows came out at: so many are within it.

    Parameters
    ----------
    rows : ndarray of float
        (n, p).
    """

    @np.errstate(all="ignore")  # an overflow gives an infinite distance
    def __init__(self, rows: FloatArray) -> None:
        n, p = rows.shape
        # The centre of most rows: a few distant rows would shift the mean.
        self.rows, self.centre = rows, np.median(rows[:: n // _N_SAMPLED_ROWS + 1], axis=0)
        centred = rows - self.centre
        lengths = np.einsum("ij,ij->i", centred, centred)
        self.scale = float(_find_power_of_two(lengths.max()))
        self.doubt = (p + 8) * float(np.finfo(np.float32).eps)
        self.table = np.empty((p + 2, n), dtype=np.float32)
        self.table[:p] = (-2 * self.scale * centred).T
        self.table[p] = lengths * self.scale**2 * (1 + self.doubt)
        self.table[p + 1] = 1

    @np.errstate(all="ignore")
    def lists(self, queries: FloatArray, length: int) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the fields of ``NeighbourLists``; undecided queries have -inf.

        ``queries`` are (q, p), and ``length`` is the number of rows of each list, a quarter of the
        rows at most.
        """
        n, n_queries = len(self.rows), len(queries)
        step = max(_MIN_QUERIES, NUMBERS_IN_2_MB // n)
        rows = np.empty((n_queries, length), dtype=np.intp)
        squares, below = np.empty((n_queries, length)), np.empty(n_queries)
        near = np.empty((min(step, n_queries), n), dtype=np.float32)
        candidates = np.zeros((len(near), min(n, 2 * length + _MIN_LIST_ROOM)), dtype=np.intp)
        for first in range(0, n_queries, step):
            part = slice(first, min(first + step, n_queries))
            factors, shrunk, of_queries = self._build_factors(queries[part])
            products = near[: len(factors)]
            np.matmul(factors, self.table, out=products)
            smallest, bounds = smallest_by_kernel(products, length)
            doubt = 6 * self.doubt * of_queries + _MIN_DISTANCE_SCALE * (1 + of_queries)
            limits = bounds * (1 + 4 * self.doubt) + doubt * shrunk
            limits = np.nextafter(limits.astype(np.float32), np.float32(np.inf))
            counts = near_by_kernel(products, smallest, limits, candidates)
            rows[part], squares[part] = ranked_by_kernel(
                queries[part], self.rows, candidates, counts, length
            )
            known = np.nextafter(bounds / (shrunk * self.scale**2), np.inf)
            below[part] = np.where((counts >= length) & (bounds >= 0), known, -np.inf)
        return rows, squares, below

    def _build_factors(self, queries: FloatArray) -> tuple[np.ndarray, FloatArray, FloatArray]:
        """Return (q, p + 2) factors of the table, their (q,) scale and (q,) squared lengths.

        The row of a query that is far from all rows is made smaller, to stay in range.
        """
        p = queries.shape[1]
        centred = (queries - self.centre) * self.scale
        lengths = np.einsum("ij,ij->i", centred, centred)
        shrunk = np.minimum(_find_power_of_two(lengths), 1.0)
        factors = np.empty((len(queries), p + 2), dtype=np.float32)
        factors[:, :p] = centred * shrunk[:, None]
        factors[:, p] = shrunk
        factors[:, p + 1] = lengths * (1 + self.doubt) * shrunk
        return factors, shrunk, lengths


def _find_power_of_two(squares: FloatArray) -> FloatArray:
    """Return powers of two that scale lengths with these squares to at most 1; 1 for 0."""
    _, exponents = np.frexp(np.sqrt(squares))
    return np.asarray(np.ldexp(1.0, -exponents))
