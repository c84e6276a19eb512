"""What the three naive Bayes learners share: the rule that turns likelihoods into classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from thetahat.errors import InvalidParameter
from thetahat.features import Features
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.sparse import CsrMatrix

LogLikelihood = Callable[[Features], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class BayesRule:
    """The class with the largest posterior probability.

    Parameters
    ----------
    present : ndarray of int
        (C',) codes of the classes of the training part, ascending.
    log_prior : ndarray of float
        (C',) log of their shares.
    log_likelihood : callable
        From features to (n, C') log-likelihoods, up to a constant per instance.
    n_classes : int
        C, all classes of the data.
    """

    present: IntArray
    log_prior: FloatArray
    log_likelihood: LogLikelihood
    n_classes: int

    def predict(self, features: Features) -> Predictions:
        """Return class codes and probabilities; of equal posteriors the lowest code wins."""
        joint = self.log_likelihood(features) + self.log_prior
        probabilities = np.zeros((len(joint), self.n_classes))
        probabilities[:, self.present] = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
        return Predictions(self.present[np.argmax(joint, axis=1)], probabilities=probabilities)


def check_smoothing(smoothing: float) -> None:
    """Refuse a smoothing that is not positive: without it one unseen word rules a class out."""
    if not 0 < smoothing < np.inf:
        raise InvalidParameter(
            f"smoothing must be greater than 0, and is {smoothing}",
            loc=("smoothing",),
            value=str(smoothing),
        )


def matrix_of(features: Features) -> FloatArray | CsrMatrix:
    """(n, p) of all columns, complete: sparse where some of them are."""
    return features.sparse_matrix() if features.wide else features.complete_matrix()


def sums_by_class(
    matrix: FloatArray | CsrMatrix, y: np.ndarray, weights: FloatArray, present: IntArray
) -> FloatArray:
    """(C', p) weighted column sums of the rows of each class; one class in memory at a time."""
    if not isinstance(matrix, np.ndarray):
        return _sparse_sums(matrix, y, weights, present)
    sums = np.empty((len(present), matrix.shape[1]))
    for at, code in enumerate(present):
        of_class = y == code
        sums[at] = weights[of_class] @ matrix[of_class]
    return sums


def _sparse_sums(
    matrix: CsrMatrix, y: np.ndarray, weights: FloatArray, present: IntArray
) -> FloatArray:
    from scipy.sparse import csr_array  # noqa: PLC0415 - few features are sparse

    counted = np.flatnonzero(np.isin(y, present))
    at = np.searchsorted(present, y[counted])
    member = csr_array((weights[counted], (at, counted)), shape=(len(present), matrix.shape[0]))
    return np.asarray((member @ matrix).toarray())
