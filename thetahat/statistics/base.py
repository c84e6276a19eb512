"""What a statistic of a sample is: a number that depends on how often each row counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, runtime_checkable

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray

AcceptedSamples = Literal["one", "pairs", "two"]
"""One sample x; rows of x and y; or two samples, x and y."""

MAX_ENTRY = 1e75
"""The variance of a variance of larger entries leaves double precision."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What was observed, checked.

    Parameters
    ----------
    x : ndarray of float
        (n,) finite.
    y : ndarray of float or None
        (m,) the second column of the same rows, or a second sample: the statistic says which.
    """

    x: FloatArray
    y: FloatArray | None = None

    def __post_init__(self) -> None:
        for name, values in self.parts():
            if not len(values):
                raise InsufficientData(
                    "the sample is empty" if self.y is None else f"{name} is empty", loc=(name,)
                )
            fit = np.abs(values) <= MAX_ENTRY  # false for NaN, too
            if not fit.all():
                row = int(np.argmin(fit))
                raise InvalidParameter(
                    f"{name} {row} is {values[row]}. Values must be finite and at most "
                    f"{MAX_ENTRY:g} in size.",
                    loc=(name, row),
                    value=str(values[row]),
                )

    def parts(self) -> tuple[tuple[str, FloatArray], ...]:
        """Return the columns that there are, with their names."""
        return (("x", self.x),) if self.y is None else (("x", self.x), ("y", self.y))


class Functional(Protocol):
    r"""A statistic on the rows of one sample, as a function of counts of the rows.

    Its value is ``shift + scaled / divisor``. What varies between resamples is ``scaled``: kept
    apart, it loses nothing to a shift that is far larger, and whole numbers stay whole.
    """

    @property
    def shift(self) -> float:
        """What all values have in common."""
        ...

    @property
    def divisor(self) -> float:
        """What ``scaled`` is divided by, above 0."""
        ...

    def of_counts(self, counts: FloatArray) -> FloatArray:
        """(b,) ``scaled`` of resamples that hold each row (b, n) times; NaN where undefined."""
        ...

    def jackknife(self) -> FloatArray:
        """(n,) ``scaled`` of the sample without each row; NaN where undefined."""
        ...

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        r"""(b,) the jackknife's variance of ``scaled``, of resamples with (b, n) counts c.

        .. math:: \frac{n-1}{n} \sum_i c_i (\theta_{(-i)} - \theta_{(\cdot)})^2

        NaN where undefined, and of a statistic that is not smooth.
        """
        ...


@runtime_checkable
class FunctionalOfKinds(Protocol):
    """A functional that depends on how many rows of each kind are drawn, and on nothing else."""

    def kinds(self) -> tuple[IntArray, int]:
        """Return (n,) the kind of each row, counted from 0, and how many kinds there are."""
        ...

    def of_kinds(self, counts: FloatArray) -> FloatArray:
        """(b,) what ``of_counts`` gives, of (b, K) counts of the kinds."""
        ...


class Statistic(Protocol):
    """A frozen dataclass whose fields are the statistic's parameters."""

    info: ClassVar[MethodInfo]

    @property
    def takes(self) -> AcceptedSamples:
        """What it is a statistic of."""
        ...

    @property
    def is_smooth(self) -> bool:
        """Whether the jackknife's standard error is consistent for it."""
        ...

    def undefined(self) -> str:
        """Say when a resample has no value."""
        ...

    def strata(self, sample: Sample) -> IntArray:
        """(S + 1,) where each sample that is drawn from by itself starts among all rows."""
        ...

    def on(self, sample: Sample, *, fast: bool) -> Functional:
        """Return the statistic on that sample; ``fast``: with compiled loops, for many draws.

        Raises
        ------
        EvaluationError
            The sample does not fit the statistic, or has no value of it.
        """
        ...

    def cautions(self, sample: Sample) -> tuple[Caution, ...]:
        """Return what is to be known of this statistic's resamples."""
        ...
