"""Quade's test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.multiple_tests._ranks import (
    difference_error,
    ranks_in_rows,
    ranks_of,
    row_ranges,
    row_statistic,
)
from thetahat.multiple_tests._rows import RowTest, f_cautions, rows_of
from thetahat.multiple_tests.base import POST_HOC_ERRORS, OmnibusOutcome, PostHoc, PostHocError
from thetahat.paired_tests._choices import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Quade(RowTest):
    r"""Friedman's idea with rows weighted by how far apart the models are in them.

    .. math::

        S_{ij} = Q_i \Bigl(r_{ij} - \frac{k + 1}{2}\Bigr), \quad
        A = \sum_{ij} S_{ij}^2, \quad B = \frac1N \sum_j \Bigl(\sum_i S_{ij}\Bigr)^2, \quad
        F = \frac{(N - 1) B}{A - B}

    with :math:`r_{ij}` the rank of model j in row i and :math:`Q_i` the rank of row i's range
    (largest less smallest loss) among the N rows, both with mid-ranks for ties. Reference: F
    with k - 1 and (k - 1)(N - 1) degrees of freedom.

    Assumes independent rows whose ranges may be compared: all losses on one scale. Blocks of
    different size have different ranges by chance alone, and the smallest then weigh most. Over
    random folds it is liberal, since their training sets overlap.

    Source: quade1979; conover1999 for the form with ties.

    Deviations: losses, and ranges, within 8 units in the last place count as ties.

    Pairs: z is the difference of two weighted mean ranks, :math:`\sum_i Q_i r_{ij} / \sum_i Q_i`,
    over the root of its variance over all permutations within rows,
    :math:`2 \sum_{ij} S_{ij}^2 / ((k - 1) (\sum_i Q_i)^2)`.

    Degenerate cases: where no row tells the models apart p = 1 and there is no statistic. Where
    all rows agree in ranks and have equal ranges F is infinite, so there is no statistic, and p
    is the chance of that under permutations within rows, m^-(N - 1) with m the number of orders
    (k! without ties).

    Parameters
    ----------
    post_hoc : str
        The variance of the pairs: ``permutation``, as above, or ``garcia``, the one printed in
        garcia2010 and used by several packages, which is (k - 1) / 2 times as large: conservative
        for more than three models.
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    post_hoc: PostHocError = "permutation"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="quade",
        title="Quade test",
        summary=(
            "Like Friedman's test, but rows where the models differ more count more: each row's "
            "ranks are weighted by the rank of its range."
        ),
        formula=(
            r"S_{ij} = Q_i (r_{ij} - \tfrac{k + 1}{2}),\quad F = (N - 1) B / (A - B),\quad"
            r" A = \sum_{ij} S_{ij}^2,\quad B = \tfrac1N \sum_j (\sum_i S_{ij})^2"
        ),
        references=("conover1999", "garcia2010", "quade1979"),
        assumptions=(
            "Independent rows (blocks, clusters or instances) of losses on one scale, with models "
            "that are exchangeable within a row under the null."
        ),
        errs=(
            "Rows that differ in noise, as blocks of unequal size do, cost it power, since the "
            "noisiest weigh most. Over random folds liberal as a test of the learners: their "
            "training sets overlap."
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
        Q = ranks_of(*row_ranges(rows.losses))
        r = ranks_in_rows(rows.losses)
        S = Q[:, np.newaxis] * (r - (rows.n_models + 1) / 2)
        found = row_statistic(S)
        statistic, p_value = found.as_f()
        weighted = Q @ r / Q.sum()
        error = difference_error(S) / float(Q.sum())
        if self.post_hoc == "garcia":
            N, k = rows.losses.shape
            error = math.sqrt(k * (k + 1) * (2 * N + 1) * (k - 1) / (18 * N * (N + 1)))
        return OmnibusOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=found.f_degrees,
            target=rows.target,
            unit=rows.unit,
            cautions=f_cautions(rows, found, is_flat=found.value is None),
            details={
                "rows": rows.n_rows,
                "weighted_mean_ranks": rows.by_model(weighted),
            },
            post_hoc=PostHoc("weighted_mean_ranks", tuple(weighted.tolist()), error),
        )


METHOD = Quade
