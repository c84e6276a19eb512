"""Iman and Davenport's F form of Friedman's test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.multiple_tests._ranks import TIES, Ties, friedman_ranks
from thetahat.multiple_tests._rows import RowTest, f_cautions, rows_of
from thetahat.multiple_tests.base import OmnibusOutcome
from thetahat.paired_tests._choices import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class ImanDavenport(RowTest):
    r"""Friedman's statistic as a ratio of mean squares of ranks.

    .. math:: F_F = \frac{(N - 1) \chi^2_F}{N (k - 1) - \chi^2_F}

    with N rows, k models and :math:`\chi^2_F` Friedman's statistic. Reference: F with k - 1 and
    (k - 1)(N - 1) degrees of freedom.

    Assumes independent rows. With few rows slightly liberal, where Friedman's own reference is
    conservative. Over random folds it is liberal, since their training sets overlap.

    Source: iman1980; demsar2006 for ``ties`` of ``none``.

    Deviations: mean losses within 8 units in the last place of each other count as ties.

    Degenerate cases: where no row tells the models apart p = 1. Where all rows rank the models
    alike F is infinite, so there is no statistic, and p is the chance of that under permutations
    within rows, m^-(N - 1) with m the number of orders (k! without ties).

    Parameters
    ----------
    ties : str
        ``corrected`` or ``none``, of Friedman's statistic.
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    ties: Ties = "corrected"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="iman_davenport",
        title="Iman-Davenport test",
        summary=(
            "Friedman's test with an F distribution as its reference, which holds its size "
            "better with few rows."
        ),
        formula=r"F_F = (N - 1) \chi^2_F / (N (k - 1) - \chi^2_F)",
        references=("demsar2006", "iman1980"),
        assumptions="Independent rows (blocks, clusters or instances).",
        errs=(
            "Slightly liberal with few rows; conservative without the correction where there are "
            "many ties. Over random folds liberal as a test of the learners: their training sets "
            "overlap."
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
        chi_squared = found.chi_squared(self.ties)
        used = found.statistic.with_value(chi_squared)
        statistic, p_value = used.as_f()
        return OmnibusOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=used.f_degrees,
            target=rows.target,
            unit=rows.unit,
            cautions=f_cautions(rows, used, is_flat=found.statistic.value is None),
            details={
                "ties": self.ties,
                "rows": rows.n_rows,
                "chi_squared": chi_squared,
                "mean_ranks": rows.by_model(found.mean_ranks),
            },
            post_hoc=found.post_hoc(self.ties),
        )


METHOD = ImanDavenport
