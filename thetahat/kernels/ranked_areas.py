"""Compiled loops over sorted scores: areas under two curves of many resamples.

Plain functions over numpy arrays, as ``thetahat.kernels.compiling`` takes them. Rows are visited
in ascending order of the score; ``last`` marks the last row of each group of equal scores.
"""

from __future__ import annotations

import numpy as np

from thetahat.types import FloatArray, IntArray

BoolArray = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def roc_areas(
    counts: FloatArray, order: IntArray, positive: BoolArray, last: BoolArray, out: FloatArray
) -> None:
    """Fill ``out`` (b,) with the areas under the ROC curve of (b, m) counts."""
    for b in range(counts.shape[0]):
        found, below, wins = 0.0, 0.0, 0.0
        positives, negatives = 0.0, 0.0
        for i in range(len(order)):
            count = counts[b, order[i]]
            if positive[i]:
                positives += count
            else:
                negatives += count
            if last[i]:
                wins += positives * (below + 0.5 * negatives)
                below += negatives
                found += positives
                positives, negatives = 0.0, 0.0
        total = found * below
        out[b] = wins / total if total > 0 else np.nan


def precision_areas(
    counts: FloatArray, order: IntArray, positive: BoolArray, last: BoolArray, out: FloatArray
) -> None:
    """Fill ``out`` (b,) with the average precisions of (b, m) counts."""
    for b in range(counts.shape[0]):
        found, taken, area = 0.0, 0.0, 0.0
        positives, negatives = 0.0, 0.0
        for j in range(len(order)):
            i = len(order) - 1 - j
            # coming from above, a group ends where the row below it is the last of another
            count = counts[b, order[i]]
            if positive[i]:
                positives += count
            else:
                negatives += count
            if i == 0 or last[i - 1]:
                found += positives
                taken += positives + negatives
                if taken > 0:
                    area += positives * (found / taken)
                positives, negatives = 0.0, 0.0
        out[b] = area / found if found > 0 else np.nan
