"""Gaussian naive Bayes of every training part, from the moments of each class over all rows."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np

from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.discriminants.class_means import compute_posterior, find_most_likely
from thetahat.learners.fast.discriminants.class_rows import sum_training_part
from thetahat.learners.fast.naive_bayes.gaussian_rows import GaussianRows
from thetahat.learners.fast.ordinary_fits import (
    MAX_AMPLIFICATION,
    MAX_ERROR,
    MIN_SHARE_LEFT,
    NEGLIGIBLE_CLASS_WEIGHT,
    ROUNDING,
    TIED,
)
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

NEARLY_CONSTANT_COLUMN: Final = OrdinaryFit(
    "a column hardly varies inside a class of the training part"
)
ONE_CLASS: Final = OrdinaryFit("the training part has one class")


class GaussianSplits(OverSplits):
    """Predicts splits by subtracting the moments of the left-out rows, class by class.

    The moments are about the mean of all rows. If variances are so small compared with the
    subtracted moments that log densities would lose digits, the training part is fitted.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, rows: GaussianRows, smoothing: float) -> None:
        self.rows, self.smoothing = rows, smoothing

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split from the sums over all rows minus the left-out rows of each class."""
        rows, moments = self.rows, sum_training_part(self.rows, part)
        if moments is None:
            return NEGLIGIBLE_CLASS_WEIGHT
        present = np.flatnonzero(moments.rows > 0)
        if len(present) < 2:
            return ONE_CLASS
        weight = moments.weight[present]
        means = moments.x[present] / weight[:, None]
        variances = moments.squares[present] / weight[:, None] - means**2
        variances += self.smoothing * moments.largest_variance
        before = rows.all.squares[present] / weight[:, None]
        if not (variances > 0).all() or is_far(rows.centre, variances.min(axis=0)).any():
            return NEARLY_CONSTANT_COLUMN
        amplification = max(1.0, float((before / variances).max()))
        if amplification > MAX_AMPLIFICATION:
            return NEARLY_CONSTANT_COLUMN
        joint = rows.distances(part.test, means, variances)
        constant = np.log(2 * np.pi * variances).sum(axis=1)
        size = float(joint.max(initial=0.0)) + float(np.abs(constant).max())
        if not ROUNDING * amplification * size <= MAX_ERROR:
            return NEARLY_CONSTANT_COLUMN
        joint += constant[:, None]
        joint *= -0.5
        joint += np.log(weight / weight.sum())[:, None]
        lead = find_most_likely(joint)
        if (lead.ahead <= MAX_ERROR).any():
            return TIED
        return compute_posterior(joint, lead, present, rows.n_classes)

    def each_left_out(self, index: IntArray) -> tuple[Predictions, np.ndarray]:
        r"""Return leave-one-out predictions of rows, and which may be used.

        .. math:: m'_c = \frac{s_c - w z}{W_c - w}, \quad
                  v'_c = \frac{q_c - w z^2}{W_c - w} - m_c'^2

        with :math:`W_c, s_c, q_c` the weight of the row's class c, its sums and sums of squares;
        the other classes keep theirs. Rows whose error bound is too large are marked, as in
        ``predict``.
        """
        rows, of_all = self.rows, self.rows.all
        z, w, own = rows.X[index], rows.w[index], rows.y[index]
        squares, n = z**2, of_all.n - 1
        unweighted = (of_all.squares_of_all - squares) / n - ((of_all.x_of_all - z) / n) ** 2
        extra = self.smoothing * unweighted.max(axis=1)
        present = np.flatnonzero(of_all.rows > 0)
        joint = np.empty((len(present), len(index)))
        fits = np.full(len(index), len(present) > 1)
        amplification, size = np.ones(len(index)), np.zeros(len(index))
        for at, code in enumerate(present):
            out = np.where(own == code, w, 0.0)
            weight = of_all.weight[code] - out
            fits &= (weight >= MIN_SHARE_LEFT * of_all.weight[code]) & (
                of_all.rows[code] > (out > 0)
            )
            mean = (of_all.x[code] - out[:, None] * z) / weight[:, None]
            variance = (of_all.squares[code] - out[:, None] * squares) / weight[:, None]
            variance += extra[:, None] - mean**2
            fits &= (variance > 0).all(axis=1) & ~is_far(rows.centre, variance).any(axis=1)
            grown = of_all.squares[code] / weight[:, None] / variance
            amplification = np.maximum(amplification, grown.max(axis=1))
            constant = np.log(2 * np.pi * variance).sum(axis=1)
            distances = ((z - mean) ** 2 / variance).sum(axis=1)
            size = np.maximum(size, distances + np.abs(constant))
            joint[at] = np.log(weight) - 0.5 * (constant + distances)
        fits &= amplification <= MAX_AMPLIFICATION
        fits &= ROUNDING * amplification * size <= MAX_ERROR
        lead = find_most_likely(joint)
        predictions = compute_posterior(joint, lead, present, rows.n_classes)
        return predictions, fits & (lead.ahead > MAX_ERROR)


def is_far(centre: FloatArray, variances: FloatArray) -> np.ndarray:
    """Whether a column's mean is so large against its spread that centring loses digits."""
    rounding = np.finfo(np.float64).eps * np.abs(centre)
    return np.asarray(rounding > MAX_ERROR * np.sqrt(variances))
