"""Metrics that are functions of the table of true and predicted classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.metrics.base import TruthAndPredictions, WeightedMetric, count_units
from thetahat.values.types import BoolArray, FloatArray, IntArray

TableFunction = Callable[[FloatArray], FloatArray]
"""(B,) values of (B, C, C) tables of weights, true class by predicted; NaN where undefined."""
SlopesOfTable = Callable[[FloatArray], FloatArray]
"""(C, C) derivatives by the weight of each cell, at one (C, C) table."""


@dataclass(frozen=True, eq=False)
class TableStatistic(WeightedMetric):
    """A function of the (C, C) table of true and predicted classes."""

    cell: IntArray
    """(m,) true class times C plus predicted class."""
    n_classes: int
    """C."""
    of_tables: TableFunction
    slopes: SlopesOfTable
    """The function, and its derivatives."""

    def value(self) -> float:
        """Return the metric; NaN where it is undefined."""
        return float(self.of_tables(self._build_table()[None])[0])

    def influence(self) -> FloatArray:
        """Return (m,) values of the influence function: the derivative by the cell of each row."""
        return np.asarray(self.slopes(self._build_table() / len(self.cell)).ravel()[self.cell])

    def find_bound_at_limit(self, tail: float, unit: IntArray | None) -> float | None:
        """Return the farthest value over tables that this table does not exclude.

        Of each cell that has rows, the share that its k units do not exclude is moved to another
        cell of its true or of its predicted class. Besides, all cells lose the share that all units
        together do not exclude.
        """
        table, n = self._build_table(), self.n_classes
        rows_of_cell = [self.cell == code for code in range(n * n)]
        overall = 1 - tail ** (1 / count_units(np.ones(len(self.cell), dtype=bool), unit))
        tables = []
        for i, j in zip(*np.nonzero(table), strict=True):
            share = 1 - tail ** (1 / count_units(rows_of_cell[i * n + j], unit))
            for k in range(n):
                if k != j:
                    tables.append(_move(table, (i, j), (i, k), share))
                if k != i:
                    tables.append(_move(table, (i, j), (k, j), share))
        for shift in range(1, n):
            tables += [
                (1 - overall) * table + overall * np.roll(table, shift, axis) for axis in (0, 1)
            ]
        values = self.of_tables(np.array(tables))
        values = values[~np.isnan(values)]
        if not len(values):
            return None
        limit = self.value()
        return float(values[np.abs(values - limit).argmax()])

    def resampled(self, counts: FloatArray, *, many: bool = False) -> FloatArray:  # noqa: ARG002 - numpy does
        """Return (B,) metrics under (B, m) weights."""
        order, occupied, starts = self._by_cell
        tables = np.zeros((len(counts), self.n_classes**2))
        tables[:, occupied] = np.add.reduceat(counts[:, order], starts, axis=1)
        return self.of_tables(tables.reshape(-1, self.n_classes, self.n_classes))

    def kinds(self) -> tuple[IntArray, int]:
        """Return the (m,) cell of each row, and the number of cells."""
        return self.cell, self.n_classes**2

    def resampled_by_kind(self, counts: FloatArray) -> FloatArray:
        """Return (B,) metrics under (B, C^2) weights."""
        return self.of_tables(counts.reshape(-1, self.n_classes, self.n_classes))

    @cached_property
    def _by_cell(self) -> tuple[IntArray, IntArray, IntArray]:
        """(m,) rows by cell, the cells that occur, and the first row of each."""
        order = np.argsort(self.cell, kind="stable")
        occupied, starts = np.unique(self.cell[order], return_index=True)
        return order, occupied, starts

    def _build_table(self) -> FloatArray:
        n = self.n_classes
        return np.bincount(self.cell, minlength=n * n).reshape(n, n).astype(np.float64)


def _move(
    table: FloatArray, source: tuple[int, int], target: tuple[int, int], share: float
) -> FloatArray:
    """Return the table with a share of one cell in another one."""
    moved = table.copy()
    moved[target] += share * table[source]
    moved[source] -= share * table[source]
    return moved


def build_table_statistic(
    judged: TruthAndPredictions, of_tables: TableFunction, slopes: SlopesOfTable
) -> TableStatistic:
    """Return the metric as a function of the rows' weights."""
    n_classes = len(judged.classes)
    cell = judged.truth.astype(np.intp) * n_classes + judged.output.astype(np.intp)
    return TableStatistic(cell, n_classes, of_tables, slopes)


def build_share_statistic(
    judged: TruthAndPredictions, counted: BoolArray, base: BoolArray
) -> TableStatistic:
    """Return the share of the rows in some cells among those in others.

    ``counted`` are the (C, C) cells of the counted rows, which are among those of ``base``; of one
    row or one column, where the cells do not depend on the other class.
    """
    shape = (len(judged.classes),) * 2
    inside, outside = (
        np.broadcast_to(cells, shape).astype(np.float64) for cells in (counted, base)
    )

    def compute_shares(tables: FloatArray) -> FloatArray:
        return compute_ratios(
            (tables * inside).sum(axis=(1, 2)), (tables * outside).sum(axis=(1, 2))
        )

    def compute_slopes(table: FloatArray) -> FloatArray:
        n_base = (table * outside).sum()
        share = (table * inside).sum() / n_base
        return np.asarray((inside - share * outside) / n_base)

    return build_table_statistic(judged, compute_shares, compute_slopes)


def compute_ratios(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return numerator over denominator; NaN where the denominator is 0."""
    undefined = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator > 0))


def average_known(values: FloatArray, fewest: int) -> FloatArray:
    """Return (B,) means of the (B, C) values that are not NaN; NaN with fewer than ``fewest``."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    sums = np.where(known, values, 0.0).sum(axis=1)
    return compute_ratios(sums, np.where(count >= fewest, count, 0).astype(np.float64))
