"""Variance of the mean loss over circular block bootstrap samples of rows in time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.numerics.long_run_variance import (
    choose_block_length,
    compute_block_bootstrap_variance,
)
from thetahat.parameter_checks import MAX_ROWS, check_range
from thetahat.registry import HOLDOUT, SUBSAMPLES, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED, build_estimate
from thetahat.variances._times import check_dependence, explain_unfit_times, sum_deviations_by_time
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class BlockBootstrap:
    r"""Variance of the mean over samples of whole runs of neighbouring times.

    Runs of b times begin at random places of the circle of all T times. :math:`S_i(b)` is the sum
    of the deviations of the run that begins at i. The variance over all such samples is computed
    as it is; no sample is drawn.

    Degenerate cases: equal losses give 0; where b does not divide T, the last run of a sample is
    cut to the rest.

    Parameters
    ----------
    length : int or None
        b, at least 1 and below the number of times; by default the one that makes the error of
        the variance smallest, estimated from the losses and rounded up.
    """

    length: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Circular block bootstrap variance",
        summary=(
            "The variance of the mean loss of one test set in the order of time, over samples of "
            "whole runs of neighbouring times."
        ),
        formula=r"\frac{1}{T^2} \, \frac{T}{b} \, \frac{1}{T} \sum_{i=1}^{T} S_i(b)^2",
        references=("politis2004",),
        assumptions=(
            "A stationary series whose dependence dies out within a run. The target is the error "
            "of the trained models over such times."
        ),
        errs=(
            "Too small where the dependence is strong, as newey_west is, and more variable, "
            "because the length of the runs is estimated. It leaves out how much results change "
            "with other training data."
        ),
        blocks=HOLDOUT | SUBSAMPLES,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        by_request_only=True,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, t=6, normal=42),),
        variance=VarianceTraits(degrees_grow_with="instances", knows_time=True),
    )

    def __post_init__(self) -> None:
        check_range("length", self.length, 1, MAX_ROWS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no times, or too few of them; None if it fits."""
        return explain_unfit_times(self.info, layout, self.length)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Compute the variance of the mean over all samples, given the trained models."""
        sums = sum_deviations_by_time(losses)
        n_times = len(sums)
        length = self.length
        if length is None:
            length = max(1, math.ceil(choose_block_length(sums)))
        return build_estimate(
            self.info,
            losses,
            compute_block_bootstrap_variance(sums, length),
            float(n_times - 1),
            cautions=(*check_dependence(losses, sums, self.info.name), TRAINING_IGNORED),
            details={"length": length, "n_times": n_times},
        )
