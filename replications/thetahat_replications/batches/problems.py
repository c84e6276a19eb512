"""Arrays of very many small data sets of one shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Problems:
    """R data sets of n source rows with folds and weights, and labelled target rows."""

    X: FloatArray
    """(R, n, p)."""
    y: FloatArray
    """(R, n) target of the regression: -1 and 1 for a classification."""
    weights: FloatArray
    """(R, n) importance weights, 0 or more, not normalised."""
    fold: IntArray
    """(R, n) codes 0 to K - 1. Fold sizes may differ."""
    target: FloatArray
    target_y: FloatArray
    """(R, m, p) and (R, m), or (1, m, p) and (1, m) if all data sets share them."""

    @property
    def n_folds(self) -> int:
        """K, the number of folds."""
        return int(self.fold.max()) + 1

    def part(self, which: slice) -> Problems:
        """Return a slice of the data sets."""
        of_target = slice(None) if len(self.target) < len(self.X) else which
        return Problems(
            X=self.X[which],
            y=self.y[which],
            weights=self.weights[which],
            fold=self.fold[which],
            target=self.target[of_target],
            target_y=self.target_y[of_target],
        )

    def members(self) -> FloatArray:
        """Return (R, K, n) memberships: 1 if a row is in a fold, else 0."""
        codes = self.fold[:, None, :]
        return np.asarray(codes == np.arange(self.n_folds)[:, None], dtype=np.float64)
