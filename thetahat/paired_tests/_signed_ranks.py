"""Signed ranks of paired differences, of one pair or of many, and their exact null distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from thetahat.numerics.loops.signed_ranks import (
    MANY_SIZES,
    positive_sums,
    rank_sums,
    sorted_keys,
)
from thetahat.numerics.loops.sorted_rows import MAX_VALUES_IN_ROW, positive_sums_of_rows
from thetahat.paired_tests._units import PairedUnits
from thetahat.values.types import Alternative, BoolArray, FloatArray, IntArray

UIntArray = npt.NDArray[np.uint64]
Zeros = Literal["wilcox", "pratt", "zsplit", "demsar_split"]

_ONE = np.uint64(1)


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """Ranks of the absolute differences of one pair, and their sums by sign.

    Parameters
    ----------
    positive, negative : float
        R+ and R-, including the share of the zeros if they are split.
    n_ranked : int
        m, the number of differences that are not 0.
    ranks : ndarray of float or None
        (m,) their mid-ranks, ascending; None if there are too many for the exact distribution.
    zeros_share : float
        What the zeros add to each of the two sums.
    variance : float
        Variance of R+ under the null, by the convention for zeros.
    has_ties : bool
        Whether two differences that are not 0 share a rank.
    """

    positive: float
    negative: float
    n_ranked: int
    ranks: FloatArray | None
    zeros_share: float
    variance: float
    has_ties: bool

    @property
    def expected(self) -> float:
        """Mean of R+ under the null: half of the sum of the ranks."""
        return (self.positive + self.negative) / 2


def rank_values(
    values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros
) -> SignedRanks:
    """Rank the absolute (u,) differences of the units and sum the ranks by sign.

    ``wilcox`` leaves zeros out; ``pratt`` ranks them and drops their ranks; ``zsplit`` gives half
    of their ranks to each side; ``demsar_split`` does the same, leaves one of an odd number of
    zeros out, and does not correct the variance for ties. ``roundings`` are the bounds on the
    rounding errors of the differences.
    """
    ranked = _rank_many(values, roundings, zeros) if len(values) >= MANY_SIZES else None
    return ranked or _rank_by_sorting(values, roundings, n_zeros, zeros)


def _rank_many(values: FloatArray, roundings: FloatArray, zeros: Zeros) -> SignedRanks | None:
    """Rank many (u,) differences in two passes and a sort.

    Return None if few are not 0, if the zeros get ranks, or if the rounding error of each single
    value matters.
    """
    keys, slack, least_slack = sorted_keys(values, roundings, roundings, 1.0)
    n = len(keys)
    if n < MANY_SIZES or (n < len(values) and zeros != "wilcox"):
        return None
    sums = rank_sums(keys, slack, least_slack)
    return None if sums is None else _build_from_rank_sums(n, sums, zeros)


def _build_from_rank_sums(n: int, sums: tuple[float, float, bool], zeros: Zeros) -> SignedRanks:
    """Build the ranks of n values from R+, the sum of squared ranks, and whether any are tied."""
    positive, squares, has_ties = sums
    negative = n * (n + 1) / 2 - positive
    variance = n * (n + 1) * (2 * n + 1) / 24 if zeros == "demsar_split" else squares / 4
    return SignedRanks(positive, negative, n, None, 0.0, variance, has_ties)


def _rank_by_sorting(
    values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros
) -> SignedRanks:
    if n_zeros > 0:
        is_ranked = values != 0
        values, roundings = values[is_ranked], roundings[is_ranked]
    keys = sort_keys(values)
    keys.sort()
    return rank_sorted(keys, values, roundings, n_zeros, zeros)


def rank_sorted(
    keys: UIntArray, values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros
) -> SignedRanks:
    """Return ``rank_values`` of (m,) differences that are not 0 and of their sorted keys."""
    n_ranked_zeros = {
        "wilcox": 0,
        "pratt": n_zeros,
        "zsplit": n_zeros,
        "demsar_split": n_zeros - n_zeros % 2,
    }[zeros]
    n = len(keys)
    if n >= MANY_SIZES and n_ranked_zeros == 0:
        sums = rank_sums(keys, float(roundings.max()), float(roundings.min()))
        if sums is not None:
            return _build_from_rank_sums(n, sums, zeros)
    ranks, is_positive, has_ties = _compute_mid_ranks(keys, values, roundings)
    ranks += n_ranked_zeros
    squares = float(ranks @ ranks)
    positive = float(ranks @ is_positive)
    negative = float(ranks.sum()) - positive
    is_split = zeros in ("zsplit", "demsar_split")
    share = n_ranked_zeros * (n_ranked_zeros + 1) / 4 if is_split else 0.0
    n += n_ranked_zeros
    if zeros == "demsar_split":
        variance = n * (n + 1) * (2 * n + 1) / 24
    else:
        # The sum of r^2 / 4 is n(n+1)(2n+1)/24 with its correction for ties. Zeros that are split
        # count with their mid-rank, as if they had a sign.
        variance = squares / 4
        variance += n_ranked_zeros * (n_ranked_zeros + 1) ** 2 / 16 if zeros == "zsplit" else 0.0
    return SignedRanks(
        positive + share, negative + share, len(keys), ranks, share, variance, has_ties
    )


def sort_keys(values: FloatArray) -> UIntArray:
    """Return keys that sort as the absolute values do, with the sign in the lowest bit.

    Numbers that are not negative sort as their bits do, and leave the sign bit free. The signs of
    the sorted sizes are therefore known without a permutation; the bit is 1 for a positive value.
    """
    keys = np.abs(values).view(np.uint64) << _ONE
    keys |= values > 0
    return keys


def _compute_mid_ranks(
    keys: UIntArray, values: FloatArray, roundings: FloatArray
) -> tuple[FloatArray, BoolArray, bool]:
    """Return the mid-ranks, ascending, their signs in this order, and whether any are tied.

    Neighbours within their rounding error are tied. The rounding errors are sorted along with the
    values only if a gap lies between the smallest and the largest of them.
    """
    n = len(keys)
    is_positive = (keys & _ONE).astype(np.bool_)
    gaps = np.diff((keys >> _ONE).view(np.float64))
    is_apart = gaps > roundings.max(initial=0.0)
    if not is_apart.all() and np.any(~is_apart & (gaps > roundings.min())):
        order = np.argsort(np.abs(values), kind="stable")
        slack, is_positive = roundings[order], values[order] > 0
        is_apart = np.diff(np.abs(values[order])) > np.maximum(slack[1:], slack[:-1])
    if is_apart.all():
        return np.arange(1.0, n + 1), is_positive, False
    edges = np.concatenate([[0], np.flatnonzero(is_apart) + 1, [n]])
    ranks = np.repeat((edges[:-1] + edges[1:] + 1) / 2, np.diff(edges))
    return ranks, is_positive, True


def exact_p_value(ranked: SignedRanks, alternative: Alternative) -> float:
    """Return the p-value of R+ given the ranks, over all sign patterns; ties are allowed.

    The distribution of a sum of independent terms, each 0 or a rank, is built term by term in
    O(n^3) steps, on doubled ranks so that mid-ranks are whole numbers.
    """
    assert ranked.ranks is not None  # noqa: S101 - there are at most 500
    doubled = np.rint(2 * ranked.ranks).astype(np.intp)
    doubled_sum = round(2 * (ranked.positive - ranked.zeros_share))
    return float(_compute_p_values(doubled.tobytes(), alternative)[doubled_sum])


def exact_p_values_without_ties(n: int, alternative: Alternative) -> FloatArray:
    """Return the (n (n + 1) / 2 + 1,) exact p-values of all values of R+ for the ranks 1 to n."""
    doubled = 2 * np.arange(1, n + 1, dtype=np.intp)
    return _compute_p_values(doubled.tobytes(), alternative)[::2]


@lru_cache(maxsize=32)  # pairs without ties have the same ranks
def _compute_p_values(doubled_ranks: bytes, alternative: Alternative) -> FloatArray:
    """Return the p-value of each doubled rank sum."""
    probabilities = _compute_null_distribution(doubled_ranks)
    below = np.minimum(1.0, np.cumsum(probabilities))
    above = np.minimum(1.0, np.cumsum(probabilities[::-1])[::-1])
    p_values: FloatArray = above if alternative is Alternative.GREATER else below
    if alternative is Alternative.TWO_SIDED:
        p_values = np.minimum(1.0, 2 * np.minimum(below, above))
    p_values.setflags(write=False)
    return p_values


@lru_cache(maxsize=32)
def _compute_null_distribution(doubled_ranks: bytes) -> FloatArray:
    """Return the probability of each doubled rank sum."""
    doubled = np.frombuffer(doubled_ranks, dtype=np.intp)
    probabilities = np.zeros(int(doubled.sum()) + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        probabilities /= 2
        # copied before it is added, so that each entry comes from the old ones
        probabilities[rank:] += probabilities[: len(probabilities) - rank].copy()
    probabilities.setflags(write=False)
    return probabilities


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanksBatch:
    """Sorted differences of p pairs, and the rank sums of those pairs that need no second look.

    Parameters
    ----------
    units : PairedUnits
        The differences.
    zeros : str
        How zeros are treated, as in ``rank_values``.
    n_zeros : ndarray of int
        (p,) number of differences that are 0.
    keys : ndarray of uint64
        (q, u) sorted keys of the pairs whose R+ cannot be computed without them; (0, 0) if pairs
        have so many units that each is sorted by itself.
    key_rows : ndarray of int
        (p,) row of ``keys`` of each pair; 0 if it has none.
    positive : ndarray of float
        (p,) R+, valid if one of the next two is true.
    is_untied, is_one_size : ndarray of bool
        (p,) whether a pair has neither zeros nor ties, and whether all its differences that are
        not 0 have the same size.
    """

    units: PairedUnits
    zeros: Zeros
    n_zeros: IntArray
    keys: UIntArray
    key_rows: IntArray
    positive: FloatArray
    is_untied: BoolArray
    is_one_size: BoolArray

    @classmethod
    def from_units(cls, units: PairedUnits, zeros: Zeros) -> SignedRanksBatch:
        """Sort the differences of all pairs, unless pairs have so many units that none gains."""
        n_zeros, n_pairs = units.n_zeros, len(units.values)
        positive, key_rows = np.zeros(n_pairs), np.zeros(n_pairs, dtype=np.intp)
        is_untied, is_one_size = (np.zeros(n_pairs, dtype=np.bool_) for _ in range(2))
        keys = np.empty((0, 0), dtype=np.uint64)
        is_short = units.n_units <= MAX_VALUES_IN_ROW and units.values.size >= MANY_SIZES
        if is_short:
            positive, gaps = positive_sums_of_rows(units.values)
            is_untied = (n_zeros == 0) & (gaps > units.largest_roundings)
        if units.n_units < MANY_SIZES and not is_untied.all():
            rest = np.flatnonzero(~is_untied)
            key_rows[rest] = np.arange(len(rest))
            keys = sort_keys(units.values[rest] if is_short else units.values)
            keys.sort(axis=1)  # zeros come first
            positive[rest], is_untied[rest], is_one_size[rest] = _sum_positive_ranks(
                keys, units.largest_roundings[rest], n_zeros[rest], units.n_positive[rest]
            )
        if zeros != "wilcox":
            is_one_size &= n_zeros == 0
        return cls(units, zeros, n_zeros, keys, key_rows, positive, is_untied, is_one_size)

    def ranks(self, row: int) -> SignedRanks:
        """Return the ranks of one pair."""
        n_zeros = int(self.n_zeros[row])
        if self.is_untied[row]:
            return _build_untied_ranks(float(self.positive[row]), self.units.n_units)
        if self.is_one_size[row]:
            return _build_one_size_ranks(float(self.positive[row]), self.units.n_units - n_zeros)
        values, roundings = self.units.values[row], self.units.roundings(row)
        if self.units.n_units >= MANY_SIZES:
            return rank_values(values, roundings, n_zeros, self.zeros)
        if n_zeros > 0:
            is_ranked = values != 0
            values, roundings = values[is_ranked], roundings[is_ranked]
        keys = self.keys[self.key_rows[row], n_zeros:]
        return rank_sorted(keys, values, roundings, n_zeros, self.zeros)


def _sum_positive_ranks(
    keys: UIntArray, largest_roundings: FloatArray, n_zeros: IntArray, n_positive: IntArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return (p,) R+ of rows of sorted (p, m) keys, whether they are untied or of one size.

    R+ is valid only where one of the two holds: without zeros and ties the ranks are 1 to m, and
    where all sizes that are not 0 are equal, as for differences of 0 and 1, each has the mean rank.
    """
    if keys.size >= MANY_SIZES:
        sums, gaps = positive_sums(keys)
    else:
        sums, gaps = _sum_positive_ranks_by_arrays(keys)
    is_untied = (n_zeros == 0) & (gaps > largest_roundings)
    n = keys.shape[1] - n_zeros
    first = keys[np.arange(len(keys)), np.minimum(n_zeros, keys.shape[1] - 1)]
    is_one_size = (n > 1) & (first >> _ONE == keys[:, -1] >> _ONE)
    return np.where(is_one_size, n_positive * (n + 1) / 2, sums), is_untied, is_one_size


def _sum_positive_ranks_by_arrays(keys: UIntArray) -> tuple[FloatArray, FloatArray]:
    """Return what the compiled ``positive_sums`` returns, by operations on whole arrays."""
    gaps = np.diff((keys >> _ONE).view(np.float64), axis=1).min(axis=1, initial=np.inf)
    signs = (keys & _ONE).astype(np.float64)
    sums = signs @ np.arange(1.0, keys.shape[1] + 1)
    return sums, gaps


def _build_untied_ranks(positive: float, n: int) -> SignedRanks:
    """Build the ranks 1 to n from their R+."""
    negative, variance = n * (n + 1) / 2 - positive, n * (n + 1) * (2 * n + 1) / 24
    return SignedRanks(positive, negative, n, np.arange(1.0, n + 1), 0.0, variance, False)


def _build_one_size_ranks(positive: float, n: int) -> SignedRanks:
    """Build the ranks of n > 1 differences of one size, with zeros left out, from their R+."""
    rank = (n + 1) / 2
    ranks = np.full(n, rank)
    return SignedRanks(positive, n * rank - positive, n, ranks, 0.0, n * rank**2 / 4, True)
