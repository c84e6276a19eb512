"""Variance of the multiple-source estimate from the spread within sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._applicability import within_refusal
from thetahat.variances._conclusions import (
    conclude,
    several_repeats,
    training_variance_cautions,
    within_degrees,
)
from thetahat.variances._quadratic_forms import averaged, within_blocks
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class ThetaA:
    r"""Variance of the mean of these sources, had the models been fixed.

    .. math::

        \hat\theta_A = \tfrac{1}{K^2} \sum_k (s^{\sigma^2}_k - s^\omega_k) / M_k
                     = \tfrac{1}{K^2} \sum_k V_k / M_k

    with V_k the variance within source k (ddof 1).

    Assumes that the covariances omega_k and gamma_kl, which come from the training data, are
    zero. Its bias is -(sum of omega_k + sum over k != l of gamma_kl) / K^2: optimistic.

    Source: geras2013, equation 11.

    Deviations: sources of unequal size take M_k in the place of M.

    Degenerate cases: sources that are each constant give 0, even where their means differ.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_A",
        title="Theta A, from the spread within sources",
        summary=(
            "The sampling variance of the source means, averaged as for a mean over these very "
            "sources. Does not mix the differences between sources into it."
        ),
        formula=(
            r"\hat\theta_A = \frac{1}{K^2} \sum_k \frac{s^{\sigma^2}_k - s^{\omega}_k}{M_k}"
            r" = \frac{1}{K^2} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013",),
        assumptions=(
            "Source blocks; these sources, not others, are meant; no covariance from the training "
            "data within or across sources."
        ),
        errs=(
            "Too small by (sum omega_k + sum gamma_kl) / K^2, consistently optimistic; far too "
            "small where the training sample's share of the variance is large (unstable "
            "learners, small samples)."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=10, normal=30, fixed_models=True
            ),
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=20, normal=40, fixed_models=False
            ),
        ),
        variance=VarianceTraits(degrees_grow_with="instances"),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        degrees = within_degrees(losses)
        cautions = training_variance_cautions(
            losses,
            f"it sees only how losses spread inside the sources ({degrees:.0f} degrees of freedom)",
        )
        return conclude(
            self.info,
            losses,
            averaged(losses.moments, within_blocks),
            degrees,
            cautions=(*cautions, *several_repeats(losses)),
        )


METHOD = ThetaA
