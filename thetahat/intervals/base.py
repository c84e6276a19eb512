"""What an interval method is and what it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

from thetahat.block_losses import BlockLosses
from thetahat.layout import Layout
from thetahat.registry import MethodInfo
from thetahat.types import Alternative, Caution, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence (or prediction) interval and all that it rests on.

    Parameters
    ----------
    method, variance : str
        Wire names (or the request's ``as`` keys); ``variance`` is None where none is used.
    target : Target
        What is covered.
    mean : MeanKind
        Which mean it centres on.
    estimate : float
        That mean, in units of the loss.
    standard_error : float or None
        In units of the loss.
    level : float
        Confidence level, in (0, 1).
    alternative : Alternative
        ``two_sided``; ``less`` has no lower end, ``greater`` no upper end.
    lower, upper : float or None
        Ends, in units of the loss; an open end is None.
    degrees_of_freedom : float or None
        None means normal.
    recommended : bool
        Whether the service recommends it for its target.
    cautions : tuple of Caution
        What to know before using it.
    """

    method: str
    variance: str | None
    target: Target
    mean: MeanKind
    estimate: float
    standard_error: float | None
    level: float
    alternative: Alternative
    lower: float | None
    upper: float | None
    degrees_of_freedom: float | None
    recommended: bool = False
    cautions: tuple[Caution, ...] = ()


class IntervalMethod(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the method cannot be used on this layout, or None."""
        ...

    def build(
        self,
        losses: BlockLosses,
        variance_name: str,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Build the interval on one variance; None where the two do not go together."""
        ...
