"""K-fold cross-validation over whole sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.registry import SOURCES, MethodInfo
from thetahat.schemes._partitions import (
    check_enough,
    check_number,
    get_column,
    yield_partition_splits,
)
from thetahat.schemes.base import Rows, Scheme, Splits
from thetahat.seeds import make_random_stream
from thetahat.tables.labels import encode_labels
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceKFold(Scheme):
    """K folds of whole sources; no source is in both parts of a split.

    In order of size, largest first, each source goes to the fold with the fewest rows so far;
    sources of equal size come in an order drawn from the seed. A block is a set of sources, named
    ``fold 0``, ``fold 1``, ...

    Deviations: geras2013 has one source in each block. With several, the spread between blocks is
    that of averages over sources and shows less about a single new source.

    Degenerate cases: as many folds as sources is leave-one-source-out under other names. With
    sources of unequal size, folds may be of unequal size.

    Parameters
    ----------
    n_folds : int
        K, between 2 and the number of sources.
    """

    n_folds: int = 5

    info: ClassVar[MethodInfo] = MethodInfo(
        title="K-fold cross-validation over sources",
        summary=(
            "Whole sources are put together into K folds of about equal size. Each fold is the "
            "test set of a model trained on the other sources."
        ),
        references=("roberts2017", "geras2013"),
        assumptions="The sources are a sample of the sources to come.",
        errs=(
            "Models are trained on fewer sources than under leave_one_source_out, so the error for "
            "a new source is overestimated more. The spread between folds is that of averages of "
            "sources, smaller than that of single sources."
        ),
        blocks=SOURCES,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"source"})
    groups_sources: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_number("n_folds", self.n_folds, 2)

    def n_splits(self, rows: Rows) -> int:
        """Return K, the number of folds."""
        self._read_sources(rows)
        return self.n_folds

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each fold."""
        labels = [f"fold {fold}" for fold in range(self.n_folds)]
        fold_of_row = self.assign_folds(rows, make_random_stream(seed, "folds", 0))
        return yield_partition_splits(lambda _repeat: fold_of_row, labels, 1, start, stop)

    def assign_folds(self, rows: Rows, rng: np.random.Generator) -> IntArray:
        """Return the (n,) fold of each row."""
        codes = self._read_sources(rows)
        return _assign_balanced_folds(np.bincount(codes), self.n_folds, rng)[codes]

    def _read_sources(self, rows: Rows) -> IntArray:
        codes, labels = encode_labels(get_column(rows, "source", self.info.name))
        check_enough(len(labels), self.n_folds, "sources")
        return codes


def _assign_balanced_folds(sizes: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Return the (n_sources,) fold of each source; the ``n_folds`` largest are kept apart."""
    shuffled = rng.permutation(len(sizes))
    largest_first = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    fold_of_source = np.empty(len(sizes), dtype=np.intp)
    in_fold = np.zeros(n_folds, dtype=np.intp)
    for source in largest_first:
        fold = int(np.argmin(in_fold))
        fold_of_source[source] = fold
        in_fold[fold] += sizes[source]
    return fold_of_source
