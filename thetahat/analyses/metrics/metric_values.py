"""The values of one metric of one model, or of its difference of two models, by row and split."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thetahat.analyses.metrics.bootstrap import MetricReplicates, draw_replicates
from thetahat.analyses.metrics.metric_variance import MetricVariance
from thetahat.analyses.metrics.units_without_error import UnitsWithoutError, select_parts
from thetahat.analyses.thresholds import NORMAL_SKEWNESS, SKEWED_TARGETS
from thetahat.metrics.base import Metric, MetricOfKinds, TruthAndPredictions, WeightedMetric
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, FloatArray, IntArray, MeanKind

UNDEFINED = float("nan")
"""The value of an undefined metric inside this package; results have null."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MetricValues:
    """The values of a metric over all rows and over each split, and the influence of each row."""

    layout: Layout
    """Splits, repeats, clusters."""
    pooled: float
    """Over all rows of a repeat, averaged over repeats; NaN where undefined."""
    pooled_parts: FloatArray
    """(n,) influence of each row on the pooled estimate, over the number of rows."""
    splits: FloatArray
    """(J,) of each split; NaN where undefined."""
    split_influence: FloatArray
    """(n,) influence of each row on its own split's metric; 0 where that is undefined."""
    strata: IntArray | None
    """(n,) codes of the groups within which the influence averages to 0 (classes, for DeLong's
    variance)."""
    ranked_classes: IntArray | None = None
    """(n,) codes of two classes, of a metric that ranks the instances of one among the others;
    None for other metrics."""
    agreeing_classes: IntArray | None = None
    """(n,) codes of two classes, of an agreement beyond chance; None for other metrics."""
    agreement: MetricOfKinds | None = None
    """That agreement, over all rows of the first repeat."""
    variance: MetricVariance
    """Name of the variance from the influence: ``DELONG`` or ``INFLUENCE``."""
    fold_influence: FloatArray | None = None
    """(n,) influence by which ``estimate_ledell`` replaces ``split_influence``; None for metrics
    that it is not for."""
    replicates: MetricReplicates | None = None
    """Values under the bootstrap; None where nothing can be resampled."""
    rows_without_error: UnitsWithoutError | None = None
    """All rows of the first repeat; None for a difference."""
    blocks_without_error: UnitsWithoutError | None = None
    """The blocks of the first repeat that have a value; None for a difference."""
    hits: FloatArray | None = None
    """(n,) whether a row counts, of a mean of shares of the ``strata``; None for other metrics and
    for a difference."""
    left_out: FloatArray | None = None
    """(U,) pooled value without each cluster, or each instance where there are none; None for
    metrics without such an interval, for a difference, and where rows are not matched."""
    rarer_share: float | None = None
    """Share of the rarer of two classes among the rows; None for a regression or more classes."""
    is_skewed: bool = False
    """Whether the targets are a regression's and clearly skewed."""

    @property
    def defined(self) -> np.ndarray:
        """(J,) whether a split has a value."""
        return ~np.isnan(self.splits)

    @property
    def macro(self) -> float:
        """The macro mean: the average over repeats of the average over splits that have a value."""
        weights = self.split_weights()
        if weights is None:
            return UNDEFINED
        known = self.defined
        return float(weights[known] @ self.splits[known])

    def split_weights(self) -> FloatArray | None:
        """Return the (J,) weights of splits in the macro mean; None if a repeat has no value."""
        repeat, known = self.layout.split_repeat, self.defined
        counts = np.bincount(repeat, weights=known)
        if counts.min() == 0:
            return None
        return np.asarray(known / counts[repeat] / len(counts))

    def macro_parts(self) -> FloatArray | None:
        """Return the (n,) influences of the rows on the macro mean; None where it is undefined."""
        weights = self.split_weights()
        if weights is None:
            return None
        return np.asarray(
            self.split_influence * (weights / self.layout.n_test)[self.layout.get_split_of_row()]
        )

    def minus(self, other: MetricValues) -> MetricValues:
        """Return the paired difference, this minus the other; all parts are linear."""
        both = self.defined & other.defined
        keep = both[self.layout.get_split_of_row()]
        replicates, fold_influence = None, None
        if self.fold_influence is not None and other.fold_influence is not None:
            fold_influence = self.fold_influence - other.fold_influence
        if self.replicates is not None and other.replicates is not None:
            replicates = self.replicates.minus(other.replicates)
        return replace(
            self,
            pooled=self.pooled - other.pooled,
            pooled_parts=self.pooled_parts - other.pooled_parts,
            splits=np.where(both, self.splits - other.splits, UNDEFINED),
            split_influence=np.where(keep, self.split_influence - other.split_influence, 0.0),
            fold_influence=fold_influence,
            replicates=replicates,
            rows_without_error=None,
            blocks_without_error=None,
            hits=None,
            left_out=None,
        )

    def count_degrees(self, mean: MeanKind) -> float | None:
        """Return the degrees of freedom of the variance within the smallest class.

        They are those of the pooled value, or of the macro mean, whose classes are those of each
        block. None for metrics that rank no instances of two classes.
        """
        counts = self.count_ranked(mean)
        return (
            None if counts is None else float(max(1, np.maximum(counts - 1, 0).sum(axis=0).min()))
        )

    def count_ranked(self, mean: MeanKind) -> FloatArray | None:
        """Return the (K, C) instances of each class of all rows, or of each block with a value.

        They are those of the first repeat; None as for ``count_degrees``.
        """
        layout, code = self.layout, self.ranked_classes
        if code is None:
            return None
        split = layout.get_split_of_row()
        kept = layout.split_repeat[split] == 0
        if mean is MeanKind.MACRO:
            kept &= self.defined[split]
        place = split[kept] if mean is MeanKind.MACRO else np.zeros(int(kept.sum()), dtype=np.intp)
        counts = np.zeros((int(place.max(initial=0)) + 1, int(code.max()) + 1))
        np.add.at(counts, (place, code[kept]), 1)
        return counts[counts.any(axis=1)]


def choose_default_mean(metric: Metric, layout: Layout) -> MeanKind:
    """Return the mean to read first: pooled for a holdout, macro for sources, else the metric's."""
    if layout.kind is BlockKind.HOLDOUT:
        return MeanKind.POOLED
    return MeanKind.MACRO if layout.kind is BlockKind.SOURCE else metric.fold_mean


def choose_mean(metric: Metric, measured: MetricValues) -> MeanKind:
    """Return ``choose_default_mean``, or pooled if all splits of a repeat have no value."""
    undefined = measured.split_weights() is None
    return MeanKind.POOLED if undefined else choose_default_mean(metric, measured.layout)


def measure(
    metric: Metric,
    judged: TruthAndPredictions,
    layout: Layout,
    seed: int,
    *,
    has_replicates: bool = True,
) -> MetricValues:
    """Return the values of a metric for one model.

    Parameters
    ----------
    metric : Metric
        Already checked against the classes.
    judged : TruthAndPredictions
        Truth and predictions of all rows, in the layout's order.
    layout : Layout
        The layout; it must know its rows.
    seed : int
        Seed of the job. All models have the same resamples, so that differences are paired.
    has_replicates : bool
        Whether resamples are drawn.
    """
    rows_of_split = _list_rows_by_split(layout)
    statistics = [metric.statistic(judged.rows(rows)) for rows in rows_of_split]
    splits = np.array([statistic.value() for statistic in statistics])
    split_influence, fold_influence = np.zeros(layout.n_rows), np.full(layout.n_rows, np.nan)
    for rows, statistic, value in zip(rows_of_split, statistics, splits, strict=True):
        if not np.isnan(value):
            split_influence[rows] = statistic.influence()
            inside_fold = statistic.fold_influence()
            if inside_fold is not None:
                fold_influence[rows] = inside_fold
    rows_of_repeat = _list_rows_by_repeat(layout, rows_of_split)
    by_repeat: list[WeightedMetric] = (
        statistics
        if layout.n_splits == 1
        else [metric.statistic(judged.rows(rows)) for rows in rows_of_repeat]
    )
    values = [statistic.value() for statistic in by_repeat]
    pooled_parts = np.zeros(layout.n_rows)
    for rows, statistic, value in zip(rows_of_repeat, by_repeat, values, strict=True):
        if not np.isnan(value):
            pooled_parts[rows] = statistic.influence() / (len(rows) * len(values))
    strata = metric.strata(judged)
    is_agreement = metric.is_agreement and len(judged.classes) == 2
    agreement = by_repeat[0] if is_agreement and isinstance(by_repeat[0], MetricOfKinds) else None
    of_first_repeat = np.flatnonzero(layout.split_repeat == 0)
    first_splits = [rows_of_split[j] for j in of_first_repeat]
    first_statistics = [statistics[j] for j in of_first_repeat]
    measured = MetricValues(
        layout=layout,
        pooled=float(np.mean(values)),
        pooled_parts=pooled_parts,
        splits=splits,
        split_influence=split_influence,
        strata=strata,
        ranked_classes=_rank_classes(metric, judged, strata),
        agreeing_classes=None if agreement is None else judged.truth.astype(np.intp),
        agreement=agreement,
        variance=MetricVariance.INFLUENCE
        if strata is None or metric.uses != "scores"
        else MetricVariance.DELONG,
        fold_influence=None if np.isnan(fold_influence).any() else fold_influence,
        rows_without_error=select_parts(layout, rows_of_repeat[:1], by_repeat[:1]),
        blocks_without_error=select_parts(layout, first_splits, first_statistics),
        hits=metric.count_hits(judged),
        left_out=_leave_out(layout, rows_of_repeat, by_repeat),
        rarer_share=_compute_rarer_share(judged),
        is_skewed=has_skewed_targets(judged),
    )
    if not has_replicates:
        return measured
    macro = choose_mean(metric, measured) is MeanKind.MACRO
    parts = list(zip(rows_of_split, statistics, strict=True))
    if not macro:
        parts = list(zip(rows_of_repeat, by_repeat, strict=True))
    replicates = draw_replicates(metric, layout, parts, splits, seed)
    return replace(measured, replicates=replicates)


def _leave_out(
    layout: Layout, rows_of_repeat: Sequence[IntArray], by_repeat: Sequence[WeightedMetric]
) -> FloatArray | None:
    """Return the (U,) pooled value without each unit, averaged over repeats."""
    unit = layout.instance if layout.cluster is None else layout.cluster
    if unit is None:
        if not layout.has_one_row_each:
            return None
        unit = np.arange(layout.n_rows, dtype=np.intp)
    n_units = int(unit.max()) + 1
    of_repeats = [
        statistic.leave_out(unit[rows], n_units)
        for rows, statistic in zip(rows_of_repeat, by_repeat, strict=True)
    ]
    known = [values for values in of_repeats if values is not None]
    return np.asarray(np.mean(known, axis=0)) if known else None


def _rank_classes(
    metric: Metric, judged: TruthAndPredictions, strata: IntArray | None
) -> IntArray | None:
    if metric.uses != "scores" or (strata is None and len(judged.classes) > 2):
        return None
    return judged.truth.astype(np.intp) if strata is None else strata


def has_skewed_targets(judged: TruthAndPredictions) -> bool:
    """Return whether the targets of a regression are like the skewed ones of the studies."""
    if judged.task != "regression" or judged.n == 0:
        return False
    about = np.asarray(judged.truth, dtype=np.float64)
    about = about - about.mean()
    spread = float((about**2).mean()) ** 1.5
    limit = max(SKEWED_TARGETS, min(1.0, NORMAL_SKEWNESS * math.sqrt(6 / judged.n)))
    return bool(abs(float((about**3).mean())) > limit * spread)


def _compute_rarer_share(judged: TruthAndPredictions) -> float | None:
    if judged.task != "classification" or len(judged.classes) != 2 or judged.n == 0:
        return None
    first = int(np.count_nonzero(judged.truth == 0))
    return min(first, judged.n - first) / judged.n


def _list_rows_by_split(layout: Layout) -> list[IntArray]:
    starts = layout.starts
    assert starts is not None  # noqa: S101 - a layout of predictions has rows
    order = np.arange(layout.n_rows, dtype=np.intp) if layout.order is None else layout.order
    return [order[starts[j] : starts[j + 1]] for j in range(layout.n_splits)]


def _list_rows_by_repeat(layout: Layout, rows_of_split: list[IntArray]) -> list[IntArray]:
    """Return the rows of each repeat, in input order."""
    return [
        np.sort(
            np.concatenate([rows_of_split[j] for j in np.flatnonzero(layout.split_repeat == r)])
        )
        for r in range(layout.n_repeats)
    ]
