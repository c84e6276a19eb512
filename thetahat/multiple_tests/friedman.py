"""Friedman's test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.distributions import compute_chi_squared_tail
from thetahat.multiple_tests._loss_rows import LossRows, RowTest
from thetahat.multiple_tests._ranks import TIES, Ties, compute_friedman_ranks
from thetahat.multiple_tests.base import OmnibusOutcome
from thetahat.parameter_checks import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.types import Needs, Target


@dataclass(frozen=True, slots=True)
class Friedman(RowTest):
    r"""Rank test that no model tends to have smaller losses than another.

    In the formula there are N rows, k models, :math:`R_j` the mean rank of model j over the rows (1
    is best) and t the sizes of the groups of ties within rows. The reference distribution is chi
    squared with k - 1 degrees of freedom.

    Pairs: :math:`z = (R_i - R_j) / \sqrt{k (k + 1) / (6 N)}`; with ties the root is the exact one
    over all permutations within rows.

    Deviations: mean losses within 8 units in the last place of each other count as ties.

    Degenerate cases: if in every row all models are tied p = 1, and there is no statistic (0
    without the correction).

    Parameters
    ----------
    ties : str
        ``corrected`` divides by the correction for ties. ``none`` (demsar2006) leaves it out, so
        that ties count against a difference. It holds for the statistic and for the pairs.
    """

    ties: Ties = "corrected"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Friedman test",
        summary=(
            "Ranks the models within each block (each instance of a holdout) and tests whether "
            "their mean ranks differ by more than chance."
        ),
        formula=(
            r"\chi^2_F = \frac{12 N}{k (k + 1)} (\sum_j R_j^2 - \tfrac14 k (k + 1)^2)"
            r" / (1 - \frac{\sum (t^3 - t)}{N k (k^2 - 1)})"
        ),
        references=("demsar2006", "friedman1937"),
        assumptions=(
            "Independent rows (blocks, clusters or instances), at least about ten of them."
        ),
        errs=(
            "Rejects too rarely with few rows or models, and more so without the correction for "
            "ties. Over random folds it rejects too often as a test of the learners, because "
            "their training sets overlap."
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
        value = ranks.chi_squared(self.ties)
        return OmnibusOutcome(
            statistic=value,
            p_value=1.0 if value is None else compute_chi_squared_tail(value, rows.n_models - 1),
            degrees_of_freedom=float(rows.n_models - 1),
            target=rows.target,
            unit=rows.unit,
            cautions=rows.list_cautions(is_flat=ranks.statistic.value is None),
            details={
                "ties": self.ties,
                "rows": rows.n_rows,
                "mean_ranks": rows.by_model(ranks.mean_ranks),
            },
            post_hoc=ranks.build_post_hoc_scores(self.ties),
        )
