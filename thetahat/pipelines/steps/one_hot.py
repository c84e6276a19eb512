"""One 0/1 column per category."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed_classes import ColumnKind
from thetahat.pipelines.parameter_limits import MAX_OUTPUT_COLUMNS
from thetahat.pipelines.steps.base import FeatureStep, describe_unknown_category, is_missing
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

ADVICE: Final = 'With "unknown": "ignore", the default, such rows have 0 in all columns of it.'
Category = Any  # str or float; None stands for a missing value


@dataclass(frozen=True, slots=True, eq=False)
class FittedOneHot:
    """The categories of each column and the 0/1 columns that they become."""

    categories: tuple[tuple[Category, ...], ...]
    kept: tuple[tuple[Category, ...], ...]
    refuse_unknown: bool

    def transform(self, part: Features) -> Features:
        """Return the 0/1 columns."""
        names: list[str] = []
        columns: list[FloatArray] = []
        for name, column, known, kept in zip(
            part.names, part.columns, self.categories, self.kept, strict=True
        ):
            code_of = {category: code for code, category in enumerate(known)}
            codes = np.array(
                [code_of.get(value, -1) for value in _get_values(column)], dtype=np.intp
            )
            if self.refuse_unknown and (codes < 0).any():
                value = _get_values(column)[int(np.argmax(codes < 0))]
                category = "missing values" if value is None else f"the category {value!r}"
                raise InvalidParameter(
                    describe_unknown_category("one_hot", category, name, ADVICE),
                    loc=("columns", "features", name),
                    value=value,
                )
            names += [f"{name}={_convert_to_text(category)}" for category in kept]
            columns += [(codes == code_of[category]).astype(np.float64) for category in kept]
        return part.with_columns(tuple(names), tuple(columns))


def _get_values(column: np.ndarray) -> list[Category]:
    values: list[Category] = column.tolist()
    for row in np.flatnonzero(is_missing(column)):
        values[row] = None
    return values


def _convert_to_text(category: Category) -> str:
    return "(missing)" if category is None else str(category)


@dataclass(frozen=True, slots=True)
class OneHot(FeatureStep):
    """One 0/1 column per category of the training part.

    Parameters
    ----------
    unknown : str
        How a category that is absent from the training part is treated: ``ignore`` gives 0 in all
        output columns, ``error`` raises.
    drop_first : bool
        Whether the first category in sorted order gets no column; it can then not be
        distinguished from an unknown category that is ignored.

    Degenerate cases: if the training part has missing values, they are a category of their own,
    the last one. More than 20 000 columns are refused.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="One column per category",
        summary="Replaces a column by one 0/1 column per category of the training part; "
        "categories seen only later are ignored, or refused if asked.",
    )
    unknown: Literal["ignore", "error"] = "ignore"
    drop_first: bool = False

    default_columns: ClassVar[ColumnKind] = ColumnKind.STRING

    def fit(self, part: Features) -> FittedOneHot:
        """Collect the categories of each column."""
        categories_by_column = []
        for column in part.columns:
            categories = set(_get_values(column))
            blank = (None,) if None in categories else ()
            categories_by_column.append((*sorted(categories - {None}), *blank))
        kept = tuple(categories[int(self.drop_first) :] for categories in categories_by_column)
        width = sum(map(len, kept))
        if width > MAX_OUTPUT_COLUMNS:
            raise InvalidParameter(
                f"one_hot would produce {width} columns. At most {MAX_OUTPUT_COLUMNS} are allowed. "
                "Leave out columns that identify single instances.",
                loc=("prepare",),
                value=width,
            )
        return FittedOneHot(tuple(categories_by_column), kept, self.unknown == "error")
