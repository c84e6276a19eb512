"""Discriminants of every training part, from sums over all rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.discriminants.class_means import (
    Priors,
    Shape,
    compute_posterior,
    find_most_likely,
    log_joint,
    log_priors,
    transformed,
)
from thetahat.learners.fast.discriminants.class_rows import ClassRows, ClassSums, sum_training_part
from thetahat.learners.fast.discriminants.leave_one_out import (
    ILL_CONDITIONED,
    TOO_FEW_ROWS,
    DiscriminantSplits,
)
from thetahat.learners.fast.ordinary_fits import (
    MAX_AMPLIFICATION,
    MAX_ERROR,
    NEGLIGIBLE_CLASS_WEIGHT,
    ROUNDING,
    TIED,
)
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray


class VarianceSplits(DiscriminantSplits):
    """Diagonal and nearest-mean discriminants: squares of left-out rows are subtracted by class.

    The squares are about the class means of all rows, and are corrected for the shift of the
    training part's means. A rounding error, amplified by the inverse, must stay below the eighth
    digit.

    Parameters
    ----------
    make_rows, priors
        As for ``DiscriminantSplits``.
    shape : {"diagonal", "spherical"}
        Whether each column has a variance of its own.
    """

    def __init__(self, make_rows: Callable[[], ClassRows], priors: Priors, shape: Shape) -> None:
        super().__init__(make_rows, priors)
        self.shape = shape
        self.total = self.rows.all.squares.sum(axis=0)
        self.varies = self.total > 0

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split from the sums over all rows minus the left-out rows of each class."""
        sums = sum_training_part(self.rows, part)
        if sums is None:
            return NEGLIGIBLE_CLASS_WEIGHT
        present = np.flatnonzero(sums.rows > 0)
        if len(present) < 2 or sums.rows.sum() <= len(present):
            return TOO_FEW_ROWS
        means = self.rows.means[present] + sums.x[present] / sums.weight[present][:, None]
        whitening = self._find_transform(sums)
        if whitening is None:
            return ILL_CONDITIONED
        transform, amplification = whitening
        rows, means = (
            transformed(some, transform) for some in (self.rows.from_centre(part.test), means)
        )
        weight = sums.weight[present].sum()
        if not ROUNDING * amplification * _find_largest_term(rows, means) * weight <= MAX_ERROR:
            return ILL_CONDITIONED
        factor = np.sqrt(weight)
        joint = log_joint(rows * factor, means * factor)
        joint += log_priors(sums.weight[present], self.priors)
        by_class = np.ascontiguousarray(joint.T)
        lead = find_most_likely(by_class)
        if (lead.ahead <= MAX_ERROR).any():
            return TIED
        return compute_posterior(by_class, lead, present, len(self.rows.means))

    def _find_transform(self, sums: ClassSums) -> tuple[FloatArray, float] | None:
        """Return the (p,) whitening factors of the columns, and how they amplify rounding errors.

        None if that is too much.
        """
        present = sums.rows > 0
        moved = (sums.x[present] ** 2 / sums.weight[present][:, None]).sum(axis=0)
        squares = sums.squares[present].sum(axis=0) - moved
        if self.shape == "spherical":
            total, of_all = squares.sum(), self.total.sum()
            if not total * MAX_AMPLIFICATION >= of_all > 0:
                return None
            return np.full(len(squares), np.sqrt(len(squares) / total)), float(of_all / total)
        share = squares[self.varies] / self.total[self.varies]
        if not (share * MAX_AMPLIFICATION >= 1).all():
            return None
        transform = np.zeros_like(squares)
        transform[self.varies] = 1 / np.sqrt(squares[self.varies])
        return transform, float(1 / share.min(initial=1.0))

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each keeps its digits."""
        all_of, total, varies = self.rows, self.total, self.varies
        z, at, w = all_of.centre_on_class(rows), self.own.at[rows], all_of.w[rows]
        squares = total - self.own.a[rows][:, None] * z**2
        if self.shape == "spherical":
            of_row = squares.sum(axis=1, keepdims=True)
            least = of_row[:, 0] / max(total.sum(), np.finfo(np.float64).tiny)
            inverse = squares.shape[1] / of_row
        else:
            least = (squares[:, varies] / total[varies]).min(axis=1, initial=1.0)
            inverse = np.zeros_like(squares)
            inverse[:, varies] = 1 / squares[:, varies]
        means, own = all_of.means[self.present], z * (1 + self.own.moved[rows])[:, None]
        scale = all_of.weight[self.present].sum() - w
        joint = np.empty((len(means), len(rows)))
        for k, mean in enumerate(means):
            off = np.where((at == k)[:, None], own, z + (means[at] - mean))
            joint[k] = -0.5 * scale * (off * off * inverse).sum(axis=1)
        wrong = ROUNDING / least * np.abs(joint).sum(axis=0)
        joint += self.log_shares(rows)
        return self.predictions(
            joint, wrong, self.own.fits[rows] & (least * MAX_AMPLIFICATION >= 1)
        )


def _find_largest_term(rows: FloatArray, means: FloatArray) -> float:
    """Return the largest term of a log density."""
    squares = np.einsum("ij,ij->i", means, means).max()
    lengths = np.einsum("ij,ij->i", rows, rows).max(initial=0.0)
    return float(squares + np.sqrt(squares * lengths))
