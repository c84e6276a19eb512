"""Percentile bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import Caution
from thetahat.intervals.base import ResampledInterval
from thetahat.numerics.bootstrap import Replicates
from thetahat.numerics.bootstrap.interval_ends import EndDistances, percentile_reach
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation, ReplicateForm
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Percentile(ResampledInterval):
    r"""Interval between two quantiles of the means of resamples.

    :math:`\hat\mu^*` is the mean of a resample, drawn with replacement. Instances are drawn within
    their blocks for random folds, so that the mean is the macro mean; instances or clusters for a
    holdout; whole sources for source blocks. Section 13.3 of the source.

    Deviations: quantiles are interpolated between replicates (numpy's default).

    Degenerate cases: losses that do not vary give no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Percentile bootstrap interval",
        summary=(
            "The interval between two quantiles of the means of resamples of instances, clusters "
            "or sources."
        ),
        formula=r"\left[\hat\mu^*_{(\alpha/2)}, \hat\mu^*_{(1-\alpha/2)}\right]",
        references=("efron1993",),
        assumptions=(
            "Independent units (instances, clusters or sources). On some monotone scale the "
            "replicates are symmetric about the mean."
        ),
        errs=(
            "Too short with few units, because the replicates vary by a factor (n - 1)/n less than "
            "the mean does. Shifted to one side where the losses are skewed. It leaves out how "
            "much results change with other training data."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_MODELS),
        recommended=(
            Recommendation(blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, own=92),
            Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=92),
        ),
        interval=IntervalTraits(from_replicates=ReplicateForm.PERCENTILE, headline_rank=30),
    )

    def find_ends(
        self, replicates: Replicates, tail: float
    ) -> tuple[EndDistances, tuple[Caution, ...]]:
        """Return the distances between the ends and the mean, and the cautions about them."""
        return percentile_reach(replicates.sorted_deviations, tail), ()
