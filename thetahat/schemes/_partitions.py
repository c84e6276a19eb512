"""Partitions of the rows into folds, and the splits that they give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.parameter_checks import MAX_SPLITS, check_range
from thetahat.schemes.base import ComplementSplit, Rows, Split
from thetahat.values.types import IntArray, Label

_MAX_TWO_BYTE_CODE: Final = 2**15 - 1
"""Largest block code that fits in two bytes."""


def get_column(rows: Rows, name: str, scheme: str) -> np.ndarray:
    """Return the column that a scheme needs; raise ``InvalidParameter`` if the data lack it."""
    column: np.ndarray | None = getattr(rows, name)
    if column is None:
        raise InvalidParameter(
            f"The scheme {scheme!r} needs a {name} column, and none is named.",
            loc=("columns", name),
        )
    return column


def check_number(name: str, number: int, least: int, most: int = MAX_SPLITS) -> None:
    """Raise ``InvalidParameter`` if a scheme's parameter is not from ``least`` to ``most``."""
    if number < least:
        raise InvalidParameter(
            f"{name} must be at least {least}, and is {number}.", loc=(name,), value=number
        )
    check_range(name, number, least, most)


def check_two_rows(n: int, unit: str = "row") -> None:
    """Raise ``InsufficientData`` for fewer than two rows."""
    if n < 2:
        raise InsufficientData(
            f"A training and a test part need two {unit}s at least, and the data have {n}.", value=n
        )


def check_enough(n: int, n_folds: int, units: str = "rows") -> None:
    """Raise ``InsufficientData`` if there are fewer units than folds."""
    if n < n_folds:
        raise InsufficientData(
            f"{n_folds} folds need as many {units}, and there are {n}. Ask for fewer folds.",
            loc=("n_folds",),
            value=n_folds,
        )


def deal_to_folds(order: IntArray, n_folds: int) -> IntArray:
    """Return the (n,) fold of each row: rows in this order go to fold 0, 1, ..., 0, 1, ... in turn.

    Fold sizes differ by at most one, and the first ``n % n_folds`` folds have one row more. The
    same holds for any run of consecutive rows of the order.
    """
    fold = np.empty(len(order), dtype=np.intp)
    fold[order] = np.arange(len(order), dtype=np.intp) % n_folds
    return fold


def yield_partition_splits(
    partition: Callable[[int], IntArray],
    labels: Sequence[Label],
    n_repeats: int,
    start: int,
    stop: int | None,
) -> Iterator[Split]:
    """Yield the splits from ``start`` to ``stop`` of partitions into the same number of blocks.

    ``partition`` takes the number of a repeat and returns the (n,) block codes of the rows; it is
    called once for each repeat that has one of these splits. ``labels`` are the (K,) labels of the
    blocks.
    """
    n_blocks = len(labels)
    last = n_blocks * n_repeats if stop is None else min(stop, n_blocks * n_repeats)
    drawn, order, bounds = -1, np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    for split in range(start, last):
        repeat, block = divmod(split, n_blocks)
        if repeat != drawn:
            codes = partition(repeat)
            small = (
                codes.astype(np.int16) if n_blocks <= _MAX_TWO_BYTE_CODE else codes
            )  # sorted by their bits
            order = np.argsort(small, kind="stable").astype(np.intp, copy=False)
            sizes = np.bincount(codes, minlength=n_blocks)
            bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
            drawn = repeat
        test = order[bounds[block] : bounds[block + 1]]  # ascending, for the sort is stable
        yield ComplementSplit(repeat, block, labels[block], test, len(order))
