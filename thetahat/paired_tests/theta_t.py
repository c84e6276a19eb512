"""t test on any variance estimator of the differences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import VARIANCE_NOT_USABLE
from thetahat.errors import InvalidParameter
from thetahat.paired_tests._t_test import reason_against_variance, round_to_zero, run_t_test
from thetahat.paired_tests.base import PairedLosses, PairedTest, TestOutcome
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import VarianceTraits
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.number_text import name_method
from thetahat.values.types import Alternative, BlockKind, Needs, Target, UnitName
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimate, VarianceEstimator


@dataclass(frozen=True, slots=True)
class ThetaT(PairedTest):
    r"""Mean difference over the root of a variance estimate of the differences.

    In the formula :math:`\hat\theta` is the variance estimate of the paired differences and
    :math:`\bar d` the mean, macro or pooled, that it belongs to. The degrees of freedom are those
    of the estimate; without any the reference distribution is normal.

    Degenerate cases: if the variance is not positive or not meant for tests (``theta_1``, one
    value per source), statistic and p-value are None, with a caution.

    Parameters
    ----------
    variance : str or None
        Wire name of the variance estimator. By default ``theta_B`` for source blocks, ``theta_3``
        for random ones, ``nadeau_bengio`` for subsamples, and for a holdout ``iid``, or
        ``cluster_robust`` if its instances are in clusters, ``newey_west`` if they are in the order
        of time, or ``prediction_powered`` if a judge graded them.
    """

    variance: str | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="t test on a chosen variance estimator",
        summary=(
            "Divides the mean difference by the root of any of the variance estimates of the "
            "differences, with the degrees of freedom of that estimate."
        ),
        formula=r"t = \bar d / \sqrt{\hat\theta}",
        references=("geras2013", "grandvalet2006"),
        assumptions="Those of the variance estimate, and a mean difference that is nearly normal.",
        errs=(
            "Errs as its variance estimate does. It rejects too often if the estimate leaves out "
            "covariances through shared training data or shared sources, and too rarely if the "
            "estimate is too large. No variance estimate from one partition is unbiased."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        if self.variance is None:
            return
        method = VARIANCES.get_method(self.variance, loc=("variance",))
        if method.info.by_request_only:
            raise InvalidParameter(
                f"Variance {self.variance!r} needs parameters of its own, which theta_t cannot "
                "pass on. Choose another variance.",
                loc=("variance",),
                value=self.variance,
            )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the variance cannot be estimated on this layout, or None if it can."""
        return reason_against_variance(self.info.name, self._build_estimator(layout), layout)

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        """Test that the mean difference is 0; without a usable variance there is no p-value."""
        layout = pair.difference.layout
        estimator = self._build_estimator(layout)
        name, variance = estimator.info.name, estimator.estimate(pair.difference)
        unit = _choose_unit(layout, estimator.info)
        details = {"variance": name, "mean": variance.mean.value}
        if not variance.usable or isinstance(variance.value, np.ndarray):
            return _build_outcome_without_variance(variance, name, unit, details)
        estimate, value = round_to_zero(pair, variance.estimate, variance.value)
        if value == 0:
            return _build_outcome_without_variance(variance, name, unit, details)
        return run_t_test(
            estimate,
            value,
            variance.degrees_of_freedom,
            alternative,
            target=variance.target,
            unit=unit,
            cautions=variance.cautions,
            details=details,
        )

    def _build_estimator(self, layout: Layout) -> VarianceEstimator:
        return VARIANCES[self.variance or choose_default_variance(layout)]()


def choose_default_variance(layout: Layout) -> str:
    """Return the variance that the test uses unless a request names one.

    Where a judge graded the rows it is a variance that uses the grades, and for data with clusters,
    or in the order of time, the variance that allows for them, if that fits the layout.
    """
    defaults = {
        name: method
        for name, method in VARIANCES.items()
        if layout.kind in method.info.variance.default_of_t_test
    }
    special = [name for name, method in defaults.items() if _is_special(method.info.variance)]
    for name in sorted(special, key=lambda name: not defaults[name].info.variance.uses_judge):
        traits = defaults[name].info.variance
        is_meant = (
            traits.knows_time
            if layout.time is not None
            else traits.uses_judge or (traits.knows_clusters and layout.cluster is not None)
        )
        if is_meant and defaults[name]().inapplicable(layout) is None:
            return name
    return next(name for name in defaults if name not in special)


def _is_special(traits: VarianceTraits) -> bool:
    """Return whether a variance is for dependent instances, or for those that a judge graded."""
    return traits.knows_clusters or traits.knows_time or traits.uses_judge


def _choose_unit(layout: Layout, variance: MethodInfo) -> UnitName:
    if layout.kind is not BlockKind.HOLDOUT:
        return "block"
    return "cluster" if variance.variance.knows_clusters else "instance"


def _build_outcome_without_variance(
    variance: VarianceEstimate, name: str, unit: UnitName, details: Mapping[str, JsonValue]
) -> TestOutcome:
    return TestOutcome(
        statistic=None,
        p_value=None,
        degrees_of_freedom=variance.degrees_of_freedom,
        target=variance.target,
        unit=unit,
        cautions=(*variance.cautions, VARIANCE_NOT_USABLE(variance=name_method(name))),
        details=details,
    )
