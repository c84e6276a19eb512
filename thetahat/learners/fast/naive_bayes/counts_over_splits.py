"""Naive Bayes learners of counts over all splits: the counts of a block are subtracted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from thetahat.learners._training_parts import take_rows
from thetahat.learners.base import OrdinaryFit, OverSplits, Part
from thetahat.learners.fast.naive_bayes.class_probabilities import (
    compute_posterior_of_two,
    posterior,
)
from thetahat.learners.fast.naive_bayes.class_sums import score_blocks, scores
from thetahat.learners.fast.naive_bayes.count_rows import CountRows
from thetahat.learners.fast.naive_bayes.smoothed_logs import SmoothedLogs
from thetahat.losses.base import Predictions
from thetahat.numerics.loops.sparse_counts import odds_by_kernel
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.learners.fast.naive_bayes.count_learner import CountLearner

MAX_UNCERTAIN_SHARE: Final = 1e-9
"""Largest accepted error of a log-likelihood."""
ONE_CLASS: Final = OrdinaryFit("a training part has fewer than two classes")

_MIN_LEFT: Final = 1e-6
"""Smallest share of a class's weight that must remain, so that subtraction loses few digits."""


def rounding_of_sum(n: int) -> float:
    """Return the relative rounding error of a sum of n non-negative values."""
    return 4 * float(np.finfo(np.float64).eps) * math.sqrt(n)


def log_table(
    model: CountLearner, sums: np.ndarray, totals: FloatArray, logs: SmoothedLogs
) -> tuple[FloatArray, FloatArray]:
    """Return the table that a row's counts are multiplied with, and the constants to add.

    Parameters
    ----------
    sums, totals : ndarray
        (C', p) counts and (C',) weights of the classes of a training part.
    logs : SmoothedLogs
        The logarithms of such counts.

    Returns
    -------
    table : ndarray of float
        (W, p): of two classes W is 1, the log odds of the second against the first; else C'.
    constant : ndarray of float
        (W,), with the logs of the classes' shares.
    """
    table, constant = model.terms(sums, totals, logs)
    constant += np.log(totals / totals.sum())
    if len(totals) != 2:
        return table, constant
    return table[1:] - table[:1], constant[1:] - constant[:1]


def build_predictions(weighed_rows: FloatArray, present: IntArray, n_classes: int) -> Predictions:
    """Return the predictions from (m, W) products of rows with a table of ``log_table``."""
    if len(present) == 2:
        return compute_posterior_of_two(weighed_rows[:, 0], present, n_classes)
    return posterior(weighed_rows, present, n_classes)


def _is_stretch(part: Part) -> bool:
    """Whether the test rows are consecutive."""
    return int(part.test[-1]) - int(part.test[0]) < len(part.test)


@dataclass(frozen=True, eq=False)
class _BlockTables:
    """The tables fitted without each of K blocks, for whole-number counts.

    Parameters
    ----------
    model : CountLearner
        The learner.
    logs : SmoothedLogs
        The logarithms of all counts.
    sums, in_blocks : ndarray of int
        (C', p) counts of the classes over all rows, and (K, C', p) over those of each block.
    totals : ndarray of float
        (K, C') weights of the classes without each block.
    """

    model: CountLearner
    logs: SmoothedLogs
    sums: IntArray
    in_blocks: np.ndarray
    totals: FloatArray

    @cached_property
    def _norms(self) -> FloatArray | None:
        """Return the (K, C') normalising constants of each block, for a model that has them."""
        if self.logs.listed is None or len(self.sums) != 2:
            return None
        sizes = self.sums.sum(axis=1) - self.in_blocks.sum(axis=2, dtype=np.intp)
        return self.model.norms(sizes, self.sums.shape[1])

    def log_table(self, at: int) -> tuple[FloatArray, FloatArray]:
        """Return table and constants without the rows of a block."""
        totals, norms = self.totals[at], self._norms
        if norms is None or self.logs.listed is None:
            return log_table(self.model, self.sums - self.in_blocks[at], totals, self.logs)
        odds = odds_by_kernel(self.sums, self.in_blocks[at], self.logs.listed, norms[at])
        shares = np.log(totals / totals.sum())
        return odds[None], shares[1:] - shares[:1]


@dataclass(frozen=True, eq=False)
class CountsOverSplits(OverSplits):
    """Predicts splits by subtracting the counts of the left-out rows.

    Parameters
    ----------
    rows : CountRows
        Counts of all rows.
    model : CountLearner
        The learner.
    """

    leaves_rows_out: ClassVar[bool] = True

    rows: CountRows
    model: CountLearner

    @cached_property
    def logs(self) -> SmoothedLogs:
        """The logarithms of the counts of a training part without repeated rows."""
        return SmoothedLogs(self.model.smoothing, self.rows.largest_count)

    def compute_logs(self, part: Part) -> SmoothedLogs:
        """Return the logarithms of the counts of a training part."""
        return SmoothedLogs(self.model.smoothing) if part.left_out is None else self.logs

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
        table, constant = log_table(self.model, sums, totals[present], self.compute_logs(part))
        return build_predictions(
            scores(rows.matrix, part.test, table) + constant, present, rows.n_classes
        )

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict the test parts of splits; disjoint ones in one pass."""
        predictions: list[Predictions | OrdinaryFit] = []
        for run in self.rows.disjoint_groups(parts):
            many = len(run) > 1 and len(self.rows.present) > 1
            predictions += (
                self._predict_in_one_pass(run) if many else [self.predict(part) for part in run]
            )
        return predictions

    def _predict_in_one_pass(self, run: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict the test parts of a run of several of ``CountRows.disjoint_groups``.

        A training part that lacks a class is left to ``predict``.
        """
        rows, n_blocks = self.rows, len(run)
        block = np.full(len(rows.y), n_blocks, dtype=np.intp)
        for at, part in enumerate(run):
            block[part.test] = at
        cells, present = rows.cells(block, n_blocks), rows.present
        in_blocks = rows.sums_of_blocks(cells, n_blocks)
        if len(present) < rows.n_classes:
            in_blocks = in_blocks[:, present]
        totals = (rows.totals - rows.totals_of_blocks(cells, n_blocks))[:, present]
        tables = _BlockTables(self.model, self.logs, rows.whole_sums[present], in_blocks, totals)
        has_all = [bool(left.all()) for left in totals > 0]
        if all(map(_is_stretch, run)):
            scored = self._multiply_block_by_block(run, tables, has_all)
        else:
            scored = self._multiply_all_rows(run, block, tables, has_all)
        return [
            self.predict(part)
            if weighed_rows is None
            else build_predictions(weighed_rows, present, rows.n_classes)
            for part, weighed_rows in zip(run, scored, strict=True)
        ]

    def _multiply_block_by_block(
        self, run: Sequence[Part], tables: _BlockTables, fit: Sequence[bool]
    ) -> list[FloatArray | None]:
        """Multiply consecutive rows by their block's table, one block at a time."""
        part_scores: list[FloatArray | None] = [None] * len(run)
        for at, part in enumerate(run):
            if fit[at]:
                table, constant = tables.log_table(at)
                part_scores[at] = scores(self.rows.matrix, part.test, table) + constant
        return part_scores

    def _multiply_all_rows(
        self, run: Sequence[Part], block: IntArray, tables: _BlockTables, fit: Sequence[bool]
    ) -> list[FloatArray | None]:
        """Multiply each row by its block's table."""
        n_blocks, n_present, p = tables.in_blocks.shape
        width = 1 if n_present == 2 else n_present
        of_blocks, constants = np.zeros((n_blocks, p, width)), np.zeros((n_blocks, width))
        for at in np.flatnonzero(fit).tolist():
            table, constants[at] = tables.log_table(at)
            of_blocks[at] = table.T
        of_rows = score_blocks(self.rows.matrix, block, of_blocks)
        return [
            of_rows[part.test] + constants[at] if fit[at] else None for at, part in enumerate(run)
        ]

    @cached_property
    def _left_out(self) -> tuple[Predictions, np.ndarray]:
        """Leave-one-out predictions of all rows, and which of them may be used."""
        rows, present, w = self.rows, self.rows.present, self.rows.weights
        table, constant = self.model.terms(rows.sums[present], rows.totals[present], self.logs)
        joint = scores(rows.matrix, None, table)
        joint += constant
        own, is_own = self.model.one_left_out(rows, self.logs), present == rows.y[:, None]
        np.copyto(joint, own[:, None], where=is_own)
        left = rows.totals[present] - np.where(is_own, w[:, None], 0.0)
        fits = (left > (0 if rows.is_exact else _MIN_LEFT) * rows.totals[present]).all(axis=1)
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
