"""The interface of statistics of a sample, as functions of how often each row is counted."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
    """The observed values of a sample, after checks."""

    x: FloatArray
    """(n,) finite."""
    y: FloatArray | None = None
    """(m,) the second column of the same rows, or a second sample: the statistic says which."""

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
        """Return the columns of the sample that are not None, with their names."""
        return (("x", self.x),) if self.y is None else (("x", self.x), ("y", self.y))


class Functional(Protocol):
    r"""A statistic on the rows of one sample, as a function of counts of the rows.

    Its value is ``shift + scaled / divisor``. Only ``scaled`` varies between resamples. It is
    computed separately, so that it loses no digits to a much larger shift and whole numbers stay
    exact.
    """

    @property
    def shift(self) -> float:
        """The part of the value that is the same for all resamples."""
        ...

    @property
    def divisor(self) -> float:
        """The number above 0 that ``scaled`` is divided by."""
        ...

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return (b,) ``scaled`` from (b, n) counts of the rows in resamples; NaN if undefined."""
        ...

    def jackknife(self) -> FloatArray:
        """Return (n,) ``scaled`` of the sample without each row; NaN if undefined."""
        ...

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        r"""Return (b,) jackknife variances of ``scaled`` in resamples with (b, n) counts c.

        .. math:: \frac{n-1}{n} \sum_i c_i (\theta_{(-i)} - \theta_{(\cdot)})^2

        NaN where undefined, and of a statistic that is not smooth.
        """
        ...


@runtime_checkable
class FunctionalOfKinds(Protocol):
    """A functional that depends on how many rows of each kind are drawn, and on nothing else."""

    def kinds(self) -> tuple[IntArray, int]:
        """Return the (n,) kind of each row, counted from 0, and the number of kinds."""
        ...

    def evaluate_kinds(self, counts: FloatArray) -> FloatArray:
        """Return the values of ``evaluate_counts`` from (b, K) counts of the kinds."""
        ...


class Statistic(ABC):
    """Base class of statistics; the fields of the dataclass are their parameters.

    By default a statistic is smooth and of one column, and every resample has a value.
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]

    @property
    def takes(self) -> AcceptedSamples:
        """The samples that it accepts: one column, two columns, or two samples."""
        return "one"

    @property
    def is_smooth(self) -> bool:
        """Whether the jackknife's standard error is consistent for it."""
        return True

    def undefined(self) -> str:
        """Return when a resample has no value, as the end of a sentence."""
        return ""

    def strata(self, sample: Sample) -> IntArray:
        """Return the (S + 1,) first rows of the strata that are resampled separately."""
        return np.array([0, len(sample.x)], dtype=np.intp)

    @abstractmethod
    def build_functional(self, sample: Sample, *, fast: bool) -> Functional:
        """Return the statistic on that sample as a function of row counts.

        ``fast`` asks for compiled loops, which pay for many draws. Raises ``EvaluationError`` if
        the sample does not fit the statistic, or has no value of it.
        """

    def cautions(self, sample: Sample) -> tuple[Caution, ...]:
        """Return cautions about the resamples of this statistic."""
        del sample
        return ()
