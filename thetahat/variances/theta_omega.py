"""Variance of the multiple-source estimate, unbiased where no source's losses covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import COUNTS_SOURCE_DIFFERENCES_AGAINST
from thetahat.registry import SOURCES, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import within_refusal
from thetahat.variances._conclusions import (
    between_degrees,
    conclude,
    few_blocks,
    several_repeats,
)
from thetahat.variances._quadratic_forms import averaged, omega_free
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaOmega:
    r"""Plug-in less the average second moment of pairs within a source.

    .. math::

        \hat\theta^\omega = \text{plug} - \tfrac1K \sum_k s^\omega_k
                          = \overline{V_k / M_k} - \tfrac{K-1}{K} B

    with plug the squared macro mean, V_k the variance within source k and B the variance of the
    source means (ddof 1).

    Assumes that all omega_k are zero and that the sources have one mean. Its bias is the average
    of -omega_k and (1-K)/K times the variance of the true source means: sources that differ push
    it below zero.

    Source: geras2013, Table 1.

    Deviations: sources of unequal size take the form with M_k.

    Degenerate cases: equal losses give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_omega",
        title="Theta omega, unbiased where all omega_k are zero",
        summary=(
            "The average sampling variance of the source means less what the source means were "
            "seen to spread. Negative as soon as sources differ; shown as the source has it."
        ),
        formula=(
            r"\hat\theta^{\omega} = \hat\mu^2 - \frac{1}{K} \sum_k s^{\omega}_k"
            r" = \frac{1}{K} \sum_k \frac{V_k}{M_k} - \frac{K-1}{K} B"
        ),
        references=("geras2013",),
        assumptions=(
            "Source blocks; no covariance among the losses of a source; one expected loss for "
            "all sources."
        ),
        errs=(
            "Too small by the average omega_k and by the spread of the true source means: far "
            "below zero where sources differ."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        moments = losses.moments
        within = averaged(moments, lambda part: part.mean_sampling_variance)
        value = averaged(moments, omega_free)
        differing = COUNTS_SOURCE_DIFFERENCES_AGAINST(
            subtracted=f"{within - value:.6g}", within=f"{within:.6g}"
        )
        return conclude(
            self.info,
            losses,
            value,
            between_degrees(losses),
            cautions=(*few_blocks(losses), differing, *several_repeats(losses)),
        )


METHOD = ThetaOmega
