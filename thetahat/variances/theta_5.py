"""Variance estimate for random folds with bias omega - 2 gamma."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import NOISY
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.number_text import format_number
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimate_between_blocks
from thetahat.variances._quadratic_forms import average_over_repeats, compute_theta_5
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta5(BlockVariance):
    """Quadratic estimator whose two bias terms have opposite signs.

    :math:`V_k` is the variance within block k and B the variance of the block means (ddof 1).
    Section 5 of the source.

    Deviations: blocks of unequal size take the form with :math:`M_k`.

    Degenerate cases: equal losses give 0; equal block means give a negative value.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta 5, bias omega - 2 gamma",
        summary=(
            "The quadratic estimator whose bias terms have opposite signs. It is nearly unbiased "
            "on average, but so noisy that a single value can mislead or be negative."
        ),
        formula=(
            r"\hat\theta_5 = \frac{1}{N} s_1 + \frac{N+M-1}{N} s_2 - \frac{N+M}{N} s_3"
            r" = \Bigl(1 + \frac{1}{K}\Bigr) B - \frac{1}{K} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013",),
        assumptions=(
            "Random folds; a covariance within blocks near twice the covariance between blocks "
            "(omega = 2 gamma)."
        ),
        errs=(
            "Bias omega - 2 gamma, either way and usually small. But it varies between data sets "
            "by a multiple of its mean, and two values in five are negative. Never recommended."
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
        value = average_over_repeats(moments, compute_theta_5)
        noisy = NOISY(
            first=f"{format_number(value + within)} ((1 + 1/K) B)",
            second=f"{format_number(within)} (the average V_k / M_k)",
        )
        return build_estimate_between_blocks(self.info, losses, value, noisy)
