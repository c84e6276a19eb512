"""Friedman's test on aligned ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import LIBERAL_POST_HOC
from thetahat.multiple_tests._ranks import difference_error, ranks_after_alignment, row_statistic
from thetahat.multiple_tests._rows import RowTest, no_difference, rows_of
from thetahat.multiple_tests.base import POST_HOC_ERRORS, OmnibusOutcome, PostHoc, PostHocError
from thetahat.paired_tests._choices import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.types import Needs, Target

_LIBERAL = LIBERAL_POST_HOC()


@dataclass(frozen=True, slots=True)
class AlignedRanks(RowTest):
    r"""Rank test in which all losses are ranked together, once each row's mean is taken away.

    .. math::

        T = \frac{(k - 1) \bigl[\sum_j \hat R_{\cdot j}^2 - \tfrac14 k N^2 (k N + 1)^2\bigr]}
        {\sum_{ij} \hat r_{ij}^2 - \tfrac1k \sum_i \hat R_{i \cdot}^2}

    with :math:`\hat r_{ij}` the rank of row i's loss of model j, less the row's mean, among all
    k N, and :math:`\hat R` its sums over rows and over models. Reference: chi squared with k - 1
    degrees of freedom.

    Assumes independent rows with losses on one scale, and enough rows for the approximation.
    Over random folds it is liberal, since their training sets overlap.

    Source: hodges1962; garcia2010 for the formula.

    Deviations: the first sum of the denominator, k N (k N + 1)(2 k N + 1) / 6 in garcia2010, is
    taken over the mid-ranks there are, which is the same without ties and corrects for them.
    Aligned losses within 8 units in the last place of their row's largest loss count as ties.

    Pairs: z is the difference of two mean aligned ranks over the root of its variance over all
    permutations within rows,
    :math:`2 (\sum_{ij} \hat r_{ij}^2 - \tfrac1k \sum_i \hat R_{i \cdot}^2) / ((k - 1) N^2)`.

    Degenerate cases: where every row is flat p = 1 and there is no statistic.

    Parameters
    ----------
    post_hoc : str
        The variance of the pairs: ``permutation``, as above, or ``garcia``, the k (N + 1) / 6
        printed in garcia2010 and used by several packages. It is for ranks within rows and about
        k times too small: a third of the pairs of equal models and more differ by it at .05.
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    post_hoc: PostHocError = "permutation"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="aligned_ranks",
        title="Friedman test on aligned ranks",
        summary=(
            "Takes away each row's mean and ranks all losses together, so that the sizes of "
            "differences in different rows are compared: for few models better than ranks "
            "within rows."
        ),
        formula=(
            r"T = (k - 1) [\sum_j \hat R_{\cdot j}^2 - \tfrac14 k N^2 (k N + 1)^2]"
            r" / [\sum_{ij} \hat r_{ij}^2 - \tfrac1k \sum_i \hat R_{i \cdot}^2]"
        ),
        references=("garcia2010", "hodges1962"),
        assumptions=(
            "Independent rows (blocks, clusters or instances) of losses on one scale, with models "
            "that are exchangeable within a row under the null."
        ),
        errs=(
            "Conservative with few rows. Rows with more noise weigh more. Over random folds "
            "liberal as a test of the learners: their training sets overlap."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        RowTest.__post_init__(self)
        check_choice("post_hoc", self.post_hoc, POST_HOC_ERRORS)

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses than another."""
        rows = rows_of(table, self.unit)
        ranks = ranks_after_alignment(rows.losses)
        found = row_statistic(ranks)
        error, cautions = difference_error(ranks) / rows.n_rows, rows.cautions
        if found.value is None:
            cautions = (*cautions, no_difference(rows))
        if self.post_hoc == "garcia":
            error = math.sqrt(rows.n_models * (rows.n_rows + 1) / 6)
            cautions = (*cautions, _LIBERAL)
        means = ranks.mean(axis=0)
        return OmnibusOutcome(
            statistic=found.value,
            p_value=found.chi_squared_p(),
            degrees_of_freedom=float(rows.n_models - 1),
            target=rows.target,
            unit=rows.unit,
            cautions=cautions,
            details={
                "rows": rows.n_rows,
                "mean_aligned_ranks": rows.by_model(means),
            },
            post_hoc=PostHoc("mean_aligned_ranks", tuple(means.tolist()), error),
        )


METHOD = AlignedRanks
