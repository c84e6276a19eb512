"""Intervals of the area under the ROC curve with few positives, and of metrics without an error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from scipy import special, stats

from thetahat.values.types import BoolArray, FloatArray
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
CLASSES: Final = ((5, 95), (9, 51), (9, 291), (15, 85), (20, 20), (50, 50))
"""Numbers of positives and of negatives."""
AREAS: Final = (0.7, 0.85, 0.95, 0.983)
LIKE_NEGATIVES: Final = 0.2
"""Share of the positives that score like negatives, in the mixed scores."""

TITLE: Final = "Area under the ROC curve with few positives, and at 1"
ABOUT: Final = f"""
Intervals of level {LEVEL:g} for the area under the ROC curve of one test set. Normal scores have
equal variances; in mixed scores a fifth of the positives score like negatives, so that the area
rests on few rows. The old rule is the logit interval on DeLong's variance with a normal quantile,
and no interval where the classes are fully separated, which is counted as not covering. The new one
has the quantile of t with the size of the smaller class minus 1 as degrees of freedom, and for
fully separated classes the lower end (alpha/2)^(1/k) with k the size of the smaller class. The
column before the last has Satterthwaite's degrees of freedom of DeLong's two parts instead.
"""


COLUMNS: Final = (
    "scores | positives | negatives | true area | fully separated | old rule covers | "
    "new rule covers | with Satterthwaite's degrees | new over old length"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the old and the new intervals cover."""
    for kind in ("normal", "mixed"):
        for positives, negatives in CLASSES:
            for number, area in enumerate(AREAS):
                rng = np.random.default_rng([seed, positives, negatives, number, kind == "mixed"])
                x, y, truth = _draw(kind, positives, negatives, area, repetitions, rng)
                shares = _judge(x, y, truth)
                covers = (
                    format_share(shares[rule], repetitions)
                    for rule in ("old", "new", "satterthwaite")
                )
                place = (kind, positives, negatives, truth, shares["separated"])
                yield (*place, *covers, shares["length"])


def _draw(  # noqa: PLR0913 - the numbers of one case
    kind: str, m: int, n: int, area: float, repetitions: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, float]:
    """Return (R, m) scores of positives, (R, n) of negatives, and the true area."""
    shift = math.sqrt(2) * float(special.ndtri(area))
    x, y = rng.standard_normal((repetitions, m)), rng.standard_normal((repetitions, n))
    if kind == "normal":
        return x + shift, y, area
    shift += 0.7
    x += np.where(rng.random((repetitions, m)) < LIKE_NEGATIVES, 0.0, shift)
    apart = float(special.ndtr(shift / math.sqrt(2)))
    return x, y, LIKE_NEGATIVES / 2 + (1 - LIKE_NEGATIVES) * apart


def _judge(x: FloatArray, y: FloatArray, truth: float) -> Mapping[str, float]:
    m, n = x.shape[1], y.shape[1]
    below, above = _place(x, y), 1 - _place(y, x)
    area = below.mean(axis=1)
    parts = below.var(axis=1, ddof=1) / m, above.var(axis=1, ddof=1) / n
    variance = parts[0] + parts[1]
    separated = area == 1
    usable = (variance > 0) & (area > 0) & ~separated
    k, tail = min(m, n), (1 - LEVEL) / 2
    away, error = np.full(len(x), math.inf), np.ones(len(x))
    inside = area[usable]
    away[usable] = np.abs(special.logit(inside) - special.logit(truth))
    error[usable] = np.sqrt(variance[usable]) / (inside * (1 - inside))
    with np.errstate(divide="ignore", invalid="ignore"):
        degrees = variance**2 / (parts[0] ** 2 / (m - 1) + parts[1] ** 2 / (n - 1))
    by_bound = separated & (truth >= tail ** (1 / k))
    normal, of_class = stats.norm.ppf(1 - tail), stats.t.ppf(1 - tail, k - 1)
    satterthwaite = stats.t.ppf(1 - tail, np.where(usable, degrees, 1.0))

    def share(covers: BoolArray) -> float:
        return float(covers.mean())

    return {
        "separated": share(separated),
        "old": share(away <= normal * error),
        "new": share((away <= of_class * error) | by_bound),
        "satterthwaite": share((away <= satterthwaite * error) | by_bound),
        "length": _compare_lengths(area[usable], error[usable], of_class, normal),
    }


def _compare_lengths(area: FloatArray, error: FloatArray, new: float, old: float) -> float:
    """Return the median length of the new intervals over that of the old ones."""
    centre = special.logit(area)
    lengths = [
        np.median(special.expit(centre + q * error) - special.expit(centre - q * error))
        for q in (new, old)
    ]
    return float(lengths[0] / lengths[1])


def _place(scores: FloatArray, others: FloatArray) -> FloatArray:
    """Return the share of the other class below each score; scores have no ties."""
    ordered = np.sort(others, axis=1)
    counts = [np.searchsorted(row, own) for row, own in zip(ordered, scores, strict=True)]
    return np.asarray(np.array(counts) / others.shape[1], dtype=np.float64)
