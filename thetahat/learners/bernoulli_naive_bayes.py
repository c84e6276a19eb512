"""Naive Bayes for yes-or-no features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.features import Features
from thetahat.learners._class_sums import entries, scores, sums_by_class, with_values
from thetahat.learners._count_bayes import CountsOverSplits
from thetahat.learners._count_rows import CountRows
from thetahat.learners._naive_bayes import BayesRule, check_smoothing
from thetahat.learners._parts import check_two_classes, class_weights, weights_of
from thetahat.learners._smoothing_path import SmoothingPath
from thetahat.learners.base import OverSplits, Plain
from thetahat.registry import MethodInfo
from thetahat.types import FloatArray

if TYPE_CHECKING:
    from thetahat.sparse import CsrMatrix

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class BernoulliNaiveBayes:
    r"""A classifier of yes-or-no features, each independent of the others given the class.

    .. math:: \log p(c | x) = \log \pi_c + \sum_j \left[ b_j \log \theta_{cj}
              + (1 - b_j) \log (1 - \theta_{cj}) \right] + \text{const}, \quad
              \theta_{cj} = \frac{N_{cj} + \alpha}{N_c + 2 \alpha}

    with :math:`b_j = [x_j > t]`, :math:`N_{cj}` the weight of the rows of class c with
    :math:`b_j = 1`, and :math:`N_c` the weight of the class.

    Parameters
    ----------
    smoothing : float
        :math:`\alpha`, greater than 0; 1 is Laplace's.
    threshold : float
        t, in units of the features: a feature above it counts as yes.

    Assumptions: features are independent given the class. They are not, so the class is often
    right and its probability too near 0 or 1.

    Source: mccallum1998 (the multivariate Bernoulli event model).

    Under cross-validation the counts of a block are subtracted from those of all rows, where all
    are whole numbers.

    Degenerate cases: a class that is absent from the training part has probability 0; one class
    alone is refused.
    """

    smoothing: float = 1.0
    threshold: float = 0.0

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bernoulli_naive_bayes",
        title="Bernoulli naive Bayes",
        summary=(
            "A classifier of yes-or-no features, such as which words a text has: features above "
            "the threshold count as yes and are independent given the class."
        ),
        formula=(
            r"\log \pi_c + \sum_j [b_j \log \theta_{cj} + (1 - b_j) \log (1 - \theta_{cj})], \quad "
            r"\theta_{cj} = (N_{cj} + \alpha) / (N_c + 2 \alpha)"
        ),
        references=("mccallum1998", "manning2008"),
        assumptions="Features matter only by being above the threshold, and are independent.",
        errs=(
            "Dependent features are counted several times: probabilities come out too near 0 "
            "or 1, which the log loss punishes and the zero-one loss does not see."
        ),
    )
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    takes_weights: ClassVar[bool] = True
    path_parameter: ClassVar[str] = "smoothing"

    def __post_init__(self) -> None:
        check_smoothing(self.smoothing)
        if not math.isfinite(self.threshold):
            raise InvalidParameter(
                f"threshold must be a finite number, and is {self.threshold}",
                loc=("threshold",),
                value=str(self.threshold),
            )

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> BayesRule:
        """Count in each class how often each feature is a yes."""
        del rng
        w = weights_of(weights, len(y))
        totals = class_weights(y, w, n_classes)
        check_two_classes(totals)
        present = np.flatnonzero(totals)
        is_yes = self._yes(features)
        sums = sums_by_class(is_yes, np.arange(len(y)), y, w, n_classes)
        table, constant = self.terms(sums[present], totals[present])
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: scores(self._yes(of), None, table) + constant,
            n_classes=n_classes,
        )

    def over_splits(
        self, features: Features, y: np.ndarray, *, weights: FloatArray | None, n_classes: int
    ) -> OverSplits | Plain:
        """Count in all rows, from which the counts of a block are subtracted."""
        rows = self._rows(features, y, weights, n_classes)
        return rows if isinstance(rows, Plain) else CountsOverSplits(rows, self)

    def over_path(
        self,
        values: Sequence[Any],
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
    ) -> SmoothingPath | Plain:
        """Count once for every smoothing."""
        rows = self._rows(features, y, weights, n_classes)
        models = [replace(self, smoothing=value) for value in values]
        return rows if isinstance(rows, Plain) else SmoothingPath(rows, models)

    def _rows(
        self, features: Features, y: np.ndarray, weights: FloatArray | None, n_classes: int
    ) -> CountRows | Plain:
        try:
            is_yes = self._yes(features)
        except EvaluationError as error:
            return Plain(error.message)
        return CountRows(is_yes, y, np.ones(len(y)) if weights is None else weights, n_classes)

    def _yes(self, features: Features) -> FloatArray | CsrMatrix:
        """(n, p) ones and zeros; sparse where the features are and a zero counts as no."""
        if not features.wide or self.threshold < 0:
            return (features.complete_matrix() > self.threshold).astype(np.float64)
        matrix = features.sparse_matrix()
        return with_values(matrix, (matrix.data > self.threshold).astype(np.uint16))

    def terms(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(C', p) log odds of a yes in each class, and (C',) what no yes at all comes to."""
        no = self._no(sums, totals)
        log_scale = np.log(totals + 2 * self.smoothing)[:, None]
        log_yes, log_no = np.log(sums + self.smoothing) - log_scale, np.log(no) - log_scale
        return log_yes - log_no, log_no.sum(axis=1)

    def odds(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, float]:
        """Return the second row of ``terms`` less the first, and what is ahead of all features."""
        no = self._no(sums, totals)
        yes = sums + self.smoothing
        of_no, of_yes = no[1] / no[0], yes[1] / yes[0]
        scale = np.log(totals + 2 * self.smoothing)
        ahead = np.log(of_no).sum() - sums.shape[1] * (scale[1] - scale[0])
        return np.log(of_yes / of_no), float(ahead)

    def _no(self, sums: FloatArray, totals: FloatArray) -> FloatArray:
        """(C', p) smoothed weight of the rows without each feature."""
        no = totals[:, None] - sums
        # Where none says no, weights that are no whole numbers leave rounding, maybe below zero.
        return np.where(no > _ROUNDING * totals[:, None], no, 0.0) + self.smoothing

    def one_left_out(self, rows: CountRows) -> FloatArray:
        """(n,) log-likelihood of each row under its class without it.

        All features change in the row's class: those it has are a yes less, the others a no less.
        With one weight for all rows that is one table, in which the row's own are put right.
        """
        y, sums, weight = rows.y, rows.sums, float(rows.weights[0])
        if not (rows.is_exact and np.all(rows.weights == weight)):
            return np.full(len(y), np.nan)
        left = np.maximum(rows.totals - weight, 0.0)[:, None]
        scale = np.log(left + 2 * self.smoothing)
        log_no = np.log(np.maximum(left - sums, 0.0) + self.smoothing) - scale
        log_yes = np.log(np.maximum(sums - weight, 0.0) + self.smoothing) - scale
        table, constant = log_yes - log_no, log_no.sum(axis=1)
        own = np.empty(len(y))
        for some, row, column, yes in entries(rows.matrix):
            codes = y[some]
            own[some] = constant[codes] + np.bincount(
                row, yes * table[codes[row], column], len(codes)
            )
        return own


METHOD = BernoulliNaiveBayes
