"""Variance of the mean over sources from the spread within sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.types import MeanKind, Target
from thetahat.variances._within_blocks import WithinSourceVariance


@dataclass(frozen=True, slots=True)
class ThetaA(WithinSourceVariance):
    r"""Variance of the mean of these sources for fixed models.

    :math:`V_k` is the variance within source k (ddof 1). Equation 11 of the source.

    Deviations: sources of unequal size take :math:`M_k` in the place of M. The degrees of freedom
    are those of Welch and Satterthwaite, :math:`(\sum_k v_k)^2 / \sum_k v_k^2 / (M_k - 1)` with
    :math:`v_k = V_k / M_k`, in the repeat that has the fewest.

    Degenerate cases: sources that are each constant give 0, even where their means differ.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta A, from the spread within sources",
        summary=(
            "The sampling variance of the source means, averaged as for a mean over these very "
            "sources. Differences between sources do not enter."
        ),
        formula=(
            r"\hat\theta_A = \frac{1}{K^2} \sum_k \frac{s^{\sigma^2}_k - s^{\omega}_k}{M_k}"
            r" = \frac{1}{K^2} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013", "satterthwaite1946", "welch1947"),
        assumptions=(
            "Source blocks; the target is these sources and no others; the training data bring no "
            "covariance within or between sources."
        ),
        errs=(
            "Too small by (sum omega_k + sum gamma_kl) / K^2, which is 0 for models trained "
            "elsewhere and usually positive for models trained on the other sources. It is far "
            "too small where results depend much on the training data (unstable learners, small "
            "samples)."
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
        variance=VarianceTraits(degrees_grow_with="data"),
    )
