"""How often ``not_worse`` is said of 0/1 losses when the difference is the margin, and power.

Every table of the trinomial distribution is enumerated, so the numbers have no simulation error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.special import gammaln, ndtr, stdtr, xlogy

from thetahat.distributions import compute_fair_coin_p_value
from thetahat.numerics.paired_rates import (
    compute_p_value_of_at_least,
    compute_p_value_of_no_difference,
    compute_score_statistic,
)
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Alternative, FloatArray
from thetahat_replications.edges.simulated_intervals import (
    compute_oracle_power,
    compute_power_of_bounds,
)
from thetahat_replications.edges.table import TableRow

ALPHA: Final = 0.05
TWO_SIDED: Final = Alternative.TWO_SIDED
NEGLIGIBLE: Final = 1e-9
"""Probability of a table up to which it is left out; all of them together have less than .0005."""
CASES: Final = (
    (3, 0.05, 0.525, 0.475),
    (4, 0.9, 0.948, 0.048),
    (6, 0.01, 0.505, 0.495),
    (10, 0.3, 0.556, 0.256),
    (12, 0.9, 0.95, 0.05),
    (20, 0.05, 0.05, 0.0),
    (50, 0.02, 0.02, 0.0),
    (50, 0.05, 0.07, 0.02),
    (100, 0.02, 0.02, 0.0),
    (100, 0.05, 0.05, 0.0),
    (100, 0.03, 0.04, 0.01),
    (200, 0.01, 0.01, 0.0),
    (200, 0.02, 0.025, 0.005),
    (500, 0.01, 0.01, 0.0),
    (500, 0.01, 0.02, 0.01),
    (1000, 0.005, 0.005, 0.0),
    (1000, 0.01, 0.06, 0.05),
)
"""n, margin, and the probabilities that only the new or only the old model errs."""

TITLE: Final = "Margins of paired 0/1 losses with rare errors"
ABOUT: Final = """
The new model is worse than the old one by exactly the margin, so `not_worse` is false and may be
said in at most 5 % of samples. `p10` is the probability that only the new model errs on an
instance, `p01` that only the old one does. The numbers are exact: all tables of n instances are
enumerated. The old rule is the t interval of the mean difference, with p = 0 where no instance
differs. Tango's is the score test as published. Today's rule is Tango's with at least the exact
probability of tables that are as good for the new model, where one model is never alone in its
error or there are up to 100 instances. Their power is how often `not_worse` is said with this
margin of models that err alone equally often, each at the mean of `p10` and `p01`. The last columns
are the power of `better` and `worse` together for the models of the row: of the old rule, of
McNemar's exact test, and of today's rule, McNemar's mid-p test, or the exact one where three
quarters of the instances or more differ. All power is a share of that of the normal test that knows
the standard deviation of the mean difference, one-sided for `not_worse`.
"""


COLUMNS: Final = (
    "n | margin | p10 | p01 | `not_worse`, old rule | Tango as published | today | "
    "power, old rule | power, Tango | power, today | "
    "difference, old rule | difference, exact McNemar | difference, today"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return error rates and power of the old rule and of today's, by full enumeration."""
    del repetitions, seed
    for n, margin, p10, p01 in CASES:
        new, old = enumerate_counts(n)
        equal = (p10 + p01) / 2
        weights, of_equal = (
            compute_probabilities(new, old, n, *rates) for rates in ((p10, p01), (equal, equal))
        )
        kept = np.maximum(weights, of_equal) > NEGLIGIBLE
        new, old, weights, of_equal = new[kept], old[kept], weights[kept], of_equal[kept]
        counts = [
            PairedCounts(only_a=int(a), only_b=int(b), both=0, n=n)
            for a, b in zip(new, old, strict=True)
        ]
        score = np.array([ndtr(compute_score_statistic(c, margin)) for c in counts])
        today = np.array([compute_p_value_of_at_least(c, margin) for c in counts])
        exact = np.array(
            [compute_fair_coin_p_value(c.only_a, c.discordant, TWO_SIDED) for c in counts]
        )
        mid_p = np.array([compute_p_value_of_no_difference(c) for c in counts])
        of_margin = compute_t_p_values(new, old, n, margin), score, today
        of_difference = compute_two_sided_t_p_values(new, old, n), exact, mid_p
        oracle = compute_power_of_bounds(margin * np.sqrt(n / (p10 + p01)), 1 - ALPHA)
        difference = p10 - p01
        of_sd = difference * np.sqrt(n / (p10 + p01 - difference**2))
        best = compute_oracle_power(of_sd, 1 - ALPHA)
        yield (
            *(n, f"{margin:g}", f"{p10:g}", f"{p01:g}"),
            *(float(weights[p < ALPHA].sum()) for p in of_margin),
            *(float(of_equal[p < ALPHA].sum() / oracle) for p in of_margin),
            *(float(weights[p < ALPHA].sum() / best) for p in of_difference),
        )


def enumerate_counts(n: int) -> tuple[FloatArray, FloatArray]:
    """Return all pairs of counts of instances on which only the one or only the other errs."""
    first, second = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0), indexing="ij")
    inside = first + second <= n
    return first[inside], second[inside]


def compute_probabilities(
    first: FloatArray, second: FloatArray, n: int, p_first: float, p_second: float
) -> FloatArray:
    """Return the trinomial probability of each pair of counts."""
    rest = n - first - second
    logs = gammaln(n + 1) - gammaln(first + 1) - gammaln(second + 1) - gammaln(rest + 1)
    logs += xlogy(first, p_first) + xlogy(second, p_second) + xlogy(rest, 1 - p_first - p_second)
    return np.exp(logs)


def compute_t_p_values(worse: FloatArray, better: FloatArray, n: int, margin: float) -> FloatArray:
    """Return the p-values of "not worse by the margin" by the t rule; 0 where nothing differs."""
    mean = (worse - better) / n
    variance = (worse + better - n * mean**2) / (n - 1) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(n - 1, (mean - margin) / np.sqrt(variance))
    return np.where(worse + better == 0, 0.0, np.where(variance > 0, p, 1.0))


def compute_two_sided_t_p_values(worse: FloatArray, better: FloatArray, n: int) -> FloatArray:
    """Return the p-values of no difference by the t rule; 1 where nothing differs."""
    mean = (worse - better) / n
    variance = (worse + better - n * mean**2) / (n - 1) / n
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2 * stdtr(n - 1, -np.abs(mean) / np.sqrt(variance))
    return np.where(worse + better == 0, 1.0, np.where(variance > 0, p, 0.0))
