"""Checks of the columns of a sample, columns on a common scale, and jackknife variances."""

from __future__ import annotations

import math

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics.base import Sample
from thetahat.values.types import FloatArray

NOT_ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Of the terms of a difference: what is smaller is their rounding."""


def require_one_column(name: str, sample: Sample, fewest: int = 1) -> FloatArray:
    """Return x, and refuse a y."""
    if sample.y is not None:
        raise InvalidParameter(f"{name} is of one sample, and there is a y.", loc=("y",))
    if len(sample.x) < fewest:
        raise InsufficientData(
            f"{name} needs at least {fewest} values, and there are {len(sample.x)}.", loc=("x",)
        )
    return sample.x


def require_two_columns(name: str, sample: Sample, fewest: int) -> tuple[FloatArray, FloatArray]:
    """Return x and y, of the same rows."""
    if sample.y is None:
        raise InvalidParameter(
            f'{name} is of pairs, and there is no y. Give the sample as {{"x": [..], "y": [..]}}.',
            loc=("y",),
        )
    if len(sample.x) != len(sample.y):
        raise InvalidParameter(
            f"{name} is of pairs, and there are {len(sample.x)} x and {len(sample.y)} y.",
            loc=("y",),
            value=len(sample.y),
        )
    if len(sample.x) < fewest:
        raise InsufficientData(
            f"{name} needs at least {fewest} rows, and there are {len(sample.x)}.", loc=("x",)
        )
    return sample.x, sample.y


def choose_shift(x: FloatArray) -> float:
    """Return an entry near the middle where the values lie far from 0 for their spread, else 0.

    An entry, so that whole numbers stay whole when it is taken off.
    """
    middle = float(np.partition(x, len(x) // 2)[len(x) // 2])
    spread = float(np.abs(x - middle).max())
    return middle if abs(middle) > 16 * spread else 0.0


def centre_and_scale(x: FloatArray) -> tuple[FloatArray, float]:
    """Return x less its mean, divided by a power of 2 that makes it at most 1, and that power."""
    r = x - x[0]
    r = r - r.mean()
    size = float(np.abs(r).max())
    scale = 2.0 ** math.frexp(size)[1] if size > 0 else 1.0
    return r / scale, scale


def compute_jackknife_variances(without: FloatArray, counts: FloatArray) -> FloatArray:
    """Return (b,) jackknife variances from (b, n) values without one copy of each row."""
    is_drawn = counts > 0
    without = np.where(is_drawn, without, 0.0)
    n = counts.sum(axis=1)
    mean = np.einsum("bn,bn->b", counts, without) / n
    squares = np.where(is_drawn, without - mean[:, None], 0.0) ** 2
    return np.asarray((n - 1) / n * np.einsum("bn,bn->b", counts, squares))
