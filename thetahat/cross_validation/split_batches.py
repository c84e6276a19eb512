"""Batches of splits that a learner predicts in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from typing import Any, Final

import numpy as np

from thetahat.cross_validation.fast_path import build_part, require_finite
from thetahat.cross_validation.leave_one_out import is_leave_one_out
from thetahat.cross_validation.outcomes import (
    Outcomes,
    SplitOutcome,
    as_outcomes,
    describe_splits,
    join_outcomes,
    replace_outcomes,
)
from thetahat.cross_validation.predicted_rows import PredictedRowsBuilder
from thetahat.learners._training_parts import concatenate_predictions
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.losses.base import Loss, Predictions
from thetahat.schemes.base import Split
from thetahat.tables.data import Data

_MAX_ROW_NUMBERS: Final = 5_000_000
"""Largest number of row numbers of the splits of one batch: 40 megabytes."""

PredictAll = Callable[[Sequence[Part]], list[Predictions | OrdinaryFit]]
SplitPrediction = Predictions | OrdinaryFit | None
"""The prediction of a split, or the reason why the learner has to be fitted on it; None for a
leave-one-out split that was not predicted here."""


def run_in_batches(  # noqa: PLR0913 - functions that predict and run a split, and their arguments
    predict_all: PredictAll,
    splits: Iterable[Split],
    data: Data,
    loss: Loss,
    run_split: Callable[[Split, SplitPrediction], SplitOutcome],
    *,
    predict_single_rows: bool,
    keep_predictions: bool,
) -> Outcomes:
    """Return the outcomes of splits that are predicted batch by batch.

    Parameters
    ----------
    run_split : callable
        Runs a single split from its prediction. It is called for splits that need a fit, that the
        loss refuses or that have values that are not finite.
    predict_single_rows : bool
        Whether ``predict_all`` predicts leave-one-out splits too; else ``run_split`` runs them.
    """
    results = []
    for batch, predictions in predict_in_batches(
        predict_all, splits, data.n, predict_single_rows=predict_single_rows
    ):
        usable, arrays = _collect_usable(batch, predictions, data, loss, keep=keep_predictions)
        run_alone = {
            at: run_split(batch[at], _check_prediction(predictions[at]))
            for at in np.flatnonzero(~usable).tolist()
        }
        if len(run_alone) == len(batch):
            results.append(as_outcomes(list(run_alone.values())))
        else:
            table = describe_splits(batch)
            results.append(
                replace_outcomes(table, arrays, run_alone, keep_predictions=keep_predictions)
            )
    return join_outcomes(results)


def predict_in_batches(
    predict_all: PredictAll, splits: Iterable[Split], n: int, *, predict_single_rows: bool = False
) -> Iterator[tuple[list[Split], list[SplitPrediction]]]:
    """Yield batches of splits of ``n`` rows with the prediction of each split."""
    for batch in divide_splits(splits):
        selected = [predict_single_rows or not is_leave_one_out(split, n) for split in batch]
        with np.errstate(all="ignore"):
            parts = [build_part(split, n) for split in compress(batch, selected)]
            predictions = iter(predict_all(parts))
        yield batch, [next(predictions) if is_selected else None for is_selected in selected]


def divide_splits(splits: Iterable[Split]) -> Iterator[list[Split]]:
    """Yield the splits in batches, so that their row numbers do not fill the memory."""
    batch: list[Split] = []
    n_listed = 0
    for split in splits:
        batch.append(split)
        n_listed += split.n_listed
        if n_listed >= _MAX_ROW_NUMBERS:
            yield batch
            batch, n_listed = [], 0
    if batch:
        yield batch


def _collect_usable(
    splits: Sequence[Split],
    predictions: Sequence[SplitPrediction],
    data: Data,
    loss: Loss,
    *,
    keep: bool,
) -> tuple[np.ndarray, dict[str, Any]]:
    """Return (J,) whether each split has usable predictions, and the losses and predictions."""
    complete = [
        prediction
        if isinstance(prediction, Predictions) and prediction.output.shape == split.test.shape
        else None
        for split, prediction in zip(splits, predictions, strict=True)
    ]
    usable = np.array([prediction is not None for prediction in complete], dtype=np.bool_)
    if not usable.any():
        return usable, {}
    sizes = np.array([len(split.test) for split in splits])
    rows = np.concatenate([split.test for split in compress(splits, usable)])
    builder = PredictedRowsBuilder(1, len(rows), keep=keep)
    all_predictions = concatenate_predictions([prediction for prediction in complete if prediction])
    builder.append_predictions(all_predictions, np.ones((1, 1), dtype=np.bool_), data.y[rows], loss)
    predicted = builder.build()
    arrays = predicted.select_learner(0)
    if not usable.all():
        is_predicted = np.repeat(usable, sizes)
        arrays = {name: _fill_rows(part, is_predicted) for name, part in arrays.items()}
    if not predicted.usable.all():
        usable_rows = _fill_rows(predicted.usable[0], np.repeat(usable, sizes))
        n_usable = np.add.reduceat(usable_rows, np.cumsum(sizes) - sizes, dtype=np.intp)
        usable &= n_usable == sizes
    return usable, arrays


def _fill_rows(part: np.ndarray, is_filled: np.ndarray) -> np.ndarray:
    """Return an array with the rows of ``part`` where ``is_filled``, and 0 elsewhere."""
    array = np.zeros((len(is_filled), *part.shape[1:]), dtype=part.dtype)
    array[is_filled] = part
    return array


def _check_prediction(prediction: SplitPrediction) -> SplitPrediction:
    """Return the prediction, or the reason for a fit if values are not finite."""
    return None if prediction is None else require_finite(prediction)
