"""Rows for the tests of the schemes."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.schemes.base import Rows, Scheme, Split


def rows_with(n: int, seed: int = 0) -> Rows:
    """Return n rows of 2 classes, 3 sources that have both, 3 folds, and instants."""
    rng = np.random.default_rng(seed)
    words = np.array(["book", "dvd", "kitchen"], dtype=object)
    y = rng.permutation(np.arange(n) % 2).astype(np.intp)
    source = np.empty(n, dtype=np.intp)
    source[np.argsort(y, kind="stable")] = np.arange(n) % 3
    return Rows(
        n=n,
        y=y,
        source=words[source],
        fold=rng.permutation(np.arange(n) % 3).astype(np.intp),
        time=rng.permutation(n).astype(np.float64),
        classes=("neg", "pos"),
    )


def labelled(**columns: list[object]) -> Rows:
    """Return rows with the given columns of labels."""
    arrays: dict[str, Any] = {k: np.array(v, dtype=object) for k, v in columns.items()}
    return Rows(n=len(next(iter(arrays.values()))), **arrays)


def plain(splits: list[Split]) -> list[tuple[object, ...]]:
    """Return splits as values that can be compared."""
    return [(s.repeat, s.block, s.label, s.train.tolist(), s.test.tolist()) for s in splits]


def drawn(scheme: Scheme, rows: Rows, seed: int) -> list[tuple[object, ...]]:
    """Return all splits of a scheme as values that can be compared."""
    return plain(list(scheme.splits(rows, seed)))
