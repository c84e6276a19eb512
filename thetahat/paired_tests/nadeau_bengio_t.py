"""Corrected resampled t test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.paired_tests._t_test import VarianceTest
from thetahat.registry import PARTITIONS, SUBSAMPLES, MethodInfo
from thetahat.values.types import Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.nadeau_bengio import NadeauBengio


@dataclass(frozen=True, slots=True)
class NadeauBengioT(VarianceTest):
    r"""Paired t test whose variance allows for the overlap of training sets.

    In the formula :math:`\bar d` and :math:`S^2` are mean and sample variance (ddof 1) of the
    mean differences of the J splits of all repeats, and :math:`n_1, n_2` the training and test
    sizes; the test has J - 1 degrees of freedom. The variance is ``nadeau_bengio`` of the
    differences, with its deviations.

    Degenerate cases: equal differences give no statistic, and p = 1 if they are 0, else no p.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Corrected resampled t test (Nadeau and Bengio)",
        summary=(
            "A paired t test over the split means. Its variance is enlarged for the correlation "
            "that shared training data cause."
        ),
        formula=r"t = \bar d / \sqrt{(1/J + n_2/n_1) S^2},\quad J - 1",
        references=("nadeau2003", "schulz2024"),
        assumptions=(
            "The split means are nearly normal, and the correlation of any two of them is the "
            "share of the data that is tested on, n_2/(n_1 + n_2)."
        ),
        errs=(
            "In either direction, because the correlation is a rule of thumb. It rejects slightly "
            "too often if a tenth of the data is tested on, and more so from a fifth on."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS | SUBSAMPLES,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def build_estimator(self) -> VarianceEstimator:
        """Return the variance estimator of the differences."""
        return NadeauBengio()
