"""What is true of a metric: the values of fitted models on fresh rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.metrics.metric_values import Measured
from thetahat.analyses.metrics.predictions import judged_from
from thetahat.analyses.studies.row_subsets import select_rows
from thetahat.analyses.studies.truths import FITTED, MODEL, NEW_FITTED, NEW_MODEL, StudyLearner
from thetahat.cross_validation.outcomes import SplitOutcome
from thetahat.metrics.base import Judged, Metric
from thetahat.schemes.base import Split
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray, MeanKind


@dataclass(frozen=True, slots=True, eq=False)
class Fresh:
    """A draw, and rows that stand for what it was drawn from.

    Parameters
    ----------
    data : Data
        The rows to learn from.
    rest : Data
        Fresh rows; of the same sources, where blocks are sources.
    outside : Data or None
        Fresh rows of as many sources that were not drawn; None where blocks are no sources.
    """

    data: Data
    rest: Data
    outside: Data | None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrueValues:
    """A metric of the models of one learner, or the difference of two learners.

    Parameters
    ----------
    splits : ndarray of float
        (J,) of each split's model; NaN where undefined.
    pooled : float
        Of what a repeat's models say together, averaged over repeats.
    model : tuple of float
        Of the model learnt from all rows: macro, the average over sources, and pooled.
    new_splits : ndarray of float or None
        (J,) of each split's model on one new source.
    new_model : float
        Of the model learnt from all rows, averaged over new sources.
    """

    splits: FloatArray
    pooled: float
    model: tuple[float, float]
    new_splits: FloatArray | None = None
    new_model: float = float("nan")

    def minus(self, other: TrueValues) -> TrueValues:
        """Return this minus the other."""
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


def truths_by_mean(measured: Measured, true: TrueValues) -> dict[MeanKind, dict[str, float]]:
    """Return what is true of the macro and of the pooled estimate, by the truth's name.

    The macro one is over the splits that the estimate is over.
    """
    pooled = {FITTED: true.pooled, MODEL: true.model[1]}
    weights = measured.split_weights()
    if weights is None:
        return {MeanKind.POOLED: pooled}
    macro = {FITTED: _weighted(weights, true.splits), MODEL: true.model[0]}
    if true.new_splits is not None:
        macro |= {NEW_FITTED: _weighted(weights, true.new_splits), NEW_MODEL: true.new_model}
    return {MeanKind.MACRO: macro, MeanKind.POOLED: pooled}


def _weighted(weights: FloatArray, values: FloatArray) -> float:
    used = weights > 0
    return float(weights[used] @ values[used])


def true_values(
    metrics: Mapping[str, Metric], fitting: StudyLearner, fresh: Fresh, splits: Sequence[Split]
) -> dict[str, TrueValues]:
    """Measure the models of one learner on fresh rows, by metric."""
    rest, outside = fresh.rest, fresh.outside
    by_source = outside is not None
    whole = _judged(fitting, fresh.data, np.arange(fresh.data.n), (), rest)
    of_splits = [_of_split(fitting, fresh.data, split, rest, own=by_source) for split in splits]
    repeats = sorted({split.repeat for split in splits})
    pooled = [
        _together([one for one, s in zip(of_splits, splits, strict=True) if s.repeat == repeat])
        for repeat in repeats
    ]
    parts = _by_source(whole, rest) if by_source else [whole]
    new_splits: list[Judged] = []
    new_parts: list[Judged] = []
    if outside is not None:
        for split, rows in zip(splits, _rows_by_source(outside), strict=True):
            on = select_rows(outside, rows)
            place = (split.repeat, split.block)
            new_splits.append(_judged(fitting, fresh.data, split.train, place, on))
        told = _judged(fitting, fresh.data, np.arange(fresh.data.n), (), outside)
        new_parts = _by_source(told, outside)
    return {
        name: TrueValues(
            splits=_values(metric, of_splits),
            pooled=float(_values(metric, pooled).mean()),
            model=(float(_values(metric, parts).mean()), float(_values(metric, [whole])[0])),
            new_splits=_values(metric, new_splits) if by_source else None,
            new_model=float(_values(metric, new_parts).mean()) if by_source else float("nan"),
        )
        for name, metric in metrics.items()
    }


def _values(metric: Metric, every: Sequence[Judged]) -> FloatArray:
    return np.array([metric.statistic(one).value() for one in every])


def _judged(
    fitting: StudyLearner, data: Data, train: IntArray, place: Sequence[int], on: Data
) -> Judged:
    said = fitting.predictions(data, train, place, on)
    outcome = SplitOutcome(
        repeat=0,
        block=0,
        label=0,
        n_train=len(train),
        test=np.arange(on.n),
        losses=np.empty(0),
        output=said.output,
        probabilities=said.probabilities,
        scores=said.scores,
    )
    return judged_from([outcome], on, fitting.name)


def _of_split(fitting: StudyLearner, data: Data, split: Split, rest: Data, *, own: bool) -> Judged:
    """Return what one split's model says of fresh rows, or of those of its own source."""
    if own and data.source is not None and rest.source is not None:
        rest = select_rows(rest, np.flatnonzero(np.isin(rest.source, data.source[split.test])))
    return _judged(fitting, data, split.train, (split.repeat, split.block), rest)


def _by_source(judged: Judged, on: Data) -> list[Judged]:
    return [judged.rows(rows) for rows in _rows_by_source(on)]


def _rows_by_source(on: Data) -> list[IntArray]:
    code = np.unique(np.asarray(on.source), return_inverse=True)[1]
    return [np.flatnonzero(code == one) for one in range(int(code.max()) + 1)]


def _together(every: Sequence[Judged]) -> Judged:
    """Return what several models say, as one."""
    if len(every) == 1:
        return every[0]
    first, scores = every[0], [one.scores for one in every if one.scores is not None]
    return Judged(
        task=first.task,
        truth=np.concatenate([one.truth for one in every]),
        output=np.concatenate([one.output for one in every]),
        scores=np.concatenate(scores) if len(scores) == len(every) else None,
        classes=first.classes,
    )
