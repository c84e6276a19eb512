"""The fit that the naive Bayes learners of counts share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from thetahat.learners._training_parts import check_two_classes, class_weights, read_weights
from thetahat.learners.base import FastLearner, OverSplits
from thetahat.learners.fast.naive_bayes.class_probabilities import BayesRule
from thetahat.learners.fast.naive_bayes.class_sums import scores, sums_by_class
from thetahat.learners.fast.naive_bayes.count_model import CountModel
from thetahat.learners.fast.naive_bayes.count_rows import CountRows
from thetahat.learners.fast.naive_bayes.counts_over_splits import CountsOverSplits
from thetahat.learners.fast.naive_bayes.smoothing_path import SmoothingPath
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


class CountLearner(FastLearner, CountModel):
    """A classifier whose log-likelihood is the product of a row of counts and a table.

    A learner defines the counts that it reads from the features, and what ``CountModel`` asks for.
    """

    __slots__ = ()
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    gives_scores: ClassVar[bool] = True
    path_parameter: ClassVar[str] = "smoothing"

    @abstractmethod
    def counts(self, features: Features) -> FloatArray | CsrMatrix:
        """Return the (n, p) counts; raises for values that are not counts."""

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
        counts = self.counts(features)
        sums = sums_by_class(counts, np.arange(len(y)), y, w, n_classes)
        table, constant = self.terms(sums[present], totals[present])
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: scores(self.counts(of), None, table) + constant,
            n_classes=n_classes,
        )

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits:
        """Sum the counts of all rows, from which those of a block are subtracted."""
        counts = self.counts(features)
        return CountsOverSplits(CountRows(counts, y, w, n_classes), self)

    def prepare_path(
        self,
        values: Sequence[float],
        features: Features,
        y: np.ndarray,
        w: FloatArray,
        n_classes: int,
    ) -> SmoothingPath:
        """Sum the counts once for all values of the smoothing."""
        counts = self.counts(features)
        learner: Any = self
        models = [replace(learner, smoothing=value) for value in values]
        return SmoothingPath(CountRows(counts, y, w, n_classes), models)
