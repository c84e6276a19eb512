"""Scores that are a function of a ratio of sums over all items, and no mean of items."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.types import FloatArray, IntArray


class RatioScore(NamedTuple):
    """A function of a ratio of sums."""

    formula: str
    """What it is, in words."""
    compute: Callable[[FloatArray], FloatArray]
    """Returns the scores of ratios."""
    is_loss: bool
    """Whether lower values are better."""


SHARE: Final = RatioScore(
    "the number of true values over the number of values", lambda ratios: ratios, is_loss=False
)
PERPLEXITY: Final = RatioScore(
    "exp(-sum of log-likelihoods / sum of lengths)", lambda ratios: np.exp(-ratios), is_loss=True
)
BITS: Final = RatioScore(
    "-sum of log-likelihoods / sum of lengths / log(2)",
    lambda ratios: -ratios / math.log(2),
    is_loss=True,
)


def compute_jackknife_values(
    score: RatioScore, parts: FloatArray, sizes: FloatArray, blocks: IntArray
) -> FloatArray:
    r"""Return values of items whose mean, in each block, is its score.

    .. math::
        v_i = f(R) - (n - 1) (f(R_{(i)}) - \bar f), \qquad R = \sum y_i / \sum w_i

    where :math:`R_{(i)}` is the ratio without item i, and :math:`\bar f` the mean of the
    :math:`f(R_{(i)})`. The variance of their mean is the jackknife's for the score, also for
    differences of models; the value of one item has no meaning by itself. With lengths as unequal
    as those of texts, the jackknife's intervals cover more often than the delta method's: of 20
    items .93 in place of .90, of 50 .94 in place of .92.

    Parameters
    ----------
    score : RatioScore
        The function f.
    parts, sizes : ndarray
        (n,) numerators y and denominators w.
    blocks : ndarray of int
        (n,) code of the block of each item.

    Degenerate cases: the value of a block of one item is its score.

    Raises
    ------
    InsufficientData
        All sizes of a block are 0, or all but one of several.
    InvalidParameter
        A score is too large to be a number.
    """
    values = np.empty(len(parts))
    for block in range(int(blocks.max()) + 1):
        rows = blocks == block
        values[rows] = _compute_for_block(score, parts[rows], sizes[rows])
    return values


def _compute_for_block(score: RatioScore, parts: FloatArray, sizes: FloatArray) -> FloatArray:
    n, part, size = len(parts), math.fsum(parts), math.fsum(sizes)
    if n == 1 and size > 0:
        without = np.array([part / size])
    elif np.count_nonzero(sizes) < 2:
        raise InsufficientData(
            "A score that is a ratio of sums needs two items whose length, or number of values, is "
            f"above 0, and has {np.count_nonzero(sizes)}."
        )
    else:
        without = (part - parts) / (size - sizes)
    with np.errstate(over="ignore", invalid="ignore"):
        estimate = score.compute(np.array([part / size]))
        others = score.compute(without)
        values: FloatArray = estimate - (n - 1) * (others - others.mean())
    if not np.isfinite(values).all():
        raise InvalidParameter(f"The score, {score.formula}, is too large to be a number.")
    return values
