"""Variance of the multiple-source estimate from the spread within sources, doubled."""

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
class ThetaB:
    r"""Twice theta_A: an allowance for the training data's share of the variance.

    .. math::

        \hat\theta_B = \tfrac{2}{K^2} \sum_k (s^{\sigma^2}_k - s^\omega_k) / M_k
                     = 2 \hat\theta_A

    with V_k the variance within source k (ddof 1), theta_A = (1/K^2) sum of V_k / M_k.

    Assumes that the variance within sources outweighs the covariances about as much as they are
    missing. Its bias is (1/K^2) (sum of sigma_k^2 / M_k - sum of (M_k + 1)/M_k omega_k - sum over
    k != l of gamma_kl): terms of both signs, which may cancel but need not.

    Source: geras2013, equation 12.

    Deviations: sources of unequal size take M_k in the place of M.

    Degenerate cases: sources that are each constant give 0, even where their means differ.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_B",
        title="Theta B, twice theta A",
        summary=(
            "Twice the sampling variance seen within these sources: the doubling stands for the "
            "covariances that training brings and that one data set cannot show."
        ),
        formula=(
            r"\hat\theta_B = \frac{2}{K^2} \sum_k \frac{s^{\sigma^2}_k - s^{\omega}_k}{M_k}"
            r" = \frac{2}{K^2} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013",),
        assumptions=(
            "Source blocks; these sources, not others, are meant; covariances from the training "
            "data of about the size of the sampling variance."
        ),
        errs=(
            "Bias (1/K^2)(sum sigma_k^2/M_k - sum (M_k+1)/M_k omega_k - sum gamma_kl): too large "
            "where training adds little, far too small where the training sample's share of the "
            "variance is large (unstable learners, small samples)."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=20, normal=40, fixed_models=True
            ),
            Recommendation(
                blocks=SOURCES, target=Target.THESE_SOURCES, t=10, normal=30, fixed_models=False
            ),
        ),
        variance=VarianceTraits(degrees_grow_with="instances", default_of_t_test=SOURCES),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return within_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        degrees = within_degrees(losses)
        cautions = training_variance_cautions(
            losses,
            f"it sees only how losses spread inside the sources ({degrees:.0f} degrees of "
            "freedom) and doubles it",
        )
        return conclude(
            self.info,
            losses,
            2 * averaged(losses.moments, within_blocks),
            degrees,
            cautions=(*cautions, *several_repeats(losses)),
        )


METHOD = ThetaB
