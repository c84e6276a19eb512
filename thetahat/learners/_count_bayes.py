"""Naive Bayes learners of counts over all splits: the counts of a block are subtracted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np

from thetahat.learners._class_sums import scores, scores_of_blocks
from thetahat.learners._count_rows import CountRows
from thetahat.learners._naive_bayes import posterior, posterior_of_two
from thetahat.learners._smoothed_logs import SmoothedLogs
from thetahat.learners.base import Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

MOST_DOUBT: Final = 1e-9
"""The largest error of a log-likelihood that is taken."""
ONE_CLASS: Final = Plain("a training part has fewer than two classes")

_LEAST_LEFT: Final = 1e-6
"""Share of a class's weight that must stay, so that to subtract the rest costs few digits."""


def rounding_of_sums(n: int) -> float:
    """Return the relative error of a sum of n values that are not negative; errors are random."""
    return 4 * float(np.finfo(np.float64).eps) * math.sqrt(n)


class CountModel(Protocol):
    """What turns counts into log-likelihoods."""

    @property
    def smoothing(self) -> float:
        """What is added to each count."""
        ...

    def terms(
        self, sums: FloatArray, totals: FloatArray, logs: SmoothedLogs
    ) -> tuple[FloatArray, FloatArray]:
        """From (C', p) sums and (C',) weights of classes to (C', p) log table, (C',) constant."""
        ...

    def one_left_out(self, rows: CountRows, logs: SmoothedLogs) -> FloatArray:
        """(n,) log-likelihood of each row under its own class learnt without it.

        NaN where it is not known to ten digits.
        """
        ...


def weighed(
    model: CountModel, sums: np.ndarray, totals: FloatArray, logs: SmoothedLogs
) -> tuple[FloatArray, FloatArray]:
    """Return what a row's counts are multiplied with, and what is added to that.

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


def told_of(weighed_rows: FloatArray, present: IntArray, n_classes: int) -> Predictions:
    """Return the predictions from (m, W) products of rows with a table of ``weighed``."""
    if len(present) == 2:
        return posterior_of_two(weighed_rows[:, 0], present, n_classes)
    return posterior(weighed_rows, present, n_classes)


@dataclass(frozen=True, eq=False)
class CountsOverSplits:
    """The counts of all rows, and what turns those of a training part into predictions.

    Parameters
    ----------
    rows : CountRows
        Counts of all rows.
    model : CountModel
        The learner.
    """

    rows: CountRows
    model: CountModel

    @cached_property
    def logs(self) -> SmoothedLogs:
        """The logarithms of the counts of a training part that has no row twice."""
        return SmoothedLogs(self.model.smoothing, self.rows.largest_count)

    def logs_of(self, part: Part) -> SmoothedLogs:
        """Return the logarithms of the counts of a training part."""
        return SmoothedLogs(self.model.smoothing) if part.left_out is None else self.logs

    def predict(self, part: Part) -> Predictions | Plain:
        """Predict the test part of a split."""
        rows = self.rows
        if part.is_one_left_out:
            said, fits = self.each_left_out(part.test)
            if fits[0]:
                return said
        totals = rows.totals_of_training(part)
        present = np.flatnonzero(totals)
        if len(present) < 2:
            return ONE_CLASS
        sums = rows.sums_of_training(part)[present]
        table, constant = weighed(self.model, sums, totals[present], self.logs_of(part))
        return told_of(scores(rows.matrix, part.test, table) + constant, present, rows.n_classes)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        """Predict the test parts of splits, those without a common row in one pass."""
        said: list[Predictions | Plain] = []
        for run in self.rows.apart(parts):
            many = len(run) > 1 and len(self.rows.present) > 1
            said += self._in_one_pass(run) if many else [self.predict(part) for part in run]
        return said

    def _in_one_pass(self, run: Sequence[Part]) -> list[Predictions | Plain]:
        """Predict the test parts of a run of several of ``CountRows.apart``.

        A training part that lacks a class which others have is left to ``predict``.
        """
        rows, n_blocks = self.rows, len(run)
        block = np.full(len(rows.y), n_blocks, dtype=np.intp)
        for at, part in enumerate(run):
            block[part.test] = at
        cells, present = rows.cells(block, n_blocks), rows.present
        in_blocks = rows.sums_of_blocks(cells, n_blocks)
        if len(present) < rows.n_classes:
            in_blocks = in_blocks[:, present]
        sums = rows.whole_sums[present]
        totals = (rows.totals - rows.totals_of_blocks(cells, n_blocks))[:, present]
        has_all = [bool(left.all()) for left in totals > 0]
        width = 1 if len(present) == 2 else len(present)
        tables, constants = np.zeros((n_blocks, sums.shape[1], width)), np.zeros((n_blocks, width))
        for at in np.flatnonzero(has_all).tolist():
            table, constants[at] = weighed(self.model, sums - in_blocks[at], totals[at], self.logs)
            tables[at] = table.T
        weighed_rows = scores_of_blocks(rows.matrix, block, tables)
        return [
            told_of(weighed_rows[part.test] + constants[at], present, rows.n_classes)
            if has_all[at]
            else self.predict(part)
            for at, part in enumerate(run)
        ]

    @cached_property
    def _left_out(self) -> tuple[Predictions, np.ndarray]:
        """What is said of each of all rows when it alone is left out, and where that fits."""
        rows, present, w = self.rows, self.rows.present, self.rows.weights
        table, constant = self.model.terms(rows.sums[present], rows.totals[present], self.logs)
        joint = scores(rows.matrix, None, table)
        joint += constant
        own, is_own = self.model.one_left_out(rows, self.logs), present == rows.y[:, None]
        np.copyto(joint, own[:, None], where=is_own)
        left = rows.totals[present] - np.where(is_own, w[:, None], 0.0)
        fits = (left > (0 if rows.is_exact else _LEAST_LEFT) * rows.totals[present]).all(axis=1)
        fits &= np.isfinite(own) & (len(present) > 1)
        joint += np.log(np.where(fits[:, None], left / left.sum(axis=1, keepdims=True), 1.0))
        return posterior(joint, present, rows.n_classes), fits

    def each_left_out(self, index: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return what is said of each row when it alone is left out, and where that may be used.

        Nothing but the row's own class changes. Not to be used where the row is all of its class,
        or so much of it that digits are lost.
        """
        said, fits = self._left_out
        assert said.probabilities is not None  # noqa: S101 - it has them always
        return Predictions(said.output[index], said.probabilities[index]), fits[index]
