"""Weighted losses: the check on the weights, and mean and variance of what is averaged."""

from __future__ import annotations

import numpy as np

from thetahat.cautions import CONTROL_FROM_FEW_ROWS, ZERO_VARIANCE, Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.types import FloatArray

_LARGEST = 1e140  # squares of larger weighted losses leave double precision


def weighted_losses(losses: FloatArray, weights: FloatArray) -> FloatArray:
    """(n,) losses times weights, after checking that the weights are weights."""
    n = len(losses)
    if len(weights) != n:
        raise InvalidParameter(
            f"there are {len(weights)} weights for {n} losses", loc=("weights",), value=len(weights)
        )
    if n < 2:
        raise InsufficientData(
            f"a risk with its variance needs two losses, and there are {n}", loc=("losses",)
        )
    fit = np.isfinite(weights) & (weights >= 0) & (weights <= _LARGEST)
    if not fit.all():
        at = int(np.argmin(fit))
        raise InvalidParameter(
            f"weight {at} is {weights[at]}; weights must be finite, not negative and at most "
            f"{_LARGEST:g}",
            loc=("weights", at),
            value=str(weights[at]),
        )
    if not weights.any():
        raise InvalidParameter("all weights are zero", loc=("weights",), value=0.0)
    with np.errstate(over="ignore"):
        products = np.asarray(losses * weights)
    small = np.abs(products) <= _LARGEST
    if not small.all():
        at = int(np.argmin(small))
        raise InvalidParameter(
            f"loss {at} times its weight is beyond {_LARGEST:g} in size",
            loc=("weights", at),
            value=str(weights[at]),
        )
    return products


def mean_and_variance(terms: FloatArray) -> tuple[float, float]:
    """Mean of (n,) terms and the variance of that mean (ddof 1), relative to the first term."""
    shifted = terms - terms[0]
    return float(terms[0] + shifted.mean()), float(shifted.var(ddof=1) / len(terms))


def zero_variance(variance: float) -> tuple[Caution, ...]:
    """Caution where the averaged terms do not vary."""
    if variance > 0:
        return ()
    return (
        ZERO_VARIANCE(
            reason="the averaged terms do not vary", consequence="The interval is a single point."
        ),
    )


def few_to_control_with(weights: FloatArray) -> tuple[Caution, ...]:
    """Caution where so few rows carry the weight that a control variate fits them.

    In the coverage study (preset ``interval_coverage``) intervals of level .95 covered in .90 with
    an effective sample size near 70, in .74 near 20, and more rarely below.
    """
    relative = weights / weights.max()
    effective = float(relative.sum() ** 2 / (relative @ relative))
    if effective >= CONTROL_FROM_FEW_ROWS.threshold or not np.ptp(relative):
        return ()
    return (CONTROL_FROM_FEW_ROWS(effective=f"{effective:.4g}"),)
