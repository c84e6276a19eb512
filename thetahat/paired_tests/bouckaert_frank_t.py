"""Corrected repeated folds t test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.paired_tests._t import corrected_outcome
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target
from thetahat.variances.base import VarianceEstimator
from thetahat.variances.bouckaert_frank import BouckaertFrank


@dataclass(frozen=True, slots=True)
class BouckaertFrankT(DrawsNothing):
    r"""Paired t test over r repeats of k folds whose variance allows for shared training data.

    .. math:: t = \frac{\bar d}{\sqrt{(1/(kr) + n_2/n_1)\, S^2}}

    with :math:`d_{ij}` the mean difference in fold j of repeat i, :math:`S^2` the sample variance
    (ddof 1) of all k r of them and :math:`n_1, n_2` the training and test sizes; k r - 1 degrees
    of freedom. It is the variance ``bouckaert_frank`` of the differences, and the number of
    ``nadeau_bengio_t`` on the same splits.

    Assumes nearly normal split means that all correlate by the test share 1/k. With ten folds
    the test holds its size well; with five or fewer it is liberal.

    Source: bouckaert2004, nadeau2003.

    Deviations: those of the variance ``bouckaert_frank``.

    Degenerate cases: equal differences give no statistic, and p = 0, or 1 where they are 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bouckaert_frank_t",
        title="Corrected repeated folds t test (Bouckaert and Frank)",
        summary=(
            "A paired t test over the split means of repeated folds with a variance that stands "
            "for the correlation which shared training data bring."
        ),
        formula=r"t = \bar d / \sqrt{(1/(kr) + n_2/n_1) S^2},\quad kr - 1",
        references=("bouckaert2004", "nadeau2003"),
        assumptions="Nearly normal split means that all correlate by the test share 1/k.",
        errs=(
            "Either way, since the correlation is a rule of thumb: close with ten folds, liberal "
            "with five or fewer, where more repeats make it worse."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Pass on what its variance says."""
        reason = _variance().inapplicable(layout)
        return None if reason is None else f"bouckaert_frank_t rests on its variance: {reason}"

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
    return BouckaertFrank()


METHOD = BouckaertFrankT
