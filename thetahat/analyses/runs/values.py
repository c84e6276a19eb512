"""The losses of several runs of each item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.tables.labels import encode_label_array
from thetahat.values.paired_counts import is_zero_one
from thetahat.values.types import FloatArray, IntArray, Label


@dataclass(frozen=True, eq=False)
class RunValues:
    """The losses of one model, some of them of the same item."""

    values: FloatArray
    """(n,) losses."""
    item: IntArray
    """(n,) code of the item of each, from 0 on without gaps."""
    run: IntArray | None = None
    """(n,) code of the run, where run labels mean the same for all items, such as a seed."""

    @cached_property
    def counts(self) -> IntArray:
        """(I,) number of runs of each item."""
        return np.bincount(self.item)

    @cached_property
    def means(self) -> FloatArray:
        """(I,) mean of each item over its runs."""
        shift = float(self.values[0])
        return np.asarray(shift + np.bincount(self.item, weights=self.values - shift) / self.counts)

    @cached_property
    def are_zero_one(self) -> bool:
        """Whether all losses are 0 or 1."""
        return is_zero_one(self.values)

    @cached_property
    def matrix(self) -> FloatArray | None:
        """(I, R) losses by item and run; None unless every run has one loss of every item."""
        if self.run is None:
            return None
        n_items, n_runs = len(self.counts), int(self.run.max()) + 1
        if n_runs < 2 or len(self.values) != n_items * n_runs:
            return None
        place = self.item * n_runs + self.run
        if len(np.unique(place)) < len(place):
            return None
        matrix = np.empty(n_items * n_runs)
        matrix[place] = self.values
        return matrix.reshape(n_items, n_runs)


@dataclass(frozen=True, slots=True, eq=False)
class ItemOfRow:
    """The items that rows belong to, in their order of first appearance."""

    code: IntArray
    """(n,) code of the item of each row."""
    labels: np.ndarray
    """(I,) names of the items."""
    first: IntArray
    """(I,) first row of each item."""
    run: IntArray | None = None
    """(n,) code of the run of each row."""

    def pick(self, name: str, column: Sequence[Label] | np.ndarray | None) -> np.ndarray | None:
        """Return the label of each item from a column that has one for each row.

        Raises ``InvalidParameter`` if two rows of an item have different labels.
        """
        if column is None:
            return None
        codes, _ = encode_label_array(column)
        if len(codes) != len(self.code):
            raise InvalidParameter(
                f"{name} has {len(codes)} entries and item has {len(self.code)}.", loc=(name,)
            )
        differs = np.flatnonzero(codes != codes[self.first][self.code])
        if len(differs):
            row = int(differs[0])
            label = self.labels.tolist()[self.code[row]]
            raise InvalidParameter(
                f"Item {label!r} has more than one {name}: row {row} has another one than row "
                f"{int(self.first[self.code[row]])}. All runs of an item have the same {name}.",
                loc=(name, row),
            )
        taken = np.asarray(column, dtype=object)
        return np.asarray(taken[self.first])


def read_items(
    item: Sequence[Label] | np.ndarray, run: Sequence[Label] | np.ndarray | None = None
) -> ItemOfRow:
    """Return the items of rows, and their runs.

    Raises ``InvalidParameter`` for columns of different length, and for two rows of one item and
    run.
    """
    code, labels = encode_label_array(item)
    _, first = np.unique(code, return_index=True)
    if run is None:
        return ItemOfRow(code, labels, first.astype(np.intp))
    runs, run_labels = encode_label_array(run)
    if len(runs) != len(code):
        raise InvalidParameter(
            f"run has {len(runs)} entries and item has {len(code)}.", loc=("run",), value=len(runs)
        )
    _, at, times = np.unique(
        code * (int(runs.max()) + 1) + runs, return_index=True, return_counts=True
    )
    if (times > 1).any():
        row = int(at[np.argmax(times > 1)])
        named = labels.tolist()[code[row]], run_labels.tolist()[runs[row]]
        raise InvalidParameter(
            f"Item {named[0]!r} has run {named[1]!r} twice. Each run of an item has one loss.",
            loc=("run", row),
        )
    return ItemOfRow(code, labels, first.astype(np.intp), runs)


def average_runs(
    items: ItemOfRow, losses: Mapping[str, FloatArray]
) -> tuple[dict[str, FloatArray], dict[str, RunValues]]:
    """Return the (I,) means of the items by model, and the losses that they were taken from."""
    runs = {name: RunValues(values, items.code, items.run) for name, values in losses.items()}
    return {name: of_model.means for name, of_model in runs.items()}, runs
