"""Friedman's test on aligned ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.block_losses import LossTable
from thetahat.comparisons._choices import check_choice
from thetahat.comparisons._units import UNITS, UnitName
from thetahat.layout import Layout
from thetahat.omnibus._ranks import ranks_after_alignment, row_statistic
from thetahat.omnibus._rows import no_difference, row_refusal, rows_of
from thetahat.omnibus.base import OmnibusOutcome
from thetahat.registry import MethodInfo
from thetahat.types import Needs, Target


@dataclass(frozen=True, slots=True)
class AlignedRanks:
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

    Degenerate cases: where every row is flat p = 1 and there is no statistic.

    Parameters
    ----------
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    unit: UnitName | None = None

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
        targets=(Target.NEW_SOURCE, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Say why there are no such rows, or too few rows or models, or None."""
        return row_refusal(self.info.name, layout, n_models, self.unit)

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses than another."""
        rows = rows_of(table, self.unit)
        ranks = ranks_after_alignment(rows.losses)
        found = row_statistic(ranks)
        flat = found.value is None
        return OmnibusOutcome(
            statistic=found.value,
            p_value=found.chi_squared_p(),
            degrees_of_freedom=float(rows.n_models - 1),
            unit=rows.unit,
            cautions=(*rows.cautions, no_difference(rows)) if flat else rows.cautions,
            details={
                "rows": rows.n_rows,
                "mean_aligned_ranks": rows.by_model(ranks.mean(axis=0)),
            },
        )


METHOD = AlignedRanks
