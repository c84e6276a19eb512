"""Normal interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import NORMAL_WITH_FEW_DEGREES_OF_FREEDOM, Caution
from thetahat.intervals._symmetric import build_symmetric_interval, get_usable_variance
from thetahat.intervals.base import Interval, IntervalMethod
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import IntervalForm, IntervalTraits, ReplicateForm
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True)
class Normal(IntervalMethod):
    r"""Mean plus and minus a normal quantile times the standard error.

    :math:`\hat\theta` is the variance estimate and :math:`\hat\mu` the mean that it belongs to. A
    one-sided bound uses :math:`z_{1-\alpha}`.

    Degenerate cases: a variance that is zero, negative or not a single number gives no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Normal interval",
        summary=(
            "The mean plus and minus a normal quantile times the standard error, for any positive "
            "variance estimate."
        ),
        formula=r"\hat\mu \pm z_{1-\alpha/2} \sqrt{\hat\theta}",
        references=("bayle2020", "geras2013"),
        assumptions=(
            "The mean is nearly normal, and the error of the variance estimate itself is "
            "negligible."
        ),
        errs=(
            "Too short where the variance has few degrees of freedom; student_t is better there. "
            "Otherwise it is too short where its variance estimate is too small, and too long "
            "where that is too large."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=tuple(Target),
        interval=IntervalTraits(form=IntervalForm.NORMAL, from_replicates=ReplicateForm.NORMAL),
    )

    def build(
        self,
        losses: BlockLosses,  # noqa: ARG002 - the variance has the estimate
        variance_method: MethodInfo,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Build the interval on one variance; None if the variance is not usable."""
        if (value := get_usable_variance(variance)) is None:
            return None
        return build_symmetric_interval(
            self.info.name,
            variance_method.name,
            variance,
            math.sqrt(value),
            None,
            level,
            alternative,
            _check_degrees_of_freedom(variance.degrees_of_freedom),
        )


def _check_degrees_of_freedom(degrees_of_freedom: float | None) -> tuple[Caution, ...]:
    if (
        degrees_of_freedom is None
        or degrees_of_freedom >= NORMAL_WITH_FEW_DEGREES_OF_FREEDOM.threshold
    ):
        return ()
    return (NORMAL_WITH_FEW_DEGREES_OF_FREEDOM(degrees_of_freedom=degrees_of_freedom),)
