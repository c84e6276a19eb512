"""The empirical Bernstein confidence sequence of values in a known range."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.parameter_checks import require
from thetahat.registry import MethodInfo
from thetahat.sequential.base import LookOutcome, SequentialMethod, SequentialQuestion
from thetahat.values.types import FloatArray

LARGEST_BET: Final = 0.5
SUMS: Final = (
    "total",
    "squares",
    "regularised_squares",
    "bets",
    "won",
    "paid_below",
    "paid_above",
)
"""The running sums of the state, all of scaled values."""
FORESEEN_STEPS: Final = 4096
"""Points at which the sums over rows are integrated where an interval is foreseen."""


@dataclass(frozen=True, slots=True)
class Bounded(SequentialMethod):
    r"""The empirical Bernstein confidence sequence of values in a known range.

    With x in [0, 1] after scaling, :math:`\psi(\lambda) = -\log(1 - \lambda) - \lambda`,
    :math:`v_i = (x_i - \hat\mu_{i-1})^2` with :math:`\hat\mu_0 = 0`, and
    :math:`\lambda_i = \min(1/2, \sqrt{2\log(2/\alpha)/(\hat\sigma^2_{i-1}i\log(1+i))})`.
    The upper end is that of 1 - x. The interval is the intersection of those after every row.

    Parameters
    ----------
    range : tuple of two float
        Least and greatest loss of a model that there can be.
    """

    range: tuple[float, float]

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Empirical Bernstein confidence sequence",
        summary=(
            "An interval of the mean of values in a known range that may be looked at after every "
            "row and that holds for every number of rows and every distribution in the range."
        ),
        formula=(
            r"\frac{\sum \lambda_i x_i - \log(2/\alpha) - \sum v_i \psi(\lambda_i)}"
            r"{\sum \lambda_i}"
        ),
        references=("waudbysmith2024b", "howard2021"),
        assumptions=(
            "Losses lie in the range. Rows have the same mean given the earlier ones. The order of "
            "arrival counts."
        ),
        errs="Never too short; longer than others, most of all where the range is wide.",
    )

    def __post_init__(self) -> None:
        low, high = self.range
        is_range = math.isfinite(low) and math.isfinite(high) and low < high
        require(is_range, "range", self.range, "must be two finite numbers, the lower one first")

    def begin(self) -> dict[str, Any]:
        """Return the state before the first row."""
        return {"n": 0, **dict.fromkeys(SUMS, 0.0), "lower": 0.0, "upper": 1.0}

    def advance(
        self, state: Mapping[str, Any], values: FloatArray, question: SequentialQuestion
    ) -> tuple[dict[str, Any], LookOutcome]:
        """Return the state and the outcome after the values of one more batch, in their order."""
        alpha = 1 - question.level
        start, width = self._find_scale(question)
        x = (values - start) / width
        outside = np.flatnonzero((x < 0) | (x > 1))
        if outside.size:
            row = int(outside[0])
            raise InvalidParameter(
                f"The value {float(values[row])!r} of row {row} is outside of what the range "
                f"{list(self.range)} allows. The range was fixed when the series was made.",
                loc=("losses",),
            )
        after = _advance(state, x, alpha) if len(x) else dict(state)
        return after, self._look(after, start, width, question)

    def foresee(
        self, n: int, mean: float, standard_deviation: float, question: SequentialQuestion
    ) -> tuple[float, float] | None:
        """Return the interval of n values of this mean and spread."""
        start, width = self._find_scale(question)
        alpha = 1 - question.level
        variance = (standard_deviation / width) ** 2
        edges = np.unique(np.geomspace(1, n + 1, FORESEEN_STEPS).astype(np.int64))
        i = (edges[:-1] + edges[1:] - 1) / 2
        steps = np.diff(edges)
        bets = _choose_bets(i, (0.25 + i * variance) / (i + 1), alpha)
        paid = float(steps @ compute_psi(bets)) * variance
        reach = (math.log(2 / alpha) + paid) / float(steps @ bets) * width
        low, high = start, start + width
        return max(mean - reach, low), min(mean + reach, high)

    def _find_scale(self, question: SequentialQuestion) -> tuple[float, float]:
        """Return the least value and the width of the range of the values."""
        low, high = self.range
        return (low - high, 2 * (high - low)) if question.is_pair else (low, high - low)

    def _look(
        self, state: Mapping[str, Any], start: float, width: float, question: SequentialQuestion
    ) -> LookOutcome:
        n = state["n"]
        if n == 0:
            reason = "There are no rows yet."
            return LookOutcome(n=0, estimate=None, standard_deviation=None, reason=reason)
        mean = state["total"] / n
        deviation = math.sqrt(max(state["squares"] / n - mean * mean, 0.0))
        seen: dict[str, Any] = {
            "n": n,
            "estimate": start + width * mean,
            "standard_deviation": width * deviation,
            "log_e_value": _compute_log_e_value(state, (question.reference - start) / width),
        }
        if state["lower"] > state["upper"]:
            return LookOutcome(
                **seen,
                reason="The intervals of different times have no mean in common: the mean has "
                "changed, so there is no one mean to tell.",
            )
        lower, upper = start + width * state["lower"], start + width * state["upper"]
        return LookOutcome(**seen, lower=lower, upper=upper)


def compute_psi(bets: FloatArray) -> FloatArray:
    """Return what a bet pays for the variance."""
    return np.asarray(-np.log1p(-bets) - bets)


def _choose_bets(i: FloatArray, variances: FloatArray, alpha: float) -> FloatArray:
    wanted = np.sqrt(2 * math.log(2 / alpha) / (variances * i * np.log1p(i)))
    return np.minimum(LARGEST_BET, wanted)


def _advance(state: Mapping[str, Any], x: FloatArray, alpha: float) -> dict[str, Any]:
    """Return the sums and the intersected interval after the values, which lie in [0, 1]."""
    before, size = state["n"], len(x)
    i = before + np.arange(1, size + 1, dtype=np.float64)
    totals = state["total"] + np.cumsum(x)
    earlier = np.concatenate(([state["total"]], totals[:-1]))
    means = np.divide(earlier, i - 1, out=np.zeros(size), where=i > 1)
    regularised = (0.5 + totals) / (i + 1)
    squares = state["regularised_squares"] + np.cumsum((x - regularised) ** 2)
    previous = np.concatenate(([state["regularised_squares"]], squares[:-1]))
    bets = _choose_bets(i, (0.25 + previous) / i, alpha)
    costs = compute_psi(bets)
    below = (x - means) ** 2
    above = np.where(i > 1, below, (1 - x) ** 2)  # of 1 - x, whose mean before a row is 0, too
    all_bets = state["bets"] + np.cumsum(bets)
    won = state["won"] + np.cumsum(bets * x)
    paid_below = state["paid_below"] + np.cumsum(below * costs)
    paid_above = state["paid_above"] + np.cumsum(above * costs)
    stake = math.log(2 / alpha)
    lowers = (won - stake - paid_below) / all_bets
    uppers = 1 - (all_bets - won - stake - paid_above) / all_bets
    return {
        "n": before + size,
        "total": float(totals[-1]),
        "squares": state["squares"] + math.fsum((x * x).tolist()),
        "regularised_squares": float(squares[-1]),
        "bets": float(all_bets[-1]),
        "won": float(won[-1]),
        "paid_below": float(paid_below[-1]),
        "paid_above": float(paid_above[-1]),
        "lower": max(state["lower"], float(lowers.max())),
        "upper": min(state["upper"], float(uppers.min())),
    }


def _compute_log_e_value(state: Mapping[str, Any], mean: float) -> float:
    """Return the logarithm of half the larger of the e-values for a higher and a lower mean.

    It reaches ``log(1/alpha)`` where the interval of this row leaves the mean out.
    """
    gain = state["won"] - state["bets"] * mean
    higher, lower = gain - state["paid_below"], -gain - state["paid_above"]
    return float(max(higher, lower)) - math.log(2)
