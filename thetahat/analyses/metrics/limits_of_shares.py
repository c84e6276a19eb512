"""The interval of an agreement beyond chance of two classes, by the limits of its shares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.intervals import build_logit, build_symmetric
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.analyses.metrics.metric_variance import MetricVariance
from thetahat.cautions import FEW_AGREEING
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals.wilson import compute_smaller_rate
from thetahat.metrics.base import MetricOfKinds
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, FloatArray, Target
from thetahat.variances.base import VarianceEstimate

LIMITS_OF_SHARES: Final = MethodInfo(
    name="limits_of_shares",
    title="Interval of an agreement by the limits of its shares",
    summary=(
        "Kappa, or Matthews' coefficient, of two classes follows from three shares: that of the "
        "second class, and the share of each class that is called it. Each share is moved to its "
        "Wilson limits alone, and the distances by which the agreement falls, or rises, are "
        "squared and added. A class without an error keeps its uncertainty, which the variance "
        "leaves out. The logit interval is inside."
    ),
    formula=r"T \mp \sqrt{\sum_{j=1}^{3} \bigl(T - T(p_j \to l_j)\bigr)^2}",
    references=("zou2008", "wilson1927"),
    recommended=(Recommendation(blocks=EVERY_BLOCK_KIND, target=Target.THESE_MODELS, own=8),),
)


def build_limits_of_shares(
    measured: MetricValues,
    variances: Mapping[str, VarianceEstimate],
    limits: tuple[float, float],
    level: float,
    alternative: Alternative,
) -> Iterator[BuiltInterval]:
    """Yield the interval of the pooled value of independent rows.

    None of another metric, of rows in clusters, in time or in several repeats, where a class is
    missing, and where the value is at a limit.
    """
    layout, agreement = measured.layout, measured.agreement
    variance = variances.get(MetricVariance.INFLUENCE)
    if agreement is None or variance is None or not layout.has_one_row_each:
        return
    if layout.cluster is not None or layout.time is not None:
        return
    on_variance = build_symmetric(MetricVariance.INFLUENCE, variance, level, alternative)
    logit = None if on_variance is None else build_logit(on_variance, limits, None)
    table = count_table(agreement)
    if logit is None or not table.sum(axis=1).all():
        return
    quantile = abs(compute_upper_quantile(compute_tail_probability(level, alternative), None))
    below, above = find_distances(agreement, table, quantile)
    rarer = int(table.sum(axis=1).min())
    few = (FEW_AGREEING(n=rarer),) if rarer < FEW_AGREEING.threshold else ()
    interval = replace(
        logit,
        method=LIMITS_OF_SHARES.name,
        lower=None if logit.lower is None else min(logit.lower, logit.estimate - below),
        upper=None if logit.upper is None else max(logit.upper, logit.estimate + above),
        cautions=(*logit.cautions, *few),
    )
    yield BuiltInterval(interval, LIMITS_OF_SHARES, None)


def count_table(agreement: MetricOfKinds) -> FloatArray:
    """Return the (2, 2) numbers of rows by true and by predicted class."""
    kinds, n_kinds = agreement.kinds()
    return np.bincount(kinds, minlength=n_kinds).reshape(2, 2).astype(np.float64)


def find_distances(
    agreement: MetricOfKinds, table: FloatArray, quantile: float
) -> tuple[float, float]:
    """Return how far the agreement may fall, and rise.

    Parameters
    ----------
    table : ndarray
        (2, 2) rows by true and predicted class, some of each true class.
    quantile : float
        Of Wilson's limits.

    Source: zou2008.
    """
    sizes = table.sum(axis=1)
    named = table[:, 1] / sizes
    shares = [(sizes[1] / sizes.sum(), sizes.sum()), *zip(named, sizes, strict=True)]
    about = [share for share, _ in shares]
    moved = [about]
    for j, (share, n) in enumerate(shares):
        limits = (
            compute_smaller_rate(share, n, quantile),
            1 - compute_smaller_rate(1 - share, n, quantile),
        )
        moved += [[*about[:j], limit, *about[j + 1 :]] for limit in limits]
    values = agreement.resampled_by_kind(np.array([_build_table(*each) for each in moved]))
    steps = (values[1:] - values[0]).reshape(3, 2)
    falls, rises = np.minimum(steps.min(axis=1), 0), np.maximum(steps.max(axis=1), 0)
    return math.hypot(*falls), math.hypot(*rises)


def _build_table(second: float, false: float, true: float) -> list[float]:
    """Return the shares of the four cells, from that of the second class and of what is so called.

    ``false`` of the first class and ``true`` of the second are called the second class.
    """
    first = 1 - second
    return [first * (1 - false), first * false, second * (1 - true), second * true]
