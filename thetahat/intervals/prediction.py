"""Prediction interval for one new source."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import PREDICTION_OF_ONE_SOURCE
from thetahat.intervals._symmetric import build_symmetric_interval, get_usable_variance
from thetahat.intervals.base import Interval, IntervalMethod
from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import IntervalTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, MeanKind, Needs, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Prediction(IntervalMethod):
    r"""Where the average loss observed on one new source will lie.

    :math:`\hat\mu` is the macro mean over K sources and B the sample variance (ddof 1) of their
    means: the mean of the new source varies by B about the expected error, and the macro mean by
    B/K. B and the model of sources are from geras2013; the prediction interval for one further draw
    from a normal sample is the textbook one.

    Deviations: with several repeats B is the average over them.

    Degenerate cases: equal means (B = 0) give no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Prediction interval for one new source",
        summary=(
            "An interval for the average loss that will be observed on one new source with about "
            "as many test instances as these. It is not an interval for a single instance."
        ),
        formula=r"\hat\mu \pm t_{K-1, 1-\alpha/2} \sqrt{B (1 + 1/K)}",
        references=("geras2013",),
        assumptions=(
            "Sources drawn independently from one population, with nearly normal means. The new "
            "source has about as many test instances, and its model is trained on about as many "
            "sources."
        ),
        errs=(
            "Conservative for the true mean error of the new source, which has less noise than an "
            "observed average. Too short where shared training sources make the block means move "
            "together. With means far from normal it does not become right as the number of "
            "sources grows."
        ),
        needs=Needs.SPLITS,
        blocks=SOURCES,
        targets=(Target.NEW_SOURCE,),
        mean=MeanKind.MACRO,
        interval=IntervalTraits(is_prediction=True),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the blocks are not sources; None if they are."""
        if layout.kind is BlockKind.SOURCE:
            return None
        return (
            "prediction is about a new source, so it needs source blocks and not "
            f"{layout.kind.value} blocks"
        )

    def build(
        self,
        losses: BlockLosses,
        variance_method: MethodInfo,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Build the interval on the variance B / K of the source means, else return None."""
        if self.inapplicable(losses.layout) or not variance_method.variance.is_between_sources:
            return None
        if (value := get_usable_variance(variance)) is None:
            return None
        degrees = variance.degrees_of_freedom
        if degrees is None:
            return None
        n_blocks = degrees + 1
        error = math.sqrt(value * (n_blocks + 1))  # the variance is B/K, so B (1 + 1/K)
        return build_symmetric_interval(
            self.info.name,
            variance_method.name,
            variance,
            error,
            degrees,
            level,
            alternative,
            (PREDICTION_OF_ONE_SOURCE(losses.layout.words),),
        )
