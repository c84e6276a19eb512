"""The fit that the naive Bayes learners of counts share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thetahat.errors import EvaluationError
from thetahat.learners._training_parts import check_two_classes, class_weights, read_weights
from thetahat.learners.base import FastLearner, OrdinaryFit, OverSplits
from thetahat.learners.fast.naive_bayes.class_probabilities import BayesRule
from thetahat.learners.fast.naive_bayes.class_sums import scores, sums_by_class
from thetahat.learners.fast.naive_bayes.count_rows import CountRows
from thetahat.learners.fast.naive_bayes.counts_over_splits import CountsOverSplits
from thetahat.learners.fast.naive_bayes.smoothed_logs import SmoothedLogs
from thetahat.learners.fast.naive_bayes.smoothing_path import SmoothingPath
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


class CountLearner(FastLearner, ABC):
    """A classifier whose log-likelihood is the product of a row of counts and a table.

    A learner defines the counts that it reads from the features, and the table that it computes
    from their sums over each class.
    """

    __slots__ = ()
    smoothing: float

    @abstractmethod
    def counts(self, features: Features, *, keep: bool) -> FloatArray | CsrMatrix:
        """Return the (n, p) counts; raises for values that are not counts.

        ``keep`` is whether they are read many times, so that they should use little memory.
        """

    @abstractmethod
    def terms(
        self, sums: FloatArray, totals: FloatArray, logs: SmoothedLogs
    ) -> tuple[FloatArray, FloatArray]:
        """Return the (C', p) log table and (C',) constants from class sums and class weights."""

    @abstractmethod
    def one_left_out(self, rows: CountRows, logs: SmoothedLogs) -> FloatArray:
        """Return the (n,) log-likelihood of each row under its class fitted without it.

        NaN if it is not accurate to ten digits.
        """

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> BayesRule:
        """Sum the counts of each feature in each class."""
        del rng
        w = read_weights(weights, len(y))
        totals = class_weights(y, w, n_classes)
        check_two_classes(totals)
        present = np.flatnonzero(totals)
        counts = self.counts(features, keep=False)
        sums = sums_by_class(counts, np.arange(len(y)), y, w, n_classes)
        table, constant = self.terms(sums[present], totals[present], SmoothedLogs(self.smoothing))
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: scores(self.counts(of, keep=False), None, table) + constant,
            n_classes=n_classes,
        )

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Sum the counts of all rows, from which those of a block are subtracted."""
        rows = self._rows(features, y, weights, n_classes)
        return rows if isinstance(rows, OrdinaryFit) else CountsOverSplits(rows, self)

    def over_path(
        self,
        values: Sequence[Any],
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
    ) -> SmoothingPath | OrdinaryFit:
        """Sum the counts once for all values of the smoothing."""
        rows = self._rows(features, y, weights, n_classes)
        if isinstance(rows, OrdinaryFit):
            return rows
        learner: Any = self
        return SmoothingPath(rows, [replace(learner, smoothing=value) for value in values])

    def _rows(
        self, features: Features, y: np.ndarray, weights: FloatArray | None, n_classes: int
    ) -> CountRows | OrdinaryFit:
        try:
            counts = self.counts(features, keep=True)
        except EvaluationError as error:
            return OrdinaryFit(error.message)
        return CountRows(counts, y, np.ones(len(y)) if weights is None else weights, n_classes)
