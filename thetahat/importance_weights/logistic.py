"""Weights from a classifier that separates the two samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.importance_weights.base import (
    ImportanceWeights,
    Samples,
    compute_weights_from_logarithms,
)
from thetahat.parameter_checks import check_not_negative
from thetahat.registry import MethodInfo
from thetahat.special_functions import expit
from thetahat.values.types import FloatArray

_MAX_STEPS: Final = 100
_GRADIENT_TOLERANCE: Final = 1e-10
_MAX_FINAL_GRADIENT: Final = 1e-7
_MAX_CONDITION: Final = 1e14
_OVERFLOW: Final = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    r"""Weights from a logistic regression that tells target rows from source rows.

    The weight of a row is its odds of being a target row, times n/m.

    n and m are the numbers of source and target rows. The regression has an intercept that is not
    penalised, and the penalty :math:`\lambda/2` times the squared coefficients of the features,
    which are divided by their pooled standard deviation.

    Probabilities are used, never predicted classes: the weights are positive and smooth.

    Deviations: the source fits the classifier and the learner in one problem; here the weights
    come first.

    Degenerate cases: features that do not vary have no coefficient; samples that a hyperplane
    separates need a penalty above 0, and the penalty alone then bounds the weights.

    Parameters
    ----------
    penalty : float
        :math:`\lambda`, at least 0.
    """

    penalty: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Odds of a classifier between the samples",
        summary=(
            "The odds of being a target row by logistic regression, corrected for the sizes of "
            "the samples."
        ),
        formula=r"\hat{w}(x) = \frac{n}{m} \hat{P}(target | x) / (1 - \hat{P}(target | x))",
        references=("bickel2007",),
        assumptions=(
            "The logarithm of the density ratio is linear in the features. Labels depend on the "
            "features in the same way in both populations."
        ),
        errs=(
            "The method does not detect a difference in spread alone: weights are then near 1 "
            "although they should not be. The penalty pulls all weights towards 1."
        ),
    )

    def __post_init__(self) -> None:
        check_not_negative("penalty", self.penalty)

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Fit the regression by Newton's method; ``rng`` is not used."""
        del rng
        pooled = np.concatenate([samples.source, samples.target])
        standardise = _make_standardiser(pooled)
        X, y = standardise(pooled), np.repeat([0.0, 1.0], [samples.n, samples.m])
        coefficients, violation, n_steps = _minimise(X, y, self.penalty)
        log_ratio = float(np.log(samples.n / samples.m))
        logits = X @ coefficients + log_ratio

        def weigh(rows: FloatArray) -> FloatArray:
            with np.errstate(over="ignore"):
                return np.exp(standardise(rows) @ coefficients + log_ratio)

        target_logits = logits[samples.n :]
        return ImportanceWeights(
            values=compute_weights_from_logarithms(logits[: samples.n]),
            target_values=np.exp(target_logits) if float(target_logits.max()) < _OVERFLOW else None,
            details={"n_steps": n_steps, "largest_violation": violation},
            weight_function=weigh,
        )


def _make_standardiser(pooled: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """Return a function that standardises rows by the pooled mean and SD after an intercept."""
    mean = pooled.mean(axis=0)
    scale = (pooled - mean).std(axis=0)
    varies = scale > 4 * np.finfo(np.float64).eps * np.abs(pooled).max(axis=0)

    def standardise(rows: FloatArray) -> FloatArray:
        return np.column_stack([np.ones(len(rows)), (rows - mean)[:, varies] / scale[varies]])

    return standardise


def _minimise(X: FloatArray, y: FloatArray, penalty: float) -> tuple[FloatArray, float, int]:
    """Return (1 + p,) coefficients, the largest gradient per row, and the number of steps."""
    ridge = np.full(X.shape[1], penalty)
    ridge[0] = 0
    beta = np.zeros(X.shape[1])
    loss, violation, n_steps = _compute_loss(X, y, ridge, beta), np.inf, 0
    while violation > _GRADIENT_TOLERANCE and n_steps < _MAX_STEPS:
        p = expit(X @ beta)
        gradient = X.T @ (p - y) + ridge * beta
        violation = float(np.abs(gradient).max()) / len(y)
        H = (X * (p * (1 - p))[:, None]).T @ X + np.diag(ridge)
        if np.linalg.cond(H) > _MAX_CONDITION:
            break
        direction, log_ratio = np.linalg.solve(H, gradient), 1.0
        while (
            log_ratio > _GRADIENT_TOLERANCE
            and _compute_loss(X, y, ridge, beta - log_ratio * direction) > loss
        ):
            log_ratio /= 2
        beta = beta - log_ratio * direction
        loss, n_steps = _compute_loss(X, y, ridge, beta), n_steps + 1
    if violation > _MAX_FINAL_GRADIENT or loss <= _MAX_FINAL_GRADIENT * len(y):
        raise InsufficientData(
            "The logistic regression has no optimum, because a hyperplane separates the samples "
            "or features are linearly dependent. Give a penalty above 0.",
            loc=("penalty",),
        )
    return beta, violation, n_steps


def _compute_loss(X: FloatArray, y: FloatArray, ridge: FloatArray, beta: FloatArray) -> float:
    eta = X @ beta
    return float((np.logaddexp(0, eta) - y * eta).sum() + 0.5 * ridge @ beta**2)
