"""Prediction-powered means by loops over the definition."""

from __future__ import annotations

from typing import NamedTuple


class Grades(NamedTuple):
    """Labels and grades of the labelled rows, and grades of the others."""

    labels: list[float]
    grades: list[float]
    unlabelled: list[float]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def covariance(a: list[float], b: list[float]) -> float:
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total += (x - mean(a)) * (y - mean(b))
    return total / (len(a) - 1)


def tune(rows: Grades) -> float:
    n, others = len(rows.labels), len(rows.unlabelled)
    together = rows.grades + rows.unlabelled
    weight = covariance(rows.labels, rows.grades) / (
        (1 + n / others) * covariance(together, together)
    )
    return min(1.0, max(0.0, weight))


def estimate(rows: Grades, weight: float) -> tuple[float, float]:
    """Return the mean and its variance."""
    rest = [y - weight * f for y, f in zip(rows.labels, rows.grades, strict=True)]
    value = weight * mean(rows.unlabelled) + mean(rest)
    variance = covariance(rest, rest) / len(rest)
    variance += weight**2 * covariance(rows.unlabelled, rows.unlabelled) / len(rows.unlabelled)
    return value, variance


def cr1(values: list[float], cluster: list[int]) -> float:
    """Return the cluster-robust variance of a mean over rows."""
    centre, codes = mean(values), sorted(set(cluster))
    total = 0.0
    for code in codes:
        total += sum(v - centre for v, c in zip(values, cluster, strict=True) if c == code) ** 2
    return len(codes) / (len(codes) - 1) * total / len(values) ** 2
