"""Friedman's test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.multiple_tests._ranks import TIES, Ties, chi_squared_tail, friedman_ranks
from thetahat.multiple_tests._rows import RowTest, no_difference, rows_of
from thetahat.multiple_tests.base import OmnibusOutcome
from thetahat.paired_tests._choices import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Friedman(RowTest):
    r"""Rank test that no model tends to have smaller losses than another.

    .. math::

        \chi^2_F = \frac{12 N}{k (k + 1)} \Bigl(\sum_j R_j^2 - \frac{k (k + 1)^2}{4}\Bigr)
        \Big/ \Bigl(1 - \frac{\sum (t^3 - t)}{N k (k^2 - 1)}\Bigr)

    with N rows, k models, :math:`R_j` the mean rank of model j over the rows (1 is best) and t
    the sizes of the groups of ties within rows. Reference: chi squared with k - 1 degrees of
    freedom.

    Assumes independent rows, and enough of them for the approximation. It is conservative with
    few rows. Over random folds it is liberal, since their training sets overlap.

    Source: friedman1937; demsar2006 for ``ties`` of ``none``.

    Deviations: mean losses within 8 units in the last place of each other count as ties.

    Pairs: :math:`z = (R_i - R_j) / \sqrt{k (k + 1) / (6 N)}`, the root being what permutations
    within rows leave of it where there are ties.

    Degenerate cases: where no row tells the models apart p = 1, and there is no statistic
    (0 without the correction).

    Parameters
    ----------
    ties : str
        ``corrected``: divide by the correction above. ``none``: leave it out, which makes ties
        count against a difference. It holds for the statistic and for the pairs.
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    ties: Ties = "corrected"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="friedman",
        title="Friedman test",
        summary=(
            "Ranks the models within each block (each instance of a holdout) and asks whether "
            "their mean ranks differ by more than chance."
        ),
        formula=(
            r"\chi^2_F = \frac{12 N}{k (k + 1)} (\sum_j R_j^2 - \tfrac14 k (k + 1)^2)"
            r" / (1 - \frac{\sum (t^3 - t)}{N k (k^2 - 1)})"
        ),
        references=("demsar2006", "friedman1937"),
        assumptions="Independent rows (blocks, clusters or instances), and at least about ten.",
        errs=(
            "Conservative with few rows or models, more so without the correction for ties. Over "
            "random folds liberal as a test of the learners: their training sets overlap."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        RowTest.__post_init__(self)
        check_choice("ties", self.ties, TIES)

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses than another."""
        rows = rows_of(table, self.unit)
        found = friedman_ranks(rows.losses)
        value = found.chi_squared(self.ties)
        flat = found.statistic.value is None
        return OmnibusOutcome(
            statistic=value,
            p_value=1.0 if value is None else chi_squared_tail(value, rows.n_models - 1),
            degrees_of_freedom=float(rows.n_models - 1),
            target=rows.target,
            unit=rows.unit,
            cautions=(*rows.cautions, no_difference(rows)) if flat else rows.cautions,
            details={
                "ties": self.ties,
                "rows": rows.n_rows,
                "mean_ranks": rows.by_model(found.mean_ranks),
            },
            post_hoc=found.post_hoc(self.ties),
        )


METHOD = Friedman
