"""Basic bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals._ends import tail_of
from thetahat.intervals._resampled import resampling_misfit, told_interval
from thetahat.intervals.base import Interval, ResampledInterval
from thetahat.numerics.bootstrap import Replicates
from thetahat.numerics.bootstrap.cautions import check_resamples
from thetahat.numerics.bootstrap.ends import basic_reach
from thetahat.registry import FOLDS, HOLDOUT, SOURCES, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target


@dataclass(frozen=True, slots=True)
class Basic(ResampledInterval):
    r"""Quantiles of the means of resamples, mirrored at the mean.

    .. math::

        \bigl[2 \hat\mu - \hat\mu^*_{(1-\alpha/2)},\; 2 \hat\mu - \hat\mu^*_{(\alpha/2)}\bigr]

    It takes the replicate less the mean for what the mean is less the truth. Drawn with
    replacement as for ``percentile``.

    Assumes that the units drawn are independent and that this difference has the same
    distribution whatever the truth. Where the losses are skewed it leans the wrong way, and with
    few units it is too short. The models are taken as given.

    Source: davison1997, section 5.2.

    Deviations: quantiles are interpolated between replicates (numpy's default).

    Degenerate cases: losses that do not vary give no interval. The ends may lie outside the
    loss's range.

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
            "The percentile interval mirrored at the mean: it takes replicate less mean for mean "
            "less truth."
        ),
        formula=(
            r"\left[2\hat\mu - \hat\mu^*_{(1-\alpha/2)}, "
            r"2\hat\mu - \hat\mu^*_{(\alpha/2)}\right]"
        ),
        references=("davison1997",),
        assumptions=(
            "Independent units (instances, clusters or sources); how far the mean is off does not "
            "depend on the truth."
        ),
        errs=(
            "Too short with few units, and leans the wrong way where the losses are skewed. Blind "
            "to the training sample's share of the variance."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_MODELS),
        recommended=(
            Recommendation(blocks=FOLDS | HOLDOUT, target=Target.THESE_MODELS, own=93),
            Recommendation(blocks=SOURCES, target=Target.NEW_SOURCE, own=93),
        ),
    )
    needs_errors: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why there is nothing to resample, or None."""
        return resampling_misfit(self.info, layout)

    def build_on(
        self, replicates: Replicates, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None where the losses do not vary."""
        tail = tail_of(level, alternative)
        if replicates.is_constant:
            return None
        reach = basic_reach(replicates.in_order, tail)
        return told_interval(self.info, replicates, reach, level, alternative)


METHOD = Basic
