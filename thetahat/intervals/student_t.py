"""Student t interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.intervals._symmetric import build_symmetric_interval, get_usable_variance
from thetahat.intervals.base import Interval, IntervalMethod
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import IntervalForm, IntervalTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class StudentT(IntervalMethod):
    r"""Mean plus and minus a t quantile times the standard error.

    :math:`\hat\theta` is the variance estimate, :math:`\nu` its degrees of freedom, and
    :math:`\hat\mu` the mean that it belongs to. A one-sided bound uses :math:`t_{\nu,\,1-\alpha}`.

    Degenerate cases: a variance that is zero, negative, not a single number or without degrees of
    freedom gives no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Student t interval",
        summary=(
            "The mean plus and minus a t quantile times the standard error, with the degrees of "
            "freedom of the variance estimate."
        ),
        formula=r"\hat\mu \pm t_{\nu, 1-\alpha/2} \sqrt{\hat\theta}",
        references=("nadeau2003", "student1908"),
        assumptions=(
            "The values that the variance is computed from (block means, or losses within blocks) "
            "are nearly normal and independent, with equal variances. Over instances it is a "
            "large-sample interval."
        ),
        errs=(
            "The interval errs as its variance estimate does: it is too short where that estimate "
            "ignores the overlap of training sets or how much results change with other training "
            "data."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=tuple(Target),
        interval=IntervalTraits(form=IntervalForm.T, headline_rank=20),
    )

    def build(
        self,
        losses: BlockLosses,  # noqa: ARG002 - the variance has the estimate
        variance_method: MethodInfo,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Build the interval; None if the variance is not usable or has no degrees of freedom."""
        if (value := get_usable_variance(variance)) is None:
            return None
        degrees = variance.degrees_of_freedom
        if degrees is None or degrees <= 0:
            return None
        return build_symmetric_interval(
            self.info.name,
            variance_method.name,
            variance,
            math.sqrt(value),
            degrees,
            level,
            alternative,
        )
