"""The columns of the table of losses that ``GET .../losses`` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa

from thetahat.tables.data import REGRESSION, Data
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import Label
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.errors import PartsNotKept
from thetahat_service.outcomes.output_table import OutputColumn, OutputTable
from thetahat_service.outcomes.spilled_arrays import Spill, SpilledArray

RESERVED: Final = ("block", "repeat", "instance", "cluster", "time")
LARGEST_WHOLE: Final = 2**63
"""Whole numbers from here on are texts in the table."""
KEY: Final = b"thetahat"
"""The key of the description among the metadata of the file."""


def tabulate_losses(
    table: LossTable, extra: Mapping[str, OutputColumn] | None = None
) -> pa.Table | None:
    """Return one row per loss in input order; None where only split scores are known.

    Columns: ``block``, ``repeat`` (a number), ``instance``, ``cluster`` and ``time`` where they are
    known, then one column of losses per model (``loss:<name>`` where the name is one of those),
    then ``extra``.
    """
    if not table.layout.has_rows:
        return None
    losses = {name: losses.rows for name, losses in table.models.items()}
    tabulated = make_lazy_loss_columns(table.layout, losses, extra or {}).table()
    columns = {name: name_column(name) for name in losses}
    return tabulated.replace_schema_metadata(describe_losses(table, columns))


def describe_losses(table: LossTable, columns: dict[str, str]) -> dict[bytes, bytes]:
    """Return the metadata of a file of losses: what its columns do not say.

    ``columns`` has the column of each model.
    """
    layout = table.layout
    by_truth = layout.are_sorted_by_truth
    described = {
        "blocks": layout.kind.value,
        "better": layout.words.better,
        "n_train": None if layout.n_train is None else layout.n_train.tolist(),
        "loss_range": table.loss_range,
        "models": columns,
        "block_labels": layout.block_labels,
        "are_sorted_by_truth": None if by_truth is None else by_truth.tolist(),
    }
    return {KEY: json.dumps(described, default=str).encode()}


def read_description(schema: pa.Schema) -> dict[str, Any]:
    """Return what ``describe_losses`` wrote; ``PartsNotKept`` for a file of an older release."""
    description = (schema.metadata or {}).get(KEY)
    if description is None:
        raise PartsNotKept("The losses were kept by an older release, without their layout.")
    described: dict[str, Any] = json.loads(description)
    return described


def name_column(model: str) -> str:
    """Return the name of a model's column."""
    return f"loss:{model}" if model in RESERVED else model


def make_lazy_loss_columns(
    layout: Layout,
    losses: Mapping[str, np.ndarray | SpilledArray],
    extra: Mapping[str, OutputColumn],
) -> OutputTable:
    """Return the table of ``tabulate_losses`` as columns that are built when they are written.

    Parameters
    ----------
    layout : Layout
        With rows.
    losses : mapping of str to ndarray of float, or SpilledArray
        (n,) of each model, in the layout's order of rows.
    extra : mapping of str to OutputColumn
        The columns after the losses.
    """
    split = layout.get_split_of_row()
    columns = {
        "block": OutputColumn(layout.split_block[split], _list_label_values(layout.block_labels)),
        "repeat": OutputColumn(layout.split_repeat[split]),
    }
    if layout.instance is not None and layout.instance_labels is not None:
        labels = tuple(layout.instance_labels.tolist())
        columns["instance"] = OutputColumn(layout.instance, _list_label_values(labels))
    if layout.cluster is not None:
        columns["cluster"] = OutputColumn(layout.cluster, _list_label_values(layout.cluster_labels))
    if layout.time is not None:
        columns["time"] = OutputColumn(layout.time, _list_label_values(layout.time_labels))
    for name, values in losses.items():
        columns[name_column(name)] = OutputColumn(values)
    return OutputTable({**columns, **extra})


def make_prediction_column(
    data: Data, output: np.ndarray, spill: Spill | None = None
) -> OutputColumn:
    """Return predictions as a column of labels or values; codes use the smallest integer type."""
    keep = (lambda values: values) if spill is None else spill.keep
    if data.task == REGRESSION:
        return OutputColumn(keep(output))
    small = np.min_scalar_type(max(1, data.n_classes - 1))
    return OutputColumn(keep(output.astype(small)), _list_label_values(data.classes))


def _list_label_values(labels: tuple[Label, ...]) -> pa.Array:
    are_whole = all(isinstance(label, int) and abs(label) < LARGEST_WHOLE for label in labels)
    return make_arrow_array(list(labels) if are_whole else [str(label) for label in labels])
