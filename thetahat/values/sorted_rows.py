"""Whether rows are sorted, so that neighbours are alike whatever the sample."""

from __future__ import annotations

import numpy as np


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
