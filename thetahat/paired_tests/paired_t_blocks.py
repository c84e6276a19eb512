"""Paired t test over block means, without correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import IGNORES_TRAINING_OVERLAP
from thetahat.paired_tests._t_test import round_to_zero, run_t_test
from thetahat.paired_tests._units import reason_against_subsamples, unit_target
from thetahat.paired_tests.base import PairedLosses, PairedTest, TestOutcome
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Needs, Target


@dataclass(frozen=True, slots=True)
class PairedTBlocks(PairedTest):
    r"""Student's paired t test over the J split means of all repeats.

    In the formula :math:`\bar d` and :math:`S^2` are mean and sample variance (ddof 1) of the
    mean differences of the splits; the test has J - 1 degrees of freedom.

    Degenerate cases: equal differences give no statistic, and p = 1 if they are 0, else no p.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Paired t test over blocks, uncorrected",
        summary=(
            "Student's paired t test over the mean differences of the splits, as if the splits "
            "were independent. They are not: the test is here for comparison with papers that "
            "report it, and nadeau_bengio_t is its corrected form."
        ),
        formula=r"t = \bar d / \sqrt{S^2 / J},\quad J - 1",
        references=("dietterich1998", "student1908"),
        assumptions=(
            "The split means are independent and nearly normal. Those of a cross-validation are "
            "not independent."
        ),
        errs=(
            "Rejects too often: it ignores that training sets overlap, and over several repeats "
            "the test sets too. More repeats make it worse."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no two separate blocks, or None if it has."""
        if layout.kind is BlockKind.HOLDOUT:
            return "paired_t_blocks needs at least two blocks, but a holdout is one block"
        if layout.n_splits < 2:
            return "paired_t_blocks needs the means of at least two splits, and there is one"
        return reason_against_subsamples(self.info.name, layout)

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        """Test that the expected difference is 0."""
        moments = pair.difference.moments
        estimate = moments.shift + float(moments.deviations.mean())
        variance = float(moments.deviations.var(ddof=1)) / moments.n_splits
        return run_t_test(
            *round_to_zero(pair, estimate, variance),
            float(moments.n_splits - 1),
            alternative,
            target=unit_target(pair.difference.layout, "block"),
            unit="block",
            cautions=(IGNORES_TRAINING_OVERLAP(),),
        )
