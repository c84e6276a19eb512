"""True values of metrics: those of fitted models on fresh rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.metrics.metric_values import MetricValues
from thetahat.analyses.metrics.predictions import collect_predictions
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.analyses.studies.truths import FITTED, MODEL, NEW_FITTED, NEW_MODEL, StudyLearner
from thetahat.cross_validation.outcomes import SplitOutcome
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray, MeanKind


@dataclass(frozen=True, slots=True, eq=False)
class DrawWithFreshRows:
    """A draw, with fresh rows of the same population."""

    data: Data
    """The rows to learn from."""
    rest: Data
    """Fresh rows; from the same sources if blocks are sources."""
    outside: Data | None
    """Fresh rows of as many sources that were not drawn; None if blocks are not sources."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrueValues:
    """True values of a metric for the models of one learner, or for the difference of two."""

    splits: FloatArray
    """(J,) for the model of each split; NaN if undefined."""
    pooled: float
    """For the pooled predictions of the models of a repeat, averaged over repeats."""
    model: tuple[float, float]
    """For the model learnt from all rows: macro, the average over sources, and pooled."""
    new_splits: FloatArray | None = None
    """(J,) for the model of each split on one new source."""
    new_model: float = float("nan")
    """For the model learnt from all rows, averaged over new sources."""

    def minus(self, other: TrueValues) -> TrueValues:
        """Return the differences to another learner's values."""
        new = None
        if self.new_splits is not None and other.new_splits is not None:
            new = self.new_splits - other.new_splits
        return TrueValues(
            splits=self.splits - other.splits,
            pooled=self.pooled - other.pooled,
            model=(self.model[0] - other.model[0], self.model[1] - other.model[1]),
            new_splits=new,
            new_model=self.new_model - other.new_model,
        )


def collect_truths_by_mean(
    measured: MetricValues, true: TrueValues
) -> dict[MeanKind, dict[str, float]]:
    """Return the truths of the macro and of the pooled estimate, by the truth's name.

    The macro truth is an average over the same splits as the estimate.
    """
    pooled = {FITTED: true.pooled, MODEL: true.model[1]}
    weights = measured.split_weights()
    if weights is None:
        return {MeanKind.POOLED: pooled}
    macro = {FITTED: _compute_weighted_mean(weights, true.splits), MODEL: true.model[0]}
    if true.new_splits is not None:
        macro |= {
            NEW_FITTED: _compute_weighted_mean(weights, true.new_splits),
            NEW_MODEL: true.new_model,
        }
    return {MeanKind.MACRO: macro, MeanKind.POOLED: pooled}


def _compute_weighted_mean(weights: FloatArray, values: FloatArray) -> float:
    used = weights > 0
    return float(weights[used] @ values[used])


def compute_true_values(
    metrics: Mapping[str, Metric],
    learner: StudyLearner,
    drawn: DrawWithFreshRows,
    splits: Sequence[Split],
) -> dict[str, TrueValues]:
    """Return the true values of each metric for the models of one learner."""
    rest, outside = drawn.rest, drawn.outside
    by_source = outside is not None
    all_rows = np.arange(drawn.data.n)
    full_model = _predict(learner, drawn.data, all_rows, (), rest)
    of_splits = [
        _predict_split(learner, drawn.data, split, rest, own=by_source) for split in splits
    ]
    repeats = sorted({split.repeat for split in splits})
    pooled = [
        _pool([judged for judged, s in zip(of_splits, splits, strict=True) if s.repeat == repeat])
        for repeat in repeats
    ]
    parts = _split_by_source(full_model, rest) if by_source else [full_model]
    new_splits: list[TruthAndPredictions] = []
    new_parts: list[TruthAndPredictions] = []
    if outside is not None:
        for split, rows in zip(splits, _list_rows_by_source(outside), strict=True):
            on = select_rows(outside, rows)
            place = (split.repeat, split.block)
            new_splits.append(_predict(learner, drawn.data, split.train, place, on))
        predicted = _predict(learner, drawn.data, all_rows, (), outside)
        new_parts = _split_by_source(predicted, outside)
    return {
        name: TrueValues(
            splits=_compute_values(metric, of_splits),
            pooled=float(_compute_values(metric, pooled).mean()),
            model=(
                float(_compute_values(metric, parts).mean()),
                float(_compute_values(metric, [full_model])[0]),
            ),
            new_splits=_compute_values(metric, new_splits) if by_source else None,
            new_model=float(_compute_values(metric, new_parts).mean())
            if by_source
            else float("nan"),
        )
        for name, metric in metrics.items()
    }


def _compute_values(metric: Metric, predictions: Sequence[TruthAndPredictions]) -> FloatArray:
    return np.array([metric.statistic(judged).value() for judged in predictions])


def _predict(
    learner: StudyLearner, data: Data, train: IntArray, place: Sequence[int], on: Data
) -> TruthAndPredictions:
    """Return the predictions for the rows ``on`` by the model of a training part."""
    predictions = learner.predictions(data, train, place, on)
    outcome = SplitOutcome(
        repeat=0,
        block=0,
        label=0,
        n_train=len(train),
        test=np.arange(on.n),
        losses=np.empty(0),
        output=predictions.output,
        probabilities=predictions.probabilities,
        scores=predictions.scores,
    )
    return collect_predictions([outcome], on, learner.name)


def _predict_split(
    learner: StudyLearner, data: Data, split: Split, rest: Data, *, own: bool
) -> TruthAndPredictions:
    """Return the predictions of a split's model for fresh rows, or for those of its own source."""
    if own and data.source is not None and rest.source is not None:
        rest = select_rows(rest, np.flatnonzero(np.isin(rest.source, data.source[split.test])))
    return _predict(learner, data, split.train, (split.repeat, split.block), rest)


def _split_by_source(predictions: TruthAndPredictions, on: Data) -> list[TruthAndPredictions]:
    return [predictions.rows(rows) for rows in _list_rows_by_source(on)]


def _list_rows_by_source(on: Data) -> list[IntArray]:
    code = np.unique(np.asarray(on.source), return_inverse=True)[1]
    return [np.flatnonzero(code == source) for source in range(int(code.max()) + 1)]


def _pool(predictions: Sequence[TruthAndPredictions]) -> TruthAndPredictions:
    """Return the predictions of several models as one."""
    if len(predictions) == 1:
        return predictions[0]
    first = predictions[0]
    scores = [judged.scores for judged in predictions if judged.scores is not None]
    return TruthAndPredictions(
        task=first.task,
        truth=np.concatenate([judged.truth for judged in predictions]),
        output=np.concatenate([judged.output for judged in predictions]),
        scores=np.concatenate(scores) if len(scores) == len(predictions) else None,
        classes=first.classes,
    )
