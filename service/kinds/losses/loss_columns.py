"""A loss table as columns, for ``GET .../losses``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from service.data.arrow_arrays import arrow_array
from service.jobs.output_table import OutputColumn, OutputTable
from service.jobs.spill import Spill, Spilt
from thetahat.tables.data import REGRESSION, Data
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import Label

RESERVED = ("block", "repeat", "instance", "cluster")


def losses_as_columns(
    table: LossTable, extra: Mapping[str, np.ndarray] | None = None
) -> pa.Table | None:
    """Return one row per loss in input order; None where only split scores are known.

    Columns: ``block``, ``repeat`` (a number), ``instance`` and ``cluster`` where they are known,
    then one column of losses per model (``loss:<name>`` where the name is one of those), then
    ``extra``.
    """
    layout = table.layout
    if not layout.has_rows:
        return None
    split = layout.split_of_row()
    columns: dict[str, pa.Array] = {
        "block": _labels(layout.block_labels, layout.split_block[split]),
        "repeat": arrow_array(layout.split_repeat[split]),
    }
    if layout.instance is not None and layout.instance_labels is not None:
        labels = layout.instance_labels
        columns["instance"] = _labels(tuple(labels.tolist()), layout.instance)
    if layout.cluster is not None:
        columns["cluster"] = _labels(layout.cluster_labels, layout.cluster)
    for name, losses in table.models.items():
        columns[f"loss:{name}" if name in RESERVED else name] = arrow_array(losses.rows)
    for name, values in (extra or {}).items():
        columns[name] = arrow_array(values)
    return pa.table(columns)


def loss_columns(
    layout: Layout, losses: Mapping[str, np.ndarray | Spilt], extra: Mapping[str, OutputColumn]
) -> OutputTable:
    """Return the same table, its columns told row by row when they are written down.

    Parameters
    ----------
    layout : Layout
        With rows.
    losses : mapping of str to ndarray of float, or Spilt
        (n,) of each model, in the layout's order of rows.
    extra : mapping of str to Column
        What stands behind them.
    """
    split = layout.split_of_row()
    columns = {
        "block": OutputColumn(layout.split_block[split], _told(layout.block_labels)),
        "repeat": OutputColumn(layout.split_repeat[split]),
    }
    if layout.instance is not None and layout.instance_labels is not None:
        columns["instance"] = OutputColumn(
            layout.instance, _told(tuple(layout.instance_labels.tolist()))
        )
    if layout.cluster is not None:
        columns["cluster"] = OutputColumn(layout.cluster, _told(layout.cluster_labels))
    for name, values in losses.items():
        columns[f"loss:{name}" if name in RESERVED else name] = OutputColumn(values)
    return OutputTable({**columns, **extra})


def said_column(data: Data, output: np.ndarray, spill: Spill | None = None) -> OutputColumn:
    """Return predictions as a column of labels or values; codes take as little room as they can."""
    keep = (lambda values: values) if spill is None else spill.keep
    if data.task == REGRESSION:
        return OutputColumn(keep(output))
    small = np.min_scalar_type(max(1, data.n_classes - 1))
    return OutputColumn(keep(output.astype(small)), _told(data.classes))


def _told(labels: tuple[Label, ...]) -> pa.Array:
    whole = all(isinstance(label, int) for label in labels)
    return arrow_array(list(labels) if whole else [str(label) for label in labels])


def _labels(labels: tuple[Label, ...], codes: np.ndarray) -> pa.Array:
    values = _told(labels)
    return pa.DictionaryArray.from_arrays(arrow_array(codes.astype(np.int32)), values).cast(
        values.type
    )
