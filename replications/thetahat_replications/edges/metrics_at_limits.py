"""Intervals of one area under the ROC curve, or average precision, with few positives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from scipy import optimize, special, stats

from thetahat.metrics._ranking import Ranking, compute_average_precisions, compute_precision_slopes
from thetahat.values.types import BoolArray, FloatArray
from thetahat_replications.edges.simulated_intervals import ORACLE, SHIFT
from thetahat_replications.edges.table import TableRow, format_share

Ends: TypeAlias = tuple[FloatArray, FloatArray]
LEVEL: Final = 0.95
AREA, PRECISION = "roc_auc", "average_precision"
CLASSES: Final = ((5, 95), (8, 240), (10, 10), (15, 85), (25, 500), (50, 200))
"""Numbers of positives and of negatives."""
AREAS: Final = (0.8, 0.95, 0.99)
LIKE_NEGATIVES: Final = 0.2
"""Share of the positives that score like negatives, in the mixed scores."""
MIXED: Final = "mixed"
WITH_PRECISION: Final = ("normal", "wide")
"""The scores on which average precisions are judged, too."""
GRID: Final[FloatArray] = special.ndtri((np.arange(20_000) + 0.5) / 20_000)
FEWEST_INSTANCES, FEWEST_ERRORS, POWER = 30, 3, 3
"""Those of ``area_score``."""


class Scores(NamedTuple):
    """Scores of both classes, from normal variables."""

    of_negatives: Callable[[FloatArray], FloatArray]
    of_positives: Callable[[FloatArray, float], FloatArray]
    """From a normal variable and the shift."""


def _to_exponential(z: FloatArray) -> FloatArray:
    return np.asarray(-np.log(special.ndtr(-z)))


SCORES: Final = {
    "normal": Scores(np.asarray, lambda z, s: z + s),
    "wide": Scores(np.asarray, lambda z, s: 1.6 * z + s),
    "exponential": Scores(_to_exponential, lambda z, s: _to_exponential(z) * math.exp(s)),
    "rounded": Scores(np.round, lambda z, s: np.round(z + s)),
}

TITLE: Final = "Areas under the ROC curve and average precisions with few positives"
ABOUT: Final = f"""
Intervals of level {LEVEL:g} for one area under the ROC curve, or one average precision, of one test
set. *Wide* positives have 1.6 times the standard deviation; *exponential* scores have another
scale, *rounded* ones many ties; of the *mixed* ones a fifth of the positives score like negatives.
For areas the old rule is the logit interval on DeLong's variance with t by the smaller class, and
the new one `area_score`, which has it inside; fully separated classes have the bound
(alpha/2)^(1/k), with k the size of the smaller class, by both. For average precisions the old rule
is the logit interval with a normal quantile, and the new one with that of t. Power is how often an
interval lies above the value that is {SHIFT:g} standard deviations of the estimate below the true
one, as a share of the power of the normal test that knows the standard deviation; it has no value
where that value is below 0.
"""
COLUMNS: Final = (
    "metric | scores | positives | negatives | area | true value | at 1 | old rule covers | "
    "new rule covers | new over old length | old rule's power | new rule's power"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the old and the new intervals cover."""
    for kind in (*SCORES, MIXED):
        for positives, negatives in CLASSES:
            for number, area in enumerate(AREAS):
                shift = _find_shift(kind, area)
                if shift is None:
                    continue
                rng = np.random.default_rng([seed, positives, negatives, number, len(kind)])
                x, y = _draw(kind, shift, rng, (repetitions, positives), (repetitions, negatives))
                share = positives / (positives + negatives)
                judged = {AREA: _judge_areas(x, y, area)}
                if kind in WITH_PRECISION:
                    truth = _compute_precision(kind, shift, share)
                    judged[PRECISION] = _judge_precisions(x, y, truth)
                for metric, (truth, at_limit, old, new, length, *powers) in judged.items():
                    covers = (format_share(each, repetitions) for each in (old, new))
                    place = (metric, kind, positives, negatives, area)
                    yield (*place, truth, at_limit, *covers, length, *powers)


def _find_shift(kind: str, area: float) -> float | None:
    """Return the shift of the positives with that area; None where there is none."""
    if kind == MIXED:
        apart = (area - LIKE_NEGATIVES / 2) / (1 - LIKE_NEGATIVES)
        return math.sqrt(2) * float(special.ndtri(apart)) if apart < 1 else None
    negatives = np.sort(SCORES[kind].of_negatives(GRID))

    def miss(shift: float) -> float:
        x = SCORES[kind].of_positives(GRID, shift)
        ranks = (np.searchsorted(negatives, x, side) for side in ("left", "right"))
        return float(sum(each.mean() for each in ranks)) / (2 * len(GRID)) - area

    return float(optimize.brentq(miss, -1.0, 60.0, xtol=1e-6))


def _draw(
    kind: str,
    shift: float,
    rng: np.random.Generator,
    of_positives: tuple[int, int],
    of_negatives: tuple[int, int],
) -> tuple[FloatArray, FloatArray]:
    """Return (R, m) scores of positives and (R, n) of negatives."""
    x, y = rng.standard_normal(of_positives), rng.standard_normal(of_negatives)
    if kind == MIXED:
        return x + np.where(rng.random(of_positives) < LIKE_NEGATIVES, 0.0, shift), y
    return SCORES[kind].of_positives(x, shift), SCORES[kind].of_negatives(y)


def _compute_precision(kind: str, shift: float, share: float) -> float:
    """Return the average precision in a population with that share of positives."""
    negatives = np.sort(SCORES[kind].of_negatives(GRID))
    false = 1 - np.searchsorted(negatives, SCORES[kind].of_positives(GRID, shift)) / len(GRID)
    true = (np.arange(len(GRID))[::-1] + 0.5) / len(GRID)
    return float((share * true / (share * true + (1 - share) * false)).mean())


class Judged(NamedTuple):
    """What both rules say of all samples."""

    truth: float
    at_limit: float
    old: float
    new: float
    length: float
    old_power: float | str
    new_power: float | str


def _judge_areas(x: FloatArray, y: FloatArray, truth: float) -> Judged:
    m, n = x.shape[1], y.shape[1]
    ranks = stats.rankdata(np.concatenate([x, y], axis=1), axis=1)
    below = (ranks[:, :m] - stats.rankdata(x, axis=1)) / n
    above = 1 - (ranks[:, m:] - stats.rankdata(y, axis=1)) / m
    area = below.mean(axis=1)
    variance = below.var(axis=1, ddof=1) / m + above.var(axis=1, ddof=1) / n
    k, tail = min(m, n), (1 - LEVEL) / 2
    inside = (area < 1 - 1e-9) & (area > 1e-9)
    a, v = area[inside], variance[inside]
    old = _build_logit(a, v, stats.t.ppf(1 - tail, k - 1))
    errors = a * (1 - a) * np.minimum(a, 1 - a) / v
    least = np.minimum(1, np.maximum(FEWEST_INSTANCES / k, FEWEST_ERRORS / errors)) ** POWER
    score = _invert_score(a, m, n, np.maximum(least, v / _model_variance(a, m, n)), tail)
    new = np.minimum(old[0], score[0]), np.maximum(old[1], score[1])
    return _summarise(truth, area, inside, tail ** (1 / k), (old, new))


def _judge_precisions(x: FloatArray, y: FloatArray, truth: float) -> Judged:
    m, rows = x.shape[1], x.shape[1] + y.shape[1]
    positive, tail = np.arange(rows) < m, (1 - LEVEL) / 2
    values, variances = np.empty(len(x)), np.empty(len(x))
    for r, scores in enumerate(np.concatenate([x, y], axis=1)):
        ranking = Ranking(scores, positive)
        weights = (each[None] for each in ranking.compute_unit_weights())
        values[r] = compute_average_precisions(*weights)[0]
        variances[r] = compute_precision_slopes(ranking).var(ddof=1) / rows
    inside = values < 1 - 1e-9
    old, new = (
        _build_logit(values[inside], variances[inside], q)
        for q in (stats.norm.ppf(1 - tail), stats.t.ppf(1 - tail, min(m, rows - m) - 1))
    )
    return _summarise(truth, values, inside, tail ** (1 / m), (old, new))


def _build_logit(value: FloatArray, variance: FloatArray, q: float) -> Ends:
    centre, reach = special.logit(value), q * np.sqrt(variance) / (value * (1 - value))
    return special.expit(centre - reach), special.expit(centre + reach)


def _model_variance(area: FloatArray, m: int, n: int) -> FloatArray:
    half = (m + n) / 2 - 1
    slope = (1 - area) / (2 - area) + area / (1 + area)
    return np.asarray(area * (1 - area) / (m * n) * (1 + half * slope))


def _invert_score(area: FloatArray, m: int, n: int, factor: FloatArray, tail: float) -> Ends:
    """Return the ends by bisection, of all samples at once."""
    q, ends = stats.norm.ppf(1 - tail), []
    for limit in (0.0, 1.0):
        inner, outer = area, np.full_like(area, limit)
        for _ in range(50):
            middle = (inner + outer) / 2
            kept = (area - middle) ** 2 <= q**2 * factor * _model_variance(middle, m, n)
            inner, outer = np.where(kept, middle, inner), np.where(kept, outer, middle)
        ends.append(inner)
    return ends[0], ends[1]


def _summarise(
    truth: float, values: FloatArray, inside: BoolArray, bound: float, rules: tuple[Ends, Ends]
) -> Judged:
    """Return what both rules reach; the (R,) values at 1 have the bound as their lower end."""
    separated = values >= 1 - 1e-9
    other = truth - SHIFT * float(values.std(ddof=1))
    shares, lengths = [], []
    powers: list[float | str] = []
    for lower, upper in rules:
        covers, finds = separated & (truth >= bound), separated & (other < bound)
        covers[inside] = (lower <= truth) & (truth <= upper)
        finds[inside] = lower > other
        shares.append(float(covers.mean()))
        powers.append(float(finds.mean()) / ORACLE if other > 0 else "")
        lengths.append(float((upper - lower).sum()))
    longer = lengths[1] / lengths[0] if inside.any() else float("nan")
    (old, new), (old_power, new_power) = shares, powers
    return Judged(truth, float((~inside).mean()), old, new, longer, old_power, new_power)
