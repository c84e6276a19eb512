"""Basic bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import Caution
from thetahat.intervals.base import ResampledInterval
from thetahat.numerics.bootstrap import Replicates
from thetahat.numerics.bootstrap.interval_ends import EndDistances, basic_reach
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation, ReplicateForm
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Basic(ResampledInterval):
    r"""Quantiles of the means of resamples, reflected about the mean.

    :math:`\hat\mu^*` is the mean of a resample, drawn as for ``percentile``. Section 5.2 of the
    source.

    Deviations: quantiles are interpolated between replicates (numpy's default).

    Degenerate cases: losses that do not vary give no interval. The ends may lie outside the range
    of the loss.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Basic bootstrap interval",
        summary=(
            "The percentile interval reflected about the mean: the difference of replicate and "
            "mean is taken for the difference of mean and truth."
        ),
        formula=(
            r"\left[2\hat\mu - \hat\mu^*_{(1-\alpha/2)}, "
            r"2\hat\mu - \hat\mu^*_{(\alpha/2)}\right]"
        ),
        references=("davison1997",),
        assumptions=(
            "Independent units (instances, clusters or sources). The distribution of the "
            "difference of mean and truth does not depend on the truth."
        ),
        errs=(
            "Too short with few units, and shifted in the wrong direction where the losses are "
            "skewed. It leaves out how much results change with other training data."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_MODELS),
        recommended=(
            Recommendation(blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, own=93),
            Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=93),
        ),
        interval=IntervalTraits(from_replicates=ReplicateForm.BASIC),
    )

    def find_ends(
        self, replicates: Replicates, tail: float
    ) -> tuple[EndDistances, tuple[Caution, ...]]:
        """Return the distances between the ends and the mean, and the cautions about them."""
        return basic_reach(replicates.sorted_deviations, tail), ()
