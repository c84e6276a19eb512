"""From an estimate and its variance to the outcome of a t or normal test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from thetahat.cautions import VARIANCE_TOO_LARGE, ZERO_VARIANCE, Caution
from thetahat.distributions import p_value_of
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.values.types import Alternative, Target, UnitName
from thetahat.variances.base import VarianceEstimate

_TOO_LARGE = VARIANCE_TOO_LARGE()
_ROUNDINGS = 2 * float(np.finfo(np.float64).eps)


def rounded(pair: PairedLosses, estimate: float, variance: float) -> tuple[float, float]:
    """Return the two as they are, or as 0 where they are no more than the losses' last bits."""
    largest = max(pair.a.largest_mean, pair.b.largest_mean)
    bits = _ROUNDINGS * largest
    if not 0 <= variance <= bits**2:
        return estimate, variance
    return (0.0 if abs(estimate) <= bits else estimate), 0.0


def t_outcome(  # noqa: PLR0913 - one argument per part of a t test
    estimate: float,
    variance: float,
    degrees_of_freedom: float | None,
    alternative: Alternative,
    *,
    target: Target,
    unit: UnitName,
    cautions: tuple[Caution, ...] = (),
    details: Mapping[str, Any] | None = None,
) -> TestOutcome:
    """Divide and look up; with a variance of 0 the statistic is undefined or infinite.

    It is then None, and the p-value is 1 where the difference is 0 or points away from the
    alternative, else 0. With a variance beyond the largest number both are None.
    """
    statistic, p_value = _statistic(estimate, variance), None
    if variance == math.inf:
        cautions = (*cautions, _TOO_LARGE)
    elif statistic is None:
        p_value = _limit(estimate, alternative)
        cautions = (*cautions, _no_spread(estimate))
    else:
        p_value = p_value_of(statistic, degrees_of_freedom, alternative)
    return TestOutcome(
        statistic=statistic,
        p_value=p_value,
        degrees_of_freedom=degrees_of_freedom,
        target=target,
        unit=unit,
        cautions=cautions,
        details=details or {},
    )


def corrected_outcome(
    pair: PairedLosses,
    variance: VarianceEstimate,
    alternative: Alternative,
    *,
    unit: UnitName,
    details: Mapping[str, Any] | None = None,
) -> TestOutcome:
    """Test with a variance from the registry, where 0 is a limit and not a refusal."""
    estimate, value = rounded(pair, variance.estimate, float(np.asarray(variance.value)))
    return t_outcome(
        estimate,
        value,
        variance.degrees_of_freedom,
        alternative,
        target=variance.target,
        unit=unit,
        cautions=tuple(c for c in variance.cautions if c.code != "zero_variance"),
        details=details,
    )


def _statistic(estimate: float, variance: float) -> float | None:
    if not 0 < variance < math.inf:
        return None
    statistic = estimate / math.sqrt(variance)
    return statistic if math.isfinite(statistic) else None


def _limit(estimate: float, alternative: Alternative) -> float:
    if alternative is Alternative.TWO_SIDED:
        return 1.0 if estimate == 0 else 0.0
    towards = estimate < 0 if alternative is Alternative.LESS else estimate > 0
    return 0.0 if towards else 1.0


def _no_spread(estimate: float) -> Caution:
    if estimate == 0:
        return ZERO_VARIANCE(
            reason="all differences are 0",
            consequence="There is no statistic, and the p-value is 1.",
        )
    return ZERO_VARIANCE(
        reason="the differences do not vary",
        consequence="The statistic is infinite and left out; the p-value is its limit.",
    )
