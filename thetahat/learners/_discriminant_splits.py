"""The discriminants of every training part, from sums over all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from thetahat.features import Columns
from thetahat.learners._class_rows import ClassRows, ClassSums, class_rows
from thetahat.learners._discriminant_turned import (
    DIGITS,
    ILL_CONDITIONED,
    LIGHT,
    ROUNDING,
    TIED,
    TOO_FEW,
    TurnedSplits,
    gap,
)
from thetahat.learners._discriminants import (
    Priors,
    Shape,
    log_joint,
    log_priors,
    posterior,
    transformed,
)
from thetahat.learners._ridge_rows import LARGEST_AMPLIFICATION
from thetahat.learners._turned_rows import TurnedRows, turned_rows
from thetahat.learners.base import Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

NO_WEIGHT: Final = Plain("no row has weight")


def discriminant_splits(  # noqa: PLR0913 - what a learner is handed, and its two choices
    columns: Columns,
    y: np.ndarray,
    weights: FloatArray | None,
    n_classes: int,
    *,
    shape: Shape,
    priors: Priors,
) -> DiscriminantSplits | Plain:
    """Return what predicts the test part of every split, or why it has to be fitted."""
    w = np.ones(len(y)) if weights is None else weights
    if not w.any():
        return NO_WEIGHT
    rows = class_rows(columns, y, w, n_classes, with_squares=shape != "full")
    return DiscriminantSplits(rows, shape, priors)


@dataclass(frozen=True, slots=True, eq=False)
class Whitened:
    """Test rows and class means after the transformation, and what rounding becomes in it."""

    rows: FloatArray
    means: FloatArray
    amplification: float


class DiscriminantSplits:
    """Sums of the left-out rows are taken from those of all, class by class.

    Squares and products are about the class means of all rows, so that a training part's own are
    these, less what its means moved by. Every column is divided by its spread within the classes
    of all rows; what the inverse makes of a rounding error there must stay below the eighth digit.
    """

    def __init__(self, rows: ClassRows, shape: Shape, priors: Priors) -> None:
        self.rows, self.shape, self.priors = rows, shape, priors
        squares = np.diag(rows.products) if shape == "full" else rows.all.squares.sum(axis=0)
        spread = np.sqrt(squares)
        self.varies = spread > 0
        self.scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=self.varies)

    @cached_property
    def turned(self) -> TurnedRows | None:
        """The rows that the linear discriminants are computed in."""
        return turned_rows(self.rows, self.scale)

    @cached_property
    def _in_turned(self) -> TurnedSplits | None:
        turned = self.turned
        return None if turned is None else TurnedSplits(self.rows, turned, self.priors)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        """Predict the test parts of several splits."""
        if self.shape != "full":
            return [self.predict(part) for part in parts]
        if self._in_turned is None:
            return [ILL_CONDITIONED] * len(parts)
        return self._in_turned.predict_all(parts)

    def predict(self, part: Part) -> Predictions | Plain:
        """Subtract the block, class by class."""
        if self.shape == "full":
            return self.predict_all([part])[0]
        sums = self.rows.of_training(part)
        if sums is None:
            return LIGHT
        present = np.flatnonzero(sums.rows > 0)
        if len(present) < 2 or sums.rows.sum() <= len(present):
            return TOO_FEW
        means = self.rows.means[present] + sums.x[present] / sums.weight[present][:, None]
        found = self._whitened(sums, self.rows.from_centre(part.test), means)
        if found is None:
            return ILL_CONDITIONED
        factor = np.sqrt(sums.weight[present].sum())
        joint = log_joint(found.rows * factor, found.means * factor)
        joint += log_priors(sums.weight[present], self.priors)
        wrong = ROUNDING * found.amplification * _size(found.rows, found.means) * factor**2
        return told(joint, present, len(self.rows.means), wrong)

    def _whitened(self, sums: ClassSums, rows: FloatArray, means: FloatArray) -> Whitened | None:
        present = sums.rows > 0
        moved = (sums.x[present] ** 2 / sums.weight[present][:, None]).sum(axis=0)
        squares = sums.squares[present].sum(axis=0) - moved
        if self.shape == "spherical":
            total, of_all = squares.sum(), self.rows.all.squares.sum()
            if not total * LARGEST_AMPLIFICATION >= of_all > 0:
                return None
            transform = np.full(len(squares), np.sqrt(len(squares) / total))
            amplification = of_all / total
        else:
            share = squares[self.varies] * self.scale[self.varies] ** 2
            if not (share * LARGEST_AMPLIFICATION >= 1).all():
                return None
            transform = np.zeros_like(squares)
            transform[self.varies] = 1 / np.sqrt(squares[self.varies])
            amplification = 1 / share.min(initial=1.0)
        return Whitened(
            transformed(rows, transform), transformed(means, transform), float(amplification)
        )


def _size(rows: FloatArray, means: FloatArray) -> float:
    """Return the largest term of a log density."""
    squares = np.einsum("ij,ij->i", means, means).max()
    lengths = np.einsum("ij,ij->i", rows, rows).max(initial=0.0)
    return float(squares + np.sqrt(squares * lengths))


def told(
    joint: FloatArray,
    present: IntArray,
    n_classes: int,
    wrong: float,
    why: Plain = ILL_CONDITIONED,
) -> Predictions | Plain:
    """Return the predictions, or ``why`` not where rounding could be ``wrong`` in eight digits.

    Two classes that rounding could exchange are left to the plain path too.
    """
    if not wrong <= DIGITS:
        return why
    if (gap(joint) <= DIGITS).any():
        return TIED
    return posterior(joint, present, n_classes)
