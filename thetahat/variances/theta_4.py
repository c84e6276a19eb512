"""Variance of the random-fold estimate from the spread within blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import within_refusal
from thetahat.variances._conclusions import (
    conclude,
    ignores_training_variance,
    several_repeats,
    within_degrees,
)
from thetahat.variances._quadratic_forms import averaged, within_blocks
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta4:
    r"""Average variance within blocks over the number of losses.

    .. math:: \hat\theta_4 = \tfrac1N s_1 - \tfrac1N s_2 = \tfrac{1}{K^2} \sum_k V_k / M_k

    with V_k the variance within block k (ddof 1); for equal blocks the average of V_k over N.

    Assumes gamma = -M / (N - M) omega: the covariances cancel. Its bias is
    -M/N omega - (N-M)/N gamma: too small where they are positive, as is usual.

    Source: grandvalet2006; geras2013, Table 2.

    Deviations: blocks of unequal size take the form with M_k.

    Degenerate cases: blocks that are each constant give 0, even where their means differ.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_4",
        title="Theta 4, from the spread within blocks",
        summary=(
            "The average variance of losses within folds over their number. Unbiased if the "
            "covariances that training brings cancel, too small otherwise."
        ),
        formula=(
            r"\hat\theta_4 = \frac{1}{N} s_1 - \frac{1}{N} s_2"
            r" = \frac{1}{K^2} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions=(
            "Random folds; covariances within and across blocks that cancel, "
            "gamma = -M/(N-M) omega, as when there are none."
        ),
        errs=(
            "Bias -M/N omega - (N-M)/N gamma. It sees only the spread within blocks: where the "
            "training sample's share of the variance is large (unstable learners, small samples) "
            "it is far too small."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, t=40, normal=70),),
        variance=VarianceTraits(degrees_grow_with="instances"),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        degrees = within_degrees(losses)
        caution = ignores_training_variance(
            f"it sees only how losses spread inside the folds ({degrees:.0f} degrees of freedom)"
        )
        return conclude(
            self.info,
            losses,
            averaged(losses.moments, within_blocks),
            degrees,
            cautions=(caution, *several_repeats(losses)),
        )


METHOD = Theta4
