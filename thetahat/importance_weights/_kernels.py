"""Gaussian kernels exp(-d^2 / (2 s^2)): distances, centres and rules for the width s."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final, Literal

import numpy as np
import scipy

from thetahat.errors import InsufficientData
from thetahat.importance_weights.base import Samples
from thetahat.parameter_checks import check_choice, check_positive
from thetahat.values.batch_sizes import NUMBERS_IN_32_MB
from thetahat.values.types import FloatArray


def compute_squared_distances(rows: FloatArray, others: FloatArray) -> FloatArray:
    """Return (a, b) squared distances, summed from differences: distant rows lose no digits."""
    return np.asarray(scipy.spatial.distance.cdist(rows, others, "sqeuclidean"))


def slice_rows(n: int, width: int) -> Iterator[slice]:
    """Yield slices of n rows that have, in rows of this width, at most 32 MB of numbers each."""
    step = max(1, NUMBERS_IN_32_MB // max(width, 1))
    for start in range(0, n, step):
        yield slice(start, min(start + step, n))


def compute_nearest_distances(rows: FloatArray, others: FloatArray | None = None) -> FloatArray:
    """Return (a,) distances of the rows to the nearest of the others, or of the other rows."""
    candidates = rows if others is None else others
    squared_minima = np.empty(len(rows))
    for part in slice_rows(len(rows), len(candidates)):
        squares = compute_squared_distances(rows[part], candidates)
        if others is None:
            own = np.arange(part.start, part.stop)
            squares[own - part.start, own] = np.inf
        squared_minima[part] = squares.min(axis=1)
    return np.asarray(np.sqrt(squared_minima))


def average_distance_to_nearest(rows: FloatArray, others: FloatArray, count: int) -> float:
    """Return the mean distance of the rows to their ``count`` nearest others, or to all."""
    count = min(count, len(others))
    total = 0.0
    for part in slice_rows(len(rows), len(others)):
        squares = compute_squared_distances(rows[part], others)
        nearest = np.partition(squares, count - 1, axis=1)[:, :count]
        total += float(np.sqrt(nearest).sum())
    return total / (len(rows) * count)


def draw_centres(samples: Samples, n_centres: int, rng: np.random.Generator) -> FloatArray:
    """Return all target rows, or ``n_centres`` of them drawn without replacement."""
    if samples.m <= n_centres:
        return samples.target
    return samples.target[np.sort(rng.choice(samples.m, n_centres, replace=False))]


def compute_log_kernel(rows: FloatArray, centres: FloatArray, width: float) -> FloatArray:
    """Return (n, L) logarithms of exp(-d^2 / (2 s^2))."""
    scale = width * math.sqrt(2)
    return np.asarray(-compute_squared_distances(rows / scale, centres / scale))


WidthRule = Literal["neighbours", "silverman", "median"]
RULES: Final = ("neighbours", "silverman", "median")
N_NEIGHBOURS: Final = 5
MAX_ROWS: Final = 1000
"""Largest number of rows for the median distance; more rows are thinned at random."""


def check_width(width: float | str, *others: str) -> None:
    """Raise ``InvalidParameter`` unless the width is a number above 0 or one of the names."""
    if isinstance(width, str):
        check_choice("width", width, ("a number", *RULES, *others))
    else:
        check_positive("width", width)


def compute_width(width: float | WidthRule, samples: Samples, rng: np.random.Generator) -> float:
    """Return the kernel width s: the number itself, or what a rule computes from the samples.

    ``neighbours`` is the mean distance of the source rows to their five nearest target rows.
    ``silverman`` is (4 / (p + 2))^(1 / (p + 4)) N^(-1 / (p + 4)) times the root of the mean
    variance of the features, over the N rows of both samples. ``median`` is the median distance
    between two rows of both samples.
    """
    if not isinstance(width, str):
        return float(width)
    if width == "neighbours":
        computed = average_distance_to_nearest(samples.source, samples.target, N_NEIGHBOURS)
    elif width == "silverman":
        computed = _compute_silverman_width(np.concatenate([samples.source, samples.target]))
    else:
        computed = _compute_median_width(np.concatenate([samples.source, samples.target]), rng)
    if not (math.isfinite(computed) and computed > 0):
        raise InsufficientData(
            f"The width by the rule {width} is {computed:g}, because rows coincide. Give a number.",
            loc=("width",),
        )
    return computed


def _compute_silverman_width(rows: FloatArray) -> float:
    n, p = rows.shape
    spread = math.sqrt(float((rows - rows.mean(axis=0)).var(axis=0, ddof=1).mean()))
    return float((4 / (p + 2) / n) ** (1 / (p + 4)) * spread)


def _compute_median_width(rows: FloatArray, rng: np.random.Generator) -> float:
    if len(rows) > MAX_ROWS:
        rows = rows[np.sort(rng.choice(len(rows), MAX_ROWS, replace=False))]
    pairs = np.triu_indices(len(rows), 1)
    return math.sqrt(float(np.median(compute_squared_distances(rows, rows)[pairs])))
