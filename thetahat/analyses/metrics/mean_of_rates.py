"""The interval of a metric that is the mean of the shares of several classes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np

from thetahat.analyses.groups.intervals import estimate_rate
from thetahat.analyses.losses.recommendation import BuiltInterval
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.cautions import Caution
from thetahat.distributions import compute_tail_probability, compute_upper_quantile
from thetahat.intervals.base import Interval, drop_open_end
from thetahat.numerics.mean_of_rates import find_lower_mean
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.traits import Recommendation
from thetahat.values.types import Alternative, BlockKind, FloatArray, MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED
from thetahat.variances.base import VarianceEstimate

MEAN_OF_RATES: Final = MethodInfo(
    name="mean_of_rates",
    title="Score interval for a mean of rates",
    summary=(
        "The means of the rates of all classes that a score test does not reject, each rate with "
        "the rows of its class. A class without an error keeps its uncertainty, which a standard "
        "error of the mean leaves out: of five groups of 100 rows, ten of them positive, all five "
        "intervals on that covered in .58 of the samples. Rows in clusters count as the "
        "independent rows that they are worth, and the quantile is that of t."
    ),
    formula=r"\{\theta : |\hat\theta - \theta| \le z \sqrt{V(\theta)}\}",
    references=("martinandres2011", "korn1998"),
    recommended=(Recommendation(blocks=EVERY_BLOCK_KIND, target=Target.THESE_MODELS, own=8),),
)


def build_mean_of_rates(
    measured: MetricValues,
    over_clusters: VarianceEstimate | None,
    level: float,
    alternative: Alternative,
) -> Iterator[BuiltInterval]:
    """Yield the interval of the pooled value; none of a metric of another kind.

    ``over_clusters`` is the variance of the pooled value over clusters; None for independent rows.
    """
    layout = measured.layout
    classes = _count_classes(measured)
    if classes is None or (layout.cluster is not None and over_clusters is None):
        return
    shares, sizes = classes
    weights = np.full(len(shares), 1 / len(shares))
    variance = float((weights**2 * shares * (1 - shares) / sizes).sum())
    degrees: float | None = None
    cautions: tuple[Caution, ...] = ()
    if over_clusters is not None:
        degrees, cautions = over_clusters.degrees_of_freedom, over_clusters.cautions
        if variance > 0:
            beyond = max(1.0, float(over_clusters.value) / variance)
            sizes, variance = sizes / beyond, variance * beyond
    elif not layout.has_fixed_models:
        cautions = (TRAINING_IGNORED,)
    q = compute_upper_quantile(compute_tail_probability(level, alternative), degrees)
    lower = find_lower_mean(shares, sizes, weights, q)
    upper = 1 - find_lower_mean(1 - shares, sizes, weights, q)
    ends = drop_open_end(lower, upper, alternative)
    interval = Interval(
        method=MEAN_OF_RATES.name,
        variance=None,
        target=Target.THESE_MODELS,
        mean=MeanKind.POOLED,
        estimate=measured.pooled,
        standard_error=math.sqrt(variance) or None,
        level=level,
        alternative=alternative,
        lower=ends[0],
        upper=ends[1],
        degrees_of_freedom=degrees,
        cautions=cautions,
    )
    yield BuiltInterval(interval, MEAN_OF_RATES, None)


def _count_classes(measured: MetricValues) -> tuple[FloatArray, FloatArray] | None:
    """Return the share of each class and its rows; of rows in clusters, what they are worth.

    An instance that several repeats test has the average of its rows. The design effect of a class
    is that of ``estimate_rate``, and a class whose rows are of one cluster counts as one row.

    Degenerate cases: None of a metric of another kind, and of subsamples, whose classes differ.
    """
    hits, strata, layout = measured.hits, measured.strata, measured.layout
    if hits is None or strata is None or math.isnan(measured.pooled):
        return None
    cluster = layout.cluster
    if not layout.has_one_row_each:
        if layout.instance is None or layout.kind is BlockKind.SUBSAMPLES:
            return None
        first = np.unique(layout.instance, return_index=True)[1]
        hits = np.bincount(layout.instance, weights=hits) / np.bincount(layout.instance)
        strata = strata[first]
        cluster = None if cluster is None else cluster[first]
    shares, sizes = [], []
    for code in np.unique(strata):
        rows = strata == code
        rate = estimate_rate(hits[rows], None if cluster is None else cluster[rows], None)
        shares.append(float(hits[rows].mean()))
        sizes.append(1.0 if rate is None else rate.n / rate.design_effect)
    return np.array(shares), np.array(sizes)
