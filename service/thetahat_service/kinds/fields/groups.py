"""The fields that say which groups each row belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from thetahat.analyses.losses.gate import refuse_gate_without_groups
from thetahat.errors import InvalidParameter, Loc, shorten_value
from thetahat.parameter_checks import MOST_GROUPS
from thetahat.values.left_out_rows import KeptRows
from thetahat_service.data.reading import ReadableFile, read_labels
from thetahat_service.errors import run_checks
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.kinds.fields.list_items import ValueItem
from thetahat_service.schemas.base import Schema

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_group import GroupsOfTable

GROUPS_FIELD: Any = Field(
    None,
    min_length=1,
    max_length=50,
    description="The group of each row, by column, such as sex or language. Models and "
    "comparisons are then also described by group. A missing group is a group of its own.",
)


class GroupByField(Schema):
    """By which columns, and intersections of columns, models are described."""

    group_by: list[str | list[str]] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="Group columns, and lists of two or three whose intersections are groups, such "
        f'as ["sex", ["sex", "age"]]; at most {MOST_GROUPS} groups each. Left out: each group '
        "column alone.",
    )


class GroupFields(GroupByField):
    """The groups of each row, as lists in the request."""

    groups: dict[str, list[ValueItem]] | None = GROUPS_FIELD


class GroupColumnsField(Schema):
    """The columns of a data set with the groups of each row."""

    groups: list[str] | None = Field(
        None,
        min_length=1,
        max_length=50,
        description="The columns with groups of the rows, such as sex or language. Models and "
        "comparisons are then also described by group. A missing group is a group of its own.",
    )


def check_group_fields(
    request: GroupFields, columns: Sequence[str] | None, loc: Loc, *, is_inline: bool
) -> None:
    """Refuse groups in the place of another form, and names that are not group columns.

    A gate about groups is refused without any.

    Parameters
    ----------
    columns : sequence of str
        The groups that are columns of a file.
    loc : tuple
        Their path.
    is_inline : bool
        Whether the rows are in the request.
    """
    if request.groups is not None and not is_inline:
        written = ".".join(str(part) for part in loc)
        raise InvalidParameter(
            f"The field groups goes with rows in the request. Name the columns in {written}.",
            loc=("groups",),
        )
    if request.groups is None:  # groups of a request are checked as they are read
        check_named_groups(request, columns, loc)


def check_named_groups(request: GroupByField, named: Sequence[str] | None, loc: Loc) -> None:
    """Refuse names that are not group columns, and what needs groups without any."""
    if isinstance(request, AnalysisRequest):
        refuse_gate_without_groups(request.requirement, has_groups=named is not None)
    if named is None:
        if request.group_by is not None:
            raise InvalidParameter(
                "The field group_by needs groups, which have its columns.", loc=("group_by",)
            )
        return
    repeated = next((i for i, name in enumerate(named) if named.index(name) != i), None)
    if repeated is not None:
        raise InvalidParameter(
            f"The group column {named[repeated]!r} is named twice.",
            loc=(*loc, repeated),
            value=named[repeated],
        )
    from thetahat.analyses.groups.columns import check_group_names  # noqa: PLC0415 - seldom needed

    check_group_names(request.group_by, named)


def read_inline_groups(
    groups: Mapping[str, list[Any]] | None,
    group_by: Sequence[str | Sequence[str]] | None,
    n: int,
    kept_rows: KeptRows | None,
    loc: Loc = ("groups",),
) -> GroupsOfTable | None:
    """Return the groups of n rows of a request, of which some may be left out."""
    if groups is None:
        return None
    for name, values in groups.items():
        _check_entries(name, values, loc)
    return build_groups(groups, group_by, n, kept_rows, loc)


def _check_entries(name: str, values: object, loc: Loc) -> None:
    if not isinstance(values, list):
        raise InvalidParameter("The value is not a list of groups.", loc=(*loc, name))
    for i, value in enumerate(values):
        if not (value is None or isinstance(value, str | int | float)):
            raise InvalidParameter(
                "A group must be a text, a number, a boolean or null.",
                loc=(*loc, name, i),
                value=shorten_value(value),
            )


def check_inline_groups(fields: GroupFields, n: int) -> None:
    """Refuse groups that are lists, columns of another length than n, and names of no column."""
    groups = fields.groups
    if groups is not None:
        from thetahat.analyses.groups.columns import check_group_names, check_length  # noqa: PLC0415 - seldom needed

        def check(name: str) -> None:
            _check_entries(name, groups[name], ("groups",))
            check_length(name, groups[name], n, ("groups",))

        run_checks(
            *(partial(check, name) for name in groups),
            lambda: check_group_names(fields.group_by, list(groups)),
        )


def read_group_columns(
    file: ReadableFile,
    columns: GroupColumnsField,
    group_by: Sequence[str | Sequence[str]] | None,
    n: int,
    kept_rows: KeptRows | None,
) -> GroupsOfTable | None:
    """Return the groups of the n rows of a data set, of which some may be left out."""
    if columns.groups is None:
        return None
    values = read_labels(file, columns.groups)
    return build_groups(
        {name: values[name] for name in columns.groups},
        group_by,
        n,
        kept_rows,
        ("columns", "groups"),
    )


def build_groups(
    columns: Mapping[str, Sequence[Any] | np.ndarray],
    group_by: Sequence[str | Sequence[str]] | None,
    n: int,
    kept_rows: KeptRows | None,
    loc: Loc,
) -> GroupsOfTable:
    """Return the groups of the rows that are kept of n."""
    from thetahat.analyses.groups.columns import list_unused, read_groupings  # noqa: PLC0415 - seldom needed
    from thetahat.analyses.losses.by_group import GroupsOfTable  # noqa: PLC0415 - same

    groupings = read_groupings(columns, group_by, n, loc)
    if kept_rows is not None:
        groupings = tuple(grouping.take(kept_rows.index) for grouping in groupings)
    return GroupsOfTable(groupings, list_unused(columns, groupings))
