"""Variance estimate for random folds that is unbiased if the expected loss is zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import SECOND_MOMENT_OF_MEAN
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._building import build_estimate, check_several_repeats
from thetahat.variances._quadratic_forms import average_over_repeats, square_macro_mean
from thetahat.variances.base import BlockVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta1(BlockVariance):
    """Square of the macro mean: the second moment about zero instead of about the mean.

    :math:`s_1, s_2, s_3` are the second moments of ``thetahat.variances._quadratic_forms``. It is
    the first solution of the equations for an unbiased estimator and shows why none exists (Table 2
    of geras2013).

    Deviations: the value is computed in closed form as the squared mean, which holds for blocks of
    any size.

    Degenerate cases: losses that are all zero give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Theta 1, unbiased if the mean is zero",
        summary=(
            "The square of the mean loss: the quadratic estimator that would be unbiased if the "
            "expected loss were zero. It is shown for study; no interval or test is built on it."
        ),
        formula=(
            r"\hat\theta_1 = \frac{1}{N} s_1 + \frac{M-1}{N} s_2 + \frac{N-M}{N} s_3"
            r" = \hat\mu^2"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions=(
            "Random folds, and an expected loss of zero, as for the difference of two equal models."
        ),
        errs="Too large by the square of the expected loss (bias mu^2).",
        needs=Needs.SPLITS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        never_recommended=True,
    )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        value = average_over_repeats(losses.moments, square_macro_mean)
        caution = SECOND_MOMENT_OF_MEAN(losses.layout.words, square=value)
        return build_estimate(
            self.info,
            losses,
            value,
            None,
            carries_intervals=False,
            cautions=(caution, *check_several_repeats(losses)),
        )
