"""Variance of the random-fold estimate, unbiased where the mean loss is zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import SECOND_MOMENT_OF_MEAN
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._applicability import between_refusal
from thetahat.variances._conclusions import conclude, several_repeats
from thetahat.variances._quadratic_forms import averaged, mean_squared
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Theta1:
    r"""Square of the macro mean: the variance's second moment about zero, not about the mean.

    .. math:: \hat\theta_1 = \tfrac1N s_1 + \tfrac{M-1}{N} s_2 + \tfrac{N-M}{N} s_3 = \hat\mu^2

    with the second moments s_1, s_2, s_3 of ``thetahat.variances._quadratic_forms``. It is the
    first solution of the system for an unbiased estimator and shows why there is none.

    Assumes that the expected loss is zero. Its bias is the square of the expected loss, so it is
    far too large for any loss; on a difference of two models it is right where they do not differ.

    Source: grandvalet2006; geras2013, Table 2.

    Deviations: the sum is taken in its closed form, the squared mean, which holds for blocks of
    any size.

    Degenerate cases: losses that are all zero give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_1",
        title="Theta 1, unbiased where the mean is zero",
        summary=(
            "The square of the mean loss: the quadratic estimator that would be unbiased if the "
            "expected loss were zero. Shown for study; no interval or test is built on it."
        ),
        formula=(
            r"\hat\theta_1 = \frac{1}{N} s_1 + \frac{M-1}{N} s_2 + \frac{N-M}{N} s_3"
            r" = \hat\mu^2"
        ),
        references=("geras2013", "grandvalet2006"),
        assumptions="Random folds; an expected loss of zero.",
        errs="Too large by the square of the expected loss (bias mu^2).",
        needs=Needs.SPLITS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        never_recommended=True,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        return between_refusal(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        value = averaged(losses.moments, mean_squared)
        caution = SECOND_MOMENT_OF_MEAN(value=f"{value:.6g}")
        return conclude(
            self.info,
            losses,
            value,
            None,
            fit_for_intervals=False,
            cautions=(caution, *several_repeats(losses)),
        )


METHOD = Theta1
