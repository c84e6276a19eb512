"""A labelled source sample, a target sample, and the folds of the source."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.importance_weights import Samples
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray, Label


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SourceAndTarget:
    """The data of an importance-weighted cross-validation."""

    source: Data
    """(n,) labelled rows, whose features are numeric and complete; its ``weight`` is not used."""
    target: Features
    """(m,) rows of the target population, with the same columns as the source."""
    target_y: np.ndarray | None
    """(m,) class codes of the source's classes, or values, or None for a target without labels."""
    fold: IntArray
    """(n,) fold of each row, as codes 0 to K - 1, each used."""
    fold_labels: tuple[Label, ...]
    """(K,) labels of the folds."""
    known_weights: FloatArray | None = None
    """(n,) weights that came with the source."""

    @property
    def n(self) -> int:
        """Number of source rows."""
        return self.source.n

    @property
    def m(self) -> int:
        """Number of target rows."""
        return self.target.n

    @property
    def n_folds(self) -> int:
        """Number of folds, K."""
        return len(self.fold_labels)

    def samples(self) -> Samples:
        """Return the features of both samples in the form that weight estimators take."""
        X, Z = self.source.features.complete_matrix(), self.target.complete_matrix()
        return Samples(X, Z, self.known_weights)

    def split(self, k: int) -> Split:
        """Return the split whose test part is fold k."""
        is_test = self.fold == k
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
        return Split(0, k, self.fold_labels[k], train, test)

    def join_samples(self) -> tuple[Data, Split]:
        """Return both samples as one data set, and the split from the source to the target.

        A target without labels gets the first class or value of the source in every row.
        """
        unknown = np.repeat(self.source.y[:1], self.m)
        y = np.concatenate([self.source.y, unknown if self.target_y is None else self.target_y])
        columns = tuple(
            np.concatenate(pair)
            for pair in zip(self.source.features.columns, self.target.columns, strict=True)
        )
        features = Features(self.source.features.names, columns)
        data = Data(features=features, y=y, task=self.source.task, classes=self.source.classes)
        all_rows = np.arange(self.n + self.m)
        return data, Split(0, self.n_folds, "target", all_rows[: self.n], all_rows[self.n :])
