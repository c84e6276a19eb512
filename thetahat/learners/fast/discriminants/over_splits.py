"""Discriminants of every training part, from sums over all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.discriminants.class_means import (
    Priors,
    Shape,
    log_joint,
    log_priors,
    posterior,
    transformed,
)
from thetahat.learners.fast.discriminants.class_rows import ClassRows, ClassSums
from thetahat.learners.fast.discriminants.decorrelated import (
    DIGITS,
    ILL_CONDITIONED,
    NEGLIGIBLE_CLASS_WEIGHT,
    ROUNDING,
    TIED,
    TOO_FEW_ROWS,
    gap,
)
from thetahat.learners.fast.ridge.rows import MAX_AMPLIFICATION
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Whitened:
    """Whitened test rows and class means, with the amplification of rounding errors."""

    rows: FloatArray
    means: FloatArray
    amplification: float


class DiscriminantSplits(OverSplits):
    """Predicts splits by subtracting the squares of the left-out rows, class by class.

    The squares are about the class means of all rows, and are corrected for the shift of the
    training part's means. A rounding error, amplified by the inverse, must stay below the eighth
    digit.

    Parameters
    ----------
    rows : ClassRows
        All rows, with squares.
    shape : {"diagonal", "spherical"}
        Whether each column has a variance of its own.
    priors : {"shares", "equal"}
        As the learner has it.
    """

    def __init__(self, rows: ClassRows, shape: Shape, priors: Priors) -> None:
        self.rows, self.shape, self.priors = rows, shape, priors
        self.total = rows.all.squares.sum(axis=0)
        self.varies = self.total > 0

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict a split from the sums over all rows minus the left-out rows of each class."""
        sums = self.rows.sum_training_part(part)
        if sums is None:
            return NEGLIGIBLE_CLASS_WEIGHT
        present = np.flatnonzero(sums.rows > 0)
        if len(present) < 2 or sums.rows.sum() <= len(present):
            return TOO_FEW_ROWS
        means = self.rows.means[present] + sums.x[present] / sums.weight[present][:, None]
        whitened = self._whiten_rows(sums, self.rows.from_centre(part.test), means)
        if whitened is None:
            return ILL_CONDITIONED
        factor = np.sqrt(sums.weight[present].sum())
        joint = log_joint(whitened.rows * factor, whitened.means * factor)
        joint += log_priors(sums.weight[present], self.priors)
        wrong = (
            ROUNDING
            * whitened.amplification
            * _find_largest_term(whitened.rows, whitened.means)
            * factor**2
        )
        return check_predictions(joint, present, len(self.rows.means), wrong)

    def _whiten_rows(self, sums: ClassSums, rows: FloatArray, means: FloatArray) -> Whitened | None:
        present = sums.rows > 0
        moved = (sums.x[present] ** 2 / sums.weight[present][:, None]).sum(axis=0)
        squares = sums.squares[present].sum(axis=0) - moved
        if self.shape == "spherical":
            total, of_all = squares.sum(), self.total.sum()
            if not total * MAX_AMPLIFICATION >= of_all > 0:
                return None
            transform = np.full(len(squares), np.sqrt(len(squares) / total))
            amplification = of_all / total
        else:
            share = squares[self.varies] / self.total[self.varies]
            if not (share * MAX_AMPLIFICATION >= 1).all():
                return None
            transform = np.zeros_like(squares)
            transform[self.varies] = 1 / np.sqrt(squares[self.varies])
            amplification = 1 / share.min(initial=1.0)
        return Whitened(
            transformed(rows, transform), transformed(means, transform), float(amplification)
        )


def _find_largest_term(rows: FloatArray, means: FloatArray) -> float:
    """Return the largest term of a log density."""
    squares = np.einsum("ij,ij->i", means, means).max()
    lengths = np.einsum("ij,ij->i", rows, rows).max(initial=0.0)
    return float(squares + np.sqrt(squares * lengths))


def check_predictions(
    joint: FloatArray,
    present: IntArray,
    n_classes: int,
    wrong: float,
    why: OrdinaryFit = ILL_CONDITIONED,
) -> Predictions | OrdinaryFit:
    """Return the predictions, or the reason why their error bound exceeds 1e-8.

    Splits in which rounding could exchange two classes are fitted in the ordinary way too.
    """
    if not wrong <= DIGITS:
        return why
    if (gap(joint) <= DIGITS).any():
        return TIED
    return posterior(joint, present, n_classes)
