"""Importance-weighted risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.weighted_risks._weighted_losses import (
    check_variance,
    compute_mean_and_variance,
    multiply_by_weights,
)
from thetahat.weighted_risks.base import RiskEstimate


@dataclass(frozen=True, slots=True)
class Weighted:
    r"""Mean of the losses of the n validation points, each times its weight.

    The variance is :math:`S^2(\ell_i w_i) / n` (equation 6 of the source). It grows with the
    weights, and is infinite if their variance is.

    Deviations: the variance uses sample moments with ddof 1.

    Degenerate cases: weights of 1 give the mean loss and its iid variance.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
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
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses and (n,) weights; ``fold`` is not used."""
        del fold
        terms = multiply_by_weights(losses, weights)
        estimate, variance = compute_mean_and_variance(terms)
        return RiskEstimate(
            estimate=estimate, variance=variance, cautions=check_variance(variance), terms=terms
        )
