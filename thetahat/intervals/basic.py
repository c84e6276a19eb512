"""Basic bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.distributions import compute_tail_probability
from thetahat.intervals._bootstrap import build_interval, explain_no_resampling
from thetahat.intervals.base import Interval, ResampledInterval
from thetahat.numerics.bootstrap import Replicates
from thetahat.numerics.bootstrap.cautions import check_resamples
from thetahat.numerics.bootstrap.interval_ends import basic_reach
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation, ReplicateForm
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target


@dataclass(frozen=True, slots=True)
class Basic(ResampledInterval):
    r"""Quantiles of the means of resamples, reflected about the mean.

    :math:`\hat\mu^*` is the mean of a resample, drawn as for ``percentile``. Section 5.2 of the
    source.

    Deviations: quantiles are interpolated between replicates (numpy's default).

    Degenerate cases: losses that do not vary give no interval. The ends may lie outside the range
    of the loss.

    Parameters
    ----------
    n_resamples : int or None
        B, in 99 to 1 000 000. Left out: 9 999, fewer for more than 1 000 units, so that n x B
        stays at ten million draws, and never below 999.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="basic",
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
    needs_errors: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why there is nothing to resample, or None."""
        return explain_no_resampling(self.info, layout)

    def build_from_replicates(
        self, replicates: Replicates, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None where the losses do not vary."""
        tail = compute_tail_probability(level, alternative)
        if replicates.is_constant:
            return None
        reach = basic_reach(replicates.sorted_deviations, tail)
        return build_interval(self.info, replicates, reach, level, alternative)


METHOD = Basic
