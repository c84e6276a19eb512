"""Interval for the mean of the middle losses."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import TRIMMED_LOSSES
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals._robust import RobustInterval
from thetahat.intervals.base import Interval
from thetahat.parameter_checks import require
from thetahat.registry import FOLDS, HOLDOUT, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import Alternative, MeanKind, Target


@dataclass(frozen=True, slots=True)
class TrimmedMean(RobustInterval):
    r"""Mean of the losses without the smallest and the largest, with its standard error.

    :math:`g = \lfloor \gamma n \rfloor` losses are left out at each end, and h = n - 2g remain.
    :math:`s_w^2` is the sample variance (ddof 1) of the winsorised losses, in which the g smallest
    and the g largest are set to the nearest that remain. The interval has h - 1 degrees of freedom.

    Deviations: the standard error is Yuen's, :math:`\sqrt{(n-1) s_w^2 / (h (h-1))}`, which differs
    from Tukey and McLaughlin's :math:`s_w / ((1 - 2\gamma) \sqrt n)` by terms of order 1/n.

    Degenerate cases: losses that do not vary after winsorising, or fewer than two that remain, give
    no interval.

    Parameters
    ----------
    share : float
        :math:`\gamma`, the share of losses left out at each end, above 0 and below 0.5.
    """

    share: float = 0.1

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Trimmed mean",
        summary=(
            "A t interval for the mean of the middle losses, without the smallest and the largest. "
            "It is about the typical loss, and not about the expected loss."
        ),
        formula=(
            r"\bar e_t \pm t_{h-1, 1-\alpha/2} \sqrt{\frac{(n-1) s_w^2}{h (h-1)}}, \quad "
            r"h = n - 2 \lfloor \gamma n \rfloor"
        ),
        references=("tukey1963", "yuen1974"),
        assumptions="Independent instances. The target is the trimmed mean of the losses.",
        errs=(
            "Close to its level for the trimmed mean. As an interval for the expected loss it is "
            "shifted towards the many small losses, and with skewed losses hardly ever covers."
        ),
        blocks=FOLDS | HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        by_request_only=True,
        never_recommended=True,
    )

    def __post_init__(self) -> None:
        require(0 < self.share < 0.5, "share", self.share, "must be above 0 and below 0.5")

    def build_from_losses(
        self, losses: BlockLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if the middle losses do not vary."""
        ordered = np.sort(losses.rows)
        n = len(ordered)
        cut = int(self.share * n)
        n_left = n - 2 * cut
        middle = ordered[cut : n - cut]
        shift = float(middle[0])
        winsorised = np.clip(ordered, shift, middle[-1]) - shift
        squares = float(((winsorised - winsorised.mean()) ** 2).sum())
        if n_left < 2 or not 0 < squares < math.inf:
            return None
        estimate = shift + float((middle - shift).mean())
        error, degrees = math.sqrt(squares / (n_left * (n_left - 1))), float(n_left - 1)
        reach = (
            compute_upper_quantile(compute_tail_probability(level, alternative), degrees) * error
        )
        mean = losses.moments.pooled_mean
        return self.with_ends(
            estimate,
            (estimate - reach, estimate + reach),
            level,
            alternative,
            standard_error=error,
            degrees_of_freedom=degrees,
            cautions=(TRIMMED_LOSSES(losses.layout.words, n=cut, estimate=estimate, mean=mean),),
            details={"n_cut_at_each_end": cut},
        )
