"""Compiled loops over sorted scores: areas under two curves of many resamples.

Plain functions over numpy arrays, as ``thetahat.numerics.loops.compiling`` takes them. Rows are
visited
in ascending order of the score; ``last`` marks the last row of each group of equal scores.
``positive`` is 1 or 0, to be multiplied by: a branch on it could not be foreseen.
"""

from __future__ import annotations

import numpy as np

from thetahat.numerics.loops.hashes import UInt32Array
from thetahat.values.types import BoolArray, FloatArray


def roc_areas(
    counts: FloatArray, order: UInt32Array, positive: FloatArray, last: BoolArray, out: FloatArray
) -> None:
    """Fill ``out`` (b,) with the areas under the ROC curve of (b, m) counts.

    Without ties the lower and the upper half are gone through side by side.
    """
    n, half = len(order), len(order) // 2
    without_ties = last.all()
    for b in range(counts.shape[0]):
        row = counts[b]
        positives_so_far, below, wins = 0.0, 0.0, 0.0
        if without_ties:
            high_found, high_below, high_wins = 0.0, 0.0, 0.0
            for i in range(half):
                count = row[order[i]]
                of_class = count * positive[i]
                wins += of_class * below
                below += count - of_class
                positives_so_far += of_class
                count = row[order[half + i]]
                of_class = count * positive[half + i]
                high_wins += of_class * high_below
                high_below += count - of_class
                high_found += of_class
            if n % 2:
                count = row[order[n - 1]]
                of_class = count * positive[n - 1]
                high_wins += of_class * high_below
                high_below += count - of_class
                high_found += of_class
            wins += high_wins + high_found * below
            below += high_below
            positives_so_far += high_found
        else:
            positives, negatives = 0.0, 0.0
            for i in range(n):
                count = row[order[i]]
                of_class = count * positive[i]
                positives += of_class
                negatives += count - of_class
                if last[i]:
                    wins += positives * (below + 0.5 * negatives)
                    below += negatives
                    positives_so_far += positives
                    positives, negatives = 0.0, 0.0
        total = positives_so_far * below
        out[b] = wins / total if total > 0 else np.nan


def precision_areas(
    counts: FloatArray, order: UInt32Array, positive: FloatArray, last: BoolArray, out: FloatArray
) -> None:
    """Fill ``out`` (b,) with the average precisions of (b, m) counts."""
    n = len(order)
    without_ties = last.all()
    for b in range(counts.shape[0]):
        row = counts[b]
        positives_so_far, taken, area = 0.0, 0.0, 0.0
        if without_ties:
            for i in range(n - 1, -1, -1):
                count = row[order[i]]
                of_class = count * positive[i]
                positives_so_far += of_class
                taken += count
                area += of_class * (positives_so_far / (taken if taken > 0 else 1.0))
        else:
            positives, negatives = 0.0, 0.0
            for i in range(n - 1, -1, -1):
                # coming from above, a group ends where the row below it is the last of another
                count = row[order[i]]
                of_class = count * positive[i]
                positives += of_class
                negatives += count - of_class
                if i == 0 or last[i - 1]:
                    positives_so_far += positives
                    taken += positives + negatives
                    area += positives * (positives_so_far / (taken if taken > 0 else 1.0))
                    positives, negatives = 0.0, 0.0
        out[b] = area / positives_so_far if positives_so_far > 0 else np.nan
