"""Signed ranks of paired differences, and their exact null distribution."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from thetahat.values.types import Alternative, BoolArray, FloatArray

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


def rank_values(values: FloatArray, roundings: FloatArray, zeros: Zeros) -> SignedRanks:
    """Rank the absolute (u,) differences of the units and sum the ranks by sign.

    ``wilcox`` leaves zeros out; ``pratt`` ranks them and drops their ranks; ``zsplit`` gives half
    of their ranks to each side; ``demsar_split`` does the same, leaves one of an odd number of
    zeros out, and does not correct the variance for ties. ``roundings`` are the bounds on the
    rounding errors of the differences.
    """
    n_zeros = int(np.count_nonzero(values == 0))
    if n_zeros > 0:
        is_ranked = values != 0
        values, roundings = values[is_ranked], roundings[is_ranked]
    n_ranked_zeros = {
        "wilcox": 0,
        "pratt": n_zeros,
        "zsplit": n_zeros,
        "demsar_split": n_zeros - n_zeros % 2,
    }[zeros]
    n = n_ranked = len(values)
    ranks, is_positive, has_ties = _compute_mid_ranks(values, roundings)
    ranks += n_ranked_zeros
    squares = float(ranks @ ranks)
    if has_ties and not n_ranked_zeros and ranks[0] == ranks[-1]:
        squares = n * float(ranks[0]) ** 2  # also exact for millions of losses of 0 and 1
    positive = float(ranks @ is_positive)
    negative = float(ranks.sum()) - positive
    is_split = zeros in ("zsplit", "demsar_split")
    share = n_ranked_zeros * (n_ranked_zeros + 1) / 4 if is_split else 0.0
    n += n_ranked_zeros
    if zeros == "demsar_split" or not (has_ties or n_ranked_zeros):
        variance = n * (n + 1) * (2 * n + 1) / 24
    else:
        # The sum of r^2 / 4 is n(n+1)(2n+1)/24 with its correction for ties. Zeros that are split
        # count with their mid-rank, as if they had a sign.
        variance = squares / 4
        variance += n_ranked_zeros * (n_ranked_zeros + 1) ** 2 / 16 if zeros == "zsplit" else 0.0
    return SignedRanks(
        positive + share, negative + share, n_ranked, ranks, share, variance, has_ties
    )


def _compute_mid_ranks(
    values: FloatArray, roundings: FloatArray
) -> tuple[FloatArray, BoolArray, bool]:
    """Return the mid-ranks, ascending, their signs in this order, and whether any are tied.

    Neighbours within their rounding error are tied. The rounding errors are sorted along with the
    values only if a gap lies between the smallest and the largest of them.

    Numbers that are not negative sort as their bits do, and leave the sign bit free. Shifted by one
    bit they take the sign of the value, which is then known in their order without a permutation.
    """
    keys = np.abs(values).view(np.uint64) << _ONE
    keys |= values > 0
    keys.sort()
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
