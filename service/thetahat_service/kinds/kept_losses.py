"""The losses that an evaluation keeps, read back as the table that was evaluated."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words
from thetahat_service.kinds.loss_columns import read_description


def read_kept_losses(file: Path | pa.BufferReader) -> LossTable:
    """Return the table of a file of losses; ``PartsNotKept`` if an older release wrote it.

    Sentences call a block by the general word; ``LossTable.with_words`` gives another.
    """
    kept: pa.Table = pq.read_table(file)
    described = read_description(kept.schema)
    kind = BlockKind(described["blocks"])
    labels = {
        name: kept[name].to_pylist() if name in kept.column_names else None
        for name in ("instance", "cluster", "time")
    }
    layout = build_layout(
        kind, kept["block"].to_pylist(), repeat=kept["repeat"].to_numpy(), **labels
    )
    n_train = described["n_train"]
    by_truth = described.get("are_sorted_by_truth")  # older releases did not write it
    layout = replace(
        layout,
        block_labels=tuple(described["block_labels"]),
        n_train=None if n_train is None else np.array(n_train, dtype=np.float64),
        are_sorted_by_truth=None if by_truth is None else np.array(by_truth, dtype=np.bool_),
    )
    models = {
        model: BlockLosses(layout, values=kept[column].to_numpy())
        for model, column in described["models"].items()
    }
    limits = described["loss_range"]
    table = LossTable(layout, models, loss_range=None if limits is None else tuple(limits))
    is_higher = described["better"] == "higher"
    return table.with_words(choose_words(kind, higher_is_better=is_higher))
