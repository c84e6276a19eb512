"""Naive Bayes for yes-or-no features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.features import Features
from thetahat.learners._naive_bayes import BayesRule, check_smoothing, sums_by_class
from thetahat.learners._parts import check_two_classes, class_weights, weights_of
from thetahat.registry import MethodInfo
from thetahat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.sparse import CsrMatrix


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
        yes = sums_by_class(is_yes, y, w, present) + self.smoothing
        log_scale = np.log(totals[present] + 2 * self.smoothing)[:, None]
        no = self._no(is_yes, totals[present], y, w, present)
        log_yes, log_no = np.log(yes) - log_scale, np.log(no) - log_scale
        return BayesRule(
            present=present,
            log_prior=np.log(totals[present] / totals.sum()),
            log_likelihood=lambda of: np.asarray(
                self._yes(of) @ (log_yes - log_no).T + log_no.sum(axis=1)
            ),
            n_classes=n_classes,
        )

    def _yes(self, features: Features) -> FloatArray | CsrMatrix:
        """(n, p) ones and zeros; sparse where the features are and a zero counts as no."""
        if not features.wide or self.threshold < 0:
            return (features.complete_matrix() > self.threshold).astype(np.float64)
        matrix = features.sparse_matrix().copy()
        matrix.data = (matrix.data > self.threshold).astype(np.float64)
        return matrix

    def _no(
        self,
        is_yes: FloatArray | CsrMatrix,
        totals: FloatArray,
        y: np.ndarray,
        w: FloatArray,
        present: IntArray,
    ) -> FloatArray:
        """(C', p) smoothed weight of the rows that say no."""
        if isinstance(is_yes, np.ndarray):
            # From the "no" answers, not by subtraction: exact where theta is near 1.
            return sums_by_class(1 - is_yes, y, w, present) + self.smoothing
        # Of a sparse column almost all are "no", so that subtraction loses no digits there.
        yes = sums_by_class(is_yes, y, w, present)
        return np.maximum(totals[:, None] - yes, 0.0) + self.smoothing


METHOD = BernoulliNaiveBayes
