"""The decision rule that the three naive Bayes learners share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thetahat.losses.base import Predictions
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray

LogLikelihood = Callable[[Features], FloatArray]


@dataclass(frozen=True, slots=True, eq=False)
class BayesRule:
    """The class with the largest posterior probability."""

    present: IntArray
    """(C',) codes of the classes of the training part, ascending."""
    log_prior: FloatArray
    """(C',) log of their shares."""
    log_likelihood: LogLikelihood
    """From features to (n, C') log-likelihoods, up to a constant per instance."""
    n_classes: int
    """C, all classes of the data."""

    def predict(self, features: Features) -> Predictions:
        """Return class codes, probabilities and log odds; of equal posteriors the lowest wins."""
        return _compute_posterior(
            self.log_likelihood(features) + self.log_prior, self.present, self.n_classes
        )


def _compute_posterior(joint: FloatArray, present: IntArray, n_classes: int) -> Predictions:
    """Return class codes, probabilities and log odds from (n, C') joint log densities.

    Log odds are those of the second class where the data have two.
    """
    best = np.argmax(joint, axis=1)
    relative = np.exp(joint - joint[np.arange(len(joint)), best][:, None])
    probabilities = np.zeros((len(joint), n_classes))
    probabilities[:, present] = relative / relative.sum(axis=1, keepdims=True)
    scores = joint[:, 1] - joint[:, 0] if n_classes == len(present) == 2 else None
    return Predictions(present[best], probabilities=probabilities, scores=scores)
