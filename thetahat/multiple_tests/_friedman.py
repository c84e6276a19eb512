"""Friedman's ranks in their two conventions for ties, which three tests share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from thetahat.multiple_tests._ranks import (
    RowStatistic,
    difference_error,
    ranks_in_rows,
    row_statistic,
)
from thetahat.multiple_tests._rows import Rows
from thetahat.multiple_tests.base import PostHoc
from thetahat.values.types import FloatArray

Ties = Literal["corrected", "none"]
TIES = ("corrected", "none")


@dataclass(frozen=True, slots=True, eq=False)
class FriedmanRanks:
    """Ranks of the models in every row, and the statistic of them.

    Parameters
    ----------
    statistic : RowStatistic
        Corrected for ties.
    mean_ranks : ndarray of float
        (k,); 1 is best.
    sum_error : float
        Standard error of the difference of two models' rank sums over all permutations within
        rows: ties make it smaller.
    """

    statistic: RowStatistic
    mean_ranks: FloatArray
    sum_error: float

    def chi_squared(self, ties: Ties) -> float | None:
        """Return the statistic; None where corrected for ties that are all there is."""
        if ties == "corrected":
            return self.statistic.value
        n, k = self.statistic.n, self.statistic.k
        distances = self.mean_ranks - (k + 1) / 2
        return 12 * n / (k * (k + 1)) * float(distances @ distances)

    def post_hoc(self, ties: Ties) -> PostHoc:
        r"""Return what pairs are compared by: :math:`\sqrt{k (k + 1) / (6 N)}` without ties."""
        n, k = self.statistic.n, self.statistic.k
        error = math.sqrt(k * (k + 1) / (6 * n)) if ties == "none" else self.sum_error / n
        return PostHoc("mean_ranks", tuple(self.mean_ranks.tolist()), error)


def friedman_ranks(rows: Rows) -> FriedmanRanks:
    """Rank the models in every row, the smallest loss first."""
    ranks = ranks_in_rows(rows.losses)
    return FriedmanRanks(row_statistic(ranks), ranks.mean(axis=0), difference_error(ranks))
