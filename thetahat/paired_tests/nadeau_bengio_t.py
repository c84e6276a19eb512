"""Corrected resampled t test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.paired_tests._t import corrected_outcome
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import PARTITIONS, SUBSAMPLES, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.nadeau_bengio import NadeauBengio


@dataclass(frozen=True, slots=True)
class NadeauBengioT(DrawsNothing):
    r"""Paired t test whose variance allows for the overlap of training sets.

    .. math:: t = \frac{\bar d}{\sqrt{(1/J + n_2/n_1)\, S^2}}

    with :math:`d_j` the mean difference in split j of all repeats, :math:`S^2` their sample
    variance (ddof 1) and :math:`n_1, n_2` the training and test sizes; J - 1 degrees of freedom.
    It is the variance ``nadeau_bengio`` of the differences.

    Assumes nearly normal split means that correlate by the test share
    :math:`n_2 / (n_1 + n_2)`. That is a rule of thumb: the test holds its size well with about a
    tenth of the data for test, and becomes liberal with a fifth or more.

    Source: nadeau2003.

    Deviations: those of the variance ``nadeau_bengio``.

    Degenerate cases: equal differences give no statistic, and p = 0, or 1 where they are 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="nadeau_bengio_t",
        title="Corrected resampled t test (Nadeau and Bengio)",
        summary=(
            "A paired t test over the split means with a variance that stands for the "
            "correlation which shared training data bring."
        ),
        formula=r"t = \bar d / \sqrt{(1/J + n_2/n_1) S^2},\quad J - 1",
        references=("nadeau2003", "schulz2024"),
        assumptions="Nearly normal split means that correlate by the test share n_2/(n_1 + n_2).",
        errs=(
            "Either way, since the correlation is a rule of thumb: slightly liberal with a tenth "
            "of the data for test, more so with a fifth or more."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS | SUBSAMPLES,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Pass on what its variance says."""
        reason = _variance().inapplicable(layout)
        return None if reason is None else f"nadeau_bengio_t rests on its variance: {reason}"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the expected difference is 0."""
        variance = _variance().estimate(pair.difference)
        return corrected_outcome(
            pair, variance, alternative, unit="block", details=variance.details
        )


def _variance() -> VarianceEstimator:
    return NadeauBengio()


METHOD = NadeauBengioT
