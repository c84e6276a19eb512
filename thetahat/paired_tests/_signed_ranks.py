"""Signed ranks of paired differences, of one pair or of many, and their exact null distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from thetahat.paired_tests._units import PairedUnits
from thetahat.values.batch_sizes import NUMBERS_IN_1_MB
from thetahat.values.types import Alternative, BoolArray, FloatArray, IntArray

UIntArray = npt.NDArray[np.uint64]
Zeros = Literal["wilcox", "pratt", "zsplit", "demsar_split"]

_ONE = np.uint64(1)


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """Ranks of the absolute differences of one pair, and their sums by sign."""

    positive: float
    negative: float
    """R+ and R-, including the share of the zeros if they are split."""
    n_ranked: int
    """m, the number of differences that are not 0."""
    ranks: FloatArray
    """(m,) their mid-ranks, ascending."""
    zeros_share: float
    """What the zeros add to each of the two sums."""
    variance: float
    """Variance of R+ under the null, by the convention for zeros."""
    has_ties: bool
    """Whether two differences that are not 0 share a rank."""

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
    keys = sort_keys(values)
    keys.sort()
    return rank_sorted(keys[n_zeros:], values, roundings, n_zeros, zeros)


def rank_sorted(
    keys: UIntArray, values: FloatArray, roundings: FloatArray, n_zeros: int, zeros: Zeros
) -> SignedRanks:
    """Return ``rank_values`` of differences and of the (m,) sorted keys of those that are not 0."""
    if n_zeros > 0:
        is_ranked = values != 0
        values, roundings = values[is_ranked], roundings[is_ranked]
    n_ranked_zeros = {
        "wilcox": 0,
        "pratt": n_zeros,
        "zsplit": n_zeros,
        "demsar_split": n_zeros - n_zeros % 2,
    }[zeros]
    n = len(keys)
    ranks, is_positive, has_ties = _compute_mid_ranks(keys, values, roundings)
    if not has_ties and n_ranked_zeros == 0:
        return _build_untied_ranks(float((np.flatnonzero(is_positive) + 1).sum()), ranks)
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


def sort_keys(values: FloatArray, out: UIntArray | None = None) -> UIntArray:
    """Return keys that sort as the absolute values do, with the sign in the lowest bit.

    Numbers that are not negative sort as their bits do, and leave the sign bit free. The signs of
    the sorted sizes are therefore known without a permutation; the bit is 1 for a positive value.
    The keys are written to ``out`` if it is given.
    """
    keys = np.empty(values.shape, dtype=np.uint64) if out is None else out
    np.abs(values, out=keys.view(np.float64))
    keys <<= _ONE
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
    """Sorted differences of p pairs, and the rank sums of pairs without ties or with only ties."""

    units: PairedUnits
    """The differences."""
    zeros: Zeros
    """How zeros are treated, as in ``rank_values``."""
    n_zeros: IntArray
    """(p,) number of differences that are 0."""
    keys: UIntArray
    """(p, u) sorted keys of the pairs."""
    positive: FloatArray
    """(p,) R+, valid if one of the next two is true."""
    is_untied: BoolArray
    is_one_size: BoolArray
    """(p,) whether a pair has neither zeros nor ties, and whether all its differences that are not
    0 have the same size."""

    @classmethod
    def from_units(cls, units: PairedUnits, zeros: Zeros) -> SignedRanksBatch:
        """Sort the differences of all pairs together."""
        n_zeros, n_pairs = units.n_zeros, len(units.values)
        positive = np.zeros(n_pairs)
        is_untied, is_one_size = (np.zeros(n_pairs, dtype=np.bool_) for _ in range(2))
        keys = np.empty(units.values.shape, dtype=np.uint64)
        step = max(1, NUMBERS_IN_1_MB // units.n_units)
        for some in (slice(at, at + step) for at in range(0, n_pairs, step)):
            sort_keys(units.values[some], out=keys[some]).sort(axis=1)  # zeros come first
            positive[some], is_untied[some], is_one_size[some] = _sum_positive_ranks(
                keys[some], units.largest_roundings[some], n_zeros[some], units.n_positive[some]
            )
        if zeros != "wilcox":
            is_one_size &= n_zeros == 0
        return cls(units, zeros, n_zeros, keys, positive, is_untied, is_one_size)

    def ranks(self, row: int) -> SignedRanks:
        """Return the ranks of one pair."""
        n_zeros = int(self.n_zeros[row])
        if self.is_untied[row]:
            ranks = np.arange(1.0, self.units.n_units + 1)
            return _build_untied_ranks(float(self.positive[row]), ranks)
        if self.is_one_size[row]:
            return _build_one_size_ranks(float(self.positive[row]), self.units.n_units - n_zeros)
        values, roundings = self.units.values[row], self.units.roundings(row)
        return rank_sorted(self.keys[row, n_zeros:], values, roundings, n_zeros, self.zeros)


def _sum_positive_ranks(
    keys: UIntArray, largest_roundings: FloatArray, n_zeros: IntArray, n_positive: IntArray
) -> tuple[FloatArray, BoolArray, BoolArray]:
    """Return (p,) R+ of rows of sorted (p, m) keys, whether they are untied or of one size.

    R+ is valid only where one of the two holds: without zeros and ties the ranks are 1 to m, and
    where all sizes that are not 0 are equal, as for differences of 0 and 1, each has the mean rank.
    """
    gaps = np.diff((keys >> _ONE).view(np.float64), axis=1).min(axis=1, initial=np.inf)
    sums = (keys & _ONE).astype(np.float64) @ np.arange(1.0, keys.shape[1] + 1)
    is_untied = (n_zeros == 0) & (gaps > largest_roundings)
    n = keys.shape[1] - n_zeros
    first = keys[np.arange(len(keys)), np.minimum(n_zeros, keys.shape[1] - 1)]
    is_one_size = (n > 1) & (first >> _ONE == keys[:, -1] >> _ONE)
    return np.where(is_one_size, n_positive * (n + 1) / 2, sums), is_untied, is_one_size


def _build_untied_ranks(positive: float, ranks: FloatArray) -> SignedRanks:
    """Build the (n,) ranks 1 to n with their R+."""
    n = len(ranks)
    negative, variance = n * (n + 1) / 2 - positive, n * (n + 1) * (2 * n + 1) / 24
    return SignedRanks(positive, negative, n, ranks, 0.0, variance, False)


def _build_one_size_ranks(positive: float, n: int) -> SignedRanks:
    """Build the ranks of n > 1 differences of one size, with zeros left out, from their R+."""
    rank = (n + 1) / 2
    ranks = np.full(n, rank)
    return SignedRanks(positive, n * rank - positive, n, ranks, 0.0, n * rank**2 / 4, True)
