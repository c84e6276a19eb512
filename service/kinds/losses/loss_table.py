"""The loss table of a request, built from any of the four forms that its losses may have."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, Final
from uuid import UUID

import numpy as np

from service.data.reading import read_columns
from service.kinds.base import DatasetFile
from service.kinds.fields.layout import (
    LAYOUT_COLUMNS,
    build_layout,
    check_columns_given,
    read_inline_labels,
    read_label_columns,
    require_columns,
    require_numbers,
    training_sizes_by_label,
)
from service.kinds.losses.request import LossDatasetColumns, LossInput
from service.schemas.numbers import number_array, shown
from service.settings import settings
from thetahat.errors import InsufficientData, InvalidParameter, Loc
from thetahat.values.block_losses import LARGEST, BlockLosses, LossTable
from thetahat.values.layout import Layout, layout_of_blocks, layout_of_scores
from thetahat.values.types import BlockKind, FloatArray

LONGEST_MODEL_NAME: Final = 120


def check_form(request: LossInput) -> None:
    """Refuse losses in no form or in several, and fields that belong to another form."""
    forms = [f for f in ("losses", "dataset", "split_scores") if getattr(request, f) is not None]
    if len(forms) != 1:
        present = "none of them" if not forms else " and ".join(forms)
        raise InvalidParameter(
            "The request needs exactly one of losses, dataset and split_scores, and has "
            f"{present}.",
            loc=(forms[1] if forms else "losses",),
        )
    if request.split_scores is not None and request.better is None:
        raise InvalidParameter(
            'The field better is missing. Set it to "lower" if split_scores are losses, or to '
            '"higher" if they are scores.',
            loc=("better",),
        )
    check_columns_given(request.dataset, request.columns)
    if request.split_scores is None:
        for field in ("n_test", "folds", "repeats"):
            if getattr(request, field) is not None:
                raise InvalidParameter(
                    f"The field {field} is only for split_scores. Leave it out.", loc=(field,)
                )


def check_columns(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse columns that the data set does not have."""
    if request.dataset is None or request.columns is None:
        return
    file, columns = datasets[request.dataset], request.columns
    require_columns(file, {("columns", name): getattr(columns, name) for name in LAYOUT_COLUMNS})
    losses: dict[Loc, str | None] = {
        ("columns", "losses", i): name for i, name in enumerate(columns.losses)
    }
    require_numbers(file, losses)
    _check_model_names(columns.losses, ("columns", "losses"))


def read_loss_table(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> LossTable:
    """Build the loss table of a request."""
    return replace(_read_table(request, datasets), higher_is_better=request.better == "higher")


def _read_table(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> LossTable:
    if request.split_scores is not None:
        return _from_split_scores(request, request.split_scores)
    if request.dataset is not None and request.columns is not None:
        return _from_dataset(request, datasets[request.dataset], request.columns)
    losses = request.losses or {}
    _check_model_names(list(losses), ("losses",))
    if any(rows and isinstance(rows[0], list) for rows in losses.values()):
        return _from_matrix(request, losses)
    return _from_columns(request, losses)


def _check_model_names(names: list[str], loc: Loc) -> None:
    """Refuse no model or too many, and names that are empty, too long or repeated."""
    most = settings().max_models
    if not 0 < len(names) <= most:
        raise InvalidParameter(
            f"The request has {len(names)} models. The number of models must be between 1 and "
            f"{most}.",
            loc=loc,
            value=len(names),
        )
    for i, name in enumerate(names):
        if not 0 < len(name) <= LONGEST_MODEL_NAME or names.index(name) != i:
            raise InvalidParameter(
                f"The name of a model must have 1 to {LONGEST_MODEL_NAME} characters, and no "
                "other model may have the same name.",
                loc=(*loc, shown(name)),
                value=shown(name),
            )


# One list of losses per block ---------------------------------------------------------------------


def _from_matrix(request: LossInput, losses: dict[str, list[Any]]) -> LossTable:
    for name in LAYOUT_COLUMNS:
        if getattr(request, name) is not None:
            raise InvalidParameter(
                f"The field {name} is only for one list of losses per model. Leave it out: these "
                "losses already have one list for each block.",
                loc=(name,),
            )
    values: dict[str, FloatArray] = {}
    first, first_sizes = "", []
    for model, rows in losses.items():
        values[model], sizes = _read_rows(model, rows)
        if not first:
            first, first_sizes = model, sizes
        _check_shape(model, sizes, first, first_sizes)
    _check_block_count(request.block_kind, first, len(first_sizes))
    if 0 in first_sizes:
        empty = first_sizes.index(0)
        raise InvalidParameter(
            f"Block {empty} has no losses. Leave the block out.",
            loc=("losses", first, empty),
            value=[],
        )
    labels = request.block_labels
    if labels is None:
        labels = list(range(len(first_sizes)))
    if len(labels) != len(first_sizes) or len(set(map(str, labels))) != len(labels):
        raise InvalidParameter(
            f"The field block_labels must have {len(first_sizes)} different names, one for each "
            "block.",
            loc=("block_labels",),
        )
    by_label = training_sizes_by_label(_training_sizes(request), labels)
    if isinstance(by_label, dict):
        numbered: float | dict[Any, float] | None = {
            k: by_label[label] for k, label in enumerate(labels) if label in by_label
        }
    else:
        numbered = by_label
    layout = layout_of_blocks(request.block_kind, first_sizes, n_train=numbered)
    return _build_table(replace(layout, block_labels=tuple(labels)), values)


def _read_rows(model: str, rows: list[Any]) -> tuple[FloatArray, list[int]]:
    """Return one model's losses, row after row, and the length of each row.

    All rows are read together; if one of them is wrong, they are read one by one to find it.
    """
    if all(isinstance(row, list) for row in rows):
        with suppress(InvalidParameter):
            together = _read_losses([*chain.from_iterable(rows)], ("losses",))
            return together, [len(row) for row in rows]
    arrays = [_read_losses(row, ("losses", model, k)) for k, row in enumerate(rows)]
    return np.concatenate(arrays), [len(a) for a in arrays]


def _read_losses(values: Any, loc: Loc) -> FloatArray:
    """Return (n,) losses of a JSON list; true is a loss of 1 (wrong) and false one of 0 (right)."""
    return number_array(values, loc, largest=LARGEST, booleans=True)


def _check_block_count(kind: BlockKind, model: str, n_blocks: int) -> None:
    if kind is BlockKind.HOLDOUT and n_blocks != 1:
        raise InvalidParameter(
            f"The losses have {n_blocks} blocks, and blocks 'holdout' means a single test set. "
            "Set blocks to 'random' or 'source'.",
            loc=("blocks",),
            value=kind.value,
        )
    if kind is not BlockKind.HOLDOUT and n_blocks < 2:
        raise InsufficientData(
            f"The losses have {n_blocks} blocks, and blocks of kind {kind.value!r} must be at "
            "least two. For a single test set, set blocks to 'holdout'.",
            loc=("losses", model),
            value=n_blocks,
        )


def _check_shape(model: str, sizes: list[int], first: str, first_sizes: list[int]) -> None:
    if len(sizes) != len(first_sizes):
        raise InvalidParameter(
            f"The model {model!r} has {len(sizes)} blocks and {first!r} has {len(first_sizes)}. "
            "Every model needs the same blocks.",
            loc=("losses", model),
            value=len(sizes),
        )
    for k, (size, first_size) in enumerate(zip(sizes, first_sizes, strict=True)):
        if size != first_size:
            raise InvalidParameter(
                f"Block {k} has {size} losses of {model!r} and {first_size} of {first!r}. Every "
                "model needs the same instances.",
                loc=("losses", model, k),
                value=size,
            )


# One list of all losses per model -----------------------------------------------------------------


def _from_columns(request: LossInput, losses: dict[str, list[Any]]) -> LossTable:
    values = {m: _read_losses(row, ("losses", m)) for m, row in losses.items()}
    first = next(iter(values))
    n = len(values[first])
    for model, row in values.items():
        if len(row) != n:
            raise InvalidParameter(
                f"The model {model!r} has {len(row)} losses and {first!r} has {n}. Every model "
                "needs the same instances.",
                loc=("losses", model),
                value=len(row),
            )
    labels = read_inline_labels(request, n)
    return _build_table(
        build_layout(request.block_kind, labels, n, _training_sizes(request)), values
    )


def _from_dataset(request: LossInput, file: DatasetFile, columns: LossDatasetColumns) -> LossTable:
    columns_by_name = read_columns(file, columns.losses)
    values: dict[str, FloatArray] = {}
    for i, name in enumerate(columns.losses):
        if columns_by_name[name].dtype.kind not in "fiub":
            raise InvalidParameter(
                f"The column {name!r} is not numeric. Losses must be numbers.",
                loc=("columns", "losses", i),
                value=name,
            )
        values[name] = columns_by_name[name].astype(np.float64, copy=False)
        finite = np.isfinite(values[name])
        if not finite.all():
            row = int(np.argmin(finite))
            raise InvalidParameter(
                f"The column {name!r} has the loss {values[name][row]} in row {row}. Losses must "
                "be finite numbers.",
                loc=("columns", "losses", i, row),
                value=str(values[name][row]),
            )
    labels = read_label_columns(file, columns)
    sizes = _training_sizes(request)
    return _build_table(build_layout(request.block_kind, labels, file.rows, sizes), values)


def _training_sizes(request: LossInput) -> float | dict[str, float] | None:
    if isinstance(request.n_train, list):
        raise InvalidParameter(
            "The field n_train must be one number, or one number by block label. A list is only "
            "for split_scores.",
            loc=("n_train",),
        )
    return request.n_train


def _build_table(layout: Layout, values: Mapping[str, FloatArray]) -> LossTable:
    return LossTable(layout, {m: BlockLosses(layout, values=v) for m, v in values.items()})


# One score per split ------------------------------------------------------------------------------


def _from_split_scores(request: LossInput, scores: dict[str, list[Any]]) -> LossTable:
    _check_model_names(list(scores), ("split_scores",))
    values = {
        m: number_array(row, ("split_scores", m), largest=LARGEST) for m, row in scores.items()
    }
    first = next(iter(values))
    n_splits = len(values[first])
    for model, row in values.items():
        if len(row) != n_splits:
            raise InvalidParameter(
                f"The model {model!r} has {len(row)} scores and {first!r} has {n_splits}. Every "
                "model needs the same splits.",
                loc=("split_scores", model),
                value=len(row),
            )
    if n_splits < 2:
        raise InvalidParameter(
            f"The number of split scores per model is {n_splits}, and must be at least two.",
            loc=("split_scores", first),
        )
    layout = layout_of_scores(
        request.block_kind,
        _size_of_each_split(request.n_train, n_splits, "n_train"),
        _size_of_each_split(request.n_test, n_splits, "n_test"),
        request.folds,
        request.repeats or 1,
    )
    return LossTable(layout, {m: BlockLosses(layout, scores=row) for m, row in values.items()})


def _size_of_each_split(
    sizes: float | list[float] | dict[str, float] | None, n_splits: int, field: str
) -> FloatArray:
    """Return (n_splits,) sizes of a field that has one number for all splits, or one for each."""
    if sizes is None:
        part = "training" if field == "n_train" else "test"
        raise InvalidParameter(
            f"The field {field} is missing. The split_scores need the number of {part} instances "
            "of each split.",
            loc=(field,),
        )
    if isinstance(sizes, dict):
        raise InvalidParameter(
            f"The field {field} of split_scores must be one number, or a list with one number for "
            "each score.",
            loc=(field,),
        )
    is_list = isinstance(sizes, list)
    array = number_array(sizes, (field,)) if is_list else np.full(n_splits, sizes, dtype=np.float64)
    if len(array) != n_splits:
        raise InvalidParameter(
            f"The field {field} has {len(array)} entries, and there are {n_splits} scores. Give "
            "one entry for each score.",
            loc=(field,),
            value=len(array),
        )
    if (array < 1).any():
        k = int(np.argmax(array < 1))
        raise InvalidParameter(
            f"The field {field} must be at least 1, and is {array[k]:g}.",
            loc=(field, k) if is_list else (field,),
            value=float(array[k]),
        )
    return array
