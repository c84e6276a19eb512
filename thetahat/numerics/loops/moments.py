"""Sums and sums of squares of every block in one pass over the losses.

Losses are taken relative to their block's first. The order of additions suits the processor: a
number does not change from run to run on one machine.
"""

from __future__ import annotations

import numpy as np

from thetahat.numerics.loops.compiling import as_read_only, compiled, compiled_with_reordered_sums
from thetahat.values.types import FloatArray, IntArray

_ONE = np.uint64(1)

_MAX_LOSS_OF_DIGITS = 100.0  # squares about the first loss over those about the mean: two of 16


def by_runs(
    values: FloatArray, starts: IntArray, shift: float
) -> tuple[FloatArray, FloatArray] | None:
    """Return (J,) means minus the shift and centred sums of squares of consecutive rows.

    None if the first loss of a run is so far out that squares about it would lose digits.

    Parameters
    ----------
    values : ndarray of float
        (n,) losses, sorted by block.
    starts : ndarray of int
        (J + 1,) first row of each block.
    shift : float
        A value near the losses.
    """
    deviations, centred = np.empty(len(starts) - 1), np.empty(len(starts) - 1)
    loop = compiled_with_reordered_sums(of_runs)
    lost = loop(as_read_only(values), starts, shift, _MAX_LOSS_OF_DIGITS, deviations, centred)
    return None if lost else (deviations, centred)


def by_rows(
    values: FloatArray, first: FloatArray, sizes: FloatArray, split: np.ndarray
) -> tuple[FloatArray, FloatArray] | None:
    """Return (J,) means relative to the first loss of each block, and centred sums of squares.

    None as for ``by_runs``.

    Parameters
    ----------
    values : ndarray of float
        (n,) losses in input order.
    first : ndarray of float
        (J,) first loss of each block.
    sizes : ndarray of float
        (J,) losses of each block.
    split : ndarray of uint16
        (n,) block of each row.
    """
    four = np.zeros((len(first), 8))
    compiled(of_rows)(as_read_only(values), first, split, four)
    sums, squares = four[:, :4].sum(axis=1), four[:, 4:].sum(axis=1)
    means = sums / sizes
    about_first = sums * means
    centred = np.maximum(squares - about_first, 0.0)
    if np.any(about_first > _MAX_LOSS_OF_DIGITS * centred, where=sizes > 1):
        return None
    return means, centred


def of_runs(  # noqa: PLR0913 - the losses, where they stand, and two results
    values: FloatArray,
    starts: IntArray,
    shift: float,
    most_lost: float,
    deviations: FloatArray,
    centred: FloatArray,
) -> bool:
    """Write means minus the shift and centred sums of squares; return whether digits were lost.

    Places are numbers without a sign: none has to be looked at whether it counts from the end.
    """
    lost = False
    for j in range(len(deviations)):
        low, stop = np.uint64(starts[j]), np.uint64(starts[j + 1])
        n, first = int(stop - low), values[low]
        s = q = 0.0
        for i in range(low + _ONE, stop):  # the first is 0 above itself
            x = values[i] - first
            s += x
            q += x * x
        mean = s / n
        about_first = s * mean
        left = q - about_first
        left = max(left, 0.0)  # NaN stays
        deviations[j], centred[j] = (first - shift) + mean, left
        lost |= n > 1 and about_first > most_lost * left
    return lost


def of_rows(values: FloatArray, first: FloatArray, split: np.ndarray, four: FloatArray) -> None:
    """Add rows in any order to (J, 8) accumulators: four sums and four sums of squares each."""
    whole = len(values) // 4 * 4
    for i in range(0, whole, 4):
        j0, j1, j2, j3 = split[i], split[i + 1], split[i + 2], split[i + 3]
        x0, x1 = values[i] - first[j0], values[i + 1] - first[j1]
        x2, x3 = values[i + 2] - first[j2], values[i + 3] - first[j3]
        four[j0, 0] += x0
        four[j0, 4] += x0 * x0
        four[j1, 1] += x1
        four[j1, 5] += x1 * x1
        four[j2, 2] += x2
        four[j2, 6] += x2 * x2
        four[j3, 3] += x3
        four[j3, 7] += x3 * x3
    for i in range(whole, len(values)):
        x = values[i] - first[split[i]]
        four[split[i], 0] += x
        four[split[i], 4] += x * x
