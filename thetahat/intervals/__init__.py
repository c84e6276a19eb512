"""Interval methods, one module each, by wire name."""

from typing import Final

from thetahat.intervals.base import IntervalMethod
from thetahat.registry import Registry
from thetahat.traits import IntervalForm

INTERVALS: Final[Registry[type[IntervalMethod]]] = Registry.collect(__name__, __path__)


def list_intervals_on_any_variance() -> tuple[str, ...]:
    """Return the names of the t and the normal intervals, which any usable variance can carry."""
    return tuple(
        name
        for form in (IntervalForm.T, IntervalForm.NORMAL)
        for name in INTERVALS
        if INTERVALS[name].info.interval.form is form
    )


def is_prediction(name: str) -> bool:
    """Return whether the interval of that name predicts the mean loss of one further block."""
    return name in INTERVALS and INTERVALS[name].info.interval.is_prediction
