"""Newey-West variance with many lags and the small-sample form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.numerics.long_run_variance import (
    add_autocovariances,
    choose_long_lags,
    compute_autocovariances,
    compute_small_sample_form,
    make_bartlett_weights,
)
from thetahat.registry import HOLDOUT, SUBSAMPLES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED, build_estimate
from thetahat.variances._times import check_dependence, sum_deviations_by_time
from thetahat.variances.base import VarianceEstimate
from thetahat.variances.newey_west import NeweyWest


@dataclass(frozen=True, slots=True)
class NeweyWestSmallSample(NeweyWest):
    r"""Newey-West variance with many lags, unbiased for independent losses, with fewer degrees.

    :math:`\hat\gamma_j` is the autocovariance of the losses at lag j with divisor T, L the number
    of lags, and :math:`c` and :math:`\nu` make the first two moments of the variance of independent
    normal losses those of a chi-squared variable over its degrees of freedom. From 100 times on t
    intervals of level 95 % have the length of those with fixed-b quantiles within one per cent.

    Deviations: the source takes the quantiles of the fixed-b distribution, which are tabled for a
    few levels only. Several rows of one time are summed first, as in ``newey_west``.

    Degenerate cases: equal losses give 0. It is never negative. Without lags it is V / T, with
    T - 1 degrees of freedom.

    Parameters
    ----------
    lag : int or None
        Number of lags, below the number of times; by default 1.3 times the root of T, rounded up,
        less 1.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Newey-West variance with the small-sample form",
        summary=(
            "The variance of the mean loss of test rows in the order of time, with more lags than "
            "newey_west, made unbiased for independent losses and with fewer degrees of freedom, "
            "because so many autocovariances are estimated."
        ),
        formula=(
            r"\frac{1}{c T} \Bigl[\hat\gamma_0 + 2 \sum_{j=1}^{L} \Bigl(1 - \frac{j}{L + 1}\Bigr)"
            r" \hat\gamma_j\Bigr], \quad L = \lceil 1.3 \sqrt{T} \rceil - 1, \quad"
            r" c = \frac{\mathrm{tr}(A)}{T}, \quad"
            r" \nu = \frac{\mathrm{tr}(A)^2}{\mathrm{tr}(A^2)}"
        ),
        references=("lazarus2018", "newey1987"),
        assumptions=(
            "A stationary series whose dependence dies out within the lags. A is the matrix of the "
            "weights, from which the mean is subtracted on both sides. The target is the error of "
            "the trained models over such times."
        ),
        errs=(
            "Too small where the dependence is strong or the times are few, by less than "
            "newey_west. It leaves out how much results change with other training data."
        ),
        blocks=HOLDOUT | SUBSAMPLES,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(blocks=SUBSAMPLES, target=Target.THESE_MODELS, t=5, normal=41),
        ),
        variance=VarianceTraits(knows_time=True),
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the mean loss over times, given the trained models."""
        sums = sum_deviations_by_time(losses)
        n_times = len(sums)
        lag = choose_long_lags(n_times) if self.lag is None else self.lag
        weights = make_bartlett_weights(lag)
        long_run = add_autocovariances(compute_autocovariances(sums, lag), weights)
        share, degrees = compute_small_sample_form(n_times, weights)
        return build_estimate(
            self.info,
            losses,
            max(0.0, long_run) / n_times / share,
            degrees,
            cautions=(*check_dependence(losses, sums, self.info.name), TRAINING_IGNORED),
            details={"lag": lag, "n_times": n_times},
        )
