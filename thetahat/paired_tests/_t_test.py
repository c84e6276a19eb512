"""t and normal tests of an estimated difference with an estimated variance."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from thetahat.cautions import VARIANCE_TOO_LARGE, ZERO_VARIANCE, Caution
from thetahat.distributions import compute_p_value
from thetahat.paired_tests.base import PairedLosses, PairedTest, TestOutcome
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

    With a variance of 0 there is no statistic, and the p-value is 1 if the estimate is 0: nothing
    shows how certain another one is. With an infinite variance both are None.
    """
    statistic, p_value = _compute_statistic(estimate, variance), None
    if variance == math.inf:
        cautions = (*cautions, VARIANCE_TOO_LARGE())
    elif statistic is None:
        p_value = 1.0 if estimate == 0 else None
        cautions = (*cautions, build_zero_variance_caution(estimate))
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


def reason_against_variance(name: str, estimator: VarianceEstimator, layout: Layout) -> str | None:
    """Return why the test of that name lacks its variance estimate here, or None if it has it."""
    reason = estimator.inapplicable(layout)
    return None if reason is None else f"{name} lacks its variance estimate: {reason}"


class VarianceTest(PairedTest):
    """Base class of tests that divide the mean difference by the root of a variance estimate."""

    __slots__ = ()

    unit: ClassVar[UnitName] = "block"

    @abstractmethod
    def build_estimator(self) -> VarianceEstimator:
        """Return the variance estimator of the differences."""

    def describe(self, variance: VarianceEstimate) -> Mapping[str, JsonValue]:
        """Return the further fields of the result."""
        return variance.details

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the variance cannot be estimated on this layout, or None if it can."""
        return reason_against_variance(self.info.name, self.build_estimator(), layout)

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        """Test that the expected difference is 0."""
        variance = self.build_estimator().estimate(pair.difference)
        estimate, value = round_to_zero(pair, variance.estimate, float(np.asarray(variance.value)))
        return run_t_test(
            estimate,
            value,
            variance.degrees_of_freedom,
            alternative,
            target=variance.target,
            unit=self.unit,
            cautions=tuple(c for c in variance.cautions if c.code != ZERO_VARIANCE.code),
            details=self.describe(variance),
        )


def _compute_statistic(estimate: float, variance: float) -> float | None:
    if not 0 < variance < math.inf:
        return None
    statistic = estimate / math.sqrt(variance)
    return statistic if math.isfinite(statistic) else None


def build_zero_variance_caution(
    estimate: float, reason: str = "the differences do not vary"
) -> Caution:
    """Return the caution on a variance of 0; ``reason`` is why differences above 0 have none."""
    if estimate == 0:
        return ZERO_VARIANCE(
            reason="all differences are 0",
            consequence="There is no statistic, and the p-value is 1.",
        )
    return ZERO_VARIANCE(
        reason=reason,
        consequence="There is no statistic and no p-value.",
    )
