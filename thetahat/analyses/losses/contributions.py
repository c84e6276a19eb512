"""What independent units contribute to the means of all models, for joint distributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from thetahat.numerics.joint_distribution import UnitMoments
from thetahat.numerics.long_run_variance import choose_lags, make_bartlett_weights
from thetahat.values.batch_sizes import NUMBERS_IN_2_MB
from thetahat.values.block_losses import LossTable
from thetahat.values.types import BlockKind, FloatArray, Target
from thetahat.variances._times import sum_deviations_by_time


def list_unit_moments(table: LossTable, target: Target) -> list[UnitMoments]:
    """Return the moments of the contributions of independent units, and those of split means.

    The first are the units whose sampling the target is about: sources for a new source, otherwise
    clusters, or else instances. Where the rows are not known or cannot be matched, split means are
    all there is. Correlations of models are estimated from the first. Standard errors may be
    proportional to the spread of either.
    """
    means = UnitMoments.accumulate([_center_split_means(table)])
    layout = table.layout
    about_sources = layout.kind is BlockKind.SOURCE and target is Target.NEW_SOURCE
    if about_sources or not layout.has_rows or not layout.is_matched:
        return [means]
    if layout.time is not None:
        return [_accumulate_times(table), means]
    by_cluster = layout.cluster is not None
    chunks = _sum_by_cluster(table) if by_cluster else _yield_instances(table)
    return [UnitMoments.accumulate(chunks), means]


def _accumulate_times(table: LossTable) -> UnitMoments:
    """Return the moments of times that depend on their neighbours, by the weights of newey_west."""
    sums = np.stack([sum_deviations_by_time(one) for one in table.models.values()], axis=1)
    moments = UnitMoments.accumulate([sums])
    lags = choose_lags(len(sums))
    products = moments.products
    for lag, weight in enumerate(make_bartlett_weights(lags), start=1):
        crossed = sums[lag:].T @ sums[:-lag]
        products = products + weight * (crossed + crossed.T)
    return replace(moments, products=products)


def _center_split_means(table: LossTable) -> FloatArray:
    """Return the (J, k) split means minus the mean of each model."""
    means = np.stack([losses.moments.means for losses in table.models.values()], axis=1)
    return np.asarray(means - means.mean(axis=0))


def _yield_instances(table: LossTable) -> Iterator[FloatArray]:
    """Yield the deviations of the instances, in chunks of rows; sources have equal weights."""
    layout = table.layout
    if layout.kind is BlockKind.SOURCE and layout.n_repeats == 1:
        columns = [_deviate_from_sources(table, losses.rows) for losses in table.models.values()]
    else:
        columns = []
        for losses in table.models.values():
            instances = losses.compute_instance_means()
            columns.append(instances - instances.mean())
    step = max(1, NUMBERS_IN_2_MB // len(columns))
    for start in range(0, len(columns[0]), step):
        yield np.stack([column[start : start + step] for column in columns], axis=1)


def _sum_by_cluster(table: LossTable) -> Iterator[FloatArray]:
    """Yield the (C, k) sums of the deviations of the rows of each cluster."""
    layout = table.layout
    assert layout.cluster is not None  # noqa: S101 - the caller has seen them
    columns = []
    for losses in table.models.values():
        if layout.kind is BlockKind.SOURCE:
            deviations = _deviate_from_sources(table, losses.rows)
        else:
            deviations = losses.rows - losses.rows.mean()
        n_clusters = len(layout.cluster_labels)
        columns.append(np.bincount(layout.cluster, weights=deviations, minlength=n_clusters))
    yield np.stack(columns, axis=1)


def _deviate_from_sources(table: LossTable, rows: FloatArray) -> FloatArray:
    """Return deviations of the rows from the means of their splits.

    Those of M rows are divided by the root of M (M - 1), so that their sum of squares is V / M.
    """
    layout = table.layout
    split = layout.get_split_of_row()
    means = np.bincount(split, weights=rows) / layout.n_test
    n = layout.n_test
    divisor = np.sqrt(np.maximum(n * (n - 1), 1.0))
    return np.asarray((rows - means[split]) / divisor[split])
