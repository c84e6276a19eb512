"""Variance estimate for random folds that is unbiased if losses of one block do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import NOISY
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.number_text import format_number
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimate_between_blocks
from thetahat.variances._quadratic_forms import average_over_repeats, compute_omega_free
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta2(BlockVariance):
    """Estimator that leaves out the covariance within blocks.

    :math:`V_k` is the variance within block k and B the variance of the block means (ddof 1). Table
    2 of geras2013.

    Deviations: blocks of unequal size take the form with :math:`M_k`.

    Degenerate cases: equal losses give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta 2, unbiased if omega is zero",
        summary=(
            "The average sampling variance of the block means minus the variance observed between "
            "them. It is unbiased if losses of the same test block do not covary, and often "
            "negative."
        ),
        formula=(
            r"\hat\theta_2 = \frac{1}{N} s_1 - \frac{N+1-M}{N} s_2 + \frac{N-M}{N} s_3"
            r" = \frac{1}{K}\sum_k \frac{V_k}{M_k} - \frac{K-1}{K} B"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions="Random folds; losses of the same test block do not covary (omega = 0).",
        errs=(
            "Too small by omega, the covariance within a block, which is usually positive (bias "
            "-omega). As a small difference of two larger numbers it is often negative. Never "
            "recommended."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        never_recommended=True,
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        moments = losses.moments
        within = average_over_repeats(moments, lambda part: part.mean_sampling_variance)
        value = average_over_repeats(moments, compute_omega_free)
        noisy = NOISY(
            first=f"{format_number(within)} (the average V_k / M_k)",
            second=f"{format_number(within - value)} ((K-1)/K B)",
        )
        return build_estimate_between_blocks(self.info, losses, value, noisy)
