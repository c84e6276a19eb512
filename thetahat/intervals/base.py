"""The protocol of interval methods, and the interval that they return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from thetahat.cautions import Caution
from thetahat.numerics.bootstrap import Replicates
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage, IntervalCalibration
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence or prediction interval, as in results.

    Parameters
    ----------
    method, variance : str
        Wire names (or the request's ``as`` keys); ``variance`` is None where none is used.
    target : Target
        The error that the interval is about.
    mean : MeanKind
        The mean that is the centre of the interval.
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
        Cautions about the interval.
    details : mapping
        Further fields for the result, as plain JSON values.
    expected_coverage : ExpectedCoverage or None
        How often such an interval covered in the nearest studied design; only of a recommended
        interval, where one was studied.
    measured : IntervalCalibration or None
        How often the interval covers on samples of the data, if the request asks for it.
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
    details: Mapping[str, Any] = field(default_factory=dict, hash=False, metadata={"inline": True})
    expected_coverage: ExpectedCoverage | None = field(default=None, hash=False)
    measured: IntervalCalibration | None = field(
        default=None, hash=False, metadata={"inline": True}
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "cautions", tuple(dict.fromkeys(self.cautions)))


class IntervalMethod(Protocol):
    """The interface of interval methods; the fields of the dataclass are their parameters."""

    info: ClassVar[MethodInfo]

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        ...

    def build(
        self,
        losses: BlockLosses,
        variance_method: MethodInfo,
        variance: VarianceEstimate,
        level: float,
        alternative: Alternative,
    ) -> Interval | None:
        """Return the interval on one variance; None if the method does not fit it."""
        ...


class WithoutVariance:
    """Base class of intervals that use no variance estimate."""

    __slots__ = ()

    def build(
        self,
        losses: BlockLosses,  # noqa: ARG002 - the protocol's
        variance_method: MethodInfo,  # noqa: ARG002 - same
        variance: VarianceEstimate,  # noqa: ARG002 - same
        level: float,  # noqa: ARG002 - same
        alternative: Alternative,  # noqa: ARG002 - same
    ) -> Interval | None:
        """Return None: the interval is built on no variance."""
        return None


class IntervalOfLosses(WithoutVariance, ABC):
    """Base class of intervals that are built from the losses of one model, on no variance.

    The difference of two models has no such interval, because a verdict needs a standard error.
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]

    @abstractmethod
    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""

    @abstractmethod
    def build_from_losses(
        self, losses: BlockLosses, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if it does not fit the losses."""

    def explain_unbuilt(
        self,
        losses: BlockLosses,  # noqa: ARG002 - for methods whose reason depends on the losses
        level: float,  # noqa: ARG002 - same
        alternative: Alternative,  # noqa: ARG002 - same
    ) -> str:
        """Return why the interval could not be built from these losses."""
        return "the losses of a model do not vary, or are too few for the level"


class ErrorRateInterval(IntervalOfLosses, ABC):
    """Base class of intervals for an error rate, which need losses that are all 0 or 1."""

    __slots__ = ()


class ResampledInterval(WithoutVariance, ABC):
    """Base class of intervals that are built from bootstrap replicates."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    needs_errors: ClassVar[bool]
    n_resamples: int | None

    @abstractmethod
    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout cannot be resampled, or None if it can."""

    @abstractmethod
    def build_from_replicates(
        self, replicates: Replicates, level: float, alternative: Alternative
    ) -> Interval | None:
        """Build the interval; None if the losses do not vary."""
