"""One learner, fitted and tested on splits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.cross_validation.fast_path import predict_split, prepare_fast_path
from thetahat.cross_validation.leave_one_out import (
    SingleRowPredictions,
    get_left_out_predictor,
    is_leave_one_out,
)
from thetahat.cross_validation.outcomes import (
    PREDICTION_FIELDS,
    Outcomes,
    SplitOutcome,
    as_outcomes,
    describe_single_rows,
    replace_outcomes,
)
from thetahat.cross_validation.row_coordinates import rotate_wide_features
from thetahat.cross_validation.split_batches import SplitPrediction, run_in_batches
from thetahat.cross_validation.stateless_steps import apply_stateless_steps
from thetahat.errors import EvaluationError, LearnerFailed
from thetahat.learners.base import Learner, OrdinaryFit
from thetahat.losses.base import Loss, Predictions
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.schemes.base import LeaveOneOutSplits, Split
from thetahat.seeds import make_random_stream
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import FloatArray

_INSTANCE_ARGUMENTS = frozenset({"y", "predictions", "probabilities", "scores"})
"""Arguments of a loss that have a value for each instance; `error.loc` ends with its position."""


def run_splits(  # noqa: PLR0913 - the six things a number depends on, and what to keep
    name: str,
    learner: Learner,
    data: Data,
    splits: Iterable[Split],
    loss: Loss,
    seed: int,
    *,
    keep_predictions: bool = False,
) -> Sequence[SplitOutcome]:
    """Fit the learner on each training part and compute its losses on each test part.

    The outcome of a split depends on the seed, the learner's name, the data and the split alone, so
    the splits may be run in any number of batches, in any order. A learner with a fast path
    predicts a split from quantities that all splits share, where that is as good as a fit;
    ``fit_reason`` of an outcome says why it was fitted instead.

    Parameters
    ----------
    name : str
        The name of the learner in the request; part of its random stream.
    splits : iterable of Split
        Read one at a time, or in batches if the learner predicts many splits in one call.
    keep_predictions : bool
        Whether outcomes have predictions beside losses.

    Raises
    ------
    LearnerFailed
        The learner raised an exception, or returned predictions of the wrong shape or with a loss
        that is not finite.
    EvaluationError
        The learner refused its training part. Messages name the learner and the split.
    """
    learner, data = apply_stateless_steps(learner, data)
    data = rotate_wide_features(learner, data)
    shared = prepare_fast_path(learner, data)
    predictor = get_left_out_predictor(shared)
    single_rows = (
        None
        if predictor is None
        else SingleRowPredictions(predictor, data, loss, keep=keep_predictions)
    )

    def run_split(split: Split, prediction: SplitPrediction = None) -> SplitOutcome:
        if prediction is None and single_rows is not None and is_leave_one_out(split, data.n):
            row = int(split.test[0])
            predicted = single_rows.predict(range(row, row + 1))
            if predicted.usable[0, 0]:
                return _build_outcome(split, predicted.select_learner(0))
        return predict_or_fit(split, prediction)

    def predict_or_fit(split: Split, prediction: SplitPrediction = None) -> SplitOutcome:
        if prediction is None:
            prediction = predict_split(shared, split, data.n)
        return _run_split(
            name, learner, data, split, loss, seed, prediction, keep_predictions=keep_predictions
        )

    if single_rows is not None and isinstance(splits, LeaveOneOutSplits):
        return _run_single_rows(
            single_rows, splits, predict_or_fit, keep_predictions=keep_predictions
        )
    if isinstance(shared, OrdinaryFit):
        return [run_split(split) for split in splits]
    return run_in_batches(
        shared.predict_all,
        splits,
        data,
        loss,
        run_split,
        predict_single_rows=single_rows is None,
        keep_predictions=keep_predictions,
    )


def _run_single_rows(
    single_rows: SingleRowPredictions,
    splits: LeaveOneOutSplits,
    run_split: Callable[[Split], SplitOutcome],
    *,
    keep_predictions: bool,
) -> Outcomes:
    """Return the outcomes of leave-one-out splits; unusable ones come from ``run_split``."""
    rows = splits.rows
    if not rows:
        return as_outcomes([])
    predicted = single_rows.predict(rows)
    run_alone = {
        int(at): run_split(splits.build_split_without(rows[at]))
        for at in np.flatnonzero(~predicted.usable[0])
    }
    table = describe_single_rows(splits.n, rows)
    arrays = predicted.select_learner(0)
    return replace_outcomes(table, arrays, run_alone, keep_predictions=keep_predictions)


def _build_outcome(split: Split, fields: Mapping[str, Any]) -> SplitOutcome:
    """Return the outcome of a split with these losses, predictions and so on."""
    return SplitOutcome(
        repeat=split.repeat,
        block=split.block,
        label=split.label,
        n_train=split.n_train,
        test=split.test,
        **fields,
    )


def describe_position(name: str, split: Split, source: np.ndarray | None = None) -> str:
    """Return a learner and a split in words: ``learner 'nb', repeat 0, block 3 (source 'dvd')``."""
    position = f"Learner {name!r}, repeat {split.repeat}, block {split.block}"
    if split.label == split.block:
        return position
    is_source = source is not None and bool(np.all(source[split.test] == split.label))
    return f"{position} ({'source ' if is_source else ''}{split.label!r})"


def _run_split(  # noqa: PLR0913 - as run_splits
    name: str,
    learner: Learner,
    data: Data,
    split: Split,
    loss: Loss,
    seed: int,
    prediction: Predictions | OrdinaryFit,
    *,
    keep_predictions: bool,
) -> SplitOutcome:
    """Return the outcome of a split, which is fitted if there is a reason for it."""
    cautions: list[Caution] = []
    try:
        if isinstance(prediction, OrdinaryFit):
            rng = make_random_stream(seed, f"fit:{name}", split.repeat, split.block)
            predictions = _fit_and_predict(learner, data, split, rng, cautions)
        else:
            predictions = prediction
        _check_shapes(predictions, data, len(split.test))
        losses = loss.losses(data.y[split.test], predictions)
    except EvaluationError as error:
        position = describe_position(name, split, data.source) + _describe_row(error, split)
        located = type(error)(f"{position}: {error.message}", loc=error.loc, value=error.value)
        raise located from error
    _check_finite(losses, split, lambda: describe_position(name, split, data.source))
    kept = {
        field: getattr(predictions, field) if keep_predictions else None
        for field in PREDICTION_FIELDS
    }
    reason = prediction.reason if isinstance(prediction, OrdinaryFit) else None
    fields = {**kept, "losses": losses, "cautions": tuple(cautions), "fit_reason": reason}
    return _build_outcome(split, fields)


def _fit_and_predict(
    learner: Learner,
    data: Data,
    split: Split,
    rng: np.random.Generator,
    cautions: list[Caution],
) -> Predictions:
    """Fit and predict; the cautions of the learner and its warnings are added to ``cautions``."""
    warnings: list[Caution] = []
    with catch_failures(learner.info.name, warnings):
        fitted = learner.fit(
            data.features.rows(split.train),
            data.y[split.train],
            weights=None if data.weight is None else data.weight[split.train],
            n_classes=data.n_classes,
            rng=rng,
        )
        predictions = fitted.predict(data.features.rows(split.test))
    cautions += [*getattr(fitted, "cautions", ()), *warnings]
    return predictions


def _describe_row(error: EvaluationError, split: Split) -> str:
    """Return the row of the data that an error of a loss is about, or an empty text."""
    is_of_instance = error.loc and error.loc[0] in _INSTANCE_ARGUMENTS
    at = error.loc[-1] if is_of_instance else None
    return f", row {split.test[at]}" if isinstance(at, int) else ""


def _check_shapes(predictions: Predictions, data: Data, n_test: int) -> None:
    if predictions.output.shape != (n_test,):
        raise LearnerFailed(
            f"The predictions have shape {predictions.output.shape} for {n_test} instances."
        )
    probabilities = predictions.probabilities
    if (
        data.task == CLASSIFICATION
        and probabilities is not None
        and probabilities.shape != (n_test, data.n_classes)
    ):
        raise LearnerFailed(
            f"The probabilities have shape {probabilities.shape} for {n_test} instances and "
            f"{data.n_classes} classes."
        )


def _check_finite(losses: FloatArray, split: Split, describe: Callable[[], str]) -> None:
    is_bad = ~np.isfinite(losses)
    if is_bad.any():
        at = int(np.argmax(is_bad))
        loss = "not a number" if np.isnan(losses[at]) else "infinite"
        raise LearnerFailed(
            f"{describe()}: the loss of row {split.test[at]} is {loss}: the prediction is not "
            "finite or is too large.",
            value=str(losses[at]),
        )
