"""Distances between rows, in blocks that fit in memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.values.types import FloatArray

_CELLS = 4_000_000
"""Of a block: 32 megabytes."""


def squared_distances(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Return (a, b) squared distances, summed from differences: a far origin costs no digits."""
    from scipy.spatial.distance import cdist  # noqa: PLC0415 - slow to import, and rarely needed

    return np.asarray(cdist(rows, others, "sqeuclidean"))


def blocks(n: int, width: int) -> Iterator[slice]:
    """Yield slices of n rows so that a block has few enough cells."""
    step = max(1, _CELLS // max(width, 1))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def nearest_distances(rows: FloatArray, others: FloatArray | None = None) -> FloatArray:
    """Return (a,) distances to the nearest of the others; left out: of the other rows."""
    there = rows if others is None else others
    found = np.empty(len(rows))
    for part in blocks(len(rows), len(there)):
        squares = squared_distances(rows[part], there)
        if others is None:
            own = np.arange(part.start, part.stop)
            squares[own - part.start, own] = np.inf
        found[part] = squares.min(axis=1)
    return np.asarray(np.sqrt(found))


def mean_distance_to_nearest(rows: FloatArray, others: FloatArray, count: int) -> float:
    """Return the mean distance of the rows to their ``count`` nearest others, or to all."""
    count = min(count, len(others))
    total = 0.0
    for part in blocks(len(rows), len(others)):
        squares = squared_distances(rows[part], others)
        nearest = np.partition(squares, count - 1, axis=1)[:, :count]
        total += float(np.sqrt(nearest).sum())
    return total / (len(rows) * count)
