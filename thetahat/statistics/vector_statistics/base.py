"""The interface of statistics whose value is a vector or a matrix.

All components of such a statistic are computed from the same resamples, so that their replicates
show how the components vary together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter, Loc
from thetahat.registry import MethodInfo
from thetahat.statistics._columns import compute_jackknife_variances
from thetahat.statistics.base import MAX_ENTRY
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class VectorSample:
    """The rows of a sample with several columns, after checks."""

    columns: Mapping[str, FloatArray]
    """(n,) finite, by name."""
    y: FloatArray | None = None
    """(n,) the response, for a regression."""

    def __post_init__(self) -> None:
        if not self.columns:
            raise InsufficientData("The sample has no column.", loc=("x",))
        n = self.n
        if n == 0:
            raise InsufficientData("The sample has no rows.", loc=("x",))
        parts: dict[Loc, FloatArray] = {("x", name): x for name, x in self.columns.items()}
        if self.y is not None:
            parts["y",] = self.y
        for path, values in parts.items():
            if len(values) != n:
                raise InvalidParameter(
                    f"All columns must have as many rows as the first, which has {n}. "
                    f"{path[-1]} has {len(values)}.",
                    loc=path,
                    value=len(values),
                )
            fit = np.abs(values) <= MAX_ENTRY  # false for NaN, too
            if not fit.all():
                row = int(np.argmin(fit))
                raise InvalidParameter(
                    f"Row {row} of {path[-1]} is {values[row]}. Values must be finite and at most "
                    f"{MAX_ENTRY:g} in size.",
                    loc=(*path, row),
                    value=str(values[row]),
                )

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values())))


@dataclass(eq=False)
class ComponentsFunctional(ABC):
    """The q components of a statistic as functions of the sums of (n, m) columns."""

    columns: FloatArray
    """(n, m) C-ordered."""
    shifts: FloatArray
    """(q,) the part of each component that is the same for all resamples."""

    @abstractmethod
    def compute_components(self, sums: FloatArray, n: float) -> FloatArray:
        """Return (..., q) components without their shifts from (..., m) sums over n rows.

        All components are NaN where one is undefined.
        """

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b, q) components from (b, n) counts of the rows."""
        return self.compute_components(counts @ self.columns, len(self.columns))

    def jackknife(self) -> FloatArray:
        """Return the (n, q) components without each row."""
        return self.compute_components(
            self.columns.sum(axis=0) - self.columns, len(self.columns) - 1
        )

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return the (b, q) jackknife variances of resamples from (b, n) counts."""
        sums = counts @ self.columns
        without = self.compute_components(sums[:, None, :] - self.columns, len(self.columns) - 1)
        components = np.moveaxis(without, -1, 0)
        return np.stack([compute_jackknife_variances(one, counts) for one in components], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """One component of a vector as a functional of its own."""

    vector: ComponentsFunctional
    place: int
    divisor: float = 1.0

    @property
    def shift(self) -> float:
        """The part of the component that is the same for all resamples."""
        return float(self.vector.shifts[self.place])

    def evaluate_counts(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) values from (b, n) counts."""
        return np.asarray(self.vector.evaluate_counts(counts)[:, self.place])

    def jackknife(self) -> FloatArray:
        """Return the (n,) values without each row."""
        return np.asarray(self.vector.jackknife()[:, self.place])

    def jackknife_variances(self, counts: FloatArray) -> FloatArray:
        """Return the (b,) jackknife variances from (b, n) counts."""
        return np.asarray(self.vector.jackknife_variances(counts)[:, self.place])


class VectorStatistic(ABC):
    """Base class of vector statistics; the fields of the dataclass are their parameters.

    By default the components are smooth, there is no response, and every resample has a value.
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]

    @property
    def is_smooth(self) -> bool:
        """Whether the jackknife's standard error is consistent for every component."""
        return True

    def undefined(self) -> str:
        """Return when a resample has no value, as the end of a sentence."""
        return ""

    @abstractmethod
    def list_components(self, names: list[str]) -> list[tuple[str, ...]]:
        """Return the name of each component of columns with these names; of a matrix, two names."""

    @abstractmethod
    def on(self, sample: VectorSample) -> ComponentsFunctional:
        """Return the statistic on that sample.

        Raises ``EvaluationError`` if the sample does not fit the statistic, or has no value of it.
        """
