"""The interval of a metric that is bounded on one side only, such as R squared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.analyses.thresholds import FEWEST_LEFT_OUT, LARGEST_LOG
from thetahat.cautions import Caution
from thetahat.intervals._symmetric import compute_symmetric_ends
from thetahat.intervals.base import Interval
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED
from thetahat.variances._clusters import check_few_clusters, weigh_all_clusters

LOG_JACKKNIFE: Final = MethodInfo(
    name="log_jackknife",
    title="Jackknife interval on the log scale",
    summary=(
        "A t interval for the logarithm of the distance of a metric from its upper limit, such as "
        "log(1 - R squared), transformed back. The standard error is that of the jackknife, over "
        "clusters where rows come in clusters, and the degrees of freedom allow for the kurtosis "
        "of the values left out: a variance that rests on few rows is little known. With groups "
        "of 40 normal rows all five intervals hold in about .95 of the samples; normal intervals "
        "held in .85."
    ),
    formula=(
        r"b - (b - T) \exp(\mp t_\nu s), \quad s^2 = \frac{n - 1}{n} \sum_i d_i^2, \quad "
        r"\nu = \min\Bigl(n - 1, \frac{2 n}{\kappa(d) - 1}\Bigr)"
    ),
    references=("miller1974", "satterthwaite1946"),
    recommended=(Recommendation(blocks=EVERY_BLOCK_KIND, target=Target.THESE_MODELS, own=8),),
)


def build_log_jackknife(
    measured: MetricValues, limit: float, level: float, alternative: Alternative
) -> Iterator[BuiltInterval]:
    r"""Yield the interval of the pooled value; none of a metric of another kind.

    With :math:`d_i` the deviations from their mean of the logarithms without each unit, their
    squares have the variance :math:`(\kappa - 1) (\overline{d^2})^2`, so that their mean is as
    uncertain as a chi-squared one with :math:`2 n / (\kappa - 1)` degrees of freedom.

    Degenerate cases: none with fewer than ``FEWEST_LEFT_OUT`` units, where the metric is at its
    limit, and where it is undefined without some unit. ``limit`` is the upper end of the metric's
    range.
    """
    left_out, layout = measured.left_out, measured.layout
    if left_out is None or len(left_out) < FEWEST_LEFT_OUT or not measured.pooled < limit:
        return
    if not (left_out < limit).all():
        return
    n = len(left_out)
    cautions: tuple[Caution, ...] = () if layout.has_fixed_models else (TRAINING_IGNORED,)
    logs = np.log(limit - left_out)
    squares = (logs - logs.mean()) ** 2
    if not squares.any():
        return
    degrees = n - 1.0
    if layout.cluster is not None:
        degrees = float(weigh_all_clusters(layout).degrees[0])
        cautions = (*check_few_clusters(layout, degrees), *cautions)
    excess = float((squares**2).mean() / squares.mean() ** 2) - 1
    if excess > 0:
        degrees = max(1.0, min(degrees, 2 * n / excess))
    error = math.sqrt((n - 1) / n * float(squares.sum()))
    distance = limit - measured.pooled
    ends = compute_symmetric_ends(-math.log(distance), error, degrees, level, alternative)
    if ends is None or any(end is not None and end < -LARGEST_LOG for end in ends):
        return
    lower, upper = (None if end is None else limit - math.exp(-end) for end in ends)
    interval = Interval(
        method=LOG_JACKKNIFE.name,
        variance=None,
        target=Target.THESE_MODELS,
        mean=MeanKind.POOLED,
        estimate=measured.pooled,
        standard_error=distance * error,
        level=level,
        alternative=alternative,
        lower=lower,
        upper=upper,
        degrees_of_freedom=degrees,
        cautions=cautions,
    )
    yield BuiltInterval(interval, LOG_JACKKNIFE, None)


def explain_few_units(measured: MetricValues) -> str | None:
    """Return why so few units give no such interval, as part of a sentence; None if they do."""
    left_out, layout = measured.left_out, measured.layout
    if left_out is None or len(left_out) >= FEWEST_LEFT_OUT:
        return None
    units = "instances" if layout.cluster is None else layout.words.clusters
    return (
        f"it would rest on {len(left_out)} {units}, and with fewer than {FEWEST_LEFT_OUT} it "
        "covers too rarely"
    )
