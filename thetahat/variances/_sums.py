"""Sums of centred losses over groups of rows."""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray, IntArray


def sums_about_the_mean(rows: FloatArray, group: IntArray) -> FloatArray:
    """(C,) sum over each group of (e_i - mean of all), from (n,) losses and group codes.

    Everything is taken relative to the first loss, so that a large mean loss costs no digits.
    """
    shifted = rows - rows[0]
    shifted -= shifted.mean()
    return np.asarray(np.bincount(group, weights=shifted))
