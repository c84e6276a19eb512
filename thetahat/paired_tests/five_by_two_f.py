"""Alpaydin's combined 5x2 F test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import NO_DIRECTION, ORDER_DEPENDENT, ZERO_VARIANCE
from thetahat.distributions import compute_f_upper_tail
from thetahat.paired_tests._t_test import VarianceTest, build_zero_variance_caution, round_to_zero
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.dietterich_5x2 import Dietterich5x2

_NUMERATOR, _DENOMINATOR = 10.0, 5.0


@dataclass(frozen=True, slots=True)
class FiveByTwoF(VarianceTest):
    r"""F test on all ten splits of five repeats of two folds.

    In the formula :math:`p_{ij}` is the mean difference in fold j of repeat i, and
    :math:`s_i^2 = (p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2`; the test has 10 and 5 degrees
    of freedom. The denominator comes from the variance ``dietterich_5x2`` of the differences.

    Degenerate cases: two equal halves in every repeat give no statistic, and p = 1 if all
    differences are 0, else no p. With a one-sided alternative p is None, with a caution: F has no
    direction.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Combined 5x2 F test (Alpaydin)",
        summary=(
            "Divides the squared differences of all ten splits by the spread between the halves "
            "of five repeats of two folds. The order of the splits does not matter."
        ),
        formula=r"F = \sum_{ij} p_{ij}^2 / (2 \sum_i s_i^2),\quad 10, 5",
        references=("alpaydin1999", "dietterich1998"),
        assumptions=(
            "The ten differences are nearly normal and independent of each other, and the "
            "numerator is independent of the denominator (it is not)."
        ),
        errs=(
            "Rejects too rarely if the ten differences are independent (a true null at 5 % in "
            "1.8 % of cases), and too often through what all splits have in common, which the "
            "denominator leaves out. It has little power, though more than five_by_two_t, and no "
            "direction. It compares learners trained on half of the data."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
    )

    def build_estimator(self) -> VarianceEstimator:
        """Return the variance estimator of the differences."""
        return Dietterich5x2()

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        """Test that the expected difference is 0 against any other."""
        variance = self.build_estimator().estimate(pair.difference)
        ignored = (ZERO_VARIANCE.code, ORDER_DEPENDENT.code)
        cautions = [c for c in variance.cautions if c.code not in ignored]
        size = math.hypot(*pair.difference.moments.means.tolist()) / math.sqrt(_NUMERATOR)
        size, value = round_to_zero(pair, size, float(np.asarray(variance.value)))
        statistic: float | None = None
        p_value: float | None = 1.0 if size == 0 else None
        if value > 0:
            statistic = size / value * size
            p_value = compute_f_upper_tail(statistic, _NUMERATOR, _DENOMINATOR)
        else:
            reason = "the two halves of every repeat have the same difference"
            cautions.append(build_zero_variance_caution(size, reason))
        if alternative is not Alternative.TWO_SIDED:
            p_value = None
            cautions.append(NO_DIRECTION())
        return TestOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=(_NUMERATOR, _DENOMINATOR),
            target=variance.target,
            unit="block",
            cautions=tuple(cautions),
        )
