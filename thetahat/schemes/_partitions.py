"""How the schemes that partition the rows draw folds and cut out pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.parameter_checks import MAX_SPLITS, check_range
from thetahat.schemes.base import ComplementSplit, Rows, Split
from thetahat.values.types import IntArray, Label

_MAX_TWO_BYTE_CODE: Final = 2**15 - 1
"""Blocks up to which their codes fit in two bytes."""


def get_column(rows: Rows, name: str, scheme: str) -> np.ndarray:
    """Return the column a scheme lives by; ``InvalidParameter`` where the data have none."""
    column: np.ndarray | None = getattr(rows, name)
    if column is None:
        raise InvalidParameter(
            f"The scheme {scheme!r} needs a {name} column, and none is named.",
            loc=("columns", name),
        )
    return column


def check_n_folds(n_folds: int) -> None:
    """Refuse fewer folds than two."""
    if n_folds < 2:
        raise InvalidParameter(
            f"n_folds must be at least 2, and is {n_folds}.", loc=("n_folds",), value=n_folds
        )
    check_range("n_folds", n_folds, 2, MAX_SPLITS)


def check_n_repeats(n_repeats: int) -> None:
    """Refuse no repeat."""
    if n_repeats < 1:
        raise InvalidParameter(
            f"n_repeats must be at least 1, and is {n_repeats}.",
            loc=("n_repeats",),
            value=n_repeats,
        )
    check_range("n_repeats", n_repeats, 1, MAX_SPLITS)


def check_two_rows(n: int, what: str = "row") -> None:
    """Refuse data that cannot be parted in two."""
    if n < 2:
        raise InsufficientData(
            f"A training and a test part need two {what}s at least, and the data have {n}.", value=n
        )


def check_enough(n: int, n_folds: int, what: str = "rows") -> None:
    """Refuse more folds than there are things to put into them."""
    if n < n_folds:
        raise InsufficientData(
            f"{n_folds} folds need as many {what}, and there are {n}. Ask for fewer folds.",
            loc=("n_folds",),
            value=n_folds,
        )


def deal_to_folds(order: IntArray, n_folds: int) -> IntArray:
    """(n,) fold of each row when rows in this order are dealt out one by one, as cards are.

    Fold sizes differ by one at most, the first ``n % n_folds`` folds have the one more; so do
    the counts inside any stretch of the order.
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
    """Yield the pairs from ``start`` to ``stop`` of partitions into the same number of blocks.

    Parameters
    ----------
    partition : callable
        From a repeat's number to the (n,) block codes of the rows; called once for each repeat
        that the stretch touches.
    labels : sequence of label
        (K,) what the blocks are called.
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
