"""Rank sums of many pairs, sorted together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.numerics.loops.signed_ranks import MANY_SIZES, positive_sums
from thetahat.numerics.loops.sorted_rows import MOST_IN_A_ROW, positive_sums_of_rows
from thetahat.paired_tests._signed_ranks import (
    BoolArray,
    SignedRanks,
    UIntArray,
    Zeros,
    of_sorted,
    ranks_of,
    sort_keys,
)
from thetahat.paired_tests._unit_batches import UnitBatch
from thetahat.values.types import FloatArray, IntArray

_ONE = np.uint64(1)


@dataclass(frozen=True, slots=True, eq=False)
class SignedRankBatch:
    """The sorted differences of p pairs, and what is known of their rank sums at once.

    Parameters
    ----------
    units : UnitBatch
        The differences.
    zeros : str
        What becomes of those that are 0, as ``signed_ranks`` has it.
    n_zeros : ndarray of int
        (p,) how many of them are 0.
    keys : ndarray of uint64
        (q, u) the keys of some pairs in order, of all whose R+ does not hold without them; (0, 0)
        where they are so many that pairs are sorted one by one.
    places : ndarray of int
        (p,) row of ``keys`` of each pair; 0 where it has none.
    positive : ndarray of float
        (p,) R+, where the next two say that it is known.
    clear, alike : ndarray of bool
        (p,) whether a pair has neither zeros nor ties, or differences of one size alone.
    """

    units: UnitBatch
    zeros: Zeros
    n_zeros: IntArray
    keys: UIntArray
    places: IntArray
    positive: FloatArray
    clear: BoolArray
    alike: BoolArray

    @classmethod
    def of(cls, units: UnitBatch, zeros: Zeros) -> SignedRankBatch:
        """Sort them; those of many units are looked at one by one."""
        n_zeros, n_pairs = units.n_zeros, len(units.values)
        positive, places = np.zeros(n_pairs), np.zeros(n_pairs, dtype=np.intp)
        clear, alike = np.zeros(n_pairs, dtype=np.bool_), np.zeros(n_pairs, dtype=np.bool_)
        keys = np.empty((0, 0), dtype=np.uint64)
        is_short = units.n_units <= MOST_IN_A_ROW and units.values.size >= MANY_SIZES
        if is_short:
            positive, gaps = positive_sums_of_rows(units.values)
            clear = (n_zeros == 0) & (gaps > units.largest)
        if units.n_units < MANY_SIZES and not clear.all():
            rest = np.flatnonzero(~clear)
            places[rest] = np.arange(len(rest))
            keys = sort_keys(units.values[rest] if is_short else units.values)
            keys.sort(axis=1)  # zeros come first
            few = units.largest[rest], n_zeros[rest], units.n_positive[rest]
            positive[rest], clear[rest], alike[rest] = _positive_sums(keys, *few)
        if zeros != "wilcox":
            alike &= n_zeros == 0
        return cls(units, zeros, n_zeros, keys, places, positive, clear, alike)

    def of_row(self, row: int) -> SignedRanks:
        """Return the ranks of one pair."""
        n_zeros = int(self.n_zeros[row])
        if self.clear[row]:
            return _without_ties(float(self.positive[row]), self.units.n_units)
        if self.alike[row]:
            return _all_alike(self.units.n_units - n_zeros, float(self.positive[row]))
        values, roundings = self.units.values[row], self.units.roundings(row)
        if self.units.n_units >= MANY_SIZES:
            return ranks_of(values, roundings, n_zeros, self.zeros)
        if n_zeros > 0:
            present = values != 0
            values, roundings = values[present], roundings[present]
        keys = self.keys[self.places[row], n_zeros:]
        return of_sorted(keys, values, roundings, n_zeros, self.zeros)


def _positive_sums(
    keys: UIntArray, largest: FloatArray, n_zeros: IntArray, n_positive: IntArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """(p,) R+ of rows of sorted (p, m) keys, and where it holds: without ties, or of equal sizes.

    Without zeros and ties the ranks are 1 to m; where all sizes that are not 0 are the same, as
    those of differences of 0 and 1, they all are the mean of these. The other rows are to be
    looked at one by one.
    """
    if keys.size >= MANY_SIZES:
        sums, gaps = positive_sums(keys)
    else:
        sums, gaps = _by_arrays(keys)
    clear = (n_zeros == 0) & (gaps > largest)
    n = keys.shape[1] - n_zeros
    first = keys[np.arange(len(keys)), np.minimum(n_zeros, keys.shape[1] - 1)]
    alike = (n > 1) & (first >> _ONE == keys[:, -1] >> _ONE)
    return np.where(alike, n_positive * (n + 1) / 2, sums), clear, alike


def _by_arrays(keys: UIntArray) -> tuple[FloatArray, FloatArray]:
    """As ``positive_sums``."""
    gaps = np.diff((keys >> _ONE).view(np.float64), axis=1).min(axis=1, initial=np.inf)
    signs = (keys & _ONE).astype(np.float64)
    sums = signs @ np.arange(1.0, keys.shape[1] + 1)
    return sums, gaps


def _without_ties(positive: float, n: int) -> SignedRanks:
    """Return what R+ makes of the ranks 1 to m."""
    negative, variance = n * (n + 1) / 2 - positive, n * (n + 1) * (2 * n + 1) / 24
    return SignedRanks(positive, negative, n, np.arange(1.0, n + 1), 0.0, variance, False)


def _all_alike(n: int, positive: float) -> SignedRanks:
    """Return what R+ makes of n > 1 differences of the same size, with zeros left out."""
    rank = (n + 1) / 2
    ranks = np.full(n, rank)
    return SignedRanks(positive, n * rank - positive, n, ranks, 0.0, n * rank**2 / 4, True)
