"""Sums and sums of squares of every block in one pass over the losses.

Losses are taken relative to their block's first. Many accumulators run side by side: one addition
need not wait for the one before. The order of additions is fixed, so a number does not change from
run to run.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.kernels.compiling import compiled
from thetahat.types import FloatArray, IntArray

MANY_ROWS: Final = 100_000
"""Rows from which the loops pay for being compiled."""

LANES: Final = 64

_MOST_DIGITS_LOST = 100.0  # squares about the first loss over those about the mean: two of 16


def by_kernel(
    values: FloatArray, first: FloatArray, starts: IntArray, split: np.ndarray | None
) -> tuple[FloatArray, FloatArray] | None:
    """Return the (J,) means relative to each block's first loss, and the centred squares.

    None where some block's first loss lies so far out that squares about it would lose digits.

    Parameters
    ----------
    values : ndarray of float
        (n,) losses in input order.
    first : ndarray of float
        (J,) first loss of each block.
    starts : ndarray of int
        (J + 1,) first sorted row of each block.
    split : ndarray of uint16 or None
        (n,) block of each row; None where the rows stand sorted by block.
    """
    sizes = np.diff(starts).astype(np.float64)
    if split is None:
        sums, squares = np.empty(len(first)), np.empty(len(first))
        compiled(of_runs)(values, first, starts, sums, squares)
    else:
        four = np.zeros((len(first), 8))
        compiled(of_rows)(values, first, split, four)
        sums, squares = four[:, :4].sum(axis=1), four[:, 4:].sum(axis=1)
    means = sums / sizes
    about_first = sums * means
    centred = np.maximum(squares - about_first, 0.0)
    if np.any(about_first > _MOST_DIGITS_LOST * centred, where=sizes > 1):
        return None
    return means, centred


def of_runs(
    values: FloatArray, first: FloatArray, starts: IntArray, sums: FloatArray, squares: FloatArray
) -> None:
    """Fill in sums and sums of squares of runs of rows.

    The quarters of a run are read side by side, which memory answers faster than one stream, and
    into ``LANES`` accumulators, which become vector instructions; the rest by eight accumulators.
    """
    lane_sums, lane_squares = np.empty(LANES), np.empty(LANES)
    for j in range(len(first)):
        shift = first[j]
        start, stop = starts[j], starts[j + 1]
        s = q = 0.0
        n_steps = (stop - start) // (4 * LANES)
        if n_steps > 0:
            quarter = n_steps * LANES
            lane_sums[:] = 0.0
            lane_squares[:] = 0.0
            for step in range(n_steps):
                at = start + step * LANES
                part_0 = values[at : at + LANES]
                part_1 = values[at + quarter : at + quarter + LANES]
                part_2 = values[at + 2 * quarter : at + 2 * quarter + LANES]
                part_3 = values[at + 3 * quarter : at + 3 * quarter + LANES]
                for i in range(LANES):
                    x0, x1 = part_0[i] - shift, part_1[i] - shift
                    x2, x3 = part_2[i] - shift, part_3[i] - shift
                    lane_sums[i] += (x0 + x1) + (x2 + x3)
                    lane_squares[i] += (x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3)
            for i in range(LANES):
                s += lane_sums[i]
                q += lane_squares[i]
            start += 4 * quarter
        whole = start + (stop - start) // 8 * 8
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
        q0 = q1 = q2 = q3 = q4 = q5 = q6 = q7 = 0.0
        for i in range(start, whole, 8):
            x0, x1 = values[i] - shift, values[i + 1] - shift
            x2, x3 = values[i + 2] - shift, values[i + 3] - shift
            x4, x5 = values[i + 4] - shift, values[i + 5] - shift
            x6, x7 = values[i + 6] - shift, values[i + 7] - shift
            s0, s1, s2, s3 = s0 + x0, s1 + x1, s2 + x2, s3 + x3
            s4, s5, s6, s7 = s4 + x4, s5 + x5, s6 + x6, s7 + x7
            q0, q1, q2, q3 = q0 + x0 * x0, q1 + x1 * x1, q2 + x2 * x2, q3 + x3 * x3
            q4, q5, q6, q7 = q4 + x4 * x4, q5 + x5 * x5, q6 + x6 * x6, q7 + x7 * x7
        s += ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
        q += ((q0 + q1) + (q2 + q3)) + ((q4 + q5) + (q6 + q7))
        for i in range(whole, stop):
            x = values[i] - shift
            s += x
            q += x * x
        sums[j], squares[j] = s, q


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
