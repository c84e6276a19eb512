"""Exact confidence sequences of 0/1 losses: the binomial mixture."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import scipy

from thetahat import special_functions as special
from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.sequential.base import LookOutcome, SequentialMethod, SequentialQuestion
from thetahat.values.types import FloatArray

SHARE_OF_RATE: Final = 0.1
"""Share of the error that a pair's interval gives to the rate at which its models differ.

The other bound, of which model is right where they differ, decides which one is better. With a
tenth its interval is 4 % longer than with all of the error, and the rate's 20 % longer than with
half of it.
"""
TOLERANCE: Final = 1e-13


@dataclass(frozen=True, slots=True)
class BinomialMixture(SequentialMethod):
    r"""Exact confidence sequences of 0/1 losses.

    Of one model it is the interval of its rate. Of a pair, d = a - b is 1, -1 or 0: d has the mean
    :math:`q(2\pi - 1)` with the rate q at which the models differ and the share :math:`\pi` of
    d = 1 among those rows. Both have an interval of this kind, at nine tenths of the error for
    :math:`\pi` and one tenth for q, and the interval of the mean is all that they allow. The
    e-value is that of :math:`\pi = 1/2`.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Binomial mixture",
        summary=(
            "An exact interval of 0/1 losses that may be looked at after every row: the rates that "
            "a mixture of all rates does not outdo by the factor 1/alpha."
        ),
        formula=(
            r"\left\{p : \frac{B(S + 1, n - S + 1)}{p^S (1 - p)^{n - S}} < \frac{1}{\alpha}\right\}"
        ),
        references=("robbins1970", "howard2021"),
        assumptions=(
            "Losses are 0 or 1. Rows are independent given the earlier ones, with the same rate."
        ),
        errs="Never too short; somewhat long, for a pair more than for one model.",
        only_zero_one=True,
    )

    def begin(self) -> dict[str, Any]:
        """Return the state before the first row."""
        return {"n": 0, "ones": 0, "minus_ones": 0}

    def advance(
        self, state: Mapping[str, Any], values: FloatArray, question: SequentialQuestion
    ) -> tuple[dict[str, Any], LookOutcome]:
        """Return the state and the outcome after the values of one more batch."""
        allowed = (-1.0, 0.0, 1.0) if question.is_pair else (0.0, 1.0)
        if not np.isin(values, allowed).all():
            raise InvalidParameter(
                "binomial_mixture is for losses that are 0 or 1. Use asymptotic or bounded.",
                loc=("losses",),
            )
        n = state["n"] + len(values)
        ones = state["ones"] + int((values == 1).sum())
        minus_ones = state["minus_ones"] + int((values == -1).sum())
        after = {"n": n, "ones": ones, "minus_ones": minus_ones}
        if n == 0:
            reason = "There are no rows yet."
            return after, LookOutcome(n=0, estimate=None, standard_deviation=None, reason=reason)
        mean = (ones - minus_ones) / n
        lower, upper = _find_interval(n, ones, minus_ones, question)
        if question.is_pair:
            log_e = compute_log_e_value(ones, minus_ones, 0.5)
        else:
            log_e = compute_log_e_value(ones, n - ones, question.reference)
        outcome = LookOutcome(
            n=n,
            estimate=mean,
            standard_deviation=math.sqrt(max((ones + minus_ones) / n - mean * mean, 0.0)),
            lower=lower,
            upper=upper,
            log_e_value=log_e,
        )
        return after, outcome

    def find_refusal(self, *, is_pair: bool, has_clusters: bool) -> str | None:
        """Return why it does not fit clusters, whose mean losses are neither 0 nor 1."""
        del is_pair
        if has_clusters:
            return (
                "binomial_mixture is for independent losses of 0 or 1, and the mean loss of a "
                "cluster is neither. Use bounded or asymptotic with clusters."
            )
        return None

    def foresee(
        self, n: int, mean: float, standard_deviation: float, question: SequentialQuestion
    ) -> tuple[float, float] | None:
        """Return the interval of n values of this mean and spread."""
        if not question.is_pair:
            rate = min(max(mean, 0.0), 1.0)
            return _find_interval(n, n * rate, 0.0, question)
        rate = min(max(standard_deviation**2 + mean * mean, abs(mean)), 1.0)
        return _find_interval(n, n * (rate + mean) / 2, n * (rate - mean) / 2, question)


def _find_interval(
    n: float, ones: float, minus_ones: float, question: SequentialQuestion
) -> tuple[float, float]:
    """Return the interval of the mean of values that are 1, -1 or 0 in these numbers."""
    alpha = 1 - question.level
    if not question.is_pair:
        return find_rates(ones, n - ones, alpha)
    differing = ones + minus_ones
    low, high = find_rates(ones, minus_ones, (1 - SHARE_OF_RATE) * alpha)
    rare, often = find_rates(differing, n - differing, SHARE_OF_RATE * alpha)
    below, above = 2 * low - 1, 2 * high - 1
    return below * (often if below < 0 else rare), above * (often if above > 0 else rare)


def compute_log_e_value(successes: float, failures: float, rate: float) -> float:
    """Return the logarithm of the mixture's likelihood over that of one rate."""
    likelihood = special.xlogy(successes, rate) + special.xlog1py(failures, -rate)
    return float(special.betaln(successes + 1, failures + 1) - likelihood)


def find_rates(successes: float, failures: float, alpha: float) -> tuple[float, float]:
    """Return the lowest and the highest rate that the mixture does not outdo by 1/alpha."""
    limit = -math.log(alpha)
    n = successes + failures
    if n == 0:
        return 0.0, 1.0

    def exceed(rate: float) -> float:
        return compute_log_e_value(successes, failures, rate) - limit

    best = successes / n
    lower = 0.0 if successes == 0 else _find_root(exceed, 0.0, best)
    upper = 1.0 if failures == 0 else _find_root(exceed, 1.0, best)
    return lower, upper


def _find_root(exceed: Any, end: float, best: float) -> float:
    """Return where the e-value reaches its limit, between an end and the best rate.

    At the end itself the e-value is infinite.
    """
    tiny = 1e-300 if end == 0 else 1 - 1e-16
    if exceed(tiny) <= 0:
        return end
    return float(scipy.optimize.brentq(exceed, tiny, best, xtol=TOLERANCE, rtol=1e-14))
