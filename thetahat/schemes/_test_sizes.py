"""Sizes of test parts, from a share or a number of rows, and random test parts of a size."""

from __future__ import annotations

import math

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.parameter_checks import MAX_ROWS, MAX_SPLITS, check_range
from thetahat.schemes._partitions import check_two_rows, get_column
from thetahat.schemes.base import ComplementSplit, Rows, Split
from thetahat.seeds import make_random_stream
from thetahat.tables.labels import encode_labels


def check_test_size(size: float) -> None:
    """Raise unless the size is a share in (0, 1) or a whole number of at least 1."""
    if not (0 < size < 1 or (math.isfinite(size) and size >= 1 and size == int(size))):
        raise InvalidParameter(
            "test_size must be a share between 0 and 1 or a whole number of rows from 1, and "
            f"is {size}.",
            loc=("test_size",),
            value=size,
        )
    if size >= 1:
        check_range("test_size", int(size), 1, MAX_ROWS)


def count_test_units(size: float, n: int, unit: str = "row") -> int:
    """Return the number of test rows (or clusters), between 1 and n - 1.

    Subtracting 1e-9 undoes the rounding errors of products such as 0.07 x 100.
    """
    check_two_rows(n, unit)
    if size < 1:
        return min(max(math.ceil(size * n - 1e-9), 1), n - 1)
    if size > n - 1:
        raise InsufficientData(
            f"test_size {int(size)} leaves no {unit} of {n} to learn from.",
            loc=("test_size",),
            value=size,
        )
    return int(size)


def check_count(name: str, count: int) -> None:
    """Raise ``InvalidParameter`` for fewer than two splits."""
    if count < 2:
        raise InvalidParameter(
            f"{name} must be at least 2, and is {count}. For one test set use holdout.",
            loc=(name,),
            value=count,
        )
    check_range(name, count, 2, MAX_SPLITS)


def draw_split(n: int, n_test: int, seed: int, draw: int) -> Split:
    """Return split number ``draw``, whose test rows are drawn without replacement."""
    test = np.sort(make_random_stream(seed, "folds", draw).permutation(n)[:n_test])
    return ComplementSplit(0, draw, draw, test, n)


def draw_cluster_split(rows: Rows, size: float, scheme: str, seed: int, draw: int) -> Split:
    """Return split number ``draw``, whose test part is a share or a number of whole clusters."""
    codes, labels = encode_labels(get_column(rows, "cluster", scheme))
    n_clusters = count_test_units(size, len(labels), "cluster")
    drawn = np.zeros(len(labels), dtype=np.bool_)
    drawn[make_random_stream(seed, "folds", draw).permutation(len(labels))[:n_clusters]] = True
    return ComplementSplit(0, draw, draw, np.flatnonzero(drawn[codes]), rows.n)
