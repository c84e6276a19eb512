"""Alpaydin's combined 5x2 F test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import NO_DIRECTION, ZERO_VARIANCE, Caution
from thetahat.distributions import f_upper_tail
from thetahat.paired_tests._t import rounded
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.dietterich_5x2 import Dietterich5x2

_NUMERATOR, _DENOMINATOR = 10.0, 5.0


@dataclass(frozen=True, slots=True)
class FiveByTwoF(DrawsNothing):
    r"""F test on all ten splits of five repeats of two folds.

    .. math::

        F = \frac{\sum_{i=1}^5 \sum_{j=1}^2 p_{ij}^2}{2 \sum_{i=1}^5 s_i^2}, \qquad
        s_i^2 = (p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2

    with :math:`p_{ij}` the mean difference in fold j of repeat i; 10 and 5 degrees of freedom.

    Assumes that the ten differences are independent and nearly normal, and the numerator
    independent of the denominator, which it is not. For independent differences it rejects a true
    null less often than it says (1.8 % at 5 %); what all splits have in common is in no
    :math:`s_i`, and makes it liberal. In the source's simulations it rejects a true null less
    often than ``five_by_two_t`` and a false one more often. It has no direction, and so no
    one-sided p-value.

    Source: alpaydin1999.

    Degenerate cases: two equal halves in every repeat give no statistic, and p = 0, or 1 where
    all differences are 0. With a one-sided alternative p is null, with a caution.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="five_by_two_f",
        title="Combined 5x2 F test (Alpaydin)",
        summary=(
            "The squares of the differences in all ten splits over the spread between the halves "
            "of five repeats of two folds; the order of the splits does not matter."
        ),
        formula=r"F = \sum_{ij} p_{ij}^2 / (2 \sum_i s_i^2),\quad 10, 5",
        references=("alpaydin1999", "dietterich1998"),
        assumptions=(
            "Ten nearly normal differences, independent of each other, with a numerator that is "
            "independent of the denominator."
        ),
        errs=(
            "Conservative for independent splits, liberal for what all splits have in common; "
            "little power, no direction. It compares learners trained on half of the data."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Pass on what the variance of its denominator says."""
        reason = _variance().inapplicable(layout)
        return None if reason is None else f"five_by_two_f rests on its variance: {reason}"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the expected difference is 0 against any other."""
        variance = _variance().estimate(pair.difference)
        ignored = ("zero_variance", "order_dependent")
        cautions = [c for c in variance.cautions if c.code not in ignored]
        size = math.hypot(*pair.difference.moments.means.tolist()) / math.sqrt(_NUMERATOR)
        size, value = rounded(pair, size, float(np.asarray(variance.value)))
        statistic: float | None = None
        p_value: float | None = 1.0 if size == 0 else 0.0
        if value > 0:
            statistic = size / value * size
            p_value = f_upper_tail(statistic, _NUMERATOR, _DENOMINATOR)
        else:
            cautions.append(_no_spread(size))
        if alternative is not Alternative.TWO_SIDED:
            p_value = None
            cautions.append(_no_direction())
        return TestOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=(_NUMERATOR, _DENOMINATOR),
            target=variance.target,
            unit="block",
            cautions=tuple(cautions),
        )


def _variance() -> VarianceEstimator:
    return Dietterich5x2()


def _no_direction() -> Caution:
    return NO_DIRECTION()


def _no_spread(size: float) -> Caution:
    if size == 0:
        return ZERO_VARIANCE(
            reason="all differences are 0",
            consequence="There is no statistic, and the p-value is 1.",
        )
    return ZERO_VARIANCE(
        reason="the two halves of every repeat have the same difference",
        consequence="The statistic is infinite and left out; the p-value is its limit.",
    )


METHOD = FiveByTwoF
