"""Normal test of the fitted models' error over random folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._t import corrected_outcome
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Target
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimator


@dataclass(frozen=True, slots=True)
class BayleZ(DrawsNothing):
    r"""Normal test on the instances' paired differences over random folds.

    .. math:: z = \frac{\bar d}{\hat\sigma / \sqrt N}

    with :math:`\bar d` the mean difference over all N instances and :math:`\hat\sigma^2 / N` the
    variance ``bayle_all_pairs`` or ``bayle_within`` of the differences.

    Assumes random folds, and learners so stable that one instance more or less in training
    hardly moves the difference. The null is that the fitted models of the folds have equal error
    on average: what another training sample would give is not in it, and as a test of the
    learners it is liberal.

    Source: bayle2020.

    Degenerate cases: equal differences give no statistic, and p = 0, or 1 where they are 0.

    Parameters
    ----------
    variance : str
        ``bayle_all_pairs`` (folds of one instance are enough) or ``bayle_within``.
    """

    variance: Literal["bayle_all_pairs", "bayle_within"] = "bayle_all_pairs"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayle_z",
        title="Normal test over random folds (Bayle et al.)",
        summary=(
            "A normal test on the paired differences of all instances: whether the fitted models "
            "of the folds have equal error on average."
        ),
        formula=r"z = \bar d / (\hat\sigma / \sqrt{N})",
        references=("bayle2020",),
        assumptions="Random folds; stable learners; the error of the fitted models is meant.",
        errs=(
            "Consistent for the fitted models. Liberal as a test of the learners over training "
            "samples, far too much so for unstable learners or small samples."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
    )

    def __post_init__(self) -> None:
        check_choice("variance", self.variance, ("bayle_all_pairs", "bayle_within"))

    def inapplicable(self, layout: Layout) -> str | None:
        """Pass on what its variance says."""
        reason = self._estimator().inapplicable(layout)
        return None if reason is None else f"bayle_z rests on its variance: {reason}"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the mean difference of the fitted models is 0."""
        variance = self._estimator().estimate(pair.difference)
        return corrected_outcome(
            pair, variance, alternative, unit="instance", details={"variance": self.variance}
        )

    def _estimator(self) -> VarianceEstimator:
        return VARIANCES[self.variance]()


METHOD = BayleZ
