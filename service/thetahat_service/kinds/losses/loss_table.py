"""The loss table of a request, built from any of the four forms that its losses may have."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, InvalidParameter, Loc, shorten_value
from thetahat.tables.columns import describe_other_cells
from thetahat.values.block_losses import MAX_LOSS, BlockLosses, LossTable
from thetahat.values.layout import Layout, build_block_layout, build_score_layout
from thetahat.values.left_out_rows import KeptRows
from thetahat.values.types import BlockKind, FloatArray
from thetahat.values.words import choose_words
from thetahat_service.data.reading import read_columns
from thetahat_service.errors import read_each
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.costs import check_cost_fields, read_costs_of_rows
from thetahat_service.kinds.fields.groups import (
    check_group_fields,
    check_inline_groups,
    read_group_columns,
    read_inline_groups,
)
from thetahat_service.kinds.fields.layout import (
    LAYOUT_COLUMNS,
    build_layout_of_columns,
    check_columns_given,
    read_inline_labels,
    read_label_columns,
    read_training_sizes_by_label,
    require_columns,
    require_numbers,
)
from thetahat_service.kinds.fields.left_out import ColumnReader, keep_rows
from thetahat_service.kinds.fields.unused_columns import doubt_columns
from thetahat_service.kinds.losses.judged import (
    check_judge,
    check_judge_columns,
    has_judge,
    read_judged_losses,
)
from thetahat_service.kinds.losses.logs import read_log_losses
from thetahat_service.kinds.losses.request import LossDatasetColumns, LossInput
from thetahat_service.schemas.numbers import read_label_list, read_number_array
from thetahat_service.settings import get_settings

if TYPE_CHECKING:
    from thetahat.analyses.losses.by_group import GroupsOfTable
    from thetahat.analyses.losses.costs import CostsOfTable, WithoutRows
    from thetahat.analyses.runs.values import RunValues

LONGEST_MODEL_NAME: Final = 120
ROW_COLUMNS: Final = (*LAYOUT_COLUMNS, "item", "run")
"""Fields with a label of each row."""


def check_form(request: LossInput) -> None:
    """Refuse losses in no form or in several, and fields that belong to another form."""
    forms = [
        f for f in ("losses", "dataset", "split_scores", "logs") if getattr(request, f) is not None
    ]
    if len(forms) != 1:
        present = "none of them" if not forms else " and ".join(forms)
        raise InvalidParameter(
            "The request needs exactly one of losses, dataset, split_scores and logs, and has "
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
    if has_judge(request):
        check_judge(request)
    _check_groups(request)
    check_cost_fields(request, *_find_cost_columns(request))
    if request.logs is not None:
        _check_fields_beside_logs(request)
    if request.split_scores is not None:
        for field, default in (("missing", "refuse"), ("small_sources", "keep")):
            if getattr(request, field) != default:
                raise InvalidParameter(
                    f"The option {field} leaves rows out, and split_scores have no rows: each is "
                    f"one number for a split. Leave {field} out.",
                    loc=(field,),
                    value=getattr(request, field),
                )
    else:
        for field in ("n_test", "folds", "repeats"):
            if getattr(request, field) is not None:
                raise InvalidParameter(
                    f"The field {field} is only for split_scores. Leave it out.", loc=(field,)
                )


def _find_cost_columns(request: LossInput) -> tuple[Mapping[str, str] | None, Loc]:
    """Return the columns of costs, if the request names any, and where it does."""
    if request.logs is not None and request.logs.cost is not None:
        return {"": request.logs.cost}, ("logs", "cost")
    return None if request.columns is None else request.columns.cost, ("columns", "cost")


def _check_groups(request: LossInput) -> None:
    """Refuse groups where the losses have no rows, and groups in the place of another form."""
    if request.split_scores is not None and request.groups is not None:
        raise InvalidParameter(
            "Groups need one loss for each row, which split_scores do not have. Leave groups out.",
            loc=("groups",),
        )
    _refuse_groups_of_runs(request)
    columns, loc = None, ("columns", "groups")
    if request.logs is not None:
        columns, loc = request.logs.groups, ("logs", "groups")
    elif request.columns is not None:
        columns = request.columns.groups
    is_inline = request.logs is None and request.dataset is None
    check_group_fields(request, columns, loc, is_inline=is_inline)


def _refuse_groups_of_runs(request: LossInput) -> None:
    """Refuse groups of rows that are runs: it is the items that have groups."""
    has_items = request.item is not None or getattr(request.columns, "item", None) is not None
    columns = None if request.columns is None else request.columns.groups
    if has_items and (request.groups is not None or columns is not None):
        raise InvalidParameter(
            "Groups need one row for each item, and item says that items have several runs. Send "
            "the mean of each item's runs, or logs, whose items have groups.",
            loc=("groups",) if columns is None else ("columns", "groups"),
        )


def _check_fields_beside_logs(request: LossInput) -> None:
    """Refuse fields that logs contain already, and blocks that logs cannot have."""
    for name in (*ROW_COLUMNS, "block_labels", "n_train", "weights"):
        if getattr(request, name, None) is not None:
            raise InvalidParameter(
                f"The field {name} is not for logs, which have tasks and items. Leave it out.",
                loc=(name,),
            )
    if request.blocks not in {None, BlockKind.SOURCE, BlockKind.HOLDOUT}:
        raise InvalidParameter(
            "The blocks of logs are tasks: sources, or a holdout if there is one task. Leave "
            "blocks out.",
            loc=("blocks",),
            value=request.blocks,
        )
    if request.small_sources != "keep":
        raise InvalidParameter(
            "The option small_sources is not for logs. Leave it out.", loc=("small_sources",)
        )


def check_columns(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse columns that the data set does not have."""
    if request.dataset is None or request.columns is None:
        return
    file, columns = datasets[request.dataset], request.columns
    losses: dict[Loc, str | None] = {
        ("columns", "losses", i): name for i, name in enumerate(columns.losses)
    }
    others: dict[Loc, str | None] = {
        **{("columns", name): getattr(columns, name) for name in ROW_COLUMNS},
        **{("columns", "groups", i): name for i, name in enumerate(columns.groups or ())},
        **{("columns", "cost", model): name for model, name in (columns.cost or {}).items()},
    }
    require_columns(file, {**losses, **others})
    require_numbers(file, losses)
    if columns.judge is not None:
        check_judge_columns(file, columns.judge)
    _check_model_names(columns.losses, ("columns", "losses"))


class SentLosses(NamedTuple):
    """The losses of a request."""

    table: LossTable
    """The losses of the rows that are kept."""
    n_rows: int
    """Number of rows in the request or file."""
    kept: KeptRows | None = None
    """The rows of the table; None if no row was left out."""
    cautions: tuple[Caution, ...] = ()
    """What to know of how the losses were read."""
    runs: Mapping[str, RunValues] | None = None
    """The losses by model before they were averaged, where items have several."""
    groups: GroupsOfTable | None = None
    """The groups of the rows of the table."""
    costs_in_logs: CostsOfTable | None = None
    """What the items cost, if logs say it."""

    def read_costs(
        self, request: LossInput, datasets: Mapping[UUID, DatasetFile]
    ) -> CostsOfTable | None:
        """Return what the models cost; None if the request does not say."""
        if self.costs_in_logs is not None:
            return self.costs_in_logs
        costs = read_costs_of_rows(
            request,
            self.table.names,
            self.n_rows,
            self.kept,
            without_rows=_find_form_without_rows(request),
            file=None if request.dataset is None else datasets[request.dataset],
            columns=None if request.columns is None else request.columns.cost,
        )
        if costs is None or not costs.rows:
            return costs
        if self.runs is not None:
            return costs.average(next(iter(self.runs.values())).item)
        return costs.lay_out_beside_judge(self.table.layout)


def _find_form_without_rows(request: LossInput) -> WithoutRows | None:
    """Return why there can be no costs by row; None if there can."""
    if request.logs is not None:
        return "logs"
    return None if request.split_scores is None else "scores"


def read_losses(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> SentLosses:
    """Read the losses of a request, without the rows that it leaves out."""
    if request.logs is not None:
        read = read_log_losses(request, request.logs, datasets)
        _check_model_names(list(read.table.names), ("logs",))
        return SentLosses(
            read.table,
            read.table.layout.n_rows,
            cautions=read.cautions,
            runs=read.runs,
            groups=read.groups,
            costs_in_logs=read.costs,
        )
    sent = _read_rows_or_scores(request, datasets)
    kind, higher_is_better = sent.table.layout.kind, request.better == "higher"
    words = choose_words(kind, higher_is_better=higher_is_better)
    groups = sent.groups
    if request.groups is not None:
        groups = read_inline_groups(request.groups, request.group_by, sent.n_rows, sent.kept)
    return sent._replace(table=sent.table.with_words(words), groups=groups)


def _read_rows_or_scores(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> SentLosses:
    if has_judge(request):
        names = request.columns.losses if request.columns else list(request.losses or {})
        _check_model_names(names, ("columns", "losses") if request.columns else ("losses",))
        table = read_judged_losses(request, datasets)
        judge = table.layout.judge
        return SentLosses(table, table.layout.n_rows + (judge.n_unlabelled if judge else 0))
    if request.split_scores is not None:
        table = _from_split_scores(request, request.split_scores)
        return SentLosses(table, table.layout.n_splits)
    if request.dataset is not None and request.columns is not None:
        return _from_dataset(request, datasets[request.dataset], request.columns)
    losses = request.losses or {}
    _check_model_names(list(losses), ("losses",))
    if any(rows and isinstance(rows[0], list) for rows in losses.values()):
        return _from_matrix(request, losses)
    return _from_columns(request, losses)


def _check_model_names(names: list[str], loc: Loc) -> None:
    """Refuse no model or too many, and names that are empty, too long or repeated."""
    max_models = get_settings().max_models
    if not 0 < len(names) <= max_models:
        raise InvalidParameter(
            f"The request has {len(names)} models. The number of models must be between 1 and "
            f"{max_models}.",
            loc=loc,
            value=len(names),
        )
    for i, name in enumerate(names):
        if not 0 < len(name) <= LONGEST_MODEL_NAME or names.index(name) != i:
            raise InvalidParameter(
                f"The name of a model must have 1 to {LONGEST_MODEL_NAME} characters, and no "
                "other model may have the same name.",
                loc=(*loc, shorten_value(name)),
                value=shorten_value(name),
            )


# One list of losses per block ---------------------------------------------------------------------


def _from_matrix(request: LossInput, losses: dict[str, list[Any]]) -> SentLosses:
    for name in ROW_COLUMNS:
        if getattr(request, name) is not None:
            raise InvalidParameter(
                f"The field {name} is only for one list of losses per model. Leave it out: these "
                "losses already have one list for each block.",
                loc=(name,),
            )
    reader = ColumnReader(request)
    values: dict[str, FloatArray] = {}
    first, first_sizes = "", []
    for model, rows in losses.items():
        values[model], sizes = _read_rows(model, rows, reader)
        if not first:
            first, first_sizes = model, sizes
        _check_shape(model, sizes, first, first_sizes)
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
    if reader.leaves_out_small_sources:
        labels = read_label_list(labels, ("block_labels",))
    by_label = read_training_sizes_by_label(_read_training_sizes(request), labels)
    block = np.repeat(np.arange(len(labels)), first_sizes)
    source = np.array([*labels, None], dtype=object)[block]
    kept_rows = reader.choose_rows(len(block), request.block_kind, source, None)
    remaining = np.bincount(keep_rows(block, kept_rows), minlength=len(labels))
    labels = [label for label, size in zip(labels, remaining, strict=True) if size]
    sizes = remaining[remaining > 0].tolist()
    _check_block_count(request.block_kind, first, len(sizes), kept_rows)
    if isinstance(by_label, dict):
        numbered: float | dict[Any, float] | None = {
            k: by_label[label] for k, label in enumerate(labels) if label in by_label
        }
    else:
        numbered = by_label
    layout = build_block_layout(request.block_kind, sizes, n_train=numbered)
    return _restore_sent_losses(
        replace(layout, block_labels=tuple(labels)), values, len(block), kept_rows
    )


def _read_rows(model: str, rows: list[Any], reader: ColumnReader) -> tuple[FloatArray, list[int]]:
    """Return one model's losses, row after row, and the length of each row.

    All rows are read together; if one of them is wrong, they are read one by one to find it.
    """
    if all(isinstance(row, list) for row in rows):
        sizes = [len(row) for row in rows]
        losses = [*chain.from_iterable(rows)]
        if reader.leaves_out:
            losses = list(reader.fill(_name_loss_column(model), losses, ("losses", model)))
            ends = np.cumsum(sizes)
            rows = [losses[end - size : end] for size, end in zip(sizes, ends, strict=True)]
        with suppress(InvalidParameter):
            return _read_losses(losses, ("losses",)), sizes
    arrays = [_read_losses(row, ("losses", model, k)) for k, row in enumerate(rows)]
    return np.concatenate(arrays), [len(a) for a in arrays]


def _read_losses(values: Any, loc: Loc) -> FloatArray:
    """Return (n,) losses of a JSON list; true is a loss of 1 (wrong) and false one of 0 (right)."""
    try:
        return read_number_array(values, loc, largest=MAX_LOSS, booleans=True)
    except InvalidParameter as error:
        if error.loc and isinstance(error.loc[-1], int) and _is_null(values, error.loc[-1]):
            raise InvalidParameter(
                f"The loss in row {error.loc[-1]} is null. Add it, or set missing to 'leave_out' "
                "to leave such rows out for every model.",
                loc=error.loc,
            ) from None
        raise


def _is_null(values: Any, row: int) -> bool:
    return isinstance(values, list) and row < len(values) and values[row] is None


def _name_loss_column(model: str) -> str:
    """Return the name of a model's losses in messages and in ``left_out``."""
    return f"loss of {model}"


def _check_block_count(
    kind: BlockKind, model: str, n_blocks: int, kept_rows: KeptRows | None
) -> None:
    if kind is BlockKind.HOLDOUT and n_blocks != 1:
        raise InvalidParameter(
            f"The losses have {n_blocks} blocks, and blocks 'holdout' means a single test set. "
            "Set blocks to 'random' or 'source'.",
            loc=("blocks",),
            value=kind.value,
        )
    if kind is not BlockKind.HOLDOUT and n_blocks < 2:
        after = (
            "" if kept_rows is None else f" after {kept_rows.left_out.n_rows} rows were left out"
        )
        raise InsufficientData(
            f"The losses have a single block{after}, and blocks of kind {kind.value!r} "
            "must be at least two. For a single test set, set blocks to 'holdout'.",
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


def _from_columns(request: LossInput, losses: dict[str, list[Any]]) -> SentLosses:
    reader = ColumnReader(request)
    first = next(iter(losses))
    n = len(losses[first])

    def read(model: str, row: list[Any]) -> FloatArray:
        loc: Loc = ("losses", model)
        sent = list(reader.fill(_name_loss_column(model), row, loc)) if reader.leaves_out else row
        numbers = _read_losses(sent, loc)
        if len(numbers) != n:
            raise InvalidParameter(
                f"The model {model!r} has {len(numbers)} losses and {first!r} has {n}. Every model "
                "needs the same instances.",
                loc=loc,
                value=len(numbers),
            )
        return numbers

    values = read_each(read, losses)
    check_groups = partial(check_inline_groups, request, n)
    labels = read_inline_labels(request, n, reader, check_groups, ROW_COLUMNS)
    return _from_rows(request, reader, labels, values, n)


def _from_rows(
    request: LossInput,
    reader: ColumnReader,
    labels: Mapping[str, object],
    values: Mapping[str, FloatArray],
    n: int,
) -> SentLosses:
    """Return the losses of n rows with labels, without the rows that are left out."""
    kind = request.block_kind
    kept_rows = reader.choose_rows(n, kind, labels["block"], labels["repeat"])
    if labels["item"] is not None or labels["run"] is not None:
        return _average_runs(request, labels, values, n, kept_rows)
    layout = build_layout_of_columns(kind, labels, n, _read_training_sizes(request), kept_rows)
    return _restore_sent_losses(layout, values, n, kept_rows)


def _average_runs(
    request: LossInput,
    labels: Mapping[str, Any],
    values: Mapping[str, FloatArray],
    n: int,
    kept_rows: KeptRows | None,
) -> SentLosses:
    """Return the mean losses of items, without the rows that are left out."""
    from thetahat.analyses.runs.values import average_runs, read_items  # noqa: PLC0415 - seldom needed

    if labels["item"] is None:
        raise InvalidParameter("The field run needs item, the item of each loss.", loc=("run",))
    for name in ("repeat", "instance"):
        if labels[name] is not None:
            raise InvalidParameter(
                f"The field {name} does not go with item: the items are the instances, and several "
                "losses of an item are its runs.",
                loc=(name,),
            )
    items = read_items(keep_rows(labels["item"], kept_rows), keep_rows(labels["run"], kept_rows))
    columns: dict[str, Any] = {
        name: items.pick(name, keep_rows(labels[name], kept_rows))
        for name in ("block", "cluster", "time")
    }
    columns |= {"repeat": None, "instance": items.labels}
    means, runs = average_runs(
        items, {model: keep_rows(losses, kept_rows) for model, losses in values.items()}
    )
    layout = build_layout_of_columns(
        request.block_kind, columns, len(items.labels), _read_training_sizes(request)
    )
    models = {model: BlockLosses(layout, values=losses) for model, losses in means.items()}
    left_out = None if kept_rows is None else kept_rows.left_out
    return SentLosses(LossTable(layout, models, left_out=left_out), n, kept_rows, runs=runs)


def _from_dataset(request: LossInput, file: DatasetFile, columns: LossDatasetColumns) -> SentLosses:
    reader = ColumnReader(request)
    columns_by_name = read_columns(file, columns.losses)
    values: dict[str, FloatArray] = {}
    for i, name in enumerate(columns.losses):
        if columns_by_name[name].dtype.kind not in "fiub":
            raise InvalidParameter(
                f"The column {name!r} is not numeric. Losses must be numbers."
                f"{describe_other_cells(columns_by_name[name])}",
                loc=("columns", "losses", i),
                value=name,
            )
        filled = reader.fill(
            _name_loss_column(name), columns_by_name[name], ("columns", "losses", i)
        )
        values[name] = np.asarray(filled).astype(np.float64, copy=False)
        finite = np.isfinite(values[name])
        if not finite.all():
            row = int(np.argmin(finite))
            raise InvalidParameter(
                f"The column {name!r} has the loss {values[name][row]} in row {row}. Losses must "
                "be finite numbers.",
                loc=("columns", "losses", i, row),
                value=str(values[name][row]),
            )
    labels = read_label_columns(file, columns, reader, ROW_COLUMNS)
    sent = _from_rows(request, reader, labels, values, file.rows)
    groups = read_group_columns(file, columns, request.group_by, file.rows, sent.kept)
    words = choose_words(request.block_kind, higher_is_better=request.better == "higher")
    cautions = tuple(doubt_columns(file, columns, ("losses", "item", "run", "groups"), words))
    return sent._replace(groups=groups, cautions=cautions)


def _read_training_sizes(request: LossInput) -> float | dict[str, float] | None:
    if isinstance(request.n_train, list):
        raise InvalidParameter(
            "The field n_train must be one number, or one number by block label. A list is only "
            "for split_scores.",
            loc=("n_train",),
        )
    return request.n_train


def _restore_sent_losses(
    layout: Layout, values: Mapping[str, FloatArray], n: int, kept_rows: KeptRows | None
) -> SentLosses:
    """Return losses of n rows over the layout of those that are kept."""
    models = {m: BlockLosses(layout, values=keep_rows(v, kept_rows)) for m, v in values.items()}
    left_out = None if kept_rows is None else kept_rows.left_out
    return SentLosses(LossTable(layout, models, left_out=left_out), n, kept_rows)


# One score per split ------------------------------------------------------------------------------


def _from_split_scores(request: LossInput, scores: dict[str, list[Any]]) -> LossTable:
    _check_model_names(list(scores), ("split_scores",))
    values = {
        m: read_number_array(row, ("split_scores", m), largest=MAX_LOSS)
        for m, row in scores.items()
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
    layout = build_score_layout(
        request.block_kind,
        _expand_sizes(request.n_train, n_splits, "n_train"),
        _expand_sizes(request.n_test, n_splits, "n_test"),
        request.folds,
        request.repeats or 1,
    )
    return LossTable(layout, {m: BlockLosses(layout, scores=row) for m, row in values.items()})


def _expand_sizes(
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
    array = (
        read_number_array(sizes, (field,))
        if is_list
        else np.full(n_splits, sizes, dtype=np.float64)
    )
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
