"""The fields that say which block, repeat, instance and cluster each row belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from pydantic import Field

from service.data.reading import read_columns
from service.errors import FieldError, InvalidRequest
from service.kinds.base import DatasetFile
from service.schemas.base import Schema
from service.schemas.numbers import check_number, label_list
from thetahat.cautions import BLOCKS_ASSUMED_RANDOM
from thetahat.errors import InvalidParameter, Loc
from thetahat.similar_names import meant
from thetahat.values.layout import Layout, layout_of
from thetahat.values.types import BlockKind, Label

BLOCKS_ASSUMED = BLOCKS_ASSUMED_RANDOM()


class LayoutFields(Schema):
    """Columns in long form, inline."""

    block: list[Any] | None = Field(None, description="Block label of each row.")
    repeat: list[Any] | None = Field(None, description="Repeat label of each row.")
    instance: list[Any] | None = Field(None, description="Instance label of each row.")
    cluster: list[Any] | None = Field(None, description="Cluster label of each row.")


class LayoutColumns(Schema):
    """The same columns by their names in a data set."""

    block: str | None = None
    repeat: str | None = None
    instance: str | None = None
    cluster: str | None = None


LAYOUT_COLUMNS = ("block", "repeat", "instance", "cluster")


def inline_columns(fields: LayoutFields, n: int) -> dict[str, list[Label] | None]:
    """Return the label columns of a request, each checked for its length and entries."""
    columns: dict[str, list[Label] | None] = {}
    for name in LAYOUT_COLUMNS:
        given = getattr(fields, name)
        columns[name] = None if given is None else label_list(given, (name,))
        if given is not None and len(given) != n:
            raise InvalidParameter(
                f"{name} has {len(given)} entries, and there are {n} losses",
                loc=(name,),
                value=len(given),
            )
    return columns


def layout_from(
    kind: BlockKind,
    columns: Mapping[str, Any],
    n: int,
    n_train: float | dict[Label, float] | None,
) -> Layout:
    """Build the layout; a holdout needs no block column."""
    block = columns["block"]
    if block is None:
        if kind is not BlockKind.HOLDOUT:
            raise InvalidParameter(
                f"block is missing: {kind.value} blocks need the block of each row", loc=("block",)
            )
        block = np.zeros(n, dtype=np.intp)
    return layout_of(
        kind,
        block,
        repeat=columns["repeat"],
        instance=columns["instance"],
        cluster=columns["cluster"],
        n_train=n_train,
    )


def training_sizes(
    n_train: float | dict[str, float] | None, block_labels: Sequence[Label]
) -> float | dict[Label, float] | None:
    """Return ``n_train`` with the labels' own types: JSON keys are strings, labels need not be."""
    if not isinstance(n_train, dict):
        return n_train
    by_text = {str(label): label for label in block_labels}
    sizes: dict[Label, float] = {}
    for text, size in n_train.items():
        if text not in by_text:
            raise InvalidParameter(
                f"n_train names {text!r}, which is not a block", loc=("n_train", text), value=text
            )
        sizes[by_text[text]] = check_number(size, ("n_train", text))
    return sizes


def check_columns_given(dataset: UUID | None, columns: Schema | None) -> None:
    """Refuse a data set without columns, and columns without a data set."""
    if dataset is not None and columns is None:
        raise InvalidParameter("a data set needs columns", loc=("columns",))
    if dataset is None and columns is not None:
        raise InvalidParameter(
            "columns are those of a dataset, and none is named; leave them out where the data "
            "stand in the request",
            loc=("columns",),
        )


def require_columns(file: DatasetFile, wanted: Mapping[Loc, str | None]) -> None:
    """Refuse a request that names a column which the data set does not have."""
    present = [str(column["name"]) for column in file.columns]
    faults = [
        FieldError(
            loc,
            f"there is no column {name!r}{meant(name, present)}; the columns are "
            f"{_listed(present)}",
            name,
        )
        for loc, name in wanted.items()
        if name is not None and name not in present
    ]
    if faults:
        raise InvalidRequest(faults[0].message, errors=tuple(faults))


def require_numbers(file: DatasetFile, wanted: Mapping[Loc, str | None]) -> None:
    """Refuse a request that takes a column which the data set does not have, or has as text."""
    require_columns(file, wanted)
    texts = {str(column["name"]) for column in file.columns if column["type"] == "string"}
    faults = [
        FieldError(loc, f"column {name!r} holds texts, and numbers are needed here", name)
        for loc, name in wanted.items()
        if name in texts
    ]
    if faults:
        raise InvalidRequest(faults[0].message, errors=tuple(faults))


def _listed(names: Sequence[str]) -> str:
    head = ", ".join(names[:20])
    return head if len(names) <= 20 else f"{head} and {len(names) - 20} more"


def label_column(values: np.ndarray, name: str, loc: Loc) -> np.ndarray:
    """Return a column as labels: whole numbers or strings, none missing."""
    if values.dtype.kind in "iu":
        return values
    if values.dtype.kind == "b":
        return values.astype(np.intp)
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            at = int(np.argmin(np.isfinite(values)))
            raise InvalidParameter(f"column {name!r} has no label in row {at}", loc=(*loc, at))
        whole = np.asarray(values == np.rint(values))
        if whole.all():
            return values.astype(np.int64)
        at = int(np.argmin(whole))
        raise InvalidParameter(
            f"column {name!r} is not made of labels: row {at} is {values[at]}",
            loc=(*loc, at),
            value=float(values[at]),
        )
    missing = np.fromiter((v is None for v in values), dtype=bool, count=len(values))
    if missing.any():
        at = int(np.argmax(missing))
        raise InvalidParameter(f"column {name!r} has no label in row {at}", loc=(*loc, at))
    return values


def dataset_columns(file: DatasetFile, columns: LayoutColumns) -> dict[str, np.ndarray | None]:
    """Read the label columns of a data set."""
    names = [name for c in LAYOUT_COLUMNS if (name := getattr(columns, c)) is not None]
    read = read_columns(file, names) if names else {}
    found: dict[str, np.ndarray | None] = {}
    for column in LAYOUT_COLUMNS:
        name = getattr(columns, column)
        loc = ("columns", column)
        found[column] = None if name is None else label_column(read[name], name, loc)
    return found


def dataset_of(datasets: Mapping[UUID, DatasetFile], dataset_id: UUID) -> DatasetFile:
    """Return the file of a data set that the request names."""
    return datasets[dataset_id]
