"""Variances of a metric: from influence values, by cluster, between splits and sources."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from thetahat.analyses.metrics.cautions import (
    check_dependence,
    check_few_sources,
    check_small_classes,
    check_ties,
)
from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.analyses.metrics.metric_variance import MetricVariance
from thetahat.cautions import UNDEFINED_VARIANCE, ZERO_VARIANCE, Caution
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, FloatArray, IntArray, MeanKind, Target
from thetahat.variances._building import TRAINING_IGNORED
from thetahat.variances._clusters import (
    add_squares_of_clusters,
    check_few_clusters,
    weigh_all_clusters,
)
from thetahat.variances.base import VarianceEstimate

RESAMPLED = (BlockKind.RANDOM, BlockKind.SUBSAMPLES)
_ROUNDING = 64 * float(np.finfo(np.float64).eps) ** 2


def estimate_variances(measured: MetricValues) -> dict[str, VarianceEstimate]:
    """Return all variances of a metric that fit its layout, by name."""
    kind = measured.layout.kind
    estimates = dict(_estimate_for_these_models(measured))
    if kind in RESAMPLED:
        estimates.update(_estimate_nadeau_bengio(measured))
    if kind is BlockKind.SOURCE:
        estimates.update(_estimate_between_sources(measured))
    return estimates


def _estimate_for_these_models(measured: MetricValues) -> Iterator[tuple[str, VarianceEstimate]]:
    layout = measured.layout
    macro_parts = measured.macro_parts()
    several = layout.kind is not BlockKind.HOLDOUT
    name = measured.variance
    alone = (*check_dependence(layout), *check_small_classes(measured))
    if not math.isnan(measured.pooled):
        value = _estimate_over_instances(measured.pooled_parts, measured.strata, layout)
        yield name, _conclude(measured, MeanKind.POOLED, value, None, alone)
    if several and macro_parts is not None:
        value = _estimate_over_instances(macro_parts, _number_groups(measured), layout)
        yield name.of_blocks, _conclude(measured, MeanKind.MACRO, value, None, alone)
        if layout.kind in RESAMPLED:
            as_published = estimate_ledell(measured)
            if as_published is not None:
                tied = check_ties(as_published, estimate_ledell(measured, measured.split_influence))
                yield (
                    MetricVariance.LEDELL,
                    _conclude(measured, MeanKind.MACRO, as_published, None, tied),
                )
    if layout.cluster is not None:
        c = len(layout.cluster_labels)
        for kind, parts in (
            (MeanKind.POOLED, None if math.isnan(measured.pooled) else measured.pooled_parts),
            (MeanKind.MACRO, macro_parts if several else None),
        ):
            if parts is not None and c > 1:
                weights = weigh_all_clusters(layout)
                degrees = min(float(weights.degrees[0]), _count_clusters(measured, parts) - 1)
                sums = np.bincount(layout.cluster, weights=parts, minlength=c).astype(np.float64)
                value = add_squares_of_clusters(sums, weights)
                few = check_few_clusters(layout, degrees)
                robust = MetricVariance.CLUSTER_ROBUST
                name = robust.of_blocks if kind is MeanKind.MACRO else robust
                yield name, _conclude(measured, kind, value, degrees, few)


def _count_clusters(measured: MetricValues, parts: FloatArray) -> int:
    """Return the clusters that have the class which the fewest have, or any influence; 2 at least.

    A share of positives, an area or a kappa with all positives in four clusters is as uncertain as
    four clusters make it, however many others there are.
    """
    layout = measured.layout
    by_class = (measured.ranked_classes, measured.agreeing_classes, measured.strata)
    classes = next((codes for codes in by_class if codes is not None), None)
    assert layout.cluster is not None  # noqa: S101 - called with clusters alone
    rows = [parts != 0] if classes is None else [classes == each for each in np.unique(classes)]
    counts = [
        len(np.unique(layout.cluster[of_class])) for of_class in rows if parts[of_class].any()
    ]
    return max(2, min(counts, default=len(layout.cluster_labels)))


def sum_variance(parts: FloatArray, group: IntArray | None) -> float:
    r"""Variance of a sum of independent parts, with ddof 1 within each group.

    .. math:: \sum_g \frac{n_g}{n_g - 1} \sum_{i \in g} (u_i - \bar u_g)^2

    For the area under the ROC curve, with the two classes as groups, this is DeLong's variance:
    :math:`u_i = (V_i - A)/n_g`.

    Source: delong1988, hampel1974.

    Degenerate cases: NaN where a group has a single row.
    """
    if group is None:
        group = np.zeros(len(parts), dtype=np.intp)
    sizes = np.bincount(group)
    used = sizes > 0
    means = np.bincount(group, weights=parts) / np.maximum(sizes, 1)
    squares = np.bincount(group, weights=(parts - means[group]) ** 2)
    if sizes[used].min() < 2:
        return float("nan")
    factor = sizes[used] / (sizes[used] - 1)
    return float(factor @ squares[used])


def estimate_ledell(measured: MetricValues, influence: FloatArray | None = None) -> float | None:
    r"""Variance of the mean of the folds' areas under the ROC curve.

    .. math:: \frac1n \cdot \frac1V \sum_{v=1}^{V} \frac{1}{n_v} \sum_{i \in v} \mathrm{IC}_i^2

    with :math:`\mathrm{IC}_i` the share of its fold's negatives below a positive, minus the
    fold's area, times :math:`n/n_{pos}` of all rows, and likewise for negatives. With clusters
    that lie in one fold each, a cluster's sum of IC over the mean cluster size takes the place of
    a row's, and clusters are counted instead of rows.

    Source: ledell2015.

    Parameters
    ----------
    influence : ndarray of float or None
        (n,) influence within each fold; by default the metric's ``fold_influence``.

    Degenerate cases: None for several repeats, where clusters cross folds, and where a fold lacks
    a class: the source has no form for these.
    """
    layout, strata = measured.layout, measured.strata
    in_folds = measured.fold_influence if influence is None else influence
    if in_folds is None or strata is None or not layout.has_one_row_each:
        return None
    split = layout.get_split_of_row()
    n, v = layout.n_rows, layout.n_splits
    n_strata = int(strata.max()) + 1
    cell = split * n_strata + strata
    class_share = np.bincount(cell, minlength=v * n_strata)[cell] / layout.n_test[split]
    overall = np.bincount(strata)[strata] / n
    # the influence divides by the class share of the fold, the source by that of all rows
    of_row = in_folds * class_share / overall
    unit = layout.cluster
    if unit is None:
        mean_squares = np.bincount(split, weights=of_row**2, minlength=v) / layout.n_test
        return float(mean_squares.mean() / n)
    n_units = len(layout.cluster_labels)
    home = np.empty(n_units, dtype=np.intp)
    home[unit] = split
    if not np.array_equal(home[unit], split):
        return None
    sums = np.bincount(unit, weights=of_row, minlength=n_units) * n_units / n
    squares = np.bincount(home, weights=sums**2, minlength=v) / np.bincount(home, minlength=v)
    return float(squares.mean() / n_units)


def _estimate_over_instances(parts: FloatArray, group: IntArray | None, layout: Layout) -> float:
    """Return the variance over instances; an instance's rows in several repeats are summed first.

    Rows with a negative group are left out, because their split has no value.
    """
    if layout.has_one_row_each:
        if group is not None and group.min() < 0:
            parts, group = parts[group >= 0], group[group >= 0]
        return sum_variance(parts, group)
    if layout.instance is None:
        return float("nan")
    sums = np.bincount(layout.instance, weights=parts).astype(np.float64)
    return sum_variance(sums, None)


def _number_groups(measured: MetricValues) -> IntArray:
    """Return (n,) codes of the split, or of split and class; -1 for splits without a value."""
    layout, strata = measured.layout, measured.strata
    split = layout.get_split_of_row()
    code = split if strata is None else split * (int(strata.max()) + 1) + strata
    return np.where(measured.defined[split], code, -1)


def _estimate_nadeau_bengio(measured: MetricValues) -> Iterator[tuple[str, VarianceEstimate]]:
    layout = measured.layout
    ratio = layout.test_to_train_ratio
    j = layout.n_splits
    if not measured.defined.all() or ratio is None:
        return
    value = (1 / j + ratio) * float(measured.splits.var(ddof=1))
    yield (
        MetricVariance.NADEAU_BENGIO,
        _conclude(
            measured,
            MeanKind.MACRO,
            value,
            float(j - 1),
            target=Target.THESE_SOURCES,
            is_for_these_models=False,
        ),
    )


def _estimate_between_sources(measured: MetricValues) -> Iterator[tuple[str, VarianceEstimate]]:
    layout, known = measured.layout, measured.defined
    values, sizes = [], []
    for r in range(layout.n_repeats):
        of_repeat = measured.splits[known & (layout.split_repeat == r)]
        if len(of_repeat) < 2:
            return
        values.append(float(of_repeat.var(ddof=1)) / len(of_repeat))
        sizes.append(len(of_repeat))
    k = min(sizes)
    yield (
        MetricVariance.BETWEEN_SOURCES,
        _conclude(
            measured,
            MeanKind.MACRO,
            sum(values) / len(values),
            float(k - 1),
            check_few_sources(k, layout.words),
            target=Target.NEW_SOURCE,
            is_for_these_models=False,
        ),
    )


def _conclude(  # noqa: PLR0913 - one argument per field that a variance may set
    measured: MetricValues,
    mean: MeanKind,
    value: float,
    degrees_of_freedom: float | None,
    cautions: tuple[Caution, ...] = (),
    *,
    target: Target = Target.THESE_MODELS,
    is_for_these_models: bool = True,
) -> VarianceEstimate:
    if value <= _ROUNDING:
        value = 0.0
    if value == 0:
        cautions = (
            ZERO_VARIANCE(
                reason="nothing that it looks at varies",
                consequence="No interval or test is built on it.",
            ),
            *cautions,
        )
    if math.isnan(value):
        cautions = (UNDEFINED_VARIANCE(measured.layout.words), *cautions)
    if is_for_these_models and not measured.layout.has_fixed_models:
        cautions = (*cautions, TRAINING_IGNORED)
    return VarianceEstimate(
        value=value,
        target=target,
        mean=mean,
        estimate=measured.macro if mean is MeanKind.MACRO else measured.pooled,
        degrees_of_freedom=degrees_of_freedom,
        usable=value > 0,
        cautions=cautions,
    )
