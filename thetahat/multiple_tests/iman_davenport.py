"""Iman and Davenport's F form of Friedman's test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.multiple_tests._loss_rows import LossRows, RowTest
from thetahat.multiple_tests._ranks import TIES, Ties, compute_friedman_ranks
from thetahat.multiple_tests.base import OmnibusOutcome
from thetahat.parameter_checks import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class ImanDavenport(RowTest):
    r"""Friedman's statistic as a ratio of mean squares of ranks.

    In the formula there are N rows, k models and :math:`\chi^2_F` is Friedman's statistic. The
    reference distribution is F with k - 1 and (k - 1)(N - 1) degrees of freedom.

    Deviations: mean losses within 8 units in the last place of each other count as ties.

    Degenerate cases: if in every row all models are tied p = 1. If all rows rank the models alike F
    is infinite and left out, and p is the probability of that over all permutations within rows,
    m^-(N - 1) with m the number of orders (k! without ties).

    Parameters
    ----------
    ties : str
        ``corrected``, or ``none`` (demsar2006) for Friedman's statistic without the correction.
    """

    ties: Ties = "corrected"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Iman-Davenport test",
        summary=(
            "Friedman's test with an F distribution as its reference, which holds its level "
            "better with few rows."
        ),
        formula=r"F_F = (N - 1) \chi^2_F / (N (k - 1) - \chi^2_F)",
        references=("demsar2006", "iman1980"),
        assumptions="Independent rows (blocks, clusters or instances).",
        errs=(
            "Rejects slightly too often with few rows, and too rarely without the correction if "
            "there are many ties. Over random folds it rejects too often as a test of the "
            "learners, because their training sets overlap."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        RowTest.__post_init__(self)
        check_choice("ties", self.ties, TIES)

    def test_rows(self, rows: LossRows) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses than another."""
        ranks = compute_friedman_ranks(rows.losses)
        chi_squared = ranks.chi_squared(self.ties)
        row_statistic = ranks.statistic.with_value(chi_squared)
        statistic, p_value = row_statistic.compute_f_test()
        return OmnibusOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=row_statistic.f_degrees_of_freedom,
            target=rows.target,
            unit=rows.unit,
            cautions=rows.list_cautions(
                is_flat=ranks.statistic.value is None,
                all_agree=row_statistic.log_orders is not None,
            ),
            details={
                "ties": self.ties,
                "rows": rows.n_rows,
                "chi_squared": chi_squared,
                "mean_ranks": rows.by_model(ranks.mean_ranks),
            },
            post_hoc=ranks.build_post_hoc_scores(self.ties),
        )
