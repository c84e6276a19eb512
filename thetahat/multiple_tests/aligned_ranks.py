"""Friedman's test on aligned ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import LIBERAL_POST_HOC
from thetahat.multiple_tests._loss_rows import LossRows, RowTest
from thetahat.multiple_tests._ranks import TIES, Ties, compute_row_statistic, rank_after_alignment
from thetahat.multiple_tests.base import (
    POST_HOC_VARIANCES,
    OmnibusOutcome,
    PostHocScores,
    PostHocVariance,
)
from thetahat.parameter_checks import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Needs, Target


@dataclass(frozen=True, slots=True)
class AlignedRanks(RowTest):
    r"""Rank test in which all losses are ranked together, after each row's mean is subtracted.

    In the formula :math:`\hat r_{ij}` is the rank of row i's loss of model j, minus the row's mean,
    among all k N, and :math:`\hat R` are its sums over rows and over models. The reference
    distribution is chi squared with k - 1 degrees of freedom.

    Pairs: z is the difference of two mean aligned ranks over the root of its variance over all
    permutations within rows,
    :math:`2 (\sum_{ij} \hat r_{ij}^2 - \tfrac1k \sum_i \hat R_{i \cdot}^2) / ((k - 1) N^2)`.

    Deviations: aligned losses within 8 units in the last place of their row's largest loss count as
    ties.

    Degenerate cases: if in every row all losses are equal p = 1 and there is no statistic (0
    without the correction).

    Parameters
    ----------
    ties : str
        ``corrected`` has the sum of the squared ranks in the denominator, which ties make smaller.
        ``none`` (garcia2010) has the sum of the squares of 1 to k N in its place,
        k N (k N + 1)(2 k N + 1) / 6, so that ties count against a difference. It holds for the
        statistic and for the pairs.
    post_hoc : str
        Variance of the pairs: ``permutation``, as above, or ``garcia``, the k (N + 1) / 6 that
        garcia2010 prints and several packages use. The latter is for ranks within rows and about k
        times too small: at .05, a third or more of the pairs of equal models differ by it.
    """

    ties: Ties = "corrected"
    post_hoc: PostHocVariance = "permutation"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Friedman test on aligned ranks",
        summary=(
            "Subtracts each row's mean and ranks all losses together, so that differences of "
            "different rows are compared by size. For few models it is better than ranks within "
            "rows."
        ),
        formula=(
            r"T = (k - 1) [\sum_j \hat R_{\cdot j}^2 - \tfrac14 k N^2 (k N + 1)^2]"
            r" / [\sum_{ij} \hat r_{ij}^2 - \tfrac1k \sum_i \hat R_{i \cdot}^2]"
        ),
        references=("garcia2010", "hodges1962"),
        assumptions=(
            "Independent rows (blocks, clusters or instances) of losses on one scale. Under the "
            "null the models are exchangeable within a row. The chi-squared approximation needs "
            "many rows."
        ),
        errs=(
            "Rejects too rarely with few rows, and without the correction if there are many ties. "
            "Rows with more noise weigh more. Over random folds it rejects too often as a test of "
            "the learners, because their training sets overlap."
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
        ranks = rank_after_alignment(rows.losses)
        statistic = compute_row_statistic(ranks)
        cautions = rows.list_cautions(is_flat=statistic.value is None)
        if self.ties == "none":
            statistic = statistic.without_correction(_sum_of_squares_without_ties(ranks))
        error = statistic.difference_standard_error / rows.n_rows
        if self.post_hoc == "garcia":
            error = math.sqrt(rows.n_models * (rows.n_rows + 1) / 6)
            cautions = (*cautions, LIBERAL_POST_HOC())
        means = ranks.mean(axis=0)
        return OmnibusOutcome(
            statistic=statistic.value,
            p_value=statistic.chi_squared_p_value(),
            degrees_of_freedom=float(rows.n_models - 1),
            target=rows.target,
            unit=rows.unit,
            cautions=cautions,
            details={
                "ties": self.ties,
                "rows": rows.n_rows,
                "mean_aligned_ranks": rows.by_model(means),
            },
            post_hoc=PostHocScores("mean_aligned_ranks", tuple(means.tolist()), error),
        )


def _sum_of_squares_without_ties(ranks: FloatArray) -> float:
    """Return the sum of squares of 1 to k N about the row means of (N, k) ranks."""
    N, k = ranks.shape
    squares = k * N * (k * N + 1) * (2 * k * N + 1) / 6
    totals = ranks.sum(axis=1)
    return float(squares - totals @ totals / k)
