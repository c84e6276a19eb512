"""Means of several columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics._columns import choose_shift
from thetahat.statistics.vector_statistics._columns import check_columns
from thetahat.statistics.vector_statistics.base import (
    ComponentsFunctional,
    VectorSample,
    VectorStatistic,
)
from thetahat.values.types import FloatArray

MOST_COLUMNS: Final = 100


class _Means(ComponentsFunctional):
    def compute_components(self, sums: FloatArray, n: float) -> FloatArray:
        return np.asarray(sums / n if n else sums + np.nan)


@dataclass(frozen=True, slots=True)
class MeanVector(VectorStatistic):
    """Arithmetic mean of each column; rows are resampled together.

    Except for chance the bootstrap covariance of two means is :math:`(n-1)/n` times
    :math:`s_{jk}/n`, with the sample covariance of the columns. Chapter 5 of the source has the
    standard error of one mean.

    Degenerate cases: a column of one value has variance 0, with a caution in its intervals.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Mean vector of several columns",
        summary="The mean of each column, with the covariance of the means.",
        formula=r"\bar x_j = \frac1n \sum_i x_{ij}, \quad j = 1, \dots, p",
        references=("efron1993",),
        assumptions="Independent rows of one distribution with finite variances.",
        errs="Its bootstrap covariances are too small by a factor (n - 1)/n.",
        blocks=EVERY_BLOCK_KIND,
    )

    def list_components(self, names: list[str]) -> list[tuple[str, ...]]:
        """Return the names of the columns."""
        return [(name,) for name in names]

    def on(self, sample: VectorSample) -> ComponentsFunctional:
        """Return the means on that sample."""
        check_columns(
            "mean_vector", sample, fewest_rows=1, most_columns=MOST_COLUMNS, response=False
        )
        columns = list(sample.columns.values())
        shifts = np.array([choose_shift(column) for column in columns])
        return _Means(np.ascontiguousarray(np.stack(columns, axis=1) - shifts), shifts)
