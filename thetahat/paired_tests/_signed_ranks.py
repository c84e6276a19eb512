"""Signed ranks of paired differences and the exact null distribution of their sums."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from thetahat.numerics.loops.signed_ranks import MANY_SIZES, positive_sums, rank_sums, sorted_keys
from thetahat.numerics.loops.sorted_rows import MOST_IN_A_ROW, positive_sums_of_rows
from thetahat.paired_tests._units import (
    ROUNDINGS,
    PairedUnits,
    UnitBatch,
    paired_units,
    unit_means,
    unit_of,
)
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.types import Alternative, FloatArray, IntArray, UnitName

BoolArray = npt.NDArray[np.bool_]
UIntArray = npt.NDArray[np.uint64]
Zeros = Literal["wilcox", "pratt", "zsplit", "demsar_split"]


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """Ranks of the absolute differences and what follows from them.

    Parameters
    ----------
    positive, negative : float
        R+ and R-, the zeros' share included where they are split.
    n_ranked : int
        m, the number of differences that are not 0.
    ranks : ndarray of float or None
        (m,) their mid-ranks, ascending; None where there are too many for the exact distribution.
    share_of_zeros : float
        What the zeros add to each of the two sums.
    variance : float
        Of R+ under the null, as the convention for zeros has it.
    has_ties : bool
        Whether two differences that are not 0 share a rank.
    """

    positive: float
    negative: float
    n_ranked: int
    ranks: FloatArray | None
    share_of_zeros: float
    variance: float
    has_ties: bool

    @property
    def expected(self) -> float:
        """Mean of R+ under the null: half of all ranks given out."""
        return (self.positive + self.negative) / 2


def ranks_of_pair(
    pair: PairedLosses, named: UnitName | None, zeros: Zeros
) -> tuple[SignedRanks, UnitName, int]:
    """Rank the differences of a pair's units; return what they are and how many, too."""
    layout = pair.difference.layout
    unit = unit_of(layout, named)
    values = unit_means(pair.difference, unit)
    found = None
    if len(values) >= MANY_SIZES:
        a, b = unit_means(pair.a, unit), unit_means(pair.b, unit)
        found = ranks_of_many(values, a, b, ROUNDINGS, zeros)
    if found is None:
        units = paired_units(pair, named)
        found = _in_passes(units.values, units.roundings, units.n_zeros, zeros)
    return found, unit, len(values)


def ranks_of_many(
    values: FloatArray, a: FloatArray, b: FloatArray, rounding: float, zeros: Zeros
) -> SignedRanks | None:
    """As ``signed_ranks``, of many (u,) differences with no more than two passes and a sort.

    What is no larger than ``rounding`` times the larger of a and b counts as 0. None where few are
    not 0, zeros have ranks, or each value's own rounding has to be looked at.
    """
    keys, slack, least_slack = sorted_keys(values, a, b, rounding)
    n = len(keys)
    if n < MANY_SIZES or (n < len(values) and zeros != "wilcox"):
        return None
    sums = rank_sums(keys, slack, least_slack)
    return None if sums is None else _of_sums(n, sums, zeros)


def _of_sums(n: int, sums: tuple[float, float, bool], zeros: Zeros) -> SignedRanks:
    """Return what follows from R+, the sum of all squares of n ranks, and whether any are tied."""
    positive, squares, has_ties = sums
    negative = n * (n + 1) / 2 - positive
    variance = n * (n + 1) * (2 * n + 1) / 24 if zeros == "demsar_split" else squares / 4
    return SignedRanks(positive, negative, n, None, 0.0, variance, has_ties)


def signed_ranks(units: PairedUnits, zeros: Zeros) -> SignedRanks:
    """Rank the absolute differences and sum the ranks by sign.

    ``wilcox`` leaves zeros out; ``pratt`` ranks them and gives their ranks to nobody;
    ``zsplit`` gives half of their ranks to each side; ``demsar_split`` does the same, leaves one
    of an odd number out, and has no tie correction in the variance.
    """
    return ranks_of(units.values, units.roundings, units.n_zeros, zeros)


def ranks_of(values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros) -> SignedRanks:
    """As ``signed_ranks``, of (u,) differences and how far rounding may have moved each."""
    found = None
    if len(values) >= MANY_SIZES:
        found = ranks_of_many(values, roundings, roundings, 1.0, zeros)
    return found or _in_passes(values, roundings, n_zeros, zeros)


def _in_passes(
    values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros
) -> SignedRanks:
    if n_zeros > 0:
        present = values != 0
        values, roundings = values[present], roundings[present]
    keys = sort_keys(values)
    keys.sort()
    return of_sorted(keys, values, roundings, n_zeros, zeros)


def of_sorted(
    keys: UIntArray, values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros
) -> SignedRanks:
    """As ``signed_ranks``, of (m,) differences that are not 0 and their keys in order."""
    counted = {
        "wilcox": 0,
        "pratt": n_zeros,
        "zsplit": n_zeros,
        "demsar_split": n_zeros - n_zeros % 2,
    }[zeros]
    n = len(keys)
    if n >= MANY_SIZES and counted == 0:
        sums = rank_sums(keys, float(roundings.max()), float(roundings.min()))
        if sums is not None:
            return _of_sums(n, sums, zeros)
    ranks, positive_signs, has_ties = _ranks(keys, values, roundings)
    ranks += counted
    squares = float(ranks @ ranks)
    positive = float(ranks @ positive_signs)
    negative = float(ranks.sum()) - positive
    share = counted * (counted + 1) / 4 if zeros in ("zsplit", "demsar_split") else 0.0
    n += counted
    if zeros == "demsar_split":
        variance = n * (n + 1) * (2 * n + 1) / 24
    else:
        # sum of r^2 / 4 is n(n+1)(2n+1)/24 with its tie correction; zeros that are split count
        # with their mid-rank, as if they had a sign
        variance = squares / 4
        variance += counted * (counted + 1) ** 2 / 16 if zeros == "zsplit" else 0.0
    return SignedRanks(
        positive + share, negative + share, len(keys), ranks, share, variance, has_ties
    )


def sort_keys(values: FloatArray) -> UIntArray:
    """Return what orders as the sizes do, with the sign in the lowest bit: 1 where positive.

    A size that is not negative orders as its bits do, and leaves the sign bit free; so no
    permutation is needed to know the signs of the sorted sizes.
    """
    keys = np.abs(values).view(np.uint64) << np.uint64(1)
    keys |= values > 0
    return keys


def _ranks(
    keys: UIntArray, values: FloatArray, roundings: FloatArray
) -> tuple[FloatArray, BoolArray, bool]:
    """Rank from 1, with the signs in that order and whether any share a rank.

    Neighbours no further apart than their rounding share the mean of their ranks. Only where some
    gap lies between the smallest and the largest rounding must each value's own rounding be
    sorted along with it.
    """
    n = len(keys)
    positive = (keys & np.uint64(1)).astype(np.bool_)
    gaps = np.diff((keys >> np.uint64(1)).view(np.float64))
    apart = gaps > roundings.max(initial=0.0)
    if not apart.all() and np.any(~apart & (gaps > roundings.min())):
        order = np.argsort(np.abs(values), kind="stable")
        slack, positive = roundings[order], values[order] > 0
        apart = np.diff(np.abs(values[order])) > np.maximum(slack[1:], slack[:-1])
    if apart.all():
        return np.arange(1.0, n + 1), positive, False
    edges = np.concatenate([[0], np.flatnonzero(apart) + 1, [n]])
    return np.repeat((edges[:-1] + edges[1:] + 1) / 2, np.diff(edges)), positive, True


def exact_p_value(found: SignedRanks, alternative: Alternative) -> float:
    """p-value of R+ given the ranks, over all sign patterns; n^3 steps, ties allowed.

    The distribution of a sum of independent 0-or-rank terms is built term by term, on doubled
    ranks so that mid-ranks are whole numbers.
    """
    assert found.ranks is not None  # noqa: S101 - there are at most 500
    doubled = np.rint(2 * found.ranks).astype(np.intp)
    reached = round(2 * (found.positive - found.share_of_zeros))
    return float(_p_values(doubled.tobytes(), alternative)[reached])


def exact_p_values_without_ties(n: int, alternative: Alternative) -> FloatArray:
    """(n (n + 1) / 2 + 1,) exact p-value of each R+ of the ranks 1 to n."""
    doubled = 2 * np.arange(1, n + 1, dtype=np.intp)
    return _p_values(doubled.tobytes(), alternative)[::2]


@lru_cache(maxsize=32)
def _p_values(doubled_ranks: bytes, alternative: Alternative) -> FloatArray:
    """p-value of each doubled rank sum; kept, because pairs without ties have the same ones."""
    chances = _null_chances(doubled_ranks)
    below = np.minimum(1.0, np.cumsum(chances))
    above = np.minimum(1.0, np.cumsum(chances[::-1])[::-1])
    found: FloatArray = above if alternative is Alternative.GREATER else below
    if alternative is Alternative.TWO_SIDED:
        found = np.minimum(1.0, 2 * np.minimum(below, above))
    found.setflags(write=False)
    return found


@lru_cache(maxsize=32)
def _null_chances(doubled_ranks: bytes) -> FloatArray:
    """Chance of each doubled rank sum."""
    doubled = np.frombuffer(doubled_ranks, dtype=np.intp)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances /= 2
        # the right-hand side is made before it is added: each state comes from the old ones
        chances[rank:] += chances[: len(chances) - rank].copy()
    chances.setflags(write=False)
    return chances


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
