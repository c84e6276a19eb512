"""Corrected repeated folds t test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.paired_tests._t_test import VarianceTest
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.types import Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.bouckaert_frank import BouckaertFrank


@dataclass(frozen=True, slots=True)
class BouckaertFrankT(VarianceTest):
    r"""Paired t test over r repeats of k folds whose variance allows for shared training data.

    In the formula :math:`\bar d` and :math:`S^2` are mean and sample variance (ddof 1) of the
    mean differences of all k r splits, and :math:`n_1, n_2` the training and test sizes; the test
    has k r - 1 degrees of freedom. The variance is ``bouckaert_frank`` of the differences, with
    its deviations. The result equals that of ``nadeau_bengio_t`` on the same splits.

    Degenerate cases: equal differences give no statistic, and p = 1 if they are 0, else no p.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Corrected repeated folds t test (Bouckaert and Frank)",
        summary=(
            "A paired t test over the split means of repeated folds. Its variance is enlarged for "
            "the correlation that shared training data cause."
        ),
        formula=r"t = \bar d / \sqrt{(1/(kr) + n_2/n_1) S^2},\quad kr - 1",
        references=("bouckaert2004", "nadeau2003"),
        assumptions=(
            "The split means are nearly normal, and any two of them have the correlation 1/k."
        ),
        errs=(
            "In either direction, because the correlation is a rule of thumb. It holds its level "
            "closely with ten folds. With five or fewer it rejects too often, and more repeats "
            "make that worse."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
    )

    def build_estimator(self) -> VarianceEstimator:
        """Return the variance estimator of the differences."""
        return BouckaertFrank()
