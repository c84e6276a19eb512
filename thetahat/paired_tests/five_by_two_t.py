"""Dietterich's 5x2 t test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from thetahat.paired_tests._t_test import VarianceTest
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Needs, Target
from thetahat.variances.base import VarianceEstimate, VarianceEstimator
from thetahat.variances.dietterich_5x2 import Dietterich5x2


@dataclass(frozen=True, slots=True)
class FiveByTwoT(VarianceTest):
    r"""Paired t test on the first of five repeats of two folds.

    In the formula :math:`p_{ij}` is the mean difference in fold j of repeat i, and
    :math:`s_i^2 = (p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2`; the test has 5 degrees of
    freedom. The variance is ``dietterich_5x2`` of the differences.

    Degenerate cases: two equal halves in every repeat give no statistic, and p = 1 if
    :math:`p_{11}` is 0, else no p.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="5x2 t test (Dietterich)",
        summary=(
            "Divides the difference in the first of ten splits by the spread between the halves "
            "of five repeats of two folds."
        ),
        formula=r"t = p_{11} / \sqrt{\tfrac15 \sum_i s_i^2},\quad 5",
        references=("dietterich1998",),
        assumptions=(
            "The differences are nearly normal and independent between the halves of a repeat, "
            "and the variances of the five repeats are independent."
        ),
        errs=(
            "Rejects too rarely if the ten differences are independent (a true null at 5 % in "
            "2.8 % of cases), because a large first difference enlarges the variance too. Rejects "
            "too often through what all splits have in common, which the variance leaves out. It "
            "has little power: it looks at one split of ten, and the result depends on which comes "
            "first (five_by_two_f does not). It compares learners trained on half of the data."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
    )

    def build_estimator(self) -> VarianceEstimator:
        """Return the variance estimator of the differences."""
        return Dietterich5x2()

    def describe(self, variance: VarianceEstimate) -> Mapping[str, JsonValue]:
        """Return the difference in the first split."""
        return {"p_11": variance.estimate}
