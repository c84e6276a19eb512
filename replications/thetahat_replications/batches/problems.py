"""Arrays of very many small data sets of one shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Problems:
    """R data sets of n source rows with folds and weights, and optionally labelled target rows.

    Parameters
    ----------
    X : ndarray of float
        (R, n, p).
    y : ndarray of float
        (R, n) target of the regression: -1 and 1 for a classification.
    weights : ndarray of float
        (R, n) importance weights, 0 or more, not normalised.
    fold : ndarray of int
        (n,) if all data sets share it, or (R, n): codes 0 to K - 1. Fold sizes may differ.
    target, target_y : ndarray of float or None
        (R, m, p) and (R, m), or (1, m, p) and (1, m) if all data sets share them; both or neither.
    """

    X: FloatArray
    y: FloatArray
    weights: FloatArray
    fold: IntArray
    target: FloatArray | None = None
    target_y: FloatArray | None = None

    def __post_init__(self) -> None:
        count, n, _ = self.X.shape
        for name, shape in (("y", (count, n)), ("weights", (count, n))):
            if getattr(self, name).shape != shape:
                raise InvalidParameter(
                    f"{name} has the shape {getattr(self, name).shape}; with X {self.X.shape} "
                    f"it must have {shape}.",
                    loc=(name,),
                )
        if self.fold.shape not in {(n,), (count, n)}:
            raise InvalidParameter(
                f"fold has the shape {self.fold.shape}; with X {self.X.shape} it must have "
                f"{(n,)} or {(count, n)}.",
                loc=("fold",),
            )
        if (self.target is None) != (self.target_y is None):
            raise InvalidParameter("target and target_y must be given together.", loc=("target",))
        if self.target is not None and len(self.target) not in {1, count}:
            raise InvalidParameter(
                f"target has {len(self.target)} samples for {count} data sets. It needs one, or "
                "one for each.",
                loc=("target",),
            )
        if self.n_folds < 2:
            raise InvalidParameter(
                f"fold has {self.n_folds} fold. Cross-validation needs at least two.",
                loc=("fold",),
                value=self.n_folds,
            )

    @property
    def n_folds(self) -> int:
        """K, the number of folds."""
        return int(self.fold.max()) + 1

    def part(self, which: slice) -> Problems:
        """Return a slice of the data sets."""
        shared = self.target is None or len(self.target) < len(self.X)
        return Problems(
            X=self.X[which],
            y=self.y[which],
            weights=self.weights[which],
            fold=self.fold if self.fold.ndim == 1 else self.fold[which],
            target=self.target if shared or self.target is None else self.target[which],
            target_y=self.target_y if shared or self.target_y is None else self.target_y[which],
        )

    def get_target_rows(self, r: int) -> tuple[FloatArray, FloatArray] | None:
        """Return the (m, p) target rows of one data set and their (m,) labels."""
        if self.target is None or self.target_y is None:
            return None
        at = r if len(self.target) > 1 else 0
        return self.target[at], self.target_y[at]

    def members(self) -> FloatArray:
        """Return (1 or R, K, n) memberships: 1 if a row is in a fold, else 0."""
        codes = np.atleast_2d(self.fold)[:, None, :]
        return np.asarray(codes == np.arange(self.n_folds)[:, None], dtype=np.float64)
