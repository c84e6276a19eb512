"""The interface of preparation steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Protocol

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed_classes import ColumnKind
from thetahat.registry import MethodInfo
from thetahat.tables.columns import describe_other_cells
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


class FittedStep(Protocol):
    """A step that was fitted to a training part; it may have ``cautions`` about the fit."""

    def transform(self, part: Features) -> Features:
        """Return the transformed columns; their names are the same for every table."""
        ...


class Step(Protocol):
    """A frozen dataclass whose fields are the step's parameters.

    A step whose output for a row does not depend on the training part may set ``is_stateless`` to
    True; it is then applied to all rows once. A step that can be fitted with instance weights sets
    ``takes_weights`` to True, and its ``fit_transform`` has an argument ``weights``, (n,) or None.
    """

    info: ClassVar[MethodInfo]

    @property
    def default_columns(self) -> ColumnKind:
        """The kind of columns that it transforms by default."""
        ...

    def fit_transform(
        self, part: Features, y: np.ndarray, *, task: str, rng: np.random.Generator
    ) -> tuple[FittedStep, Features]:
        """Fit the step to the selected columns of the training part.

        Return the fitted step, and the transformed training part. A column that keeps its name
        keeps its position in the table; new columns come last.
        """
        ...


class FeatureStep(ABC):
    """Base class of steps that learn from the features alone, and draw no random numbers."""

    __slots__ = ()

    @abstractmethod
    def fit(self, part: Features) -> FittedStep:
        """Fit the step to the selected columns of the training part."""

    def fit_transform(
        self, part: Features, y: np.ndarray, *, task: str, rng: np.random.Generator
    ) -> tuple[FittedStep, Features]:
        """Fit the step; return it and the transformed training part."""
        del y, task, rng
        fitted_step = self.fit(part)
        return fitted_step, fitted_step.transform(part)


def get_present_values(name: str, column: FloatArray) -> FloatArray:
    """Return the values of a numeric column that are not missing."""
    if column.dtype.kind != "f":
        advice = describe_other_cells(column, None) or (
            " Add a step such as one_hot for it or leave it out."
        )
        raise InvalidParameter(
            f"Column {name!r} is not numeric.{advice}",
            loc=("columns", "features", name),
        )
    return column[~np.isnan(column)]


def describe_unknown_category(step: str, category: str, column: str, advice: str) -> str:
    """Return what a step says of a category that its training part does not have."""
    return (
        f"{step}: a test part has {category} in column {column!r}, which the training part does "
        f"not have. {advice}"
    )


def is_missing(column: np.ndarray) -> np.ndarray:
    """Return an (n,) mask that is True for missing values."""
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    return np.fromiter((value is None for value in column), dtype=bool, count=len(column))
