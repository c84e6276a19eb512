"""Covariance matrix of several columns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import ClassVar, Final

import numpy as np

from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.statistics.vector_statistics._columns import centre_columns, check_columns
from thetahat.statistics.vector_statistics.base import (
    ComponentsFunctional,
    VectorSample,
    VectorStatistic,
)
from thetahat.values.types import FloatArray, IntArray

MOST_COLUMNS: Final = 12


class _Covariances(ComponentsFunctional):
    """The covariances of the pairs (first, second) of p columns, with divisor n - 1."""

    def __init__(self, rows: FloatArray, scales: FloatArray) -> None:
        self._p = rows.shape[1]
        pairs = list(combinations_with_replacement(range(self._p), 2))
        self._first: IntArray = np.array([a for a, _ in pairs], dtype=np.intp)
        self._second: IntArray = np.array([b for _, b in pairs], dtype=np.intp)
        self._scales = scales[self._first] * scales[self._second]
        products = rows[:, self._first] * rows[:, self._second]
        columns = np.ascontiguousarray(np.hstack([rows, products]))
        super().__init__(columns, np.zeros(len(pairs)))

    def compute_components(self, sums: FloatArray, n: float) -> FloatArray:
        if n < 2:
            return np.full((*sums.shape[:-1], len(self.shifts)), np.nan)
        means, products = sums[..., : self._p], sums[..., self._p :]
        left = products - means[..., self._first] * means[..., self._second] / n
        return np.asarray(left * (self._scales / (n - 1)))


@dataclass(frozen=True, slots=True)
class CovarianceMatrix(VectorStatistic):
    """Variances and covariances of the columns, with divisor n - 1; rows are resampled together.

    The components are the entries on and above the diagonal, by row. The bootstrap bias of each
    is :math:`-s_{jk}/n` except for chance, because the rows of a resample repeat. Chapter 10 of the
    source has the bias of a variance.

    Degenerate cases: a resample of one row many times has covariances of 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Covariance matrix of several columns",
        summary="The variance of each column and the covariance of each two.",
        formula=r"s_{jk} = \frac{1}{n - 1} \sum_i (x_{ij} - \bar x_j)(x_{ik} - \bar x_k)",
        references=("efron1993",),
        assumptions="Independent rows of one distribution with finite fourth moments.",
        errs="As for variance: intervals are too short with few or heavy-tailed rows.",
        blocks=EVERY_BLOCK_KIND,
    )

    def list_components(self, names: list[str]) -> list[tuple[str, ...]]:
        """Return the two columns of each entry on and above the diagonal."""
        return list(combinations_with_replacement(names, 2))

    def on(self, sample: VectorSample) -> ComponentsFunctional:
        """Return the covariances on that sample."""
        check_columns(
            "covariance_matrix", sample, fewest_rows=2, most_columns=MOST_COLUMNS, response=False
        )
        return _Covariances(*centre_columns(sample))
