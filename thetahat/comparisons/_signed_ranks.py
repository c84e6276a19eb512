"""Mid-ranks of absolute differences, their sums by sign, and the exact null distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thetahat.comparisons._units import PairedUnits
from thetahat.types import Alternative, FloatArray

BoolArray = npt.NDArray[np.bool_]
Zeros = Literal["wilcox", "pratt", "zsplit", "demsar_split"]


@dataclass(frozen=True, slots=True, eq=False)
class SignedRanks:
    """Ranks of the absolute differences and what follows from them.

    Parameters
    ----------
    positive, negative : float
        R+ and R-, the zeros' share included where they are split.
    ranks : ndarray of float
        (m,) mid-ranks of the differences that are not 0, ascending.
    share_of_zeros : float
        What the zeros add to each of the two sums.
    variance : float
        Of R+ under the null, as the convention for zeros has it.
    has_ties : bool
        Whether two differences that are not 0 share a rank.
    """

    positive: float
    negative: float
    ranks: FloatArray
    share_of_zeros: float
    variance: float
    has_ties: bool

    @property
    def expected(self) -> float:
        """Mean of R+ under the null: half of all ranks given out."""
        return (self.positive + self.negative) / 2


def signed_ranks(units: PairedUnits, zeros: Zeros) -> SignedRanks:
    """Rank the absolute differences and sum the ranks by sign.

    ``wilcox`` leaves zeros out; ``pratt`` ranks them and gives their ranks to nobody;
    ``zsplit`` gives half of their ranks to each side; ``demsar_split`` does the same, leaves one
    of an odd number out, and has no tie correction in the variance.
    """
    values, roundings = units.values, units.roundings
    if units.n_zeros > 0:
        present = values != 0
        values, roundings = values[present], roundings[present]
    n_zeros = {
        "wilcox": 0,
        "pratt": units.n_zeros,
        "zsplit": units.n_zeros,
        "demsar_split": units.n_zeros - units.n_zeros % 2,
    }[zeros]
    ranks, is_positive, has_ties = ranked_signs(values, roundings)
    ranks += n_zeros
    share = n_zeros * (n_zeros + 1) / 4 if zeros in ("zsplit", "demsar_split") else 0.0
    positive, negative = float(ranks @ is_positive), float(ranks @ ~is_positive)
    n = len(values) + n_zeros
    if zeros == "demsar_split":
        variance = n * (n + 1) * (2 * n + 1) / 24
    else:
        # sum of r^2 / 4 is n(n+1)(2n+1)/24 with its tie correction; zeros that are split count
        # with their mid-rank, as if they had a sign
        variance = float(ranks @ ranks) / 4
        variance += n_zeros * (n_zeros + 1) ** 2 / 16 if zeros == "zsplit" else 0.0
    return SignedRanks(positive + share, negative + share, ranks, share, variance, has_ties)


def ranked_signs(values: FloatArray, roundings: FloatArray) -> tuple[FloatArray, BoolArray, bool]:
    """Rank the sizes of differences from 1 and say which are positive, in ascending order.

    Neighbours no further apart than their rounding share the mean of their ranks; the last value
    tells whether any do. The sign travels in the lowest bit of the sorted key, so that no
    permutation is needed; only where some gap lies between the smallest and the largest rounding
    must each value's own rounding be sorted along with it.
    """
    n = len(values)
    if n == 0:
        return np.empty(0), np.empty(0, dtype=np.bool_), False
    # a size that is not negative orders as its bits do, and leaves the sign bit free
    keys = (np.abs(values).view(np.uint64) << np.uint64(1)) | (values > 0)
    keys.sort()
    positive = (keys & np.uint64(1)).astype(np.bool_)
    gaps = np.diff((keys >> np.uint64(1)).view(np.float64))
    apart = gaps > roundings.max()
    if np.any(~apart & (gaps > roundings.min())):
        order = np.argsort(np.abs(values))
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
    doubled = np.rint(2 * found.ranks).astype(np.intp)
    chances = np.zeros(int(doubled.sum()) + 1)
    chances[0] = 1.0
    for rank in doubled:
        chances /= 2
        # the right-hand side is made before it is added: each state comes from the old ones
        chances[rank:] += chances[: len(chances) - rank].copy()
    reached = round(2 * (found.positive - found.share_of_zeros))
    below = min(1.0, float(chances[: reached + 1].sum()))
    above = min(1.0, float(chances[reached:].sum()))
    if alternative is Alternative.TWO_SIDED:
        return min(1.0, 2 * min(below, above))
    return below if alternative is Alternative.LESS else above
