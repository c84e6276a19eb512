"""The asymptotic confidence sequence of a mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from thetahat.parameter_checks import MAX_ROWS, check_range
from thetahat.registry import MethodInfo
from thetahat.sequential._moments import LEAST_DIFFERING, RunningMoments
from thetahat.sequential.base import LookOutcome, SequentialMethod, SequentialQuestion
from thetahat.values.types import FloatArray

LEAST_ROWS: Final = 100
"""The first row at which a look may have an interval; earlier ones err too often."""
DEFAULT_NARROWEST_AT: Final = 500


@dataclass(frozen=True, slots=True)
class Asymptotic(SequentialMethod):
    """The asymptotic confidence sequence of a mean.

    Parameters
    ----------
    start : int
        The first row at which a look has an interval, at least 100.
    narrowest_at : int
        The number of rows at which the interval should be narrowest compared with a fixed sample.
    """

    start: int = LEAST_ROWS
    narrowest_at: int = DEFAULT_NARROWEST_AT

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Asymptotic confidence sequence",
        summary=(
            "An interval of the mean that may be looked at after every row: the mixture of normal "
            "martingales, with the standard deviation of the values so far."
        ),
        formula=(
            r"\hat\mu_t \pm \hat\sigma_t \sqrt{\frac{2(t\rho^2 + 1)}{t^2\rho^2} \log\frac{\sqrt{t"
            r"\rho^2 + 1}}{\alpha}}, \quad \rho^2 = \frac{-2\log\alpha + \log(1 - 2\log\alpha)}"
            r"{t_{\mathrm{opt}}}"
        ),
        references=("waudbysmith2024a",),
        assumptions=(
            "Rows are independent given the earlier ones and have the same mean; two moments "
            "exist. It holds from a large number of rows on: there is no interval before row 100, "
            "and none before 20 values differ from the commonest one."
        ),
        errs=(
            "Too short at the first rows of very skewed values. Far too short if rows of a cluster "
            "are sent as independent ones: with ten rows a cluster and correlation .3, one of 100 "
            "intervals of level .95 misses the mean in .58 of all series."
        ),
        is_default=True,
    )

    def __post_init__(self) -> None:
        check_range("start", self.start, LEAST_ROWS, MAX_ROWS)
        check_range("narrowest_at", self.narrowest_at, 1, MAX_ROWS)

    def begin(self) -> dict[str, Any]:
        """Return the state before the first row."""
        return RunningMoments.begin().to_json()

    def advance(
        self, state: Mapping[str, Any], values: FloatArray, question: SequentialQuestion
    ) -> tuple[dict[str, Any], LookOutcome]:
        """Return the state and the outcome after the values of one more batch."""
        moments = RunningMoments(**state).add(values)
        return moments.to_json(), self._look(moments, question)

    def foresee(
        self, n: int, mean: float, standard_deviation: float, question: SequentialQuestion
    ) -> tuple[float, float] | None:
        """Return the interval of n values of this mean and spread."""
        if n < self.start:
            return None
        reach = standard_deviation * self._compute_reach(n, 1 - question.level)
        return mean - reach, mean + reach

    def _look(self, moments: RunningMoments, question: SequentialQuestion) -> LookOutcome:
        reason = explain_too_few(moments, self.start)
        n, mean, deviation = moments.n, moments.mean, moments.standard_deviation
        if reason:
            return LookOutcome(
                n=n,
                estimate=mean if n else None,
                standard_deviation=deviation if n else None,
                reason=reason,
            )
        reach = deviation * self._compute_reach(n, 1 - question.level)
        weight = n * self._compute_rho_squared(1 - question.level)
        scaled = n * (mean - question.reference) / deviation
        log_e = scaled * scaled * weight / n / (2 * (weight + 1)) - math.log(weight + 1) / 2
        return LookOutcome(
            n=n,
            estimate=mean,
            standard_deviation=deviation,
            lower=mean - reach,
            upper=mean + reach,
            log_e_value=log_e,
        )

    def _compute_rho_squared(self, alpha: float) -> float:
        return compute_rho_squared(alpha, self.narrowest_at)

    def _compute_reach(self, n: int, alpha: float) -> float:
        """Return half the length of the interval, in standard deviations."""
        return compute_reach(n, alpha, self._compute_rho_squared(alpha))


def compute_rho_squared(alpha: float, narrowest_at: float) -> float:
    """Return the variance of the mixture that makes the interval narrowest at a time."""
    return (-2 * math.log(alpha) + math.log1p(-2 * math.log(alpha))) / narrowest_at


def compute_reach(n: float, alpha: float, rho_squared: float) -> float:
    """Return half the length of the interval after n values, in standard deviations."""
    weight = n * rho_squared + 1
    return math.sqrt(2 * weight / (n * n * rho_squared) * (math.log(weight) / 2 - math.log(alpha)))


def explain_too_few(moments: RunningMoments, start: int) -> str:
    """Return why a normal approximation cannot be used yet; empty if it can."""
    if moments.n < start:
        return f"There are {moments.n} rows, and the first interval is at row {start}."
    if moments.n_differing is not None:
        return (
            f"Of {moments.n} values {moments.n_differing} differ from the commonest one, and "
            f"{LEAST_DIFFERING} must for an interval."
        )
    return ""
