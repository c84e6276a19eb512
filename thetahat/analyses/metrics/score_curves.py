"""The points of a ROC curve and of a reliability diagram, from the scores of two classes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.analyses.losses.optional_results import ReliabilityBin, RocCurve, ScoreCurves
from thetahat.distributions import compute_upper_quantile
from thetahat.metrics.base import TruthAndPredictions
from thetahat.values.types import BoolArray, FloatArray, IntArray

MAX_POINTS: Final = 101
"""Points of a ROC curve in a result; a drawing shows no more."""
BINS: Final = 10
TWO_CLASSES: Final = 2


def describe_scores(
    judged: TruthAndPredictions, rows: IntArray, level: float
) -> ScoreCurves | None:
    """Return the curves of one model, or None without scores of two classes.

    Parameters
    ----------
    judged : TruthAndPredictions
        Truth and scores of all rows.
    rows : ndarray of int
        The rows to use: those of one repeat.
    level : float
        Confidence level of the intervals of the shares.

    Degenerate cases: None if all rows are of one class.
    """
    if judged.scores is None or judged.scores.ndim != 1 or len(judged.classes) != TWO_CLASSES:
        return None
    positive: BoolArray = judged.truth[rows] == 1
    scores = np.asarray(judged.scores[rows], dtype=np.float64)
    if positive.all() or not positive.any():
        return None
    is_probability = bool(scores.min() >= 0 and scores.max() <= 1)
    return ScoreCurves(
        positive_class=judged.classes[1],
        level=level,
        roc=compute_roc(scores, positive),
        reliability=tuple(_build_bins(scores, positive, level)) if is_probability else None,
    )


def compute_roc(scores: FloatArray, positive: BoolArray) -> RocCurve:
    """Return the curve over all thresholds, thinned to ``MAX_POINTS``; ties are one step."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    hits = np.cumsum(positive[order])[ends]
    misses = ends + 1 - hits
    hits, misses = np.insert(hits, 0, 0), np.insert(misses, 0, 0)
    if len(hits) > MAX_POINTS:
        kept = np.unique(np.linspace(0, len(hits) - 1, MAX_POINTS).round().astype(np.intp))
        hits, misses = hits[kept], misses[kept]
    return RocCurve(
        false_positive_rate=misses / misses[-1],
        true_positive_rate=hits / hits[-1],
        positives=int(hits[-1]),
        negatives=int(misses[-1]),
    )


def _build_bins(scores: FloatArray, positive: BoolArray, level: float) -> Iterator[ReliabilityBin]:
    """Yield groups of rows of about the same size, by score; equal scores are in one group."""
    order = np.argsort(scores, kind="stable")
    cuts = np.unique(scores[order][np.linspace(0, len(order), BINS + 1)[1:-1].astype(np.intp)])
    group = np.searchsorted(cuts, scores, side="right")
    z = compute_upper_quantile((1 - level) / 2, None)
    for place in np.unique(group).tolist():
        inside = group == place
        n, share = int(inside.sum()), float(positive[inside].mean())
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        yield ReliabilityBin(
            n=n,
            mean_score=float(scores[inside].mean()),
            share=share,
            lower=max(0.0, middle - half),
            upper=min(1.0, middle + half),
        )
