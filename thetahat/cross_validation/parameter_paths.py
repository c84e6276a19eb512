"""Learners that differ in a single parameter, run together over the splits of a scheme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from thetahat.cross_validation.fast_path import LEARNS_TO_PREPARE, build_part
from thetahat.cross_validation.learner_groups import Group, get_bare_learner
from thetahat.cross_validation.leave_one_out import SingleRowPredictions, get_left_out_predictor
from thetahat.cross_validation.outcomes import (
    Outcomes,
    SplitOutcome,
    SplitTable,
    describe_single_rows,
    describe_splits,
    join_outcomes,
    replace_outcomes,
)
from thetahat.cross_validation.predicted_rows import PredictedRows, PredictedRowsBuilder
from thetahat.cross_validation.row_coordinates import rotate_wide_features
from thetahat.cross_validation.runner import run_splits
from thetahat.cross_validation.stateless_steps import apply_stateless_steps
from thetahat.errors import EvaluationError
from thetahat.learners.base import OrdinaryFit, OverPath
from thetahat.losses.base import Loss
from thetahat.schemes.base import LeaveOneOutSplits, Split
from thetahat.tables.data import Data

_MAX_VALUES: Final = 8_000_000
"""Largest number of predicted values of all learners, and of row numbers, in one batch."""


def run_path(  # noqa: PLR0913 - as run_splits
    group: Group,
    data: Data,
    splits: Iterable[Split],
    loss: Loss,
    seed: int,
    *,
    keep_predictions: bool = False,
) -> dict[str, Sequence[SplitOutcome] | EvaluationError]:
    """Run the learners of a group over splits; each outcome is that of ``run_splits`` to 1e-8.

    The last digits differ because sums are computed in another order. As for ``run_splits``, an
    outcome depends on the seed, the names, the data and the split, and here also on the other
    learners of the group, but not on the other splits. Where the path has no usable values for a
    learner and a split, the learner is run on that split alone. They are by name, in the group's
    order: the outcomes of all splits, or the exception that ``run_splits`` raises. An exception of
    one learner does not stop the others.
    """
    prepared = [apply_stateless_steps(learner, data) for learner in group.learners]
    group = replace(group, learners=tuple(learner for learner, _ in prepared))
    _, data = prepared[0]
    data = rotate_wide_features(group.learners[0], data)
    run = _Run(group, data, loss, seed, keep_predictions=keep_predictions)
    if len(group.names) == 1:
        return {group.names[0]: run.run_alone(0, splits)}
    is_path = get_bare_learner(group.learners[0]) is group.learners[0]
    shared = _build_for_all_rows(group, data) if is_path else LEARNS_TO_PREPARE
    if isinstance(shared, OrdinaryFit):
        reusable = splits if isinstance(splits, LeaveOneOutSplits) else list(splits)
        return {name: run.run_alone(at, copy(reusable)) for at, name in enumerate(group.names)}
    parts: dict[str, list[Sequence[SplitOutcome]]] = {name: [] for name in group.names}
    errors: dict[str, EvaluationError] = {}
    for batch in run.predict_batches(shared, splits):
        for name, result in zip(group.names, run.finish_batch(batch, errors), strict=True):
            if isinstance(result, EvaluationError):
                errors[name] = result
            else:
                parts[name].append(result)
    return {
        name: errors.get(name) or (batches[0] if len(batches) == 1 else join_outcomes(batches))
        for name, batches in parts.items()
    }


@lru_cache(maxsize=2)
def _build_for_all_rows(group: Group, data: Data) -> OverPath | OrdinaryFit:
    first: Any = group.learners[0]
    with np.errstate(all="ignore"):
        shared: OverPath | OrdinaryFit = first.over_path(
            group.values, data.features, data.y, weights=data.weight, n_classes=data.n_classes
        )
    return shared


@dataclass(frozen=True, slots=True, eq=False)
class _PathBatch:
    """A batch of splits, with predictions and losses of all learners for their test rows."""

    splits: SplitTable
    predicted: PredictedRows
    split_at: Callable[[int], Split]
    all_usable: np.ndarray = field(init=False)  # (L,) whether all rows of a learner are
    arrays: dict[str, Any] = field(init=False)  # (L, M, ...) losses and predictions

    def __post_init__(self) -> None:
        arrays = self.predicted.list_arrays()
        del arrays["usable"]
        object.__setattr__(self, "arrays", arrays)
        object.__setattr__(self, "all_usable", self.predicted.usable.all(axis=1))

    def list_unusable(self, learner: int) -> list[int]:
        """Return the positions of the splits that the learner has to be run on alone."""
        rows = np.flatnonzero(~self.predicted.usable[learner])
        positions = np.searchsorted(self.splits.ends, rows, side="right")
        return [int(position) for position in np.unique(positions)]


@dataclass(frozen=True, slots=True)
class _Run:
    """One call of ``run_path``."""

    group: Group
    data: Data
    loss: Loss
    seed: int
    keep_predictions: bool

    def run_alone(
        self, at: int, splits: Iterable[Split]
    ) -> Sequence[SplitOutcome] | EvaluationError:
        """Run one learner of the group with ``run_splits``."""
        try:
            return run_splits(
                self.group.names[at],
                self.group.learners[at],
                self.data,
                splits,
                self.loss,
                self.seed,
                keep_predictions=self.keep_predictions,
            )
        except EvaluationError as error:
            return error

    def finish_batch(
        self, batch: _PathBatch, errors: Mapping[str, EvaluationError]
    ) -> Iterator[Outcomes | EvaluationError]:
        """Yield each learner's outcomes, or the exception of a learner that failed before."""
        names = tuple(batch.arrays)
        all_usable = batch.all_usable.tolist()
        for at, values in enumerate(zip(*batch.arrays.values(), strict=True)):
            arrays = dict(zip(names, values, strict=True))
            error = errors.get(self.group.names[at]) if errors else None
            if error is not None:
                yield error
            elif all_usable[at]:
                yield Outcomes(splits=batch.splits, **arrays)
            else:
                yield self._replace_unusable(at, batch, arrays)

    def _replace_unusable(
        self, at: int, batch: _PathBatch, arrays: Mapping[str, Any]
    ) -> Outcomes | EvaluationError:
        """Return one learner's outcomes, after running it alone where values are not usable."""
        positions = batch.list_unusable(at)
        outcomes = self.run_alone(at, map(batch.split_at, positions))
        if isinstance(outcomes, EvaluationError):
            return outcomes
        replacements = dict(zip(positions, outcomes, strict=True))
        return replace_outcomes(
            batch.splits, arrays, replacements, keep_predictions=self.keep_predictions
        )

    def predict_batches(self, shared: OverPath, splits: Iterable[Split]) -> Iterator[_PathBatch]:
        """Yield the predicted splits in batches of limited size."""
        predictor = get_left_out_predictor(shared)
        most = _MAX_VALUES // (len(self.group.names) * max(1, self.data.n_classes))
        if isinstance(splits, LeaveOneOutSplits) and predictor is not None:
            n_learners, step = len(self.group.names), max(1, most)
            single_rows = SingleRowPredictions(
                predictor, self.data, self.loss, n_learners=n_learners, keep=self.keep_predictions
            )
            for first in range(0, len(splits.rows), step):
                rows = splits.rows[first : first + step]
                split_at = partial(_leave_out, splits, rows)
                yield _PathBatch(
                    describe_single_rows(splits.n, rows), single_rows.predict(rows), split_at
                )
            return
        batch: list[Split] = []
        n_listed = n_test = 0
        for split in splits:
            batch.append(split)
            n_listed, n_test = n_listed + split.n_listed, n_test + len(split.test)
            if n_test > most or n_listed > _MAX_VALUES:
                yield self._predict_splits(shared, batch)
                batch, n_listed, n_test = [], 0, 0
        if batch:
            yield self._predict_splits(shared, batch)

    def _predict_splits(self, shared: OverPath, splits: list[Split]) -> _PathBatch:
        parts = [build_part(split, self.data.n) for split in splits]
        table = describe_splits(splits)
        builder = PredictedRowsBuilder(
            len(self.group.names), len(table.test), keep=self.keep_predictions
        )
        with np.errstate(all="ignore"):
            predicted = zip(parts, shared.predict_all(parts), strict=True)
            for part, (predictions, usable) in predicted:
                y = self.data.y[part.test]
                builder.append_predictions(predictions, usable[:, None], y, self.loss)
        return _PathBatch(table, builder.build(), splits.__getitem__)


def _leave_out(splits: LeaveOneOutSplits, rows: range, at: int) -> Split:
    return splits.build_split_without(rows[at])
