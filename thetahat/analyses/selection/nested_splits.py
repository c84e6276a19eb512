"""Splits of a training part, in row numbers of all the data."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.schemes.base import Rows, Scheme, Split
from thetahat.seeds import MAX_SEED, make_random_stream
from thetahat.values.types import IntArray


def get_own_internal_scheme(scheme: Scheme, rows: Rows) -> Scheme | None:
    """Return the internal scheme that is part of an external scheme, or None."""
    build_internal = getattr(scheme, "internal", None)
    internal: Scheme | None = None if build_internal is None else build_internal(rows)
    return internal


def derive_internal_seed(seed: int, split: Split) -> int:
    """Return the seed of the draws inside the training part of a split."""
    return int(make_random_stream(seed, "internal", split.repeat, split.block).integers(MAX_SEED))


def derive_seed_on_all_rows(seed: int) -> int:
    """Return the seed of the internal estimation on all rows."""
    return int(make_random_stream(seed, "internal on all rows").integers(MAX_SEED))


def split_training_part(scheme: Scheme, rows: Rows, split: Split, seed: int) -> Iterator[Split]:
    """Yield the splits of a training part; row numbers are those of all the data.

    They are the same for every candidate.

    Parameters
    ----------
    scheme : Scheme
        The internal scheme.
    rows : Rows
        All rows.
    split : Split
        The external split; its test rows are in none of the internal splits.
    seed : int
        The seed of the evaluation.

    Raises
    ------
    UnsupportedCombination
        A row is in the training part twice: it could be on both sides of an internal split.
    EvaluationError
        The internal scheme refuses the training part, which the message names.
    """
    refuse_repeated_rows(split)
    place = f"Inside the training part of repeat {split.repeat}, block {split.block}"
    try:
        inner_splits = scheme.splits(
            select_rows(rows, split.train), derive_internal_seed(seed, split)
        )
        for inner in inner_splits:
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


def refuse_repeated_rows(split: Split) -> None:
    """Refuse a training part with repeated rows, which internal splits could separate."""
    if split.n_train < len(split.train):
        raise UnsupportedCombination(
            "The training part is drawn with replacement and has some rows twice, so that a row "
            "could be on both sides of an internal split. Use random_subsampling or "
            "repeated_k_fold.",
        )


def select_rows(rows: Rows, part: IntArray) -> Rows:
    """Return the columns that a scheme may use, for the rows of a part."""

    def take(column: np.ndarray | None) -> np.ndarray | None:
        return None if column is None else column[part]

    return Rows(
        n=len(part),
        y=take(rows.y),
        source=take(rows.source),
        fold=take(rows.fold),
        time=take(rows.time),
        classes=rows.classes,
        cluster=take(rows.cluster),
    )
