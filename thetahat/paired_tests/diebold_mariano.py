"""Test of Diebold and Mariano for two forecasts, with the small-sample correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from thetahat.cautions import BARTLETT_WEIGHTS, FEW_TIMES_FOR_HORIZON, Caution
from thetahat.errors import InsufficientData
from thetahat.numerics.long_run_variance import (
    add_autocovariances,
    compute_autocovariances,
    make_bartlett_weights,
)
from thetahat.paired_tests._t_test import round_to_zero, run_t_test
from thetahat.paired_tests.base import PairedLosses, PairedTest, TestOutcome
from thetahat.parameter_checks import MAX_ROWS, check_range
from thetahat.registry import HOLDOUT, SUBSAMPLES, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Target
from thetahat.variances._times import explain_unfit_times, sum_deviations_by_time


@dataclass(frozen=True, slots=True)
class DieboldMariano(PairedTest):
    r"""Mean difference of the losses of two forecasts over its standard error in time.

    h is the horizon: forecasts over h times share the shocks of h - 1 of them, so that their
    losses depend on each other up to lag h - 1. The reference distribution is t with T - 1 degrees
    of freedom, and the root in the formula is the small-sample correction of Harvey, Leybourne and
    Newbold.

    Deviations: where the variance is not positive, which happens for h above 1, the weights of
    Bartlett are used and a caution says so; the horizon is never another one. Several rows of one
    time are summed first.

    Degenerate cases: differences that do not vary have no statistic, and p = 1 if they are 0, else
    no p.

    Parameters
    ----------
    horizon : int
        h, the number of times over which the forecasts reach; at most half of the times.
    weights : {"equal", "bartlett"}
        Weights of the autocovariances: 1, or Bartlett's 1 - j/h, whose variance is never negative.
    """

    horizon: int = 1
    weights: Literal["equal", "bartlett"] = "equal"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Diebold-Mariano test",
        summary=(
            "Tests that two forecasts have the same expected loss, where the losses of h - 1 "
            "neighbouring times depend on each other."
        ),
        formula=(
            r"\sqrt{\frac{T + 1 - 2h + h(h - 1)/T}{T}} \; \bar d \Big/ \sqrt{\frac1T"
            r" \Bigl(\hat\gamma_0 + 2 \sum_{j=1}^{h-1} \hat\gamma_j\Bigr)}"
        ),
        references=("diebold1995", "harvey1997"),
        assumptions=(
            "Differences that are stationary and depend on each other over fewer than h times, as "
            "those of good forecasts over h times do."
        ),
        errs=(
            "Rejects too often where the differences depend on each other over longer times, and "
            "for large h from few times."
        ),
        blocks=HOLDOUT | SUBSAMPLES,
        targets=(Target.THESE_MODELS,),
        by_request_only=True,
    )

    def __post_init__(self) -> None:
        check_range("horizon", self.horizon, 1, MAX_ROWS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no times, or too few for the horizon; None if it fits."""
        if reason := explain_unfit_times(self.info, layout, self.horizon - 1):
            return reason
        n_times = len(layout.time_labels)
        if n_times >= 2 * self.horizon:
            return None
        return (
            f"{self.info.name} of horizon {self.horizon} needs {2 * self.horizon} times, and there "
            f"are {n_times}"
        )

    def test_pair(self, pair: PairedLosses, alternative: Alternative) -> TestOutcome:
        """Test that the expected difference is 0."""
        if reason := self.inapplicable(pair.difference.layout):
            raise InsufficientData(f"{reason[0].upper()}{reason[1:]}.", loc=("tests",))
        sums, h = sum_deviations_by_time(pair.difference), self.horizon
        n_times = len(sums)
        autocovariances = compute_autocovariances(sums, h - 1)
        by_name = {"equal": np.ones(h - 1), "bartlett": make_bartlett_weights(h - 1)}
        weights, cautions = self.weights, tuple[Caution, ...]()
        variance = add_autocovariances(autocovariances, by_name[weights])
        if h > 1 and n_times < FEW_TIMES_FOR_HORIZON.threshold * h:
            cautions = (FEW_TIMES_FOR_HORIZON(n=n_times, horizon=h),)
        if variance <= 0 and autocovariances[0] > 0:
            weights = "bartlett"
            variance = add_autocovariances(autocovariances, by_name[weights])
            cautions = (*cautions, BARTLETT_WEIGHTS(lags=h - 1, horizon=h))
        corrected = (n_times + 1 - 2 * h + h * (h - 1) / n_times) / n_times
        mean = pair.difference.moments.pooled_mean
        estimate, value = round_to_zero(pair, mean, variance / n_times / corrected)
        return run_t_test(
            estimate,
            value,
            float(n_times - 1),
            alternative,
            target=Target.THESE_MODELS,
            unit="instance",
            cautions=cautions,
            details={"horizon": h, "weights": weights, "n_times": n_times},
        )
