"""Dietterich's 5x2 t test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.paired_tests._t import corrected_outcome
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.dietterich_5x2 import Dietterich5x2


@dataclass(frozen=True, slots=True)
class FiveByTwoT(DrawsNothing):
    r"""Paired t test on the first of five repeats of two folds.

    .. math::

        t = \frac{p_{11}}{\sqrt{\frac15 \sum_{i=1}^5 s_i^2}}, \qquad
        s_i^2 = (p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2

    with :math:`p_{ij}` the mean difference in fold j of repeat i; 5 degrees of freedom. It is the
    variance ``dietterich_5x2`` of the differences.

    Assumes that the differences of the two halves are independent and nearly normal, and the
    five :math:`s_i^2` independent. Where all ten differences are independent it rejects a true
    null less often than it says (2.8 % at 5 %), since a large :math:`p_{11}` makes :math:`s_1`
    large too; what all splits have in common is in no :math:`s_i`, and makes it liberal. It has
    little power, and depends on which split comes first; ``five_by_two_f`` does not.

    Source: dietterich1998.

    Degenerate cases: two equal halves in every repeat give no statistic, and p = 0, or 1 where
    :math:`p_{11}` is 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="five_by_two_t",
        title="5x2 t test (Dietterich)",
        summary=(
            "The difference in the first of ten splits over the spread between the halves of five "
            "repeats of two folds."
        ),
        formula=r"t = p_{11} / \sqrt{\tfrac15 \sum_i s_i^2},\quad 5",
        references=("dietterich1998",),
        assumptions=(
            "Nearly normal differences, independent between the halves of a repeat and between "
            "the variances of the five repeats."
        ),
        errs=(
            "Conservative for independent splits, liberal for what all splits have in common; "
            "little power, since one split of ten is looked at, and an outcome that hangs on which "
            "one comes first. It compares learners trained on half of the data."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Pass on what its variance says."""
        reason = _variance().inapplicable(layout)
        return None if reason is None else f"five_by_two_t rests on its variance: {reason}"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the expected difference is 0."""
        variance = _variance().estimate(pair.difference)
        return corrected_outcome(
            pair, variance, alternative, unit="block", details={"p_11": variance.estimate}
        )


def _variance() -> VarianceEstimator:
    return Dietterich5x2()


METHOD = FiveByTwoT
