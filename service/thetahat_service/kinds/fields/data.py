"""The data that learners are fitted to: columns of a data set, or lists in the request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypedDict
from uuid import UUID

from pydantic import Field

from thetahat.analyses.losses.gate import refuse_gate_without_groups
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc
from thetahat.tables.column_profiles import ColumnProfile, profile_raw_column
from thetahat.tables.columns import read_columns_of_rows
from thetahat.tables.data import REGRESSION, Data, build_data, name_matrix_columns
from thetahat.values.left_out_rows import MissingRows, SmallSourceRows
from thetahat_service.data.base import GROUPS
from thetahat_service.data.profiles import profile_columns
from thetahat_service.data.reading import read_columns, read_features, read_labels
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.kinds.fields.groups import GroupByField
from thetahat_service.kinds.fields.layout import (
    check_columns_given,
    require_columns,
    require_numbers,
)
from thetahat_service.kinds.fields.left_out import LeftOutDataFields
from thetahat_service.kinds.fields.list_items import LabelItem, MissingNumberItem, ValueItem
from thetahat_service.kinds.fields.locations import locate_cells_by_row
from thetahat_service.schemas.base import Schema

ROLES: Final = ("target", "source", "fold", "weight", "cluster", "time")
"""The roles of a column other than a feature."""
_LABELS: Final = ("source", "fold", "cluster")
"""The roles whose values are labels; so is the target of a classification."""


Task = Literal["classification", "regression"]


class _Options(TypedDict, total=False):
    missing: MissingRows
    small_sources: SmallSourceRows


class DataColumns(Schema):
    """Which column of a data set has which role."""

    target: str = Field(description="The column that is predicted.")
    features: list[str] | None = Field(
        None,
        min_length=1,
        description="The columns to learn from. Left out: every column without another role.",
    )
    source: str | None = Field(
        None, description="The column with the source (site, subject, domain) of each row."
    )
    fold: str | None = Field(None, description="The column with the fold of each row.")
    weight: str | None = Field(None, description="The column with the weight of each row.")
    cluster: str | None = Field(
        None, description="The column with the cluster of each row; rows of one are dependent."
    )
    time: str | None = Field(None, description="The column with the time of each row.")


class InlineData(Schema):
    """A small data set in the request itself."""

    X: list[list[ValueItem]] = Field(min_length=1, description="The features: one list per row.")
    y: list[ValueItem] = Field(
        min_length=1, description="The value or class that is predicted, by row."
    )
    features: list[str] | None = Field(
        None, description="Names of the columns of X. Left out: x0, x1, ..."
    )
    source: list[LabelItem] | None = Field(
        None, description="The source (site, subject, domain) of each row."
    )
    fold: list[LabelItem] | None = Field(None, description="The fold of each row.")
    weight: list[MissingNumberItem] | None = Field(None, description="The weight of each row.")
    cluster: list[LabelItem] | None = Field(
        None, description="The cluster of each row; rows of one cluster are dependent."
    )
    time: list[ValueItem] | None = Field(None, description="The time of each row.")


class DataFields(Schema):
    """The data of a request: a ``dataset`` with its ``columns``, or ``data`` in the request."""

    dataset: UUID | None = Field(None, description="The id of an uploaded data set.")
    columns: DataColumns | None = Field(
        None, description="Which column of the data set has which role."
    )
    data: InlineData | None = Field(None, description="The data, in the place of a data set.")
    task: Task | None = Field(
        None,
        description="Whether classes or numbers are predicted. Left out: what the learners serve; "
        "if they serve both, classes where the target has text, truth values, 0 and 1 or two other "
        "values, and numbers otherwise, which the result says. Whole numbers of few values may be "
        "both and are refused.",
    )

    @property
    def known_task(self) -> Task:
        """The task of a request that is complete."""
        assert self.task is not None  # noqa: S101 - JobKind.decide has set it
        return self.task


def check_data_fields(fields: DataFields, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse a request with neither form of data or with both, and columns that do not exist."""
    if (fields.data is None) == (fields.dataset is None):
        raise InvalidParameter(
            "The request needs either data, or a dataset with columns. Give exactly one of them.",
            loc=("data",),
        )
    check_columns_given(fields.dataset, fields.columns)
    _check_source_named(fields)
    if isinstance(fields, AnalysisRequest) and not isinstance(fields, GroupByField):
        refuse_gate_without_groups(fields.requirement, has_groups=False)
    if fields.dataset is None or fields.columns is None:
        return
    file, columns = datasets[fields.dataset], fields.columns
    roles = {role: getattr(columns, role) for role in ROLES}
    required: dict[Loc, str | None] = {("columns", role): name for role, name in roles.items()}
    earlier: set[str] = set()
    for i, name in enumerate(columns.features or []):
        required["columns", "features", i] = name
        if name == columns.target or name in earlier:
            reason = "is the target" if name == columns.target else "is named twice"
            raise InvalidParameter(
                f"The feature {name!r} {reason}. Remove it from features.",
                loc=("columns", "features", i),
            )
        earlier.add(name)
    require_columns(file, required)
    numeric = ("weight", "target") if fields.task == "regression" else ("weight",)
    require_numbers(file, {("columns", role): roles[role] for role in numeric})
    types = {str(column["name"]): column["type"] for column in file.columns}
    for role, column_name in roles.items():
        group = GROUPS.get(types.get(column_name or "", ""))
        if group is not None:
            raise InvalidParameter(
                f"The column {column_name!r} is {group}, which can only be a feature. Choose "
                "another column.",
                loc=("columns", role),
            )


def _check_source_named(fields: DataFields) -> None:
    """Refuse to leave out small sources where no source is named."""
    leaves_out = isinstance(fields, LeftOutDataFields) and fields.small_sources == "leave_out"
    if leaves_out and not has_role(fields, "source"):
        path = ".".join(map(str, build_role_path(fields, "source")))
        raise InvalidParameter(
            "The option small_sources leaves out sources with a single row, and the request names "
            f"no source. Name it in {path}, or leave small_sources out.",
            loc=("small_sources",),
            value="leave_out",
        )


def has_role(fields: DataFields, role: str) -> bool:
    """Return whether the request names a column, or has a list, for a role."""
    holder = fields.columns if fields.dataset is not None else fields.data
    return getattr(holder, role, None) is not None


def build_role_paths(fields: DataFields) -> dict[str, Loc]:
    """Return the request's path of each role and of the features."""
    if fields.dataset is not None:
        return {role: ("columns", role) for role in (*ROLES, "features")}
    inline: dict[str, Loc] = {role: ("data", role) for role in ROLES}
    return {**inline, "target": ("data", "y"), "features": ("data", "X")}


def build_role_path(fields: DataFields, role: str) -> Loc:
    """Return the request's path of a role."""
    return build_role_paths(fields)[role]


def read_data(fields: DataFields, datasets: Mapping[UUID, DatasetFile]) -> Data:
    """Build the data of a request; errors have the path of the field that is wrong."""
    form = "data" if fields.dataset is None else "columns"
    options: _Options = {}
    if isinstance(fields, LeftOutDataFields):
        options = {"missing": fields.missing, "small_sources": fields.small_sources}
    own_paths: dict[str, Loc] = {name: (name,) for name in ("task", "missing", "small_sources")}
    with located_errors({**build_role_paths(fields), **own_paths}, within=(form,)):
        if fields.data is not None:
            return _read_inline(fields.data, fields.known_task, options)
        if fields.dataset is not None and fields.columns is not None:
            file = datasets[fields.dataset]
            return _read_dataset(file, fields.columns, fields.known_task, options)
        raise InvalidParameter("The request has no data. Give data, or a dataset with columns.")


def profile_target(fields: DataFields, datasets: Mapping[UUID, DatasetFile]) -> ColumnProfile:
    """Return what the target contains; refuse a request whose data or target are not there."""
    check_data_fields(fields, datasets)
    if fields.data is not None:
        return profile_raw_column("y", fields.data.y)
    assert fields.dataset is not None  # noqa: S101 - check_data_fields has checked it
    assert fields.columns is not None  # noqa: S101 - likewise
    file, name = datasets[fields.dataset], fields.columns.target
    described = next(column for column in file.columns if column["name"] == name)
    return profile_columns(file, [described], file.rows)[name]


def name_group_columns(fields: DataFields) -> dict[str, str]:
    """Return the names of the columns of source and cluster; none for data in the request."""
    named = {role: getattr(fields.columns, role, None) for role in ("source", "cluster")}
    return {role: name for role, name in named.items() if name is not None}


def list_feature_names(fields: DataFields, datasets: Mapping[UUID, DatasetFile]) -> list[str]:
    """Return the names of the features; no data set is opened."""
    if fields.data is not None:
        names = fields.data.features
        return [f"x{j}" for j in range(len(fields.data.X[0]))] if names is None else names
    assert fields.dataset is not None  # noqa: S101 - check_data_fields has checked it
    assert fields.columns is not None  # noqa: S101 - likewise
    return _list_feature_columns(datasets[fields.dataset], fields.columns)


def _list_feature_columns(file: DatasetFile, columns: DataColumns) -> list[str]:
    if columns.features is not None:
        return columns.features
    with_role = {getattr(columns, role) for role in ROLES}
    with_role.update(getattr(columns, "groups", None) or ())
    return [str(c["name"]) for c in file.columns if c["name"] not in with_role]


def _read_dataset(file: DatasetFile, columns: DataColumns, task: str, options: _Options) -> Data:
    names = {role: name for role in ROLES if (name := getattr(columns, role)) is not None}
    features = _list_feature_columns(file, columns)
    feature_values = read_features(file, sorted(features))
    label_roles = _LABELS if task == REGRESSION else (*_LABELS, "target")
    labels = read_labels(file, [name for role, name in names.items() if role in label_roles])
    numbers = read_columns(file, sorted(name for r, name in names.items() if r not in label_roles))
    by_role = {
        role: labels[name] if role in label_roles else numbers[name] for role, name in names.items()
    }
    named = name_matrix_columns({name: feature_values[name] for name in features})
    return build_data(named, task=task, **by_role, **options)


def _read_inline(data: InlineData, task: str, options: _Options) -> Data:
    by_role = {role: getattr(data, role) for role in ROLES if role != "target"}
    columns = read_columns_of_rows(data.X, data.features)
    with locate_cells_by_row(list(columns)):
        return build_data(columns, data.y, task, **by_role, **options)
