"""t and normal tests of an estimated difference with an estimated variance."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from thetahat.cautions import VARIANCE_TOO_LARGE, ZERO_VARIANCE, Caution
from thetahat.distributions import compute_p_value
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Target, UnitName
from thetahat.variances.base import VarianceEstimate, VarianceEstimator

_ROUNDING = 2 * float(np.finfo(np.float64).eps)


def round_to_zero(pair: PairedLosses, estimate: float, variance: float) -> tuple[float, float]:
    """Return estimate and variance, each set to 0 if it is within the losses' rounding error."""
    rounding = _ROUNDING * max(pair.a.largest_mean, pair.b.largest_mean)
    if not 0 <= variance <= rounding**2:
        return estimate, variance
    return (0.0 if abs(estimate) <= rounding else estimate), 0.0


def run_t_test(  # noqa: PLR0913 - one argument per part of a t test
    estimate: float,
    variance: float,
    degrees_of_freedom: float | None,
    alternative: Alternative,
    *,
    target: Target,
    unit: UnitName,
    cautions: tuple[Caution, ...] = (),
    details: Mapping[str, JsonValue] | None = None,
) -> TestOutcome:
    """Test that the expected estimate is 0; a normal test if the degrees of freedom are None.

    With a variance of 0 the statistic is None and the p-value is its limit: 1 if the estimate is 0
    or points away from the alternative, else 0. With an infinite variance both are None.
    """
    statistic, p_value = _compute_statistic(estimate, variance), None
    if variance == math.inf:
        cautions = (*cautions, VARIANCE_TOO_LARGE())
    elif statistic is None:
        p_value = _find_limit_of_p_value(estimate, alternative)
        cautions = (*cautions, _build_zero_variance_outcome(estimate))
    else:
        p_value = compute_p_value(statistic, degrees_of_freedom, alternative)
    return TestOutcome(
        statistic=statistic,
        p_value=p_value,
        degrees_of_freedom=degrees_of_freedom,
        target=target,
        unit=unit,
        cautions=cautions,
        details=details or {},
    )


def run_t_test_with_variance(
    pair: PairedLosses,
    variance: VarianceEstimate,
    alternative: Alternative,
    *,
    unit: UnitName,
    details: Mapping[str, JsonValue] | None = None,
) -> TestOutcome:
    """Test with a variance estimate; with a variance of 0 the p-value is its limit."""
    estimate, value = round_to_zero(pair, variance.estimate, float(np.asarray(variance.value)))
    return run_t_test(
        estimate,
        value,
        variance.degrees_of_freedom,
        alternative,
        target=variance.target,
        unit=unit,
        cautions=tuple(c for c in variance.cautions if c.code != ZERO_VARIANCE.code),
        details=details,
    )


def reason_against_variance(name: str, estimator: VarianceEstimator, layout: Layout) -> str | None:
    """Return why the test of that name lacks its variance estimate here, or None if it has it."""
    reason = estimator.inapplicable(layout)
    return None if reason is None else f"{name} lacks its variance estimate: {reason}"


def _compute_statistic(estimate: float, variance: float) -> float | None:
    if not 0 < variance < math.inf:
        return None
    statistic = estimate / math.sqrt(variance)
    return statistic if math.isfinite(statistic) else None


def _find_limit_of_p_value(estimate: float, alternative: Alternative) -> float:
    if alternative is Alternative.TWO_SIDED:
        return 1.0 if estimate == 0 else 0.0
    is_towards = estimate < 0 if alternative is Alternative.LESS else estimate > 0
    return 0.0 if is_towards else 1.0


def _build_zero_variance_outcome(estimate: float) -> Caution:
    if estimate == 0:
        return ZERO_VARIANCE(
            reason="all differences are 0",
            consequence="There is no statistic, and the p-value is 1.",
        )
    return ZERO_VARIANCE(
        reason="the differences do not vary",
        consequence="The statistic is infinite and left out; the p-value is its limit.",
    )
