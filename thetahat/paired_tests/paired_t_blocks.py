"""Paired t test over block means, without correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.paired_tests._t import rounded, t_outcome
from thetahat.paired_tests._units import (
    overlapping_training_sets,
    subsamples_refusal,
    unit_target,
)
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Needs, Target


@dataclass(frozen=True, slots=True)
class PairedTBlocks(DrawsNothing):
    r"""Student's paired t test over the J split means, as if they were independent.

    .. math:: t = \frac{\bar d}{\sqrt{S^2 / J}}

    with :math:`d_j` the mean difference in split j, :math:`\bar d` their average and :math:`S^2`
    their sample variance (ddof 1); J - 1 degrees of freedom. J counts the splits of all repeats.

    Assumes that the split means are independent and nearly normal. They are not independent:
    training sets overlap, and with several repeats the test sets do too. It is liberal, the more
    so the more repeats; ``nadeau_bengio_t`` is the corrected form. It stands here because it is
    what many papers report.

    Source: student1908 for the test; dietterich1998 for how often it rejects a true null.

    Degenerate cases: equal differences give no statistic, and p = 0, or 1 where they are 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="paired_t_blocks",
        title="Paired t test over blocks, uncorrected",
        summary=(
            "Student's paired t test over the mean differences of the splits, as if the splits "
            "were independent. They are not; offered for comparison with what papers report."
        ),
        formula=r"t = \bar d / \sqrt{S^2 / J},\quad J - 1",
        references=("dietterich1998", "student1908"),
        assumptions="Independent and nearly normal split means, which cross-validation lacks.",
        errs="Liberal: it ignores the overlap of training sets, and more repeats make it worse.",
        needs=Needs.SPLITS,
        blocks=PARTITIONS,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Refuse a holdout, which has one block, and test parts that may overlap."""
        if layout.kind is BlockKind.HOLDOUT:
            return "paired_t_blocks needs the means of two blocks, and a holdout is one"
        return subsamples_refusal(self.info.name, layout)

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the mean difference is 0."""
        moments = pair.difference.moments
        estimate = moments.shift + float(moments.deviations.mean())
        variance = float(moments.deviations.var(ddof=1)) / moments.n_splits
        return t_outcome(
            *rounded(pair, estimate, variance),
            float(moments.n_splits - 1),
            alternative,
            target=unit_target(pair.difference.layout, "block"),
            unit="block",
            cautions=(overlapping_training_sets(),),
        )


METHOD = PairedTBlocks
