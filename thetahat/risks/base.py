"""What an importance-weighted risk estimator is and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from thetahat.registry import MethodInfo
from thetahat.types import Caution, FloatArray, IntArray, Target


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
        Coefficient of the control variate: one, or one per fold; empty where there is none.
    target : Target
        What it speaks of.
    cautions : tuple of Caution
        What to know before using it.
    """

    estimate: float
    variance: float
    beta: tuple[float, ...] = ()
    target: Target = Target.NEW_POPULATION
    cautions: tuple[Caution, ...] = ()


class RiskEstimator(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def estimate(
        self, losses: FloatArray, weights: FloatArray, fold: IntArray | None = None
    ) -> RiskEstimate:
        """Estimate the risk from (n,) losses, (n,) weights and, where used, (n,) fold codes."""
        ...
