"""Normal test of the fitted models' error over random folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from thetahat.paired_tests._t_test import VarianceTest
from thetahat.parameter_checks import check_choice
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Target, UnitName
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimate, VarianceEstimator

_CHOICES: Final = tuple(
    name for name in VARIANCES if VARIANCES[name].info.variance.in_normal_test is not None
)
_DEFAULT: Final = next(
    name for name in _CHOICES if VARIANCES[name].info.variance.in_normal_test == "default"
)


@dataclass(frozen=True, slots=True)
class BayleZ(VarianceTest):
    r"""Normal test of the mean paired difference of all instances over random folds.

    In the formula :math:`\bar d` is the mean difference over all N instances and
    :math:`\hat\sigma^2 / N` its variance by ``bayle_all_pairs`` or ``bayle_within``.

    Degenerate cases: equal differences give no statistic, and p = 1 if they are 0, else no p.

    Parameters
    ----------
    variance : str
        ``bayle_all_pairs``, which works with folds of one instance, or ``bayle_within``.
    """

    variance: str = _DEFAULT

    unit: ClassVar[UnitName] = "instance"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Normal test over random folds (Bayle et al.)",
        summary=(
            "Tests with a normal distribution whether the models fitted in the folds have equal "
            "error on average, from the paired differences of all instances."
        ),
        formula=r"z = \bar d / (\hat\sigma / \sqrt{N})",
        references=("bayle2020",),
        assumptions=(
            "Random folds. Stable learners: one training instance more or less hardly changes the "
            "difference. The question is about the fitted models, not about other training data."
        ),
        errs=(
            "Valid in large samples for the fitted models. As a test of the learners it rejects "
            "too often, by far if they are unstable or the sample is small."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_MODELS,),
    )

    def __post_init__(self) -> None:
        check_choice("variance", self.variance, _CHOICES)

    def build_estimator(self) -> VarianceEstimator:
        """Return the variance estimator of the differences."""
        return VARIANCES[self.variance]()

    def describe(self, variance: VarianceEstimate) -> Mapping[str, JsonValue]:  # noqa: ARG002 - only its name
        """Return the name of the variance."""
        return {"variance": self.variance}
