"""Variance estimate for random folds from the spread within blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.types import MeanKind, Target
from thetahat.variances._within_blocks import WithinBlockVariance


@dataclass(frozen=True, slots=True)
class Theta4(WithinBlockVariance):
    """Average variance within blocks over the number of losses.

    :math:`V_k` is the variance within block k (ddof 1); for equal blocks the value is the average
    of :math:`V_k` over N. Table 2 of geras2013.

    Deviations: blocks of unequal size take the form with :math:`M_k`.

    Degenerate cases: blocks that are each constant give 0, even where their means differ.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta 4, from the spread within blocks",
        summary=(
            "The average variance of the losses within folds over their number. It is unbiased if "
            "the covariances that training brings cancel, and otherwise too small."
        ),
        formula=(
            r"\hat\theta_4 = \frac{1}{N} s_1 - \frac{1}{N} s_2"
            r" = \frac{1}{K^2} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions=(
            "Random folds; covariances within and between blocks that cancel, gamma = -M/(N-M) "
            "omega, as they do when there are none."
        ),
        errs=(
            "Too small where the covariances are positive (bias -M/N omega - (N-M)/N gamma). It "
            "uses only the spread within blocks, so it is far too small where results depend "
            "much on the training data (unstable learners, small samples)."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, t=40, normal=70),),
        variance=VarianceTraits(degrees_grow_with="instances"),
    )
