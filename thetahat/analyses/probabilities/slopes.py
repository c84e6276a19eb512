"""Calibration slope and intercepts with their intervals."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from thetahat.analyses.probabilities.estimates import build_missing, build_normal
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.result import ProbabilityEstimate, Recalibration
from thetahat.distributions import compute_upper_quantile
from thetahat.numerics.recalibration import (
    RecalibrationFit,
    RecalibrationModel,
    are_separated,
    fit_recalibration,
    profile_ends,
)
from thetahat.special_functions import logit

FEW_ROWS: Final = 200
"""Rows below which intervals of independent rows are those of the profile likelihood."""
FEW_OF_RARER: Final = 20
"""Rows of the rarer outcome below which they are, too: Wald's interval of the slope covers .89 with
six events among 200 rows, and .96 with twenty."""


def estimate_recalibration(event: BinaryEvent, level: float) -> Recalibration:
    """Return slope and intercepts; without them, the reason."""
    reason = _explain_missing_logits(event)
    if reason is not None:
        missing = build_missing(level, reason)
        return Recalibration(
            slope=missing,
            intercept=missing,
            intercept_slope_one=missing,
            model_standard_errors=None,
        )
    logits = logit(event.probabilities)
    ones = np.ones((event.n, 1))
    shifted = fit_recalibration(RecalibrationModel(event.outcomes, ones, logits))
    shift = _estimate(shifted, 0, event, level)
    errors = {}
    if shifted is not None:
        errors["intercept_slope_one"] = _get_model_error(shifted, 0)
    no_slope = _explain_missing_slope(event)
    fit = None
    if no_slope is None:
        design = np.column_stack([np.ones(event.n), logits])
        fit = fit_recalibration(RecalibrationModel(event.outcomes, design, np.zeros(event.n)))
        intercept, slope = (_estimate(fit, place, event, level) for place in (0, 1))
    else:
        intercept = slope = build_missing(level, no_slope)
    if fit is not None:
        errors |= {
            "intercept": _get_model_error(fit, 0),
            "slope": _get_model_error(fit, 1),
        }
    return Recalibration(
        slope=slope,
        intercept=intercept,
        intercept_slope_one=shift,
        model_standard_errors=errors or None,
    )


def _explain_missing_logits(event: BinaryEvent) -> str | None:
    if event.n_rarer == 0:
        return "All rows have the same outcome."
    if n := int(event.is_certain.sum()):
        return f"{n} of {event.n} rows have a probability of 0 or 1, which has no logit."
    return None


def _explain_missing_slope(event: BinaryEvent) -> str | None:
    if len(event.levels.values) == 1:
        return "All rows have the same probability."
    if are_separated(event.probabilities, event.outcomes):
        return "A threshold of the probabilities separates the outcomes, so no slope is finite."
    return None


def _estimate(
    fit: RecalibrationFit | None, place: int, event: BinaryEvent, level: float
) -> ProbabilityEstimate:
    if fit is None:
        return build_missing(level, "The logistic regression did not converge.")
    value = float(fit.coefficients[place])
    n_clusters = event.n_clusters
    if n_clusters is not None and n_clusters <= len(fit.coefficients):
        return build_missing(level, "There are too few clusters for a variance.", value)
    variance = float(np.diag(fit.compute_covariance(event.cluster))[place])
    error = math.sqrt(variance)
    if not error > 0:
        return build_missing(level, "The rows show no spread.", value)
    if n_clusters is not None:
        return build_normal(value, error, level, "wald", float(n_clusters - 1))
    if event.n >= FEW_ROWS and event.n_rarer >= FEW_OF_RARER:
        return build_normal(value, error, level, "wald")
    ends = profile_ends(fit, place, compute_upper_quantile((1 - level) / 2, None))
    if ends is None:
        return build_missing(level, "The likelihood does not limit the interval.", value)
    return ProbabilityEstimate(
        estimate=value,
        standard_error=error,
        level=level,
        lower=ends[0],
        upper=ends[1],
        method="profile_likelihood",
    )


def _get_model_error(fit: RecalibrationFit, place: int) -> float:
    return math.sqrt(float(fit.compute_model_variances()[place]))
