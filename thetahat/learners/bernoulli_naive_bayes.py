"""Naive Bayes for binary features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from thetahat.learners._count_learner import CountLearner
from thetahat.parameter_checks import check_positive, require
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class BernoulliNaiveBayes(CountLearner):
    r"""A classifier of binary features that are independent conditional on the class.

    :math:`b_j = [x_j > t]`, :math:`N_{cj}` is the weight of the rows of class c with
    :math:`b_j = 1`, and :math:`N_c` the weight of the class. It is the multivariate Bernoulli event
    model of the source.

    Parameters
    ----------
    smoothing : float
        :math:`\alpha`, greater than 0; 1 is Laplace's.
    threshold : float
        t, in units of the features: a feature above it counts as yes.

    Degenerate cases: a class that is absent from the training part has probability 0; a training
    part with a single class is refused.
    """

    smoothing: float = 1.0
    threshold: float = 0.0

    info: ClassVar[MethodInfo] = MethodInfo(
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

    def __post_init__(self) -> None:
        check_positive("smoothing", self.smoothing)
        require(math.isfinite(self.threshold), "threshold", self.threshold, "must be finite")

    def counts(self, features: Features) -> FloatArray | CsrMatrix:
        """Return the (n, p) features as 0 and 1; sparse if the features are and 0 counts as no."""
        if not features.wide or self.threshold < 0:
            return (features.complete_matrix() > self.threshold).astype(np.float64)
        from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

        matrix = features.sparse_matrix()
        yes = (matrix.data > self.threshold).astype(np.uint16)
        parts: Any = (yes, matrix.indices, matrix.indptr)
        return csr_array(parts, shape=matrix.shape)

    def terms(self, sums: FloatArray, totals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (C', p) log odds of a 1, and (C',) log-likelihoods of an all-zero row."""
        no = totals[:, None] - sums
        # If no row has a 0, fractional weights leave a rounding error, maybe negative.
        np.copyto(no, 0.0, where=no <= _ROUNDING * totals[:, None])
        log_no = np.log(no + self.smoothing)
        table = np.log(sums + self.smoothing) - log_no
        log_no -= np.log(totals + 2 * self.smoothing)[:, None]
        return table, log_no.sum(axis=1)
