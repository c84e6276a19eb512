"""A sample with its features, labels and weights: inline, or columns of a data set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
from pydantic import Field

from thetahat.error_paths import located_errors
from thetahat.errors import InsufficientData, InvalidParameter, Loc
from thetahat.importance_weights.base import MAX_MAGNITUDE
from thetahat.tables.columns import RawColumn, parse_features, parse_numbers, read_columns_of_rows
from thetahat.tables.data import name_matrix_columns
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns
from thetahat.values.left_out_rows import (
    FEATURES,
    KeptRows,
    LeftOutOfSamples,
    MissingRows,
    choose_rows,
    fill_missing,
    find_missing,
    refuse_missing,
)
from thetahat.values.types import FloatArray
from thetahat_service.data.reading import read_columns, read_features, read_labels
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.layout import require_columns, require_numbers
from thetahat_service.kinds.fields.left_out import LEAVE_OUT, LeftOutSampleFields, keep_rows
from thetahat_service.kinds.fields.list_items import LabelItem, MissingNumberItem, ValueItem
from thetahat_service.kinds.fields.locations import locate_cells_by_row, number_rows_as_sent
from thetahat_service.schemas.base import Schema

INLINE_FIELDS: Final[Mapping[str, str]] = {
    "target": "y",
    "weight": "weight",
    "source": "source",
    "fold": "fold",
}
"""The roles of a column other than a feature, each with the field of inline data."""
_LABELS: Final = frozenset({"source", "fold"})
"""The fields whose values are labels; so is ``y`` in a classification."""


class SampleColumns(Schema):
    """Which column of a data set has which role."""

    features: list[str] | None = Field(
        None,
        min_length=1,
        description="The columns of features. Left out: every column without another role.",
    )
    target: str | None = Field(
        None, description="The column with the class or value of each row, if it is known."
    )
    weight: str | None = Field(
        None, description="The column with the weight of each row, for the weights 'given'."
    )


class SampleInput(Schema):
    """A sample: its features ``X`` in the request, or a ``dataset`` with its columns."""

    X: list[list[MissingNumberItem]] | None = Field(
        None, min_length=1, description="The features: one list per row."
    )
    y: list[ValueItem] | None = Field(
        None, min_length=1, description="The class or value of each row, if it is known."
    )
    weight: list[MissingNumberItem] | None = Field(
        None, description="The weight of each row, for the weights 'given'."
    )
    features: list[str] | None = Field(
        None, description="Names of the columns of X. Left out: x0, x1, ..."
    )
    dataset: UUID | None = Field(None, description="The id of an uploaded data set.")
    columns: SampleColumns | None = Field(
        None, description="Which column of the data set has which role."
    )


class LabelledColumns(SampleColumns):
    """The columns of a sample that learners are fitted to."""

    source: str | None = Field(
        None,
        description="The column with the source (site, subject, domain) of each row; the result "
        "has the risk in each source.",
    )
    fold: str | None = Field(
        None, description="The column with the fold of each row. Left out: folds are drawn."
    )


class LabelledInput(SampleInput):
    """A sample with labels: ``X`` and ``y`` in the request, or a ``dataset`` with its columns."""

    source: list[LabelItem] | None = Field(
        None,
        description="The source (site, subject, domain) of each row; the result has the risk in "
        "each source.",
    )
    fold: list[LabelItem] | None = Field(
        None, description="The fold of each row. Left out: folds are drawn."
    )
    columns: LabelledColumns | None = Field(
        None, description="Which column of the data set has which role."
    )


@dataclass(frozen=True, slots=True, eq=False)
class SampleTable:
    """The features, labels and weights of a sample, as they are read."""

    X: FloatArray
    """(n, p) features, none missing."""
    names: tuple[str, ...]
    """(p,) names of the features."""
    y: RawColumn | None = None
    """(n,) raw labels or values."""
    weight: FloatArray | None = None
    """(n,) finite."""
    source: RawColumn | None = None
    fold: RawColumn | None = None
    """Both (n,) raw labels."""
    kept: KeptRows | None = None
    """Which rows of the request or data set these are; None if no row is left out."""


def check_sample(sample: SampleInput, loc: Loc, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse a sample with neither form or with both, and columns that do not exist."""
    if (sample.X is None) == (sample.dataset is None):
        raise InvalidParameter(
            "The sample needs either X or a dataset. Give exactly one of them.", loc=loc
        )
    if sample.dataset is None:
        if sample.columns is not None:
            raise InvalidParameter(
                "The sample has columns and no dataset. Leave columns out if the request itself "
                "holds the sample.",
                loc=(*loc, "columns"),
            )
        return
    for name in ("y", "weight", "source", "fold", "features"):
        if getattr(sample, name, None) is not None:
            raise InvalidParameter(
                f"The field {name} is only for a sample in the request itself. With a dataset, "
                "name the column in columns.",
                loc=(*loc, name),
            )
    file, columns = datasets[sample.dataset], sample.columns or SampleColumns()
    roles = {role: getattr(columns, role, None) for role in INLINE_FIELDS}
    required: dict[Loc, str | None] = {(*loc, "columns", role): roles[role] for role in roles}
    features = columns.features or []
    for i, name in enumerate(features):
        required[*loc, "columns", "features", i] = name
        if name in features[:i] or name in roles.values():
            raise InvalidParameter(
                f"The feature {name!r} is named twice or has another role. Remove it from "
                "features.",
                loc=(*loc, "columns", "features", i),
            )
    require_columns(file, required)
    require_numbers(file, {(*loc, "columns", "weight"): roles["weight"]})


def measure_sample(sample: SampleInput, datasets: Mapping[UUID, DatasetFile]) -> tuple[int, int]:
    """Return the number of rows and of features of a checked sample; no data set is opened."""
    if sample.dataset is None:
        rows = sample.X or [[]]
        return len(rows), len(rows[0])
    file = datasets[sample.dataset]
    columns = sample.columns or SampleColumns()
    roles = sum(getattr(columns, role, None) is not None for role in INLINE_FIELDS)
    return file.rows, len(columns.features or ()) or len(file.columns) - roles


def check_given_weights(source: SampleInput) -> None:
    """Refuse a source without the weights that the estimator ``given`` takes from it."""
    if source.dataset is None and source.weight is None:
        raise InvalidParameter(
            "The weights 'given' are read from source.weight, which is missing. Give one weight "
            "for each row.",
            loc=("source", "weight"),
        )
    if source.dataset is not None and (source.columns is None or source.columns.weight is None):
        raise InvalidParameter(
            "The weights 'given' are read from a column of the source. Name it in "
            "source.columns.weight.",
            loc=("source", "columns", "weight"),
        )


def build_sample_paths(sample: SampleInput, loc: Loc) -> dict[str, Loc]:
    """Return the request's path of the features, labels, weights, sources and folds."""
    if sample.dataset is None:
        inline: dict[str, Loc] = {field: (*loc, field) for field in INLINE_FIELDS.values()}
        return {**inline, "features": (*loc, "X")}
    columns = {field: (*loc, "columns", role) for role, field in INLINE_FIELDS.items()}
    return {**columns, "features": (*loc, "columns")}


def read_sample(  # noqa: PLR0913 - what is read, from where, and how
    sample: SampleInput,
    loc: Loc,
    datasets: Mapping[UUID, DatasetFile],
    features: Sequence[str] | None = None,
    missing: MissingRows | None = None,
    *,
    are_classes: bool = False,
) -> SampleTable:
    """Read a sample; errors have the path of the field that is wrong.

    Parameters
    ----------
    loc : tuple
        The request's path of the sample.
    features : sequence of str or None
        The columns to read where the request names none.
    missing : {"refuse", "leave_out"} or None
        Whether incomplete rows are left out. None refuses them without naming this option, for
        requests that do not have it.
    are_classes : bool
        Whether the values of ``y`` are classes and not numbers.
    """
    with located_errors({**build_sample_paths(sample, loc), "missing": ("missing",)}, within=loc):
        if sample.dataset is None:
            columns = read_columns_of_rows(sample.X or [], sample.features)
            with locate_cells_by_row(list(columns)):
                return _build_sample(
                    columns, {f: getattr(sample, f, None) for f in INLINE_FIELDS.values()}, missing
                )
        file = datasets[sample.dataset]
        roles = {
            field: name
            for role, field in INLINE_FIELDS.items()
            if (name := getattr(sample.columns, role, None)) is not None
        }
        without_role = [str(c["name"]) for c in file.columns if c["name"] not in roles.values()]
        named = None if sample.columns is None else sample.columns.features
        names = named or (without_role if features is None else list(features))
        unknown = [name for name in names if name not in without_role]
        if unknown:
            raise InvalidParameter(
                f"The source has the column {unknown[0]!r}, and this data set does not. Name the "
                "features of both samples.",
                loc=("columns",),
                value=unknown[0],
            )
        label_fields = _LABELS | {"y"} if are_classes else _LABELS
        values = read_columns(file, [n for field, n in roles.items() if field not in label_fields])
        labels = read_labels(file, [n for field, n in roles.items() if field in label_fields])
        return _build_sample(
            name_matrix_columns(read_features(file, names)),
            {f: (labels if f in label_fields else values)[name] for f, name in roles.items()},
            missing,
        )


def read_samples(
    source: SampleInput,
    target: SampleInput,
    datasets: Mapping[UUID, DatasetFile],
    fields: LeftOutSampleFields,
    *,
    are_classes: bool = False,
) -> tuple[SampleTable, SampleTable]:
    """Read a source and a target sample, which must have the same features.

    Where the source's features have names, the target's columns are found by these names.
    """
    source_table = read_sample(
        source, ("source",), datasets, missing=fields.missing, are_classes=are_classes
    )
    has_names = source.dataset is not None or source.features is not None
    names = source_table.names if has_names else None
    target_table = read_sample(
        target, ("target",), datasets, names, fields.missing, are_classes=are_classes
    )
    if target.features is not None and names is not None and target_table.names != names:
        raise InvalidParameter(
            f"The target has the features {', '.join(target_table.names)[:200]}, and the source "
            f"has {', '.join(names)[:200]}. Both need the same features in the same order.",
            loc=("target", "features"),
            value=list(target_table.names)[:20],
        )
    width, target_width = source_table.X.shape[1], target_table.X.shape[1]
    if target_width != width:
        raise InvalidParameter(
            f"The source has {width} features and the target has {target_width}. Both need the "
            "same features.",
            loc=("target",),
            value=target_width,
        )
    return source_table, target_table


def describe_left_out(source: SampleTable, target: SampleTable) -> LeftOutOfSamples | None:
    """Return what is left out of both samples; None if nothing is."""
    if source.kept is None and target.kept is None:
        return None
    return LeftOutOfSamples(
        source=None if source.kept is None else source.kept.left_out,
        target=None if target.kept is None else target.kept.left_out,
    )


@contextmanager
def explain_errors_about_kept_rows(sample: SampleTable) -> Iterator[None]:
    """Give errors the row numbers of the request, and say that rows are left out if few remain."""
    try:
        with number_rows_as_sent(sample.kept):
            yield
    except InsufficientData as error:
        if sample.kept is not None:
            left_out = sample.kept.left_out
            error.message += f" Rows were left out: {left_out.describe_missing()}."
            error.args = (error.message,)
        raise


def _build_sample(
    columns: Mapping[str, RawColumn | SparseColumns],
    roles: Mapping[str, RawColumn | None],
    missing: MissingRows | None,
) -> SampleTable:
    """Build a sample from its columns of features and its other columns, by field name."""
    wide = tuple(c for c in columns.values() if isinstance(c, SparseColumns))
    plain = parse_features({k: c for k, c in columns.items() if not isinstance(c, SparseColumns)})
    features = Features(tuple(plain), tuple(plain.values()), wide=wide)
    X = _build_matrix(features, missing)
    for field, values in roles.items():
        if values is not None and len(values) != len(X):
            raise InvalidParameter(
                f"The field {field} has {len(values)} entries, and there are {len(X)} rows. Give "
                "one entry for each row.",
                loc=(field,),
            )
    filled = {field: values for field, values in roles.items() if values is not None}
    lacking = {} if missing is None else {f: find_missing(values) for f, values in filled.items()}
    if missing == LEAVE_OUT:
        filled = {f: fill_missing(f, values, lacking[f]) for f, values in filled.items()}
        lacking[FEATURES] = np.asarray(np.isnan(X).any(axis=1))
    else:
        refuse_missing(lacking)
    if "weight" in filled:
        filled["weight"] = parse_numbers(filled["weight"], "weight")
    kept = choose_rows(len(X), lacking) if missing == LEAVE_OUT else None
    names = tuple(features.column_name(j) for j in range(features.width))
    kept_by_field: dict[str, Any] = {f: keep_rows(values, kept) for f, values in filled.items()}
    return SampleTable(keep_rows(X, kept), names=names, kept=kept, **kept_by_field)


def _build_matrix(features: Features, option: MissingRows | None) -> FloatArray:
    """Return the (n, p) features; text and very large numbers are refused.

    Missing values are refused, too, unless such rows are left out; then they are NaN.
    """
    advice = "leave out the incomplete rows"
    if option is not None:
        advice = "set missing to 'leave_out' to leave out the incomplete rows"
    for name, column in zip(features.names, features.columns, strict=True):
        if column.dtype.kind != "f":
            raise InvalidParameter(
                f"The column {name!r} is not numeric, but distances and densities need numbers. "
                "Remove it from the features.",
                loc=("features", name),
            )
        missing = np.isnan(column)
        if missing.any() and option != LEAVE_OUT:
            row = int(np.argmax(missing))
            raise InvalidParameter(
                f"The column {name!r} has no value in row {row}. Leave out the column, or "
                f"{advice}.",
                loc=("features", name, row),
            )
    X = features.matrix()
    too_large = np.abs(X) > MAX_MAGNITUDE
    if too_large.any():
        row, j = (int(i) for i in np.argwhere(too_large)[0])
        raise InvalidParameter(
            f"Feature {j} in row {row} is {X[row, j]}. Features may not be larger than "
            f"{MAX_MAGNITUDE:g} in size.",
            loc=("features", row, j),
            value=str(X[row, j]),
        )
    return X
