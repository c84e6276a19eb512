"""Variance estimate for random folds: unbiased if losses of different blocks do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import LIBERAL_IF_BLOCKS_COVARY
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._building import build_estimate_between_blocks
from thetahat.variances._quadratic_forms import average_over_repeats, compute_between_blocks
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta3(BlockVariance):
    """Variance of the block means over their number.

    B is the variance of the K block means (ddof 1). Table 2 of geras2013.

    Deviations: blocks of unequal size take the same form, B / K.

    Degenerate cases: equal block means give 0, even where losses vary inside the blocks. Blocks of
    one instance (leave-one-out) and one score per split are enough.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta 3, unbiased if gamma is zero",
        summary=(
            "The variance of the K block means over K, as in a t test on the folds. It is unbiased "
            "if losses of different folds do not covary."
        ),
        formula=(
            r"\hat\theta_3 = \frac{1}{N} s_1 + \frac{M-1}{N} s_2 - \frac{M}{N} s_3"
            r" = \frac{B}{K}"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions=(
            "Random folds; losses of different test blocks do not covary through shared training "
            "data (gamma = 0)."
        ),
        errs=(
            "Too small by gamma, the covariance between blocks that shared training data bring "
            "(bias -gamma): liberal where gamma is positive, as it usually is."
        ),
        needs=Needs.SPLITS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, t=30, normal=60),),
        variance=VarianceTraits(default_of_t_test=FOLDS),
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        liberal = LIBERAL_IF_BLOCKS_COVARY(losses.layout.words, subject="the variance")
        value = average_over_repeats(losses.moments, compute_between_blocks)
        return build_estimate_between_blocks(self.info, losses, value, liberal)
