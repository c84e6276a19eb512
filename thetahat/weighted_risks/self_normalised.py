"""Importance-weighted risk over the sum of the weights."""

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
class SelfNormalised:
    r"""Weighted mean of the losses: over the sum of the weights, not over n.

    The variance is that of the linear terms of the ratio (delta method, section 9.2 of the source):

    .. math::
        \widehat{Var}(\hat R_N) = \frac1n S^2\!\left(\frac{w_i (\ell_i - \hat R_N)}{\bar w}\right)

    with S^2 the sample variance. The estimate lies between the smallest and the largest loss, and
    adding a constant to the losses adds it to the risk.

    Deviations: the variance uses sample moments with ddof 1.

    Degenerate cases: weights of 1 give the mean loss and its iid variance; if only one weight is
    not zero, the estimate is that loss with variance 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Self-normalised importance-weighted risk",
        summary=(
            "The weighted mean of the losses, for weights that are known up to a factor. It "
            "varies less if all losses are of similar size."
        ),
        formula=r"\hat{R}_N = \sum_i \ell_i w_i / \sum_i w_i",
        references=("owen2013",),
        assumptions=(
            "The weights are the density ratio of target to source up to a factor. The source "
            "covers the target. The instances are independent."
        ),
        errs=(
            "It has a bias of order 1/n towards the losses of rows with small weights. Its "
            "variance comes from a linear approximation and is too small if few weights hold "
            "most of the sum."
        ),
        targets=(Target.NEW_POPULATION,),
        mean=MeanKind.POOLED,
    )

    def estimate(
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses and (n,) weights; ``fold`` is not used."""
        del fold
        multiply_by_weights(losses, weights)
        shares = weights / weights.mean()
        # relative to the first loss, so that a mean far from zero loses no digits
        shifted = losses - losses[0]
        estimate = float((shares * shifted).mean())
        terms = losses[0] + estimate + shares * (shifted - estimate)
        _, variance = compute_mean_and_variance(terms)
        return RiskEstimate(
            estimate=float(losses[0]) + estimate,
            variance=variance,
            cautions=check_variance(variance),
            terms=terms,
        )
