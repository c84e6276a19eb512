"""Splits of a training part, in row numbers of all the data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.schemes.base import Rows, Scheme, Split
from thetahat.seeds import MAX_SEED, stream
from thetahat.values.types import IntArray


def own_internal(scheme: Scheme, rows: Rows) -> Scheme | None:
    """Return the internal scheme that an external one brings, or None where it brings none."""
    bring = getattr(scheme, "internal", None)
    found: Scheme | None = None if bring is None else bring(rows)
    return found


def internal_seed(seed: int, split: Split) -> int:
    """Return the seed of what happens inside the training part of a split."""
    return int(stream(seed, "internal", split.repeat, split.block).integers(MAX_SEED))


def seed_on_all(seed: int) -> int:
    """Return the seed of the internal estimation on all rows."""
    return int(stream(seed, "internal on all rows").integers(MAX_SEED))


def internal_splits(scheme: Scheme, rows: Rows, split: Split, seed: int) -> Iterator[Split]:
    """Yield the splits of a training part; row numbers are those of all the data.

    Every candidate is given the same ones.

    Parameters
    ----------
    scheme : Scheme
        The internal one.
    rows : Rows
        All of them.
    split : Split
        The external one; none of its test rows is in any of these splits.
    seed : int
        The job's.

    Raises
    ------
    UnsupportedCombination
        A training part with a row in it twice: it would be on both sides of a split.
    EvaluationError
        What the internal scheme refuses, with the training part that it refuses.
    """
    check_no_row_twice(split)
    place = f"inside the training part of repeat {split.repeat}, block {split.block}"
    try:
        own = scheme.splits(rows_of_part(rows, split.train), internal_seed(seed, split))
        for inner in own:
            yield Split(
                inner.repeat,
                inner.block,
                inner.label,
                train=split.train[inner.train],
                test=split.train[inner.test],
            )
    except EvaluationError as error:
        error.message = f"{place}: {error.message}"
        raise


def check_no_row_twice(split: Split) -> None:
    """Refuse a training part with a row in it twice: internal splits would share it."""
    if split.n_train < len(split.train):
        raise UnsupportedCombination(
            "a training part drawn with replacement has a row twice, and internal splits would "
            "have it on both sides; random_subsampling and repeated_k_fold fit",
        )


def rows_of_part(rows: Rows, part: IntArray) -> Rows:
    """Return what a scheme may know of some of the rows."""

    def some(column: np.ndarray | None) -> np.ndarray | None:
        return None if column is None else column[part]

    return Rows(
        n=len(part),
        y=some(rows.y),
        source=some(rows.source),
        fold=some(rows.fold),
        time=some(rows.time),
        classes=rows.classes,
        cluster=some(rows.cluster),
    )
