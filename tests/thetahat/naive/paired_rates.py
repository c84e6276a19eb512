"""Tango's interval by plain halving, and the constrained likelihood by a grid: slow and obvious."""

from __future__ import annotations

import math

import numpy as np


def score_statistic(x_a: int, x_b: int, n: int, difference: float) -> float:
    """Tango's statistic with q by searching the likelihood of the trinomial distribution."""
    low, high = max(0.0, -difference), (1 - difference) / 2
    for _ in range(60):  # golden-section would be faster; thirds are plainer
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if _log_likelihood(x_a, x_b, n, left, difference) < _log_likelihood(
            x_a, x_b, n, right, difference
        ):
            low = left
        else:
            high = right
    q = (low + high) / 2
    variance = n * (2 * q + difference - difference**2)
    return (x_a - x_b - n * difference) / math.sqrt(variance)


def _log_likelihood(x_a: int, x_b: int, n: int, q: float, difference: float) -> float:
    cells = ((x_a, q + difference), (x_b, q), (n - x_a - x_b, 1 - 2 * q - difference))
    return sum(count * math.log(max(p, 1e-300)) for count, p in cells if count)


def upper_end(x_a: int, x_b: int, n: int, z: float) -> float:
    """The difference at which the statistic is -z, by halving."""
    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        if score_statistic(x_a, x_b, n, middle) > -z:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def enumerate_tables(n: int, p_a: float, p_b: float) -> list[tuple[int, int, float]]:
    """Every table of n instances as (only_a, only_b, probability), those below 1e-9 left out."""
    rest = 1 - p_a - p_b
    tables = []
    logs = [0.0, *np.cumsum(np.log(np.arange(1, n + 1)))]
    for a in range(n + 1):
        for b in range(n + 1 - a):
            cells = ((a, p_a), (b, p_b), (n - a - b, rest))
            if any(count and p <= 0 for count, p in cells):
                continue
            log = logs[n] + sum(c * math.log(p) - logs[c] for c, p in cells if c)
            if log > math.log(1e-9):
                tables.append((a, b, math.exp(log)))
    return tables
