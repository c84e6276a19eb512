"""Isotonic regression of outcomes on probabilities, with equal probabilities as one level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ProbabilityLevels:
    """The distinct probabilities of rows, in ascending order."""

    values: FloatArray
    """(m,) distinct probabilities."""
    index: IntArray
    """(n,) level of each row."""
    sizes: FloatArray
    """(m,) rows of each level."""

    @classmethod
    def build(cls, probabilities: FloatArray) -> ProbabilityLevels:
        """Return the levels of (n,) probabilities."""
        values, index = np.unique(probabilities, return_inverse=True)
        return cls(values, index, np.bincount(index).astype(np.float64))

    def add_up(self, rows: FloatArray) -> FloatArray:
        """Return the (m,) sums of (n,) numbers over the rows of each level."""
        sums = np.bincount(self.index, weights=rows, minlength=len(self.values))
        return np.asarray(sums, dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Shares of events that are the same for neighbouring levels."""

    starts: IntArray
    """(k,) first level of each step."""
    events: FloatArray
    """(k,) events of each step."""
    sizes: FloatArray
    """(k,) rows of each step."""

    @property
    def values(self) -> FloatArray:
        """(k,) share of events of each step."""
        return np.asarray(self.events / self.sizes)

    def at(self, levels: IntArray) -> FloatArray:
        """Return the share of each of these levels."""
        return self.values[np.searchsorted(self.starts, levels, side="right") - 1]


def fit_isotonic(sums: FloatArray, sizes: FloatArray) -> Steps:
    """Return the non-decreasing shares of the m levels that are closest to their shares.

    As counts have exact sums, a share does not depend on the order in which levels were pooled.

    Parameters
    ----------
    sums : ndarray of float
        (m,) events of each level, a whole number.
    sizes : ndarray of float
        (m,) rows of each level, a whole number: how often a resample has them. A level without any
        has the share of the level below it, and the first ones have that of the first level with
        rows.
    """
    levels: IntArray = np.flatnonzero(sizes > 0)
    if len(levels) < len(sizes):
        sums, sizes = sums[levels], sizes[levels]
    blocks = scipy.optimize.isotonic_regression(sums / sizes, weights=sizes).blocks[:-1]
    so_far = [np.cumsum(numbers.astype(np.int64)) for numbers in (sums, sizes)]
    events, rows = (_subtract(numbers, blocks) for numbers in so_far)
    shares = events / rows
    if not (rises := shares[1:] > shares[:-1]).all():  # they are equal but for rounding
        blocks = blocks[np.append(True, rises)]
        events, rows = (_subtract(numbers, blocks) for numbers in so_far)
    starts = levels[blocks]
    starts[0] = 0
    return Steps(starts, events, rows)


def _subtract(so_far: IntArray, starts: IntArray) -> FloatArray:
    """Return the sums of parts that begin at these places, from the sums of all levels so far."""
    before = np.append(so_far[starts[1:] - 1], so_far[-1]).astype(np.float64)
    before[1:] -= before[:-1].copy()
    return before
