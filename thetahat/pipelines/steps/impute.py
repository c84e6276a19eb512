"""Filling in missing values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.pipelines.allowed_classes import ColumnKind
from thetahat.pipelines.steps.base import FeatureStep, get_present_values, is_missing
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features


@dataclass(frozen=True, slots=True, eq=False)
class FittedImputer:
    """The fill value of each of the p columns."""

    fill: tuple[float | str, ...]

    def transform(self, part: Features) -> Features:
        """Return the columns with their missing values filled in."""
        pairs = zip(part.columns, self.fill, strict=True)
        return part.with_columns(
            part.names, tuple(_fill_missing(column, fill) for column, fill in pairs)
        )


def _fill_missing(column: np.ndarray, fill: float | str) -> np.ndarray:
    filled = column.copy()
    filled[is_missing(column)] = fill
    return filled


def _find_most_frequent(values: list[Any]) -> Any:
    """Return the most frequent of the values, the smallest of several."""
    counts = Counter(values)
    most = max(counts.values())
    return min(value for value, count in counts.items() if count == most)


@dataclass(frozen=True, slots=True)
class Impute(FeatureStep):
    """Missing values replaced by one value per column, learnt in the training part.

    Parameters
    ----------
    strategy : str
        ``mean`` or ``median`` (numbers), ``most_frequent`` (numbers or strings; of equally
        frequent values the smallest), ``constant``.
    fill_value : float or str or None
        The value of ``constant``.

    No column records which values were filled in.

    Degenerate cases: a column without any value in the training part is refused, except with
    ``constant``.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Fill in missing values",
        summary="Replaces missing values by the column's mean, median or most frequent value in "
        "the training part, or by a constant. Where no columns are named, the most frequent value "
        "and a constant that is text fill the columns of text, the others those of numbers.",
        assumptions="Values are missing without regard to what they would have been.",
        errs="Shrinks the spread of a column and its correlations.",
    )
    strategy: Literal["mean", "median", "most_frequent", "constant"] = "mean"
    fill_value: float | str | None = None

    def __post_init__(self) -> None:
        """Check that the fill value and the strategy belong together."""
        if (self.strategy == "constant") != (self.fill_value is not None):
            raise InvalidParameter(
                f"fill_value belongs to strategy 'constant' and no other; got strategy "
                f"{self.strategy!r} and fill_value {self.fill_value!r}.",
                loc=("fill_value",),
                value=self.fill_value,
            )

    @property
    def default_columns(self) -> ColumnKind:
        """Strings for ``most_frequent`` and a string constant, else numbers."""
        strings = self.strategy == "most_frequent" or isinstance(self.fill_value, str)
        return ColumnKind.STRING if strings else ColumnKind.NUMERIC

    @property
    def is_stateless(self) -> bool:
        """Whether the fill value is a parameter."""
        return self.strategy == "constant"

    def fit(self, part: Features) -> FittedImputer:
        """Compute the fill value of each column."""
        pairs = zip(part.names, part.columns, strict=True)
        return FittedImputer(tuple(self._fill(name, column) for name, column in pairs))

    def _fill(self, name: str, column: np.ndarray) -> Any:
        if self.fill_value is not None:
            if isinstance(self.fill_value, str) == (column.dtype.kind == "f"):
                raise InvalidParameter(
                    f"fill_value {self.fill_value!r} does not fit column {name!r}.",
                    loc=("columns", "features", name),
                    value=self.fill_value,
                )
            return self.fill_value
        values: Any = column[~is_missing(column)]
        if not len(values):
            raise InsufficientData(
                f"Column {name!r} has only missing values in this training part, so its "
                f"{self.strategy} is undefined.",
                loc=("columns", "features", name),
            )
        if self.strategy == "most_frequent":
            return _find_most_frequent(values.tolist())
        numbers = get_present_values(name, column)
        return float(numbers.mean() if self.strategy == "mean" else np.median(numbers))
