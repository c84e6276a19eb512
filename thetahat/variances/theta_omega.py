"""Variance of the mean over sources, unbiased if losses of one source do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import COUNTS_SOURCE_DIFFERENCES_AGAINST
from thetahat.registry import SOURCES, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimate_between_blocks
from thetahat.variances._quadratic_forms import average_over_repeats, compute_omega_free
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaOmega(BlockVariance):
    """Plug-in value minus the average product of two losses of one source.

    :math:`V_k` is the variance within source k and B the variance of the source means (ddof 1).
    Table 1 of the source.

    Deviations: sources of unequal size take the form with :math:`M_k`.

    Degenerate cases: equal losses give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta omega, unbiased if all omega_k are zero",
        summary=(
            "The average sampling variance of the source means minus the variance observed between "
            "them. It is negative as soon as sources differ, and shown as published."
        ),
        formula=(
            r"\hat\theta^{\omega} = \hat\mu^2 - \frac{1}{K} \sum_k s^{\omega}_k"
            r" = \frac{1}{K} \sum_k \frac{V_k}{M_k} - \frac{K-1}{K} B"
        ),
        references=("geras2013",),
        assumptions=(
            "Source blocks; losses of one source do not covary; one expected loss for all sources."
        ),
        errs=(
            "Too small by the average omega_k and by the variance of the true source means: far "
            "below zero where sources differ."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        moments = losses.moments
        within = average_over_repeats(moments, lambda part: part.mean_sampling_variance)
        value = average_over_repeats(moments, compute_omega_free)
        differing = COUNTS_SOURCE_DIFFERENCES_AGAINST(
            losses.layout.words, subtracted=within - value, within=within
        )
        return build_estimate_between_blocks(self.info, losses, value, differing)
