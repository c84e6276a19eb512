"""Catoni's interval for a mean with a bounded variance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from thetahat.cautions import VARIANCE_WITHOUT_BOUND
from thetahat.distributions import compute_tail_probability
from thetahat.intervals._robust import RobustInterval
from thetahat.intervals.base import Interval
from thetahat.parameter_checks import check_positive
from thetahat.registry import FOLDS, HOLDOUT, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.types import Alternative, FloatArray, MeanKind, Target


@dataclass(frozen=True, slots=True)
class Catoni(RobustInterval):
    r"""M-estimate of the mean with logarithmic influence, and its deviation bound.

    :math:`\hat\mu` solves :math:`\sum_i \psi(a (e_i - \hat\mu)) = 0` with :math:`\psi(x) =
    \mathrm{sign}(x) \log(1 + |x| + x^2/2)`, v is the bound of the variance, and :math:`\ell =
    \log(2/\alpha)`, or :math:`\log(1/\alpha)` for a one-sided bound. Proposition 2.4 of the source.

    Degenerate cases: losses that do not vary, or :math:`n \le 2 \ell` instances (fewer than 8 at
    level 0.95), give no interval.

    Parameters
    ----------
    variance_bound : float or None
        v, which the variance of the loss does not exceed, above 0. Left out: the sample variance
        (ddof 1), which is no bound.
    """

    variance_bound: float | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Catoni's M-estimator",
        summary=(
            "An estimate of the mean loss to which large losses contribute only their logarithm, "
            "with an interval that is guaranteed where a bound of the variance is known."
        ),
        formula=(
            r"\hat\mu \pm \sqrt{\frac{2 v \ell}{n - 2 \ell}}, \quad "
            r"a = \sqrt{\frac{2 \ell}{n (v + 2 v \ell / (n - 2 \ell))}}"
        ),
        references=("catoni2012",),
        assumptions="Independent instances whose loss has a variance of at most v.",
        errs=(
            "Conservative where v is a bound: about 1.4 times as long as the t interval for v "
            "equal to the variance. With the sample variance instead of a bound there is no "
            "guarantee: for squared errors from a t distribution with three degrees of freedom, "
            "78 to 86 % of the intervals covered at level 0.95."
        ),
        blocks=FOLDS | HOLDOUT,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        by_request_only=True,
    )

    def __post_init__(self) -> None:
        if self.variance_bound is not None:
            check_positive("variance_bound", self.variance_bound)

    def build_from_losses(
        self, losses: BlockLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None with too few instances, or where the losses do not vary."""
        shift = float(losses.rows[0])
        rows = losses.rows - shift
        n, bound = len(rows), self.variance_bound
        size = -math.log(compute_tail_probability(level, alternative))
        if n < _count_needed(level, alternative) or rows.max() == rows.min():
            return None
        sample = float(rows.var(ddof=1))
        variance = sample if bound is None else bound
        reach = math.sqrt(2 * variance * size / (n - 2 * size))
        scale = math.sqrt(2 * size / (n * variance * (1 + 2 * size / (n - 2 * size))))
        if not (math.isfinite(reach) and 0 < scale < math.inf):
            return None
        estimate = shift + _solve(rows, scale)
        unbounded = VARIANCE_WITHOUT_BOUND(losses.layout.words, variance=sample)
        return self.with_ends(
            estimate,
            (estimate - reach, estimate + reach),
            level,
            alternative,
            cautions=() if bound is not None else (unbounded,),
            details={"variance_bound": variance},
        )

    def explain_unbuilt(self, losses: BlockLosses, level: float, alternative: Alternative) -> str:
        """Return whether the instances are too few for the level, or do not vary."""
        n, needed = len(losses.rows), _count_needed(level, alternative)
        if n < needed:
            return f"catoni needs {needed} or more instances at level {level:g}, and there are {n}"
        values = losses.layout.words.values
        return (
            f"the {values} of a model do not vary, or are too large or too small for double "
            "precision"
        )


def _count_needed(level: float, alternative: Alternative) -> int:
    """Return the smallest number of instances for which the interval is defined."""
    return max(2, math.floor(-2 * math.log(compute_tail_probability(level, alternative))) + 1)


def _solve(rows: FloatArray, scale: float) -> float:
    """Return the mean at which the influences of the losses add up to 0."""
    smallest, span = float(rows.min()), float(rows.max() - rows.min())
    shares, factor = (rows - smallest) / span, scale * span

    def sum_influences(share: float) -> float:
        x = factor * (shares - share)
        size = np.abs(x)
        return float((np.sign(x) * np.log1p(size + size * size / 2)).sum())

    return smallest + span * float(scipy.optimize.brentq(sum_influences, 0.0, 1.0, xtol=1e-15))
