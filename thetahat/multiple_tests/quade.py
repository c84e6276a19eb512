"""Quade's test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.multiple_tests._loss_rows import LossRows, RowTest
from thetahat.multiple_tests._ranks import (
    TIES,
    Ties,
    compute_row_ranges,
    compute_row_statistic,
    rank_in_rows,
    rank_values,
)
from thetahat.multiple_tests.base import (
    POST_HOC_VARIANCES,
    OmnibusOutcome,
    PostHocScores,
    PostHocVariance,
)
from thetahat.parameter_checks import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Quade(RowTest):
    r"""Friedman's test with rows weighted by how far apart the models are in them.

    In the formula :math:`r_{ij}` is the rank of model j in row i and :math:`Q_i` the rank of row
    i's range (largest minus smallest loss) among the N rows, both with mid-ranks for ties. The
    reference distribution is F with k - 1 and (k - 1)(N - 1) degrees of freedom. The form with ties
    is that of conover1999.

    Pairs: z is the difference of two weighted mean ranks, :math:`\sum_i Q_i r_{ij} / \sum_i Q_i`,
    over the root of its variance over all permutations within rows,
    :math:`2 A / ((k - 1) (\sum_i Q_i)^2)`.

    Deviations: losses, and ranges, within 8 units in the last place count as ties.

    Degenerate cases: if in every row all models are tied p = 1 and there is no statistic (0
    without the correction). If all rows agree in ranks and have equal ranges F is infinite and left
    out, and p is the probability of that over all permutations within rows, m^-(N - 1) with m the
    number of orders (k! without ties). Without the correction F is finite there.

    Parameters
    ----------
    ties : str
        ``corrected`` has the A of the formula, which ties, within rows and of ranges, make smaller.
        ``none`` (garcia2010) has the A of data without ties, N (N + 1)(2N + 1) k (k^2 - 1) / 72, so
        that ties count against a difference. It holds for the statistic and for the pairs.
    post_hoc : str
        Variance of the pairs: ``permutation``, as above, or ``garcia``, the one that garcia2010
        prints and several packages use. Without ties the latter is (k - 1) / 2 times as large: too
        few pairs differ by it for more than three models. It never corrects for ties.
    """

    ties: Ties = "corrected"
    post_hoc: PostHocVariance = "permutation"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Quade test",
        summary=(
            "Friedman's test in which rows where the models differ more count more: each row's "
            "ranks are weighted by the rank of its range."
        ),
        formula=(
            r"S_{ij} = Q_i (r_{ij} - \tfrac{k + 1}{2}),\quad F = (N - 1) B / (A - B),\quad"
            r" A = \sum_{ij} S_{ij}^2,\quad B = \tfrac1N \sum_j (\sum_i S_{ij})^2"
        ),
        references=("conover1999", "garcia2010", "quade1979"),
        assumptions=(
            "Independent rows (blocks, clusters or instances) of losses on one scale. Under the "
            "null the models are exchangeable within a row."
        ),
        errs=(
            "Rows that differ in noise, as blocks of unequal size do, cost it power, because "
            "the noisiest weigh most. Without the correction it rejects too rarely if there are "
            "many ties. Over random folds it rejects too often as a test of the "
            "learners, because their training sets overlap."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        RowTest.__post_init__(self)
        check_choice("ties", self.ties, TIES)
        check_choice("post_hoc", self.post_hoc, POST_HOC_VARIANCES)

    def test_rows(self, rows: LossRows) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses than another."""
        Q = rank_values(*compute_row_ranges(rows.losses))
        r = rank_in_rows(rows.losses)
        S = Q[:, np.newaxis] * (r - (rows.n_models + 1) / 2)
        row_statistic = compute_row_statistic(S)
        is_flat = row_statistic.value is None
        N, k = rows.losses.shape
        if self.ties == "none":
            without_ties = N * (N + 1) * (2 * N + 1) * k * (k * k - 1) / 72
            row_statistic = row_statistic.without_correction(without_ties)
        statistic, p_value = row_statistic.compute_f_test()
        weighted = Q @ r / Q.sum()
        error = row_statistic.difference_standard_error / float(Q.sum())
        if self.post_hoc == "garcia":
            error = math.sqrt(k * (k + 1) * (2 * N + 1) * (k - 1) / (18 * N * (N + 1)))
        return OmnibusOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=row_statistic.f_degrees_of_freedom,
            target=rows.target,
            unit=rows.unit,
            cautions=rows.list_cautions(
                is_flat=is_flat, all_agree=row_statistic.log_orders is not None
            ),
            details={
                "ties": self.ties,
                "rows": rows.n_rows,
                "weighted_mean_ranks": rows.by_model(weighted),
            },
            post_hoc=PostHocScores("weighted_mean_ranks", tuple(weighted.tolist()), error),
        )
