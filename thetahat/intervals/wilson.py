"""Wilson's score interval for an error rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.distributions import compute_upper_quantile
from thetahat.intervals.base import ErrorRateInterval
from thetahat.registry import HOLDOUT, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import MeanKind, Target


@dataclass(frozen=True, slots=True)
class Wilson(ErrorRateInterval):
    r"""Error rates that a score test would not reject.

    :math:`\hat p` is the share of ones among n zero-one losses of one trained model, and :math:`z =
    z_{1-\alpha/2}`, or :math:`z_{1-\alpha}` for a one-sided bound.

    Degenerate cases: no errors give the lower end 0, nothing but errors the upper end 1. Losses
    that are not all 0 or 1 give no interval.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Wilson score interval",
        summary=(
            "An interval for the error rate of one trained model from its zero-one losses on a "
            "holdout; always inside [0, 1]."
        ),
        formula=(
            r"\frac{\hat p + z^2/2n \pm z \sqrt{\hat p (1 - \hat p)/n + z^2/4n^2}}{1 + z^2/n}"
        ),
        references=("wilson1927",),
        assumptions=(
            "Independent instances, each with a loss of 0 or 1. The target is the error rate of "
            "this trained model."
        ),
        errs=(
            "Close to its level on average over error rates, and below it near some rates close to "
            "0 or 1, where clopper_pearson is not. Too short where instances depend on each other."
        ),
        blocks=HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        recommended=(Recommendation(blocks=HOLDOUT, target=Target.THESE_MODELS, own=20),),
        only_zero_one=True,
    )

    def compute_lower_end(self, errors: int, n: int, tail: float) -> float:
        """Return the smaller root of the score equation, or the larger one if z < 0."""
        return compute_smaller_rate(errors / n, n, compute_upper_quantile(tail, None))


def compute_smaller_rate(share: float, n: float, z: float) -> float:
    """Return the smaller rate that a score test with quantile z would not reject.

    The smaller root is computed as the product of both roots over the larger one, which loses no
    digits. A one-sided level below one half has z < 0, and its lower bound is the larger root.
    ``share`` is the observed rate, and ``n`` the number of instances; of instances in clusters, how
    many independent ones they are worth.
    """
    scale = 1 + z * z / n
    spread = abs(z) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    larger = min(1.0, (share + z * z / (2 * n) + spread) / scale)
    if z < 0 or share == 0:
        return larger if z < 0 else 0.0
    return share * share / (scale * larger)
