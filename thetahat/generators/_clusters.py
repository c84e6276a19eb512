"""Rows that come in clusters."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from thetahat.generators._size import DrawSize
from thetahat.values.types import FloatArray, IntArray


def assign_clusters(size: DrawSize, cluster_size: int) -> IntArray | None:
    """Return the (n,) cluster of each row, ascending and within sources; None for size 1."""
    if cluster_size == 1:
        return None
    each = size.rows if size.per_source is None else size.per_source
    source, row = np.divmod(np.arange(size.rows), each)
    return np.asarray(source * -(-each // cluster_size) + row // cluster_size)


def draw_correlated(
    draw: Callable[[int], FloatArray], n: int, cluster: IntArray | None, correlation: float
) -> FloatArray:
    """Return (n, ...) numbers from ``draw``, correlated between the rows of a cluster."""
    own = draw(n)
    if cluster is None:
        return own
    shared = draw(int(cluster[-1]) + 1)
    return np.asarray(sqrt(1 - correlation) * own + sqrt(correlation) * shared[cluster])
