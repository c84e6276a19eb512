"""Gaussian naive Bayes of every training part, from the moments of each class over all rows."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.learners._class_rows import ClassRows, ClassSums, class_rows
from thetahat.learners._discriminant_splits import told
from thetahat.learners._ridge_rows import LARGEST_AMPLIFICATION
from thetahat.learners.base import OverSplits, Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray

FLAT: Final = Plain("a column hardly varies inside a class of the training part")
LIGHT: Final = Plain("hardly any weight of a class is in the training part")
ONE_CLASS: Final = Plain("the training part has one class")
NO_WEIGHT: Final = Plain("no row has weight")

_ROUNDING = 1e-15
_DIGITS = 1e-9
"""What a log density by products may be wrong by; else it is summed from the differences."""


def gaussian_over_splits(
    X: FloatArray, y: np.ndarray, weights: FloatArray | None, n_classes: int, *, smoothing: float
) -> OverSplits | Plain:
    """Return what predicts the test part of every split, or why it has to be fitted."""
    w = np.ones(len(y)) if weights is None else weights
    if not w.any():
        return NO_WEIGHT
    return GaussianSplits(class_rows(X, y, w, n_classes), smoothing)


class GaussianSplits:
    """Moments of the left-out rows are taken from those of all, class by class.

    They are about the class means of all rows, so that a training part's own are these, less what
    its means moved by. Log densities of the test rows are two products of matrices where their
    terms are not so large that the digits of the difference would be lost.
    """

    def __init__(self, rows: ClassRows, smoothing: float) -> None:
        self.rows, self.smoothing = rows, smoothing
        self.X = rows.from_centre(np.arange(len(rows.y)))
        self.squares = self.X**2
        self.sum, self.sum_of_squares = self.X.sum(axis=0), self.squares.sum(axis=0)

    def predict(self, part: Part) -> Predictions | Plain:
        """Subtract the block, class by class."""
        sums = self.rows.of_training(part)
        if sums is None:
            return LIGHT
        present = np.flatnonzero(sums.rows > 0)
        if len(present) < 2:
            return ONE_CLASS
        weight = sums.weight[present]
        moved = sums.x[present] / weight[:, None]
        means = self.rows.means[present] + moved
        variances = sums.squares[present] / weight[:, None] - moved**2
        variances += self.smoothing * self._largest_variance(part)
        amplification = self._amplification(sums, variances)
        if not amplification <= LARGEST_AMPLIFICATION:
            return FLAT
        joint, size = self._log_density(part, means, variances)
        joint += np.log(weight / weight.sum())
        wrong = _ROUNDING * amplification * size
        return told(joint, present, len(self.rows.means), wrong, why=FLAT)

    def _amplification(self, sums: ClassSums, variances: FloatArray) -> float:
        """Return how many times its rounding error may be in a variance.

        It is the largest ratio of a sum of squares to what stays of it; without bound where what
        the rows are taken from lies too far from them for their spread.
        """
        if not (variances > 0).all():
            return np.inf
        rounding = np.finfo(np.float64).eps * np.abs(self.rows.centre)
        if (rounding > _DIGITS * np.sqrt(variances.min(axis=0))).any():
            return np.inf
        present = sums.rows > 0
        before = self.rows.all.squares[present] / sums.weight[present][:, None]
        return float(max(1.0, (before / variances).max()))

    def _largest_variance(self, part: Part) -> float:
        """Return the largest variance of a column over the training part, rows unweighted."""
        n = len(part.train)
        if part.left_out is None or len(part.left_out) > n:
            return float(np.var(self.X[part.train], axis=0).max())
        total = self.sum - self.X[part.left_out].sum(axis=0)
        squares = self.sum_of_squares - self.squares[part.left_out].sum(axis=0)
        return float((squares / n - (total / n) ** 2).max())

    def _log_density(
        self, part: Part, means: FloatArray, variances: FloatArray
    ) -> tuple[FloatArray, float]:
        """(n_test, C') log densities, and the largest term in them."""
        constant = np.log(2 * np.pi * variances).sum(axis=1)
        precise = 1 / variances
        of_squares = self.squares[part.test] @ precise.T
        of_means = (means**2 * precise).sum(axis=1)
        largest = float(of_squares.max(initial=0.0) + of_means.max())
        if _ROUNDING * largest <= _DIGITS:
            along = self.X[part.test] @ (means * precise).T
            squares = of_squares - 2 * along + of_means
        else:
            squares = np.empty_like(of_squares)
            for at in range(len(means)):
                apart = self.X[part.test] - means[at]
                squares[:, at] = (apart**2 * precise[at]).sum(axis=1)
        return -0.5 * (constant + squares), float(squares.max(initial=0.0) + np.abs(constant).max())
