"""Variance of the mean over sources from the spread within sources, doubled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.types import MeanKind, Target
from thetahat.variances._within_blocks import WithinSourceVariance


@dataclass(frozen=True, slots=True)
class ThetaB(WithinSourceVariance):
    r"""Twice theta_A: an allowance for the part of the variance that the training data bring.

    :math:`V_k` is the variance within source k (ddof 1). Equation 12 of the source.

    Deviations: sources of unequal size take :math:`M_k` in the place of M. The degrees of freedom
    are those of Welch and Satterthwaite, :math:`(\sum_k v_k)^2 / \sum_k v_k^2 / (M_k - 1)` with
    :math:`v_k = V_k / M_k`, in the repeat that has the fewest.

    Degenerate cases: sources that are each constant give 0, even where their means differ.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta B, twice theta A",
        summary=(
            "Twice the sampling variance observed within these sources. The doubling allows for "
            "the covariances that training brings and that one data set cannot show."
        ),
        formula=(
            r"\hat\theta_B = \frac{2}{K^2} \sum_k \frac{s^{\sigma^2}_k - s^{\omega}_k}{M_k}"
            r" = \frac{2}{K^2} \sum_k \frac{V_k}{M_k}"
        ),
        references=("geras2013", "satterthwaite1946", "welch1947"),
        assumptions=(
            "Source blocks; the target is these sources and no others; covariances from the "
            "training data of about the size of the sampling variance."
        ),
        errs=(
            "Bias (1/K^2)(sum sigma_k^2/M_k - sum (M_k+1)/M_k omega_k - sum gamma_kl): too large "
            "where training adds little, and far too small where results depend much on the "
            "training data (unstable learners, small samples)."
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
        variance=VarianceTraits(degrees_grow_with="data", default_of_t_test=SOURCES),
    )
    factor: ClassVar[int] = 2
