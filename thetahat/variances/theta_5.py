"""Variance of the random-fold estimate with bias omega - 2 gamma."""

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
from thetahat.variances._quadratic_forms import averaged, fifth
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta5:
    r"""Quadratic estimator whose two bias terms have opposite signs.

    .. math::

        \hat\theta_5 = \tfrac1N s_1 + \tfrac{N+M-1}{N} s_2 - \tfrac{N+M}{N} s_3
                     = \bigl(1 + \tfrac1K\bigr) B - \overline{V_k / M_k}

    with V_k the variance within block k and B the variance of the block means (ddof 1).

    Assumes that omega, the covariance within a block, is near 2 gamma, twice the covariance
    across blocks. Its bias is omega - 2 gamma, either way. Nearly unbiased in the mean on real
    data, it varies so much between data sets that two values in five are negative.

    Source: geras2013, section 5.

    Deviations: blocks of unequal size take the form with M_k.

    Degenerate cases: equal losses give 0; equal block means give a negative value.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_5",
        title="Theta 5, bias omega - 2 gamma",
        summary=(
            "The quadratic estimator whose bias terms have opposite signs: nearly unbiased on "
            "average, but so noisy that single values can mislead or be negative."
        ),
        formula=(
            r"\hat\theta_5 = \frac{1}{N} s_1 + \frac{N+M-1}{N} s_2 - \frac{N+M}{N} s_3"
            r" = \Bigl(1 + \frac{1}{K}\Bigr) B - \frac{1}{K} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013",),
        assumptions=(
            "Random folds; a covariance within blocks near twice that across blocks "
            "(omega = 2 gamma)."
        ),
        errs=(
            "Bias omega - 2 gamma, either way and usually small; but its spread over data sets "
            "is a multiple of its mean. Never recommended."
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
        value = averaged(moments, fifth)
        noisy = NOISY(
            first=f"{value + within:.6g} ((1 + 1/K) B)",
            second=f"{within:.6g} (the average V_k / M_k)",
        )
        return conclude(
            self.info,
            losses,
            value,
            between_degrees(losses),
            cautions=(*few_blocks(losses), noisy, *several_repeats(losses)),
        )


METHOD = Theta5
