"""Importance-weighted risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.weighted_risks._weighted_losses import (
    mean_and_variance,
    weighted_losses,
    zero_variance,
)
from thetahat.weighted_risks.base import RiskEstimate


@dataclass(frozen=True, slots=True)
class Weighted:
    r"""Mean of the weighted losses.

    .. math::

        \hat R_W = \frac1n \sum_i \ell_i w_i, \qquad
        \widehat{Var}(\hat R_W) = \frac1n S^2(\ell_i w_i)

    with losses and weights w_i = p_T(x_i) / p_S(x_i) of the n validation points and S^2 the
    sample variance (ddof 1).

    Assumes that the weights are the true density ratio and that the source covers the target.
    Then unbiased; its variance grows with the weights and is infinite where their variance is,
    and the estimate of the variance is then far too small most of the time.

    Source: kouw2019, the estimator and equation 6.

    Deviations: the variance takes sample moments with ddof 1.

    Degenerate cases: weights of 1 give the mean loss and its iid variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="weighted",
        title="Importance-weighted risk",
        summary=(
            "The mean of losses times weights: an estimate of the expected loss under the "
            "target distribution from instances of the source."
        ),
        formula=r"\hat{R}_W = \frac{1}{n} \sum_i \ell_i w_i",
        references=("kouw2019",),
        assumptions=(
            "The weights are the density ratio of target to source. The source covers the "
            "target. The instances are independent."
        ),
        errs=(
            "Unbiased with true weights. If a few weights are very large it is usually too "
            "small, with rare large outliers, and its variance is underestimated."
        ),
        targets=(Target.NEW_POPULATION,),
        mean=MeanKind.POOLED,
    )

    def estimate(
        self,
        losses: FloatArray,
        weights: FloatArray,
        fold: IntArray | None = None,  # noqa: ARG002 - the family's signature
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses and (n,) weights; folds play no part."""
        terms = weighted_losses(losses, weights)
        estimate, variance = mean_and_variance(terms)
        return RiskEstimate(
            estimate=estimate, variance=variance, cautions=zero_variance(variance), terms=terms
        )


METHOD = Weighted
