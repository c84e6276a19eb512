"""The interface of importance-weighted risk estimators, and their estimates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskEstimate:
    """An estimate of the expected loss under the target distribution."""

    estimate: float
    """Units of the loss."""
    variance: float
    """Variance of the estimate, conditional on models and weights, in squared units of the loss."""
    beta: tuple[float, ...] = ()
    """Coefficients of the control variates: one, one per fold, or one per variate; empty if there
    is none."""
    bias: float | None = None
    """Estimated difference of the method's expectation from that of the weighted risk; None if the
    method has no such bias."""
    target: Target = Target.NEW_POPULATION
    """The population whose risk is estimated."""
    cautions: tuple[Caution, ...] = ()
    """Cautions on the estimate."""
    terms: FloatArray | None = field(default=None, repr=False, compare=False)
    """(n,) numbers whose mean is the estimate and whose sample variance over n is the variance: the
    differences of two risks' terms give the variance of their difference."""


class RiskEstimator(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def estimate(
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses, (n,) weights and, if needed, (n,) fold codes."""
        ...
