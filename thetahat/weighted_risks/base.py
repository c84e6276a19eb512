"""What an importance-weighted risk estimator is and what it gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskEstimate:
    """An estimate of the expected loss under the target distribution.

    Parameters
    ----------
    estimate : float
        Units of the loss.
    variance : float
        Variance of the estimate, in squared units of the loss; models and weights are given.
    beta : tuple of float
        Coefficients of the control variates: one, one per fold, or one per variate; empty where
        there is none.
    bias : float or None
        What the method itself is estimated to add to the weighted risk's expectation; None where
        it adds nothing of that order.
    target : Target
        What it speaks of.
    cautions : tuple of Caution
        What to know before using it.
    terms : ndarray of float or None
        (n,) numbers whose mean is the estimate and whose sample variance over n is the variance:
        the differences of two risks' terms give the variance of their difference.
    """

    estimate: float
    variance: float
    beta: tuple[float, ...] = ()
    bias: float | None = None
    target: Target = Target.NEW_POPULATION
    cautions: tuple[Caution, ...] = ()
    terms: FloatArray | None = field(default=None, repr=False, compare=False)


class RiskEstimator(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def estimate(
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses, (n,) weights and, where used, (n,) fold codes."""
        ...
