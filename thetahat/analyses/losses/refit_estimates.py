"""Estimates made before an evaluation by fitting learners again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from thetahat.intervals.base import Interval
from thetahat.registry import MethodInfo
from thetahat.variances.base import VarianceEstimate

ModelOrPair = str | tuple[str, str]
"""The name of a model, or a pair (a, b) for the difference a minus b."""


class RefitEstimate(NamedTuple):
    """An estimate for one model or pair; the result lists it with those made from the losses."""

    key: str
    """Its key in the result: the request's ``as``, or the name."""
    method: MethodInfo
    """The method that computed it."""
    estimate: VarianceEstimate | None = None
    """Variance estimate, on which intervals are built as on any other variance; None if the method
    computes only an interval."""
    intervals: tuple[Interval, ...] = ()
    """Intervals that the method builds itself, with ``method`` and ``variance`` as keys."""
    is_own_estimate: bool = False
    """Whether it is an estimate of the error (out of bag, .632), which the result has under
    ``estimates``, and not a variance of the mean loss."""


RefitEstimates = Mapping[ModelOrPair, Sequence[RefitEstimate]]
NO_REFIT_ESTIMATES: Final[RefitEstimates] = MappingProxyType({})
