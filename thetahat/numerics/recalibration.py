r"""The logistic regression of outcomes on the logits of their probabilities.

With the logit x of the probability, :math:`\operatorname{logit} P(y = 1) = a + b x`; calibrated
probabilities have the intercept a = 0 and the slope b = 1.

Source: cox1958.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy

from thetahat.special_functions import expit
from thetahat.values.types import FloatArray, IntArray

_MOST_STEPS: Final = 100
_PRECISION: Final = 1e-14
"""Newton's method ends when a step gains less than this share of the likelihood. That step is still
made, and what then remains is its square."""
_SMALLEST_STEP: Final = 1e-10
"""Share of a step below which the likelihood has no larger value in its direction."""
_WIDEST: Final = 60
"""Doublings after which the end of a profile interval counts as not found."""


@dataclass(frozen=True, slots=True, eq=False)
class RecalibrationModel:
    """A logistic regression with an offset."""

    outcomes: FloatArray
    """(n,) zeros and ones."""
    design: FloatArray
    """(n, k) columns of the coefficients."""
    offset: FloatArray
    """(n,) part of the logit that is known."""

    def compute_likelihood(self, coefficients: FloatArray) -> float:
        """Return the log-likelihood."""
        logits = self.offset + self.design @ coefficients
        return float((self.outcomes * logits - np.logaddexp(0.0, logits)).sum())

    def compute_information(self, coefficients: FloatArray) -> FloatArray:
        """Return the (k, k) negative second derivative of the log-likelihood."""
        fitted = expit(self.offset + self.design @ coefficients)
        return np.asarray(self.design.T @ (self.design * (fitted * (1 - fitted))[:, None]))

    def compute_scores(self, coefficients: FloatArray) -> FloatArray:
        """Return the (n, k) derivatives of the rows' log-likelihoods."""
        fitted = expit(self.offset + self.design @ coefficients)
        return np.asarray(self.design * (self.outcomes - fitted)[:, None])


@dataclass(frozen=True, slots=True, eq=False)
class RecalibrationFit:
    """The coefficients of greatest likelihood."""

    model: RecalibrationModel
    """What was fitted."""
    coefficients: FloatArray
    """(k,) coefficients."""
    likelihood: float
    """Their log-likelihood."""

    def compute_covariance(self, cluster: IntArray | None) -> FloatArray:
        """Return the (k, k) robust covariance: HC0, or with (n,) clusters CR1."""
        inverse = np.linalg.inv(self.model.compute_information(self.coefficients))
        scores = self.model.compute_scores(self.coefficients)
        factor = 1.0
        if cluster is not None:
            codes = np.unique(cluster, return_inverse=True)[1]
            columns = [np.bincount(codes, weights=column) for column in scores.T]
            scores = np.column_stack(columns)
            factor = len(scores) / (len(scores) - 1)
        return np.asarray(factor * inverse @ (scores.T @ scores) @ inverse)

    def compute_model_variances(self) -> FloatArray:
        """Return the (k,) variances under the model itself, from its information."""
        information = self.model.compute_information(self.coefficients)
        return np.asarray(np.diag(np.linalg.inv(information)))


def fit_recalibration(
    model: RecalibrationModel, start: FloatArray | None = None
) -> RecalibrationFit | None:
    """Return the fit by Newton's method with halved steps; None if it does not converge.

    Source: cox1958.
    """
    k = model.design.shape[1]
    coefficients = np.zeros(k) if start is None else start
    likelihood = model.compute_likelihood(coefficients)
    for _ in range(_MOST_STEPS):
        gradient = model.compute_scores(coefficients).sum(axis=0)
        try:
            step = np.linalg.solve(model.compute_information(coefficients), gradient)
        except np.linalg.LinAlgError:
            return None
        gain = float(gradient @ step) / 2
        if gain <= _PRECISION * (1 + abs(likelihood)):
            return RecalibrationFit(model, coefficients + step, likelihood)
        size = 1.0
        while size > _SMALLEST_STEP:
            candidate = coefficients + size * step
            reached = model.compute_likelihood(candidate)
            if reached > likelihood:
                break
            size /= 2
        else:
            return RecalibrationFit(model, coefficients, likelihood)
        coefficients, likelihood = candidate, reached
    return None


def profile_ends(fit: RecalibrationFit, place: int, quantile: float) -> tuple[float, float] | None:
    """Return the ends of the profile likelihood interval of one coefficient.

    They are where twice the log-likelihood, the greatest for a given value of the coefficient, has
    fallen by the squared normal quantile. None if an end is not found.
    """
    model = fit.model
    others = np.delete(np.arange(model.design.shape[1]), place)
    centre = float(fit.coefficients[place])
    error = math.sqrt(float(fit.compute_model_variances()[place]))

    def compute_fall(value: float) -> float:
        offset = model.offset + model.design[:, place] * value
        rest = RecalibrationModel(model.outcomes, model.design[:, others], offset)
        if not len(others):
            greatest = rest.compute_likelihood(np.empty(0))
        else:
            profiled = fit_recalibration(rest, fit.coefficients[others])
            greatest = -math.inf if profiled is None else profiled.likelihood
        return 2 * (fit.likelihood - greatest) - quantile**2

    ends = [_find_end(compute_fall, centre, side * quantile * error) for side in (-1.0, 1.0)]
    if ends[0] is None or ends[1] is None:
        return None
    return ends[0], ends[1]


def _find_end(compute_fall: Callable[[float], float], centre: float, step: float) -> float | None:
    for _ in range(_WIDEST):
        fall = compute_fall(centre + step)
        if not math.isfinite(fall):
            return None
        if fall > 0:
            return float(
                scipy.optimize.brentq(compute_fall, centre, centre + step, xtol=1e-10, rtol=1e-11)
            )
        step *= 2
    return None


def are_separated(logits: FloatArray, outcomes: FloatArray) -> bool:
    """Return whether a threshold of the logits separates the outcomes, so that no slope exists."""
    zeros, ones = logits[outcomes == 0], logits[outcomes == 1]
    return bool(zeros.max() <= ones.min() or ones.max() <= zeros.min())
