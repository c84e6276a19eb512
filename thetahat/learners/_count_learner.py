"""The fit that the naive Bayes learners of counts share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thetahat.learners._bayes_rule import BayesRule
from thetahat.learners._training_parts import check_two_classes, class_weights, read_weights
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


class CountLearner(ABC):
    """A classifier whose log-likelihood is the product of a row of counts and a table."""

    __slots__ = ()
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    takes_weights: ClassVar[bool] = True
    gives_scores: ClassVar[bool] = True

    @abstractmethod
    def counts(self, features: Features) -> FloatArray | CsrMatrix:
        """Return the (n, p) counts; raises for values that are not counts."""

    @abstractmethod
    def terms(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the (C', p) log table and (C',) constants from class sums and class weights."""

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
        sums = _sum_by_class(self.counts(features), y, w, n_classes)
        table, constant = self.terms(sums[present], totals[present])
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: np.asarray(self.counts(of) @ table.T) + constant,
            n_classes=n_classes,
        )


def _sum_by_class(
    counts: FloatArray | CsrMatrix, y: np.ndarray, weights: FloatArray, n_classes: int
) -> FloatArray:
    """Return the (C, p) weighted column sums by class."""
    if isinstance(counts, np.ndarray):
        sums = np.zeros((n_classes, counts.shape[1]))
        for code in np.unique(y):
            of_class = np.flatnonzero(y == code)
            sums[code] = weights[of_class] @ counts[of_class]
        return sums
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    n = len(y)
    member = csr_array((weights, (y, np.arange(n))), shape=(n_classes, n))
    return np.asarray((member @ counts).toarray())
