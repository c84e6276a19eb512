"""Differences of many pairs, and what of them is nothing but rounding."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.kernels.compiling import compiled, to_be_read
from thetahat.types import FloatArray, IntArray

MANY_VALUES: Final = 50_000
"""Differences of all pairs from which the loops pay for being compiled."""


def without_roundings(
    values: FloatArray, of_models: FloatArray, positions: IntArray
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Set differences that are nothing but rounding to 0, in place.

    Parameters
    ----------
    values : ndarray of float
        (p, u) differences.
    of_models : ndarray of float
        (m, u) how far rounding may have moved the units of the models.
    positions : ndarray of int
        (p, 2) the two models of each pair.

    Returns
    -------
    roundings : ndarray of float
        (p, u) the larger of the two models'.
    dropped : ndarray of float
        (p,) sum of the sizes of what is now 0.
    n_positive, n_negative : ndarray of int
        (p,) how many differences are left of either sign.
    """
    roundings, dropped = np.empty_like(values), np.zeros(len(values))
    n_positive, n_negative = (np.empty(len(values), dtype=np.intp) for _ in range(2))
    given = (to_be_read(of_models), to_be_read(positions), values)
    compiled(drop_roundings)(*given, roundings, dropped, n_positive, n_negative)
    return roundings, dropped, n_positive, n_negative


def drop_roundings(  # noqa: PLR0913 - the differences, whose they are, and four results
    of_models: FloatArray,
    positions: IntArray,
    values: FloatArray,
    roundings: FloatArray,
    dropped: FloatArray,
    n_positive: IntArray,
    n_negative: IntArray,
) -> None:
    """Fill in everything of ``without_roundings``, a row after the other."""
    for row in range(len(values)):
        a, b = of_models[positions[row, 0]], of_models[positions[row, 1]]
        own, slack = values[row], roundings[row]
        positive = negative = 0
        for i in range(len(own)):
            most = max(a[i], b[i])
            slack[i] = most
            positive += own[i] > most
            negative += own[i] < -most
        n_positive[row], n_negative[row] = positive, negative
        if positive + negative < len(own):
            for i in range(len(own)):
                size = abs(own[i])
                if size <= slack[i]:
                    dropped[row] += size
                    own[i] = 0.0
