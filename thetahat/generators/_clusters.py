"""Rows that come in clusters."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np

from thetahat.generators._size import DrawSize
from thetahat.values.types import FloatArray, IntArray


def clusters_of(size: DrawSize, cluster_size: int) -> IntArray | None:
    """(n,) which cluster each row is of, ascending, each of one source; None of clusters of 1."""
    if cluster_size == 1:
        return None
    each = size.rows if size.per_source is None else size.per_source
    source, row = np.divmod(np.arange(size.rows), each)
    return np.asarray(source * -(-each // cluster_size) + row // cluster_size)


def alike_in_clusters(
    draw: Callable[[int], FloatArray], n: int, cluster: IntArray | None, correlation: float
) -> FloatArray:
    """(n, ...) numbers as ``draw`` gives them, correlated between rows of one cluster."""
    own = draw(n)
    if cluster is None:
        return own
    shared = draw(int(cluster[-1]) + 1)
    return np.asarray(sqrt(1 - correlation) * own + sqrt(correlation) * shared[cluster])
