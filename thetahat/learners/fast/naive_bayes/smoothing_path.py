"""Naive Bayes of counts for several values of the smoothing, over many splits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Final

import numpy as np

from thetahat.learners._training_parts import concatenate_predictions, predict_nothing
from thetahat.learners.base import OrdinaryFit, OverPath, Part
from thetahat.learners.fast.naive_bayes.class_sums import scores
from thetahat.learners.fast.naive_bayes.count_model import CountModel
from thetahat.learners.fast.naive_bayes.count_rows import CountRows
from thetahat.learners.fast.naive_bayes.counts_over_splits import (
    CountsOverSplits,
    build_predictions,
    log_table,
)
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

MAX_CELLS: Final = 8_000_000
"""Largest number of entries of the tables that are multiplied with the rows at once."""


class SmoothingPath(OverPath):
    """Predicts splits for L values of the smoothing from the same counts.

    The tables of all learners are one array, so that the rows are read once for all of them. The
    numbers of each learner are those that it computes alone, bit by bit.

    Parameters
    ----------
    rows : CountRows
        Counts of all rows.
    models : sequence of CountModel
        (L,) what each learner computes from counts.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, rows: CountRows, models: Sequence[CountModel]) -> None:
        self.rows, self.models = rows, models

    @cached_property
    def _alone(self) -> list[CountsOverSplits]:
        return [CountsOverSplits(self.rows, model) for model in self.models]

    def predict(self, part: Part) -> tuple[Predictions, np.ndarray]:
        """Return the predictions of L * n_test rows, and (L,) whether they may be used.

        They may not be used if the training part has fewer than two classes.
        """
        rows = self.rows
        if part.is_leave_one_out:
            return self._predict_one_by_one(part)
        totals = rows.sum_training_weights(part)
        present = np.flatnonzero(totals)
        n_models, n_test = len(self.models), len(part.test)
        if len(present) < 2:
            predictions = predict_nothing(n_models * n_test, rows.n_classes)
            return predictions, np.zeros(n_models, dtype=np.bool_)
        sums, totals = rows.sum_training_counts(part)[present], totals[present]
        weighed_rows = self._score_rows(part.test, sums, totals)
        predictions = build_predictions(
            weighed_rows.reshape(n_models * n_test, -1), present, rows.n_classes
        )
        return predictions, np.ones(n_models, dtype=np.bool_)

    def each_left_out(self, index: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return the leave-one-out predictions for each value, and which may be used.

        As ``CountsOverSplits.each_left_out``: of L * n_rows, and (L, n_rows).
        """
        outcomes = [alone.each_left_out(index) for alone in self._alone]
        return concatenate_predictions([predictions for predictions, _ in outcomes]), np.stack(
            [fits for _, fits in outcomes]
        )

    def _score_rows(self, test: IntArray, sums: FloatArray, totals: FloatArray) -> FloatArray:
        """Return (L, n_test, W) log odds or joint log densities, from ``log_table``."""
        n_classes, width = sums.shape
        step = max(1, MAX_CELLS // (n_classes * width))
        part_scores = []
        for start in range(0, len(self.models), step):
            pairs = [log_table(model, sums, totals) for model in self.models[start : start + step]]
            table, constant = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
            part_scores.append(scores(self.rows.matrix, test, table) + constant)
        all_of_them = np.concatenate(part_scores, axis=1).reshape(len(test), len(self.models), -1)
        return np.ascontiguousarray(all_of_them.transpose(1, 0, 2))

    def _predict_one_by_one(self, part: Part) -> tuple[Predictions, np.ndarray]:
        outcomes = [alone.predict(part) for alone in self._alone]
        nothing = predict_nothing(len(part.test), self.rows.n_classes)
        predictions = [nothing if isinstance(one, OrdinaryFit) else one for one in outcomes]
        return concatenate_predictions(predictions), np.array(
            [not isinstance(one, OrdinaryFit) for one in outcomes]
        )
