"""The skewness of a mean, which decides how well intervals for it cover."""

from __future__ import annotations

import math

import numpy as np

from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import FloatArray


def compute_skewness_of_mean(losses: BlockLosses) -> float | None:
    r"""Return :math:`\hat\gamma / \sqrt n` over n instances; None where losses do not vary.

    :math:`\hat\gamma` is the third central moment over the 3/2 power of the second. The size is at
    most 1. Rows of several repeats count towards the moments, and each instance once towards n.

    Where instances come in clusters, only the clusters are independent: the values are then the
    sums over clusters of the losses' deviations from their mean, and n the number of clusters.
    """
    layout = losses.layout
    if layout.cluster is None:
        return compute_skewness(losses.rows, layout.n_instances)
    shifted = losses.rows - losses.rows[0]  # a large mean loss then costs no digits
    sums = np.bincount(layout.cluster, weights=shifted - shifted.mean())
    return compute_skewness(sums.astype(np.float64), len(sums))


def compute_skewness(values: FloatArray, n: int) -> float | None:
    r"""Return the skewness of the mean of n values that are distributed as these are."""
    centred = values - values[0]
    centred = centred - centred.mean()
    largest = float(np.abs(centred).max())
    if not 0 < largest < math.inf:
        return None
    centred = centred / largest
    squares = centred * centred
    second = float(squares.mean())
    third = float((squares * centred).mean())
    return third / (second * math.sqrt(second * n))
