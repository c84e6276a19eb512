"""Squared bias and variance of a learner whose fits predict the same instances several times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.cross_validation import SplitOutcome
from thetahat.losses.base import Loss
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasVariance:
    r"""Expected loss of a learner, split in squared bias and variance over its fits.

    With J fits that predict instance i, :math:`f_{ij}` and :math:`L_{ij}` their predictions and
    losses,

    .. math::
        V_i = \frac{1}{J - 1} \sum_j (f_{ij} - \bar f_i)^2, \quad B_i = \bar L_i - V_i

    for the squared loss; for the zero-one loss :math:`V_i = \frac{J}{2 (J - 1)}
    (1 - \sum_c \hat p_{ic}^2)` with :math:`\hat p_{ic}` the share of fits that predict class c.
    Both are unbiased for J fits to independent training samples. The fits of one data set share
    rows, so the variance is over the training parts of the scheme and smaller than that over new
    samples; what is missing is in the squared bias.

    Source: geman1992 for the squared loss, kohavi1996 for the zero-one loss.

    Deviations: noise and squared bias are one number, because each instance has one target.
    """

    n_instances: int
    r"""Number of instances that two fits or more predict."""
    fewest_fits: int
    r"""Smallest number of fits that predict one of them."""
    expected_loss: float
    r"""Mean loss of these instances, each with the same weight."""
    bias_squared: float
    r"""Mean squared bias plus noise; it may be negative by chance."""
    variance: float
    r"""Mean variance of the predictions."""


def split_bias_and_variance(
    data: Data, loss: Loss, outcomes: Mapping[str, Sequence[SplitOutcome]]
) -> dict[str, BiasVariance] | None:
    """Return bias and variance by learner.

    None if the loss is not split into them, or if no instance is predicted by two fits.
    """
    if not loss.info.loss.has_bias_and_variance:
        return None
    parts = {name: _split_one(data, of_learner) for name, of_learner in outcomes.items()}
    return {name: part for name, part in parts.items() if part is not None} or None


def _split_one(data: Data, outcomes: Sequence[SplitOutcome]) -> BiasVariance | None:
    test, losses, output = [], [], []
    for outcome in outcomes:
        if outcome.output is None:
            return None
        test.append(outcome.test)
        losses.append(outcome.losses)
        output.append(outcome.output)
    rows, predicted, all_losses = (np.concatenate(part) for part in (test, output, losses))
    return split_predictions(rows, predicted, all_losses, data.n_classes)


def split_predictions(
    rows: IntArray, predicted: np.ndarray, losses: FloatArray, n_classes: int
) -> BiasVariance | None:
    """Return bias and variance of a model; None if no instance is predicted twice.

    Parameters
    ----------
    rows : ndarray of int
        (n,) instance of each prediction.
    predicted : ndarray
        (n,) codes of classes, or values if there are no classes.
    losses : ndarray of float
        (n,) zero-one losses of classes, or squared losses of values.
    n_classes : int
        Number of classes; 0 for values.
    """
    J = np.bincount(rows)
    several = J > 1
    if not several.any():
        return None
    spread = _compute_class_variances if n_classes else _compute_value_variances
    V = spread(rows, predicted, J, n_classes)[several]
    L = np.bincount(rows, weights=losses)[several] / J[several]
    return BiasVariance(
        n_instances=int(several.sum()),
        fewest_fits=int(J[several].min()),
        expected_loss=float(L.mean()),
        bias_squared=float((L - V).mean()),
        variance=float(V.mean()),
    )


def _compute_value_variances(
    rows: IntArray, f: np.ndarray, J: IntArray, n_classes: int
) -> FloatArray:
    """Return the (n,) variances (ddof 1) of the predictions of each instance."""
    del n_classes
    means = np.bincount(rows, weights=f, minlength=len(J)) / np.maximum(J, 1)
    squares = np.bincount(rows, weights=(f - means[rows]) ** 2, minlength=len(J))
    return np.asarray(squares / np.maximum(J - 1, 1))


def _compute_class_variances(
    rows: IntArray, f: np.ndarray, J: IntArray, n_classes: int
) -> FloatArray:
    """Return the (n,) unbiased halves of the Gini index of the classes predicted."""
    codes = rows * n_classes + f.astype(np.intp)
    counts = np.bincount(codes, minlength=len(J) * n_classes).reshape(len(J), n_classes)
    same = ((counts / np.maximum(J, 1)[:, np.newaxis]) ** 2).sum(axis=1)
    return np.asarray(0.5 * (1 - same) * J / np.maximum(J - 1, 1))
