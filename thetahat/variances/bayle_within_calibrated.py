"""Within-fold variance with degrees of freedom that were calibrated by simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import count_degrees_within_blocks
from thetahat.variances.bayle_within import BayleWithin

MAX_DEGREES: Final = 9.0
"""The largest degrees of freedom of intervals for the trained models that cover near their level.

Measured over five and ten folds, five times ten and five times two folds, two classifiers and two
regression learners, 50 to 1000 rows, 700 repetitions each, with the skewness-corrected interval.
The average coverage of a design at level 0.95 is .961 to .985 with nine degrees of freedom, .952 to
.981 with twelve, .941 to .976 with twenty and .92 to .97 with normal quantiles; the smallest
coverage of a single cell is .924, .913, .899 and .89. In a regression with heavy-tailed errors it
is .90 to .93 with nine and .87 to .90 with normal quantiles.
"""


@dataclass(frozen=True, slots=True)
class BayleWithinCalibrated(BayleWithin):
    r"""The variance of ``bayle_within``, with at most nine degrees of freedom.

    :math:`V_k` is the variance of the losses within fold k (ddof 1), and N is the number of
    instances. The degrees of freedom are :math:`\min(N - K, 9)`.

    Deviations: the source has normal quantiles, which are right as N grows. With few instances the
    average error of the trained models varies too, and the distance between it and the
    cross-validated mean varied by up to 1.25 times the estimated standard error (ten features, 50
    rows). The number is calibrated by simulation: ``docs/results/interval_coverage/fitted_models``
    has the study. For models that were trained elsewhere, whose errors do not vary with these
    data, ``bayle_within`` is recommended.

    Degenerate cases: folds that are each constant give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Within-fold variance with calibrated degrees of freedom",
        summary=(
            "The variance of bayle_within with at most nine degrees of freedom, so that intervals "
            "for the error of the trained models also cover with few instances, where that error "
            "itself varies with the training data."
        ),
        formula=r"\frac{1}{N} \cdot \frac{1}{K} \sum_k V_k, \quad \nu = \min(N - K, 9)",
        references=("bayle2020",),
        assumptions=(
            "Random folds, and a learner that changes moderately with its training data. The "
            "degrees of freedom are those with which intervals covered near their level in our "
            "study. The target is the error of the trained models."
        ),
        errs=(
            "With a t quantile the interval is slightly too long with many instances, with two "
            "folds and with several repeats. It is too short for heavy-tailed losses, or where "
            "the learner has nearly as many parameters as there are instances."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(
            Recommendation(
                blocks=FOLDS, target=Target.THESE_MODELS, skewed=15, t=16, fixed_models=False
            ),
        ),
    )

    def count_degrees(self, losses: BlockLosses) -> float | None:
        """Return the degrees of freedom of t intervals."""
        return min(float(count_degrees_within_blocks(losses)), MAX_DEGREES)
