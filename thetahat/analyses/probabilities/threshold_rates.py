"""Sensitivity, specificity and predictive values at thresholds, of one model or of two."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.groups.intervals import estimate_paired_rates
from thetahat.analyses.probabilities.estimates import (
    ONE_CLUSTER,
    build_missing,
    estimate_influence,
    estimate_share,
)
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.options import RATES
from thetahat.analyses.probabilities.result import (
    ProbabilityEstimate,
    ThresholdDifferences,
    ThresholdRates,
)
from thetahat.values.types import BoolArray, FloatArray


def _mark(event: BinaryEvent, threshold: float) -> dict[str, tuple[FloatArray, BoolArray, str]]:
    """Return hits, rows of the denominator, and the words for these rows, by rate."""
    is_event = event.outcomes == 1
    positive = event.probabilities >= threshold
    marked = (
        (positive.astype(np.float64), is_event, "events"),
        ((~positive).astype(np.float64), ~is_event, "rows without the event"),
        (is_event.astype(np.float64), positive, "positive rows"),
        ((~is_event).astype(np.float64), ~positive, "negative rows"),
    )
    return dict(zip(RATES, marked, strict=True))


def measure_threshold(event: BinaryEvent, threshold: float, level: float) -> ThresholdRates:
    """Return the rates with Wilson's intervals, or those by the design effect of clusters."""
    rates = {
        name: estimate_share(hits, among, event.cluster, level, what)
        for name, (hits, among, what) in _mark(event, threshold).items()
    }
    positive = int((event.probabilities >= threshold).sum())
    return ThresholdRates(threshold=threshold, positive=positive, **rates)


def compare_threshold(
    a: BinaryEvent, b: BinaryEvent, threshold: float, level: float
) -> ThresholdDifferences:
    """Return the paired differences of the rates, a minus b."""
    of_a, of_b = _mark(a, threshold), _mark(b, threshold)
    return ThresholdDifferences(
        threshold=threshold,
        **{name: _compare(of_a[name], of_b[name], a, level) for name in RATES},
    )


def _compare(
    of_a: tuple[FloatArray, BoolArray, str],
    of_b: tuple[FloatArray, BoolArray, str],
    event: BinaryEvent,
    level: float,
) -> ProbabilityEstimate:
    for _, among, what in (of_a, of_b):
        if not among.any():
            return build_missing(level, f"There are no {what}.")
    if (of_a[1] == of_b[1]).all():
        return _compare_on_same_rows(of_a[0], of_b[0], of_a[1], event, level)
    (share_a, influence_a), (share_b, influence_b) = _linearise(*of_a[:2]), _linearise(*of_b[:2])
    return estimate_influence(share_a - share_b, influence_a - influence_b, event.cluster, level)


def _compare_on_same_rows(
    a: FloatArray, b: FloatArray, among: BoolArray, event: BinaryEvent, level: float
) -> ProbabilityEstimate:
    """Return the difference of two shares of the same rows, by Tango's interval."""
    cluster = None if event.cluster is None else event.cluster[among]
    built = estimate_paired_rates(a[among], b[among], cluster)
    if built is None:
        return build_missing(level, ONE_CLUSTER, float(a[among].mean() - b[among].mean()))
    lower, upper = built.compute_ends((1 - level) / 2)
    return ProbabilityEstimate(
        estimate=built.estimate,
        standard_error=built.standard_error,
        level=level,
        lower=lower,
        upper=upper,
        method=built.method,
        degrees_of_freedom=built.degrees_of_freedom,
        n=int(among.sum()),
        clusters=None if cluster is None else len(np.unique(cluster)),
    )


def _linearise(hits: FloatArray, among: BoolArray) -> tuple[float, FloatArray]:
    """Return the share among the marked rows, and the (n,) influence of each row on it."""
    n = int(among.sum())
    share = float(hits[among].sum()) / n
    return share, np.where(among, hits - share, 0.0) / n
