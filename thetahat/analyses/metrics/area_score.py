"""The interval of an area under the ROC curve, by the variance that its limits would have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

import scipy

from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.intervals import build_logit, build_symmetric
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.analyses.metrics.metric_variance import MetricVariance
from thetahat.analyses.thresholds import FEWEST_ERRORS, FEWEST_NORMAL, POWER_OF_FLOOR
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, FloatArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate

AREA_SCORE: Final = MethodInfo(
    name="area_score",
    title="Score interval of an area under the ROC curve",
    summary=(
        "The areas that a score test does not reject, with the variance V that an area has in a "
        "model of exponential scores, times the factor r by which the variance of this area "
        "exceeds it. As few instances, or few errors, rarely show the variance that they have, r "
        "is at least the smaller of 1 and (30/k)^3, with k instances of the smaller class, or "
        "(3/e)^3, if the area is worth e errors. The logit interval is inside."
    ),
    formula=r"\Bigl\{\theta : |A - \theta| \le z \sqrt{r\, V(\theta)}\Bigr\}, \quad "
    r"V(\theta) = \frac{\theta (1 - \theta)}{m n} \Bigl[1 + h \frac{1 - \theta}{2 - \theta} "
    r"+ h \frac{\theta}{1 + \theta}\Bigr], \quad h = \frac{m + n}{2} - 1",
    references=("hanley1982", "newcombe2006"),
    recommended=(Recommendation(blocks=EVERY_BLOCK_KIND, target=Target.THESE_MODELS, own=8),),
)


def compute_model_variance(area: float, sizes: FloatArray) -> float:
    """Return the variance of the mean of K areas that are all this one.

    Parameters
    ----------
    area : float
        From 0 to 1.
    sizes : ndarray
        (K, 2) numbers of positives and of negatives.

    Source: newcombe2006 (method 5), after hanley1982.
    """
    half = sizes.sum(axis=1) / 2 - 1
    slope = (1 - area) / (2 - area) + area / (1 + area)
    of_each = area * (1 - area) / sizes.prod(axis=1) * (1 + half * slope)
    return float(of_each.sum()) / len(sizes) ** 2


def count_errors(place: float, variance: float) -> float:
    """Return the errors, or the hits if they are fewer, that a value between 0 and 1 is worth.

    They are those of a share of independent rows that has the same variance.
    """
    return place * (1 - place) * min(place, 1 - place) / variance


def find_score_ends(
    area: float, sizes: FloatArray, quantile: float, factor: float = 1.0
) -> tuple[float, float]:
    """Return the ends of the areas that are not rejected; with the factor 1 those of newcombe2006.

    The root of the variance times the quantile reaches from each end to the area.
    """

    def reject(end: float) -> float:
        return (area - end) ** 2 - quantile**2 * factor * compute_model_variance(end, sizes)

    lower = float(scipy.optimize.brentq(reject, 0.0, area)) if area > 0 else 0.0
    upper = float(scipy.optimize.brentq(reject, area, 1.0)) if area < 1 else 1.0
    return lower, upper


def build_area_score(
    measured: MetricValues,
    mean: MeanKind,
    variances: Mapping[str, VarianceEstimate],
    level: float,
    alternative: Alternative,
) -> Iterator[BuiltInterval]:
    """Yield the interval of one mean, on the variance over clusters where there are clusters.

    Its quantile is then that of t. None of a metric that is no area of two classes, where the area
    is 0 or 1, and where a class is missing.
    """
    if measured.variance is not MetricVariance.DELONG:
        return
    robust, delong = (
        kind.of_blocks if mean is MeanKind.MACRO else kind
        for kind in (MetricVariance.CLUSTER_ROBUST, MetricVariance.DELONG)
    )
    name = robust if robust in variances else delong
    variance = variances.get(name)
    on_variance = None if variance is None else build_symmetric(name, variance, level, alternative)
    if on_variance is None or on_variance.standard_error is None:
        return
    of_clusters, sizes = on_variance.degrees_of_freedom, measured.count_ranked(mean)
    degrees = measured.count_degrees(mean) if of_clusters is None else of_clusters
    logit = build_logit(on_variance, (0.0, 1.0), degrees)
    if logit is None or degrees is None or sizes is None:
        return
    area, square = on_variance.estimate, on_variance.standard_error**2
    few = max(FEWEST_NORMAL / (degrees + 1), FEWEST_ERRORS / count_errors(area, square))
    factor = max(min(1.0, few) ** POWER_OF_FLOOR, square / compute_model_variance(area, sizes))
    quantile = compute_upper_quantile(compute_tail_probability(level, alternative), of_clusters)
    ends = find_score_ends(area, sizes, quantile, factor)
    interval = replace(
        logit,
        method=AREA_SCORE.name,
        lower=None if logit.lower is None else min(logit.lower, ends[0]),
        upper=None if logit.upper is None else max(logit.upper, ends[1]),
    )
    yield BuiltInterval(interval, AREA_SCORE, None)
