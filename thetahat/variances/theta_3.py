"""Variance of the random-fold estimate, unbiased where losses of different blocks do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import LIBERAL_IF_BLOCKS_COVARY
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._applicability import between_refusal
from thetahat.variances._conclusions import (
    between_degrees,
    conclude,
    few_blocks,
    several_repeats,
)
from thetahat.variances._quadratic_forms import averaged, between_blocks
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta3:
    r"""Variance of the block means over their number.

    .. math:: \hat\theta_3 = \tfrac1N s_1 + \tfrac{M-1}{N} s_2 - \tfrac{M}{N} s_3 = B / K

    with B the variance of the K block means (ddof 1).

    Assumes gamma = 0: losses of different blocks do not covary through the training data that
    their models share. Its bias is -gamma, so it is liberal where gamma is positive, as is usual.

    Source: grandvalet2006; geras2013, Table 2.

    Deviations: blocks of unequal size take the same form, B / K.

    Degenerate cases: equal block means give 0, even where losses vary inside the blocks. Blocks
    of one instance (leave-one-out) and one score per split are enough.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_3",
        title="Theta 3, unbiased where gamma is zero",
        summary=(
            "The variance of the K block means over K: what a t test on the folds uses. Unbiased "
            "if losses of different folds do not covary."
        ),
        formula=(
            r"\hat\theta_3 = \frac{1}{N} s_1 + \frac{M-1}{N} s_2 - \frac{M}{N} s_3"
            r" = \frac{B}{K}"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions="Random folds; losses of different test blocks do not covary (gamma = 0).",
        errs=(
            "Too small by gamma, the covariance across blocks that comes from shared training "
            "data (bias -gamma): liberal where gamma is positive, which is usual."
        ),
        needs=Needs.SPLITS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, t=30, normal=60),),
        variance=VarianceTraits(default_of_t_test=FOLDS),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return between_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        liberal = LIBERAL_IF_BLOCKS_COVARY(unit="fold", subject="the variance")
        return conclude(
            self.info,
            losses,
            averaged(losses.moments, between_blocks),
            between_degrees(losses),
            cautions=(*few_blocks(losses), liberal, *several_repeats(losses)),
        )


METHOD = Theta3
