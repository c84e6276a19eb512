"""The four forms in which losses come: a row per block, long, a data set, one score per split."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any
from uuid import UUID

import numpy as np
from pydantic import Field

from service.data.reading import read_columns
from service.kinds.base import DatasetFile
from service.kinds.fields.layout import (
    LayoutColumns,
    LayoutFields,
    check_columns_given,
    dataset_columns,
    inline_columns,
    layout_from,
    require_columns,
    require_numbers,
    training_sizes,
)
from service.kinds.fields.model_names import check_model_names
from service.kinds.fields.split_scores import SplitScores, table_of_scores
from service.schemas.numbers import number_array
from thetahat.errors import InsufficientData, InvalidParameter, Loc
from thetahat.tables.labels import encode_labels
from thetahat.values.block_losses import LARGEST, BlockLosses, LossTable
from thetahat.values.layout import Layout, layout_of_blocks
from thetahat.values.types import BlockKind, FloatArray


class LossColumns(LayoutColumns):
    """Columns of a data set of losses in long form."""

    losses: list[str] = Field(min_length=1, description="One column per model.")


class LossInput(LayoutFields, SplitScores):
    """Exactly one of ``losses``, ``dataset`` and ``split_scores``."""

    losses: dict[str, list[Any]] | None = Field(
        None,
        description="By model: a row per block (ragged allowed), or one list with block beside it.",
        examples=[{"nb": [[0, 1, 0], [0, 0, 1]], "svm": [[0, 1, 1], [1, 0, 1]]}],
    )
    block_labels: list[Any] | None = Field(None, description="Names of the rows of a matrix.")
    dataset: UUID | None = None
    columns: LossColumns | None = None


def check_form(given: LossInput) -> None:
    """Refuse none or several of the forms."""
    forms = [f for f in ("losses", "dataset", "split_scores") if getattr(given, f) is not None]
    if len(forms) != 1:
        said = "none" if not forms else " and ".join(forms)
        raise InvalidParameter(
            f"give exactly one of losses, dataset and split_scores; there is {said}",
            loc=(forms[1] if forms else "losses",),
        )
    check_columns_given(given.dataset, given.columns)
    if given.split_scores is None:
        for field in ("n_test", "folds", "repeats"):
            if getattr(given, field) is not None:
                raise InvalidParameter(f"{field} goes with split_scores only", loc=(field,))
        if given.better == "higher":
            raise InvalidParameter(
                "better goes with split_scores only: of losses the lower is better",
                loc=("better",),
                value="higher",
            )


def check_columns(given: LossInput, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse columns that the data set does not have."""
    if given.dataset is None or given.columns is None:
        return
    wanted: dict[Loc, str | None] = {
        ("columns", name): getattr(given.columns, name)
        for name in ("block", "repeat", "instance", "cluster")
    }
    require_columns(datasets[given.dataset], wanted)
    losses: dict[Loc, str | None] = {
        ("columns", "losses", i): name for i, name in enumerate(given.columns.losses)
    }
    require_numbers(datasets[given.dataset], losses)
    check_model_names(given.columns.losses, ("columns", "losses"))


def loss_table(given: LossInput, datasets: Mapping[UUID, DatasetFile]) -> LossTable:
    """Build the loss table of a request, whichever form it has."""
    if given.split_scores is not None:
        return table_of_scores(given, given.split_scores)
    if given.dataset is not None and given.columns is not None:
        return _from_dataset(given, datasets[given.dataset], given.columns)
    losses = given.losses or {}
    check_model_names(list(losses), ("losses",))
    if any(rows and isinstance(rows[0], list) for rows in losses.values()):
        return _from_matrix(given, losses)
    return _from_long(given, losses)


def _from_matrix(given: LossInput, losses: dict[str, list[Any]]) -> LossTable:
    for name in ("block", "repeat", "instance", "cluster"):
        if getattr(given, name) is not None:
            raise InvalidParameter(
                f"{name} goes with the long form, one list per model; a matrix has a row per block",
                loc=(name,),
            )
    values: dict[str, FloatArray] = {}
    first, sizes = "", []
    for model, rows in losses.items():
        values[model], found = _rows_of(model, rows)
        if not first:
            first, sizes = model, found
        _check_shape(model, found, first, sizes)
    _check_block_count(given.block_kind, first, len(sizes))
    if 0 in sizes:
        raise InvalidParameter("a block is empty", loc=("losses", first, sizes.index(0)), value=[])
    labels = given.block_labels if given.block_labels is not None else list(range(len(sizes)))
    if len(labels) != len(sizes) or len(set(map(str, labels))) != len(labels):
        raise InvalidParameter(
            f"block_labels must be {len(sizes)} different names", loc=("block_labels",)
        )
    n_train = training_sizes(_not_a_list(given), labels)
    if isinstance(n_train, dict):
        n_train = {k: n_train[label] for k, label in enumerate(labels) if label in n_train}
    layout = layout_of_blocks(given.block_kind, sizes, n_train=n_train)
    return _table(_named(layout, tuple(labels)), values)


def _rows_of(model: str, rows: list[Any]) -> tuple[FloatArray, list[int]]:
    """Return one model's losses, row after row, and the length of each row.

    All rows are read together; where one is bad, each by itself, to say where.
    """
    if all(isinstance(row, list) for row in rows):
        with suppress(InvalidParameter):
            together = number_array([*chain.from_iterable(rows)], ("losses",), largest=LARGEST)
            return together, [len(row) for row in rows]
    arrays = [
        number_array(row, ("losses", model, k), largest=LARGEST) for k, row in enumerate(rows)
    ]
    return np.concatenate(arrays), [len(a) for a in arrays]


def _check_block_count(kind: BlockKind, model: str, n_blocks: int) -> None:
    if kind is BlockKind.HOLDOUT and n_blocks != 1:
        raise InvalidParameter(
            f"a holdout is one test set, and the matrix has {n_blocks} blocks; say blocks random "
            "or source",
            loc=("blocks",),
            value=kind.value,
        )
    if kind is not BlockKind.HOLDOUT and n_blocks < 2:
        raise InsufficientData(
            f"the matrix has {n_blocks} blocks, and {kind.value} blocks need two; one test set is "
            "blocks holdout",
            loc=("losses", model),
            value=n_blocks,
        )


def _named(layout: Layout, labels: tuple[Any, ...]) -> Layout:
    """Return the layout with its blocks, coded 0, 1, ..., called by their names."""
    return replace(layout, block_labels=labels)


def _check_shape(model: str, found: list[int], first: str, sizes: list[int]) -> None:
    if len(found) != len(sizes):
        raise InvalidParameter(
            f"{model!r} has {len(found)} blocks and {first!r} has {len(sizes)}",
            loc=("losses", model),
            value=len(found),
        )
    for k, (mine, its) in enumerate(zip(found, sizes, strict=True)):
        if mine != its:
            raise InvalidParameter(
                f"block {k} of {model!r} has {mine} losses and of {first!r} {its}",
                loc=("losses", model, k),
                value=mine,
            )


def _from_long(given: LossInput, losses: dict[str, list[Any]]) -> LossTable:
    values = {m: number_array(row, ("losses", m), largest=LARGEST) for m, row in losses.items()}
    first = next(iter(values))
    n = len(values[first])
    for model, row in values.items():
        if len(row) != n:
            raise InvalidParameter(
                f"{model!r} has {len(row)} losses and {first!r} has {n}",
                loc=("losses", model),
                value=len(row),
            )
    columns = inline_columns(given, n)
    n_train = training_sizes(_not_a_list(given), encode_labels(columns["block"] or [])[1])
    return _table(layout_from(given.block_kind, columns, n, n_train), values)


def _from_dataset(given: LossInput, file: DatasetFile, columns: LossColumns) -> LossTable:
    read = read_columns(file, columns.losses)
    values: dict[str, FloatArray] = {}
    for i, name in enumerate(columns.losses):
        if read[name].dtype.kind not in "fiub":
            raise InvalidParameter(
                f"column {name!r} is not numeric", loc=("columns", "losses", i), value=name
            )
        values[name] = read[name].astype(np.float64, copy=False)
        finite = np.isfinite(values[name])
        if not finite.all():
            at = int(np.argmin(finite))
            raise InvalidParameter(
                f"column {name!r} has the loss {values[name][at]} in row {at}",
                loc=("columns", "losses", i, at),
                value=str(values[name][at]),
            )
    label_columns = dataset_columns(file, columns)
    block = label_columns["block"]
    n_train = training_sizes(
        _not_a_list(given), encode_labels(block if block is not None else [])[1]
    )
    return _table(layout_from(given.block_kind, label_columns, file.rows, n_train), values)


def _not_a_list(given: LossInput) -> float | dict[str, float] | None:
    if isinstance(given.n_train, list):
        raise InvalidParameter("n_train is a number, or a number by block label", loc=("n_train",))
    return given.n_train


def _table(layout: Layout, values: Mapping[str, FloatArray]) -> LossTable:
    return LossTable(layout, {m: BlockLosses(layout, values=v) for m, v in values.items()})
