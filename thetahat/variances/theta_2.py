"""Variance of the random-fold estimate, unbiased where losses of one block do not covary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import NOISY
from thetahat.registry import FOLDS, MethodInfo
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
class Theta2:
    r"""Estimator that leaves out the covariance within blocks.

    .. math::

        \hat\theta_2 = \tfrac1N s_1 - \tfrac{N+1-M}{N} s_2 + \tfrac{N-M}{N} s_3
                     = \overline{V_k / M_k} - \tfrac{K-1}{K} B

    with V_k the variance within block k and B the variance of the block means (ddof 1).

    Assumes omega = 0: the losses of one test block do not covary. Its bias is -omega. It is the
    small difference of two larger numbers and often negative.

    Source: grandvalet2006; geras2013, Table 2.

    Deviations: blocks of unequal size take the form with M_k.

    Degenerate cases: equal losses give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_2",
        title="Theta 2, unbiased where omega is zero",
        summary=(
            "The average sampling variance of the block means less what the block means were seen "
            "to spread. Unbiased if losses of the same test block do not covary; often negative."
        ),
        formula=(
            r"\hat\theta_2 = \frac{1}{N} s_1 - \frac{N+1-M}{N} s_2 + \frac{N-M}{N} s_3"
            r" = \frac{1}{K}\sum_k \frac{V_k}{M_k} - \frac{K-1}{K} B"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions="Random folds; losses of the same test block do not covary (omega = 0).",
        errs=(
            "Too small by omega, the covariance within a block, which is usually positive (bias "
            "-omega). A noisy difference: negative values are common. Never recommended."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        never_recommended=True,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        moments = losses.moments
        within = averaged(moments, lambda part: part.mean_sampling_variance)
        value = averaged(moments, omega_free)
        noisy = NOISY(
            first=f"{within:.6g} (the average V_k / M_k)",
            second=f"{within - value:.6g} ((K-1)/K B)",
        )
        return conclude(
            self.info,
            losses,
            value,
            between_degrees(losses),
            cautions=(*few_blocks(losses), noisy, *several_repeats(losses)),
        )


METHOD = Theta2
