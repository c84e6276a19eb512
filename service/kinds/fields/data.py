"""The two forms in which data for learners come: a data set with columns, or inline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from service.data.base import SPARSE
from service.data.reading import read_columns, read_features
from service.kinds.base import DatasetFile
from service.kinds.fields.layout import check_columns_given, require_columns, require_numbers
from service.schemas.base import Schema
from thetahat.errors import EvaluationError, InvalidParameter, Loc
from thetahat.tables.columns import read_columns_of_rows
from thetahat.tables.data import Data, build_data

ROLES = ("target", "source", "fold", "weight", "cluster", "time")


class DataColumns(Schema):
    """Which column of a data set plays which part."""

    target: str
    features: list[str] | None = Field(
        None, min_length=1, description="Left out: every column that plays no other part."
    )
    source: str | None = None
    fold: str | None = None
    weight: str | None = None
    cluster: str | None = None
    time: str | None = None


class InlineData(Schema):
    """A small data set in the request itself."""

    X: list[list[Any]] = Field(min_length=1, description="One row per instance.")
    y: list[Any] = Field(min_length=1)
    features: list[str] | None = Field(None, description="Names of the columns of X.")
    source: list[Any] | None = None
    fold: list[Any] | None = None
    weight: list[Any] | None = None
    cluster: list[Any] | None = None
    time: list[Any] | None = None


class DataFields(Schema):
    """Exactly one of ``dataset`` (with ``columns``) and ``data``."""

    dataset: UUID | None = None
    columns: DataColumns | None = None
    data: InlineData | None = None
    task: Literal["classification", "regression"]


def check_data_fields(given: DataFields, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse none or both of the forms, and columns that are not there."""
    if (given.data is None) == (given.dataset is None):
        raise InvalidParameter("give either data or a dataset with columns", loc=("data",))
    check_columns_given(given.dataset, given.columns)
    if given.dataset is None or given.columns is None:
        return
    wanted: dict[Loc, str | None] = {
        ("columns", role): getattr(given.columns, role) for role in ROLES
    }
    features = given.columns.features or []
    for i, name in enumerate(features):
        wanted["columns", "features", i] = name
        if name == given.columns.target or name in features[:i]:
            what = "the target" if name == given.columns.target else "there already"
            raise InvalidParameter(
                f"{name!r} is {what} and cannot be a feature", loc=("columns", "features", i)
            )
    require_columns(datasets[given.dataset], wanted)
    numeric = ("weight", "target") if given.task == "regression" else ("weight",)
    require_numbers(
        datasets[given.dataset],
        {("columns", role): getattr(given.columns, role) for role in numeric},
    )
    kinds = {str(c["name"]): c["type"] for c in datasets[given.dataset].columns}
    for role in ROLES:
        if kinds.get(getattr(given.columns, role) or "") == SPARSE:
            raise InvalidParameter(
                f"{getattr(given.columns, role)!r} is a group of sparse columns; it can only be "
                "features",
                loc=("columns", role),
            )


def has_role(given: DataFields, role: str) -> bool:
    """Return whether the data say who plays that part."""
    holder = given.columns if given.dataset is not None else given.data
    return getattr(holder, role, None) is not None


def where_role(given: DataFields, role: str) -> Loc:
    """Return where the request would say it."""
    return ("columns", role) if given.dataset is not None else ("data", role)


def data_from(given: DataFields, datasets: Mapping[UUID, DatasetFile]) -> Data:
    """Build the data of a request; refusals say where in the request the fault lies."""
    if given.data is not None:
        with _placed({"target": ("data", "y"), "features": ("data", "X")}, "data"):
            return _inline(given.data, given.task)
    if given.dataset is None or given.columns is None:
        raise InvalidParameter("there are no data", loc=("data",))
    with _placed({}, "columns"):
        return _from_dataset(datasets[given.dataset], given.columns, given.task)


def feature_names(given: DataFields, datasets: Mapping[UUID, DatasetFile]) -> list[str]:
    """Return what the features are called; no data set is opened."""
    if given.data is not None:
        named = given.data.features
        return [f"x{j}" for j in range(len(given.data.X[0]))] if named is None else named
    assert given.dataset is not None  # noqa: S101 - check_data_fields looked
    assert given.columns is not None  # noqa: S101 - likewise
    return _features_of(datasets[given.dataset], given.columns)


def _features_of(file: DatasetFile, columns: DataColumns) -> list[str]:
    if columns.features is not None:
        return columns.features
    taken = {getattr(columns, role) for role in ROLES}
    return [str(c["name"]) for c in file.columns if c["name"] not in taken]


def _from_dataset(file: DatasetFile, columns: DataColumns, task: str) -> Data:
    roles = {role: name for role in ROLES if (name := getattr(columns, role)) is not None}
    features = _features_of(file, columns)
    read = read_features(file, sorted(features))
    known = read_columns(file, sorted({*roles.values()}))
    parts = {role: known[name] for role, name in roles.items()}
    return build_data({name: read[name] for name in features}, task=task, **parts)


def _inline(data: InlineData, task: str) -> Data:
    given = {role: getattr(data, role) for role in ROLES[1:]}
    return build_data(read_columns_of_rows(data.X, data.features), data.y, task, **given)


@contextmanager
def _placed(renamed: Mapping[str, Loc], outer: str) -> Iterator[None]:
    """Put a refusal's place, which is a role and a row, where the request has it."""
    try:
        yield
    except EvaluationError as error:
        if error.loc and error.loc[0] != "task":
            role = str(error.loc[0])
            error.loc = (*renamed.get(role, (outer, role)), *error.loc[1:])
        raise
