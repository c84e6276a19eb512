"""A loss table as columns, for ``GET .../losses``."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from thetahat.block_losses import LossTable

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
        "repeat": pa.array(layout.split_repeat[split]),
    }
    if layout.instance is not None and layout.instance_labels is not None:
        labels = layout.instance_labels
        columns["instance"] = _labels(tuple(labels.tolist()), layout.instance)
    if layout.cluster is not None:
        columns["cluster"] = _labels(layout.cluster_labels, layout.cluster)
    for name, losses in table.models.items():
        columns[f"loss:{name}" if name in RESERVED else name] = pa.array(losses.rows)
    for name, values in (extra or {}).items():
        columns[name] = pa.array(values)
    return pa.table(columns)


def _labels(labels: tuple[str | int, ...], codes: np.ndarray) -> pa.Array:
    whole = all(isinstance(label, int) for label in labels)
    values = pa.array(list(labels) if whole else [str(label) for label in labels])
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), values).cast(
        values.type
    )
