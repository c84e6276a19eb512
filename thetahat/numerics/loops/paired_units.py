"""Setting differences that are only rounding errors to 0, for many pairs."""

from __future__ import annotations

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled
from thetahat.values.types import FloatArray, IntArray


def zero_rounding_errors(
    values: FloatArray, of_models: FloatArray, positions: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
    """Return differences in which pure rounding errors are set to 0.

    Parameters
    ----------
    values : ndarray of float
        (p, u) differences; they stay as they are.
    of_models : ndarray of float
        (m, u) bounds on the rounding errors of the models' units; the bound of a difference is
        the larger one of its two models.
    positions : ndarray of int
        (p, 2) the two models of each pair.

    Returns
    -------
    values : ndarray of float
        (p, u) differences; the argument itself if nothing is set to 0.
    largest : ndarray of float
        (p,) largest rounding error of a pair's differences.
    dropped : ndarray of float
        (p,) sum of the absolute values that were set to 0.
    n_positive, n_negative : ndarray of int
        (p,) number of remaining differences of either sign.
    """
    p = len(values)
    by_model, dropped = of_models.max(axis=1, initial=0.0), np.zeros(p)
    largest = np.maximum(by_model[positions[:, 0]], by_model[positions[:, 1]])
    n_positive, n_negative = np.empty(p, dtype=np.intp), np.empty(p, dtype=np.intp)
    of = as_read_only(of_models), as_read_only(positions)
    compiled(count_signs)(*of, as_read_only(values), dropped, n_positive, n_negative)
    if dropped.any():
        values = values.copy()
        compiled(zero_rows_with_rounding_errors)(*of, dropped, values)
    return values, largest, dropped, n_positive, n_negative


def count_signs(  # noqa: PLR0913 - the differences, whose they are, and three results
    of_models: FloatArray,
    positions: IntArray,
    values: FloatArray,
    dropped: FloatArray,
    n_positive: IntArray,
    n_negative: IntArray,
) -> None:
    """Count the positive, negative and dropped differences of each row."""
    for row in range(len(values)):
        a, b = of_models[positions[row, 0]], of_models[positions[row, 1]]
        own = values[row]
        positive, negative = np.int64(0), np.int64(0)
        for i in range(len(own)):
            slack = max(a[i], b[i])
            positive += np.int64(own[i] > slack)
            negative += np.int64(own[i] < -slack)
        n_positive[row], n_negative[row] = positive, negative
        if positive + negative < len(own):
            for i in range(len(own)):
                size = abs(own[i])
                if size <= max(a[i], b[i]):
                    dropped[row] += size


def zero_rows_with_rounding_errors(
    of_models: FloatArray, positions: IntArray, dropped: FloatArray, values: FloatArray
) -> None:
    """Set rounding errors to 0 in the rows that have any."""
    for row in range(len(values)):
        if dropped[row] > 0:
            a, b = of_models[positions[row, 0]], of_models[positions[row, 1]]
            own = values[row]
            for i in range(len(own)):
                if abs(own[i]) <= max(a[i], b[i]):
                    own[i] = 0.0
