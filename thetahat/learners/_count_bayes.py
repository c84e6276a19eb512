"""Naive Bayes learners of counts over all splits: the counts of a block are subtracted."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.learners._class_sums import are_exact, scores, sums_by_class
from thetahat.learners._naive_bayes import posterior
from thetahat.learners._parts import class_weights
from thetahat.learners.base import Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.sparse import CsrMatrix

Terms = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""From (C', p) sums and (C',) weights of the classes to (C', p) log table and (C',) constant."""

OneLeftOut = Callable[["CountsOverSplits"], FloatArray]
"""(n,) log-likelihood of each row under its own class learnt without it; NaN where it is not
known to ten digits."""

MOST_DOUBT: Final = 1e-9
"""The largest error of a log-likelihood that is taken."""
ONE_CLASS: Final = Plain("a training part has fewer than two classes")


def rounding_of_sums(n: int) -> float:
    """Return the relative error of a sum of n values that are not negative; errors are random."""
    return 4 * float(np.finfo(np.float64).eps) * math.sqrt(n)


@dataclass(frozen=True, eq=False)
class CountsOverSplits:
    """All rows, their counts by class, and what turns counts into log-likelihoods.

    A split's counts are those of all rows less those of the rows left out, where every count is
    a whole number, so that nothing is lost; otherwise they are added up from the training part.
    Either way they are the numbers that ``fit`` has, without a copy of the rows.

    Parameters
    ----------
    matrix : ndarray or csr_array
        (n, p) counts, or ones and zeros.
    y : ndarray of int
        (n,) codes.
    weights : ndarray of float
        (n,).
    n_classes : int
        C.
    terms : callable
        From counts to log table and constant.
    one_left_out : callable
        From this to the log-likelihoods that leave-one-out needs.
    """

    matrix: FloatArray | CsrMatrix
    y: np.ndarray
    weights: FloatArray
    n_classes: int
    terms: Terms
    one_left_out: OneLeftOut

    @cached_property
    def is_exact(self) -> bool:
        """Whether counts can be subtracted without loss."""
        return are_exact(self.matrix, self.weights)

    @cached_property
    def totals(self) -> FloatArray:
        """(C,) weight of each class over all rows."""
        return class_weights(self.y, self.weights, self.n_classes)

    @cached_property
    def sums(self) -> FloatArray:
        """(C, p) counts of each class over all rows."""
        return self.sums_of(np.arange(len(self.y)), self.weights)

    def sums_of(self, rows: IntArray, weights: FloatArray) -> FloatArray:
        """(C, p) counts of each class over some rows."""
        return sums_by_class(self.matrix, rows, self.y, weights, self.n_classes)

    @cached_property
    def _of_all(self) -> tuple[IntArray, FloatArray]:
        """(C',) classes that have weight, and (n, C') log-likelihoods as all rows teach them."""
        present = np.flatnonzero(self.totals)
        table, constant = self.terms(self.sums[present], self.totals[present])
        return present, scores(self.matrix, None, table) + constant

    @cached_property
    def _own(self) -> FloatArray:
        return self.one_left_out(self)

    def predict(self, part: Part) -> Predictions | Plain:
        """Predict the test part of a split."""
        totals = self._totals_of(part)
        present = np.flatnonzero(totals)
        if len(present) < 2:
            return ONE_CLASS
        log_prior = np.log(totals[present] / totals.sum())
        joint = self._without(int(part.test[0]), present) if part.is_one_left_out else None
        if joint is None:
            table, constant = self.terms(self._sums(part)[present], totals[present])
            joint = scores(self.matrix, part.test, table) + constant
        return posterior(joint + log_prior, present, self.n_classes)

    def _totals_of(self, part: Part) -> FloatArray:
        """(C,) weight of each class in the training part."""
        if part.left_out is None or not self.is_exact:
            return class_weights(self.y[part.train], self.weights[part.train], self.n_classes)
        left_out = part.left_out
        of_left_out = class_weights(self.y[left_out], self.weights[left_out], self.n_classes)
        return self.totals - of_left_out

    def _sums(self, part: Part) -> FloatArray:
        """(C, p) counts of each class in the training part."""
        n = len(self.y)
        if part.left_out is None:
            times = np.bincount(part.train, minlength=n)
            return self.sums_of(np.flatnonzero(times), self.weights * times)
        if self.is_exact and 2 * len(part.left_out) < n:
            return self.sums - self.sums_of(part.left_out, self.weights)
        return self.sums_of(part.train, self.weights)

    def _without(self, row: int, present: IntArray) -> FloatArray | None:
        """(1, C') log-likelihoods of a row, learnt from all others; None where not known well."""
        known, of_all = self._of_all
        own = self._own[row]
        if not np.isfinite(own):
            return None
        likelihood = of_all[row : row + 1].copy()
        likelihood[0, known == self.y[row]] = own
        if len(known) > len(present):  # the row was all of its class
            likelihood = likelihood[:, np.isin(known, present)]
        return likelihood
