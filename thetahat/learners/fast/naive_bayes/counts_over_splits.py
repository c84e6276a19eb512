"""Naive Bayes learners of counts over all splits: the counts of a block are subtracted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from thetahat.learners._training_parts import take_rows
from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.naive_bayes.class_probabilities import (
    compute_posterior_of_two,
    posterior,
)
from thetahat.learners.fast.naive_bayes.class_sums import scores
from thetahat.learners.fast.naive_bayes.count_model import CountModel
from thetahat.learners.fast.naive_bayes.count_rows import CountRows
from thetahat.learners.fast.ordinary_fits import MIN_SHARE_LEFT
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

ONE_CLASS: Final = OrdinaryFit("a training part has fewer than two classes")


def rounding_of_sum(n: int) -> float:
    """Return the relative rounding error of a sum of n non-negative values."""
    return 4 * float(np.finfo(np.float64).eps) * math.sqrt(n)


def log_table(
    model: CountModel, sums: np.ndarray, totals: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the table that a row's counts are multiplied with, and the constants to add.

    Parameters
    ----------
    sums, totals : ndarray
        (C', p) counts and (C',) weights of the classes of a training part.

    Returns
    -------
    table : ndarray of float
        (W, p): of two classes W is 1, the log odds of the second against the first; else C'.
    constant : ndarray of float
        (W,), with the logs of the classes' shares.
    """
    table, constant = model.terms(sums, totals)
    constant += np.log(totals / totals.sum())
    if len(totals) != 2:
        return table, constant
    return table[1:] - table[:1], constant[1:] - constant[:1]


def build_predictions(weighed_rows: FloatArray, present: IntArray, n_classes: int) -> Predictions:
    """Return the predictions from (m, W) products of rows with a table of ``log_table``."""
    if len(present) == 2:
        return compute_posterior_of_two(weighed_rows[:, 0], present, n_classes)
    return posterior(weighed_rows, present, n_classes)


@dataclass(frozen=True, eq=False)
class CountsOverSplits(OverSplits):
    """Predicts splits by subtracting the counts of the left-out rows."""

    leaves_rows_out: ClassVar[bool] = True

    rows: CountRows
    """Counts of all rows."""
    model: CountModel
    """What the learner computes from counts."""

    def predict(self, part: Part) -> Predictions | OrdinaryFit:
        """Predict the test part of a split."""
        rows = self.rows
        if part.is_leave_one_out:
            predictions, fits = self.each_left_out(part.test)
            if fits[0]:
                return predictions
        totals = rows.sum_training_weights(part)
        present = np.flatnonzero(totals)
        if len(present) < 2:
            return ONE_CLASS
        sums = rows.sum_training_counts(part)[present]
        table, constant = log_table(self.model, sums, totals[present])
        return build_predictions(
            scores(rows.matrix, part.test, table) + constant, present, rows.n_classes
        )

    @cached_property
    def _left_out(self) -> tuple[Predictions, np.ndarray]:
        """Leave-one-out predictions of all rows, and which of them may be used."""
        rows, present, w = self.rows, self.rows.present, self.rows.weights
        table, constant = self.model.terms(rows.sums[present], rows.totals[present])
        joint = scores(rows.matrix, None, table)
        joint += constant
        own, is_own = self.model.one_left_out(rows), present == rows.y[:, None]
        np.copyto(joint, own[:, None], where=is_own)
        left = rows.totals[present] - np.where(is_own, w[:, None], 0.0)
        fits = (left > (0 if rows.is_exact else MIN_SHARE_LEFT) * rows.totals[present]).all(axis=1)
        fits &= np.isfinite(own) & (len(present) > 1)
        joint += np.log(np.where(fits[:, None], left / left.sum(axis=1, keepdims=True), 1.0))
        return posterior(joint, present, rows.n_classes), fits

    def each_left_out(self, index: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and which may be used.

        Only the row's own class changes. A prediction may not be used if the row is its whole
        class, or so much of its weight that digits are lost.
        """
        predictions, fits = self._left_out
        return take_rows(predictions, index), fits[index]
