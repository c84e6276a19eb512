"""The fields that say to which block, repeat, instance, cluster and time each row belongs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import numpy as np
from pydantic import Field

from thetahat.errors import InvalidParameter, Loc, shorten_value
from thetahat.similar_names import suggest_name
from thetahat.tables.columns import (
    describe_label,
    describe_other_cells,
    find_largest_exact,
    write_other_cells,
)
from thetahat.tables.labels import encode_labels
from thetahat.values.layout import Layout, build_layout
from thetahat.values.left_out_rows import KeptRows
from thetahat.values.types import BlockKind, Label
from thetahat_service.data.reading import find_types, read_columns, read_labels
from thetahat_service.errors import FieldError, InvalidRequest, read_each, run_checks
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.left_out import ColumnReader, keep_rows
from thetahat_service.kinds.fields.list_items import LabelItem
from thetahat_service.kinds.fields.locations import number_rows_as_sent
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.numbers import check_number, read_label_list


class LayoutFields(Schema):
    """The block, repeat, instance, cluster and time of each row, as lists in the request."""

    block: list[LabelItem] | None = Field(
        None, description="The block (fold, source or test set) of each row."
    )
    repeat: list[LabelItem] | None = Field(
        None, description="The repeat of each row, where the partition was drawn several times."
    )
    instance: list[LabelItem] | None = Field(
        None, description="The instance of each row, where instances are tested several times."
    )
    cluster: list[LabelItem] | None = Field(
        None, description="The cluster of each row; rows of one cluster are dependent."
    )
    time: list[LabelItem] | None = Field(
        None,
        description="The time of each row of one test set, as numbers or dates such as 2026-11-26; "
        "rows near each other in time are dependent.",
    )


class LayoutColumns(Schema):
    """The columns of a data set with block, repeat, instance, cluster and time of each row."""

    block: str | None = Field(
        None, description="The column with the block (fold, source or test set) of each row."
    )
    repeat: str | None = Field(None, description="The column with the repeat of each row.")
    instance: str | None = Field(None, description="The column with the instance of each row.")
    cluster: str | None = Field(None, description="The column with the cluster of each row.")
    time: str | None = Field(
        None, description="The column with the time of each row of one test set: numbers or dates."
    )


LAYOUT_COLUMNS: Final = ("block", "repeat", "instance", "cluster", "time")


def read_inline_labels(
    fields: LayoutFields,
    n: int,
    reader: ColumnReader,
    check_groups: Callable[[], object],
    names: Sequence[str] = LAYOUT_COLUMNS,
) -> dict[str, list[Label] | None]:
    """Return the label columns of a request, each checked for its length and entries.

    The groups are checked beside them, so that a refusal names all faults.
    """

    def read(name: str, sent: list[Any] | None) -> list[Label] | None:
        if sent is None:
            return None
        labels = read_label_list(reader.fill(name, sent, (name,)), (name,))
        if len(labels) != n:
            raise InvalidParameter(
                f"The field {name} has {len(labels)} entries, and there are {n} losses. Give one "
                "entry for each loss.",
                loc=(name,),
                value=len(labels),
            )
        return labels

    columns: dict[str, list[Label] | None] = {}
    run_checks(
        lambda: columns.update(read_each(read, {name: getattr(fields, name) for name in names})),
        check_groups,
    )
    return columns


def build_layout_of_columns(
    kind: BlockKind,
    columns: Mapping[str, Any],
    n: int,
    n_train: float | Mapping[str, float] | None,
    kept_rows: KeptRows | None = None,
) -> Layout:
    """Build the layout of rows from their label columns; a holdout needs no block column.

    Parameters
    ----------
    n : int
        Number of rows before any are left out.
    n_train : float, mapping or None
        The training size, or one by block label as the request writes it.
    kept : KeptRows or None
        The rows to use; None uses all.
    """
    block = columns["block"]
    sizes = read_training_sizes_by_label(n_train, encode_labels([] if block is None else block)[1])
    if isinstance(sizes, dict) and kept_rows is not None:
        remaining = set(encode_labels(keep_rows(block, kept_rows))[1])
        sizes = {label: size for label, size in sizes.items() if label in remaining}
    if block is None:
        if kind is not BlockKind.HOLDOUT:
            raise InvalidParameter(
                f"The field block is missing. Blocks of kind {kind.value!r} need the block of "
                "each row. If all rows are of one test set, set blocks to 'holdout'.",
                loc=("block",),
            )
        block = np.zeros(n, dtype=np.intp)
    with number_rows_as_sent(kept_rows):
        return build_layout(
            kind,
            keep_rows(block, kept_rows),
            repeat=keep_rows(columns["repeat"], kept_rows),
            instance=keep_rows(columns["instance"], kept_rows),
            cluster=keep_rows(columns["cluster"], kept_rows),
            time=keep_rows(columns["time"], kept_rows),
            n_train=sizes,
        )


def read_training_sizes_by_label(
    n_train: float | Mapping[str, float] | None, block_labels: Sequence[Label]
) -> float | dict[Label, float] | None:
    """Return training sizes by block label; the keys in JSON are strings even for whole numbers."""
    if not isinstance(n_train, Mapping):
        return n_train
    by_text = {str(label): label for label in block_labels}
    sizes: dict[Label, float] = {}
    for text, size in n_train.items():
        if text not in by_text:
            raise InvalidParameter(
                f"n_train names the block {text!r}, which does not exist. Use the labels of the "
                "blocks.",
                loc=("n_train", text),
                value=text,
            )
        sizes[by_text[text]] = check_number(size, ("n_train", text))
    return sizes


def check_columns_given(dataset: UUID | None, columns: Schema | None) -> None:
    """Refuse a data set without columns, and columns without a data set."""
    if dataset is not None and columns is None:
        raise InvalidParameter(
            "The dataset needs columns, which name the column of each role.", loc=("columns",)
        )
    if dataset is None and columns is not None:
        raise InvalidParameter(
            "The request has columns and no dataset. Leave columns out if the request itself "
            "holds the data.",
            loc=("columns",),
        )


def list_named_columns(
    columns: Schema, fields: Sequence[str], path: Loc = ("columns",)
) -> dict[Loc, str | None]:
    """Return the columns that these fields name, alone, in lists or by model; keys are paths."""
    named: dict[Loc, str | None] = {}

    def add(at: Loc, value: Any) -> None:
        if value is None or isinstance(value, str):
            named[at] = value
            return
        if isinstance(value, Schema):
            value = dict(value)
        for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
            add((*at, key), inner)

    for field in fields:
        add((*path, field), getattr(columns, field))
    return named


def require_columns(file: DatasetFile, columns: Mapping[Loc, str | None]) -> None:
    """Refuse names of columns that the data set does not have; keys are paths in the request."""
    present = [str(column["name"]) for column in file.columns]
    faults = [
        FieldError(
            loc,
            f"There is no column {name!r}{suggest_name(name, present)}. The columns are "
            f"{_list_names(present)}.",
            name,
        )
        for loc, name in columns.items()
        if name is not None and name not in present
    ]
    if faults:
        raise InvalidRequest(faults[0].message, errors=tuple(faults))


def require_numbers(file: DatasetFile, columns: Mapping[Loc, str | None]) -> None:
    """Refuse names of columns that the data set does not have or that hold text."""
    require_columns(file, columns)
    texts = {name for name, kind in find_types(file).items() if kind == "string"}
    faults = [
        FieldError(
            loc,
            f"The column {name!r} holds text, and this field needs numbers."
            f"{_describe_other_cells(file, name) or ' Choose a numeric column.'}",
            name,
        )
        for loc, name in columns.items()
        if name in texts
    ]
    if faults:
        raise InvalidRequest(faults[0].message, errors=tuple(faults))


def _describe_other_cells(file: DatasetFile, name: str) -> str:
    """Return a sentence about the cells of a column that are no numbers, if they are few."""
    found = file.details.get("not_numbers")
    cells: Any = found.get(name) if isinstance(found, Mapping) else None
    if cells is None:
        return describe_other_cells(read_columns(file, [name])[name])
    first = [(cell["row"], cell["value"]) for cell in cells["first"]]
    return write_other_cells(cells["numbers"], cells["others"], first)


def _list_names(names: Sequence[str]) -> str:
    head = ", ".join(names[:20])
    return head if len(names) <= 20 else f"{head} and {len(names) - 20} more"


def _check_labels(values: np.ndarray, name: str, loc: Loc) -> np.ndarray:
    """Return a column without missing values as labels, which are whole numbers or text."""
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind == "b":
        return values.astype(np.intp)
    if values.dtype.kind == "f":
        is_exact = (values == np.rint(values)) & (
            np.abs(values) <= find_largest_exact(values.dtype)
        )
        if is_exact.all():
            return values.astype(np.int64)
        at = int(np.argmin(is_exact))
        raise InvalidParameter(
            f"The column {name!r} has the value {values[at]} in row {at}. "
            f"{describe_label(values.dtype)}",
            loc=(*loc, at),
            value=shorten_value(float(values[at])),
        )
    if all(type(value) is int for value in values):
        return values.astype(np.int64)
    return values


def read_label_columns(
    file: DatasetFile,
    columns: LayoutColumns,
    reader: ColumnReader,
    roles: Sequence[str] = LAYOUT_COLUMNS,
) -> dict[str, np.ndarray | None]:
    """Read the label columns of a data set."""
    names = {role: getattr(columns, role) for role in roles}
    present = [name for name in names.values() if name is not None]
    values = read_labels(file, present)
    labels: dict[str, np.ndarray | None] = dict.fromkeys(names)
    for role, name in names.items():
        if name is not None:
            loc: Loc = ("columns", role)
            filled = np.asarray(reader.fill(role, values[name], loc))
            # times may be fractions; what they are is checked where they are put in order
            labels[role] = filled if role == "time" else _check_labels(filled, name, loc)
    return labels
