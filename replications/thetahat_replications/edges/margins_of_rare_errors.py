"""How often ``not_worse`` is said of 0/1 losses when the difference is exactly the margin.

Every table of the trinomial distribution is enumerated, so the numbers have no simulation error.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy.special import gammaln, stdtr, xlogy

from thetahat.values.types import FloatArray
from thetahat_replications.edges.table import Table

ALPHA: Final = 0.05
CASES: Final = (
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

ABOUT: Final = """
The new model is worse than the old one by exactly the margin, so `not_worse` is false and may be
said in at most 5 % of samples. `p10` is the probability that only the new model errs on an
instance, `p01` that only the old one does. The numbers are exact: all tables of n instances are
enumerated. The old rule is the t interval of the mean difference, with p = 0 where no instance
differs.
"""


def build_table(repetitions: int, seed: int) -> Table:  # noqa: ARG001 - nothing is drawn
    """Return the error rates of the old rule by full enumeration."""
    rows = []
    for n, margin, p10, p01 in CASES:
        new, old = enumerate_counts(n)
        weights = compute_probabilities(new, old, n, p10, p01)
        said = compute_t_p_values(new, old, n, margin) < ALPHA
        rows.append((n, f"{margin:g}", f"{p10:g}", f"{p01:g}", float(weights[said].sum())))
    return Table(
        title="Margins of paired 0/1 losses with rare errors",
        about=ABOUT,
        columns=("n", "margin", "p10", "p01", "old rule"),
        rows=tuple(rows),
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
