"""Whether rows are sorted, so that neighbours are alike, or numbered by their values."""

from __future__ import annotations

import numpy as np

from thetahat.cautions import ROW_NUMBERS_AS_LOSSES
from thetahat.values.types import FloatArray


def is_monotone(values: np.ndarray) -> bool:
    """Return whether no value is smaller than the one before it, or none is larger."""
    before, after = values[:-1], values[1:]
    return bool((after >= before).all() or (after <= before).all())


def is_sorted_by_truth(truth: np.ndarray) -> bool:
    """Return whether the (n,) true values are sorted, or equal ones stand together.

    Of values that are mostly different from their neighbours only monotone ones count as sorted.
    """
    starts = np.append(True, truth[1:] != truth[:-1])
    labels = truth[starts].tolist()
    if len(labels) <= len(truth) // 2:
        return len(set(labels)) == len(labels)
    return is_monotone(truth)


def is_numbering(values: FloatArray) -> bool:
    """Return whether values are whole numbers without gap or repetition, in any order."""
    n, lowest = len(values), float(values.min())
    if n < ROW_NUMBERS_AS_LOSSES.threshold or values.max() - lowest != n - 1:
        return False
    return lowest.is_integer() and np.array_equal(np.sort(values), lowest + np.arange(n))
