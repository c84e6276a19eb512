"""One learner fitted and tested on a stretch of splits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.cross_validation.leave_one_out import OneLeftOut, leaves_one_out, one_left_out
from thetahat.cross_validation.many_splits import over_splits, predicted_at_once
from thetahat.cross_validation.outcomes import (
    Outcomes,
    SplitOutcome,
    gathered,
    one_row_each,
    with_others,
)
from thetahat.cross_validation.prepared import prepared_once
from thetahat.cross_validation.split_ranges import run_in_stretches
from thetahat.errors import EvaluationError, LearnerFailed
from thetahat.learners.base import Learner, OrdinaryFit
from thetahat.losses.base import Loss, Predictions
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat.schemes.base import OneRowEach, Split
from thetahat.seeds import stream
from thetahat.tables.data import CLASSIFICATION, Data
from thetahat.values.types import FloatArray

_OF_INSTANCES = frozenset({"y", "predictions", "probabilities", "scores"})
"""What a loss refuses by instance; the place ends with the instance's number."""


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
    """Fit on each training part and lose on each test part.

    What a split gives depends on the seed, the learner's name, the data and the split alone, so
    the splits may be run in any number of pieces, in any order. A learner that predicts every
    split from what all rows share does so where that is as good as a fit; ``why_plain`` of an
    outcome says why it did not.

    Parameters
    ----------
    name : str
        What the request calls the learner; part of its random stream.
    splits : iterable of Split
        Taken one at a time, or some at a time by a learner that predicts many in one pass.
    keep_predictions : bool
        Whether outcomes carry predictions besides losses.

    Raises
    ------
    LearnerFailed
        The learner raised, or gave predictions of the wrong shape or a loss that is not finite.
    EvaluationError
        The learner refused its training part, in its own words. Both name learner and split.
    """
    learner, data = prepared_once(learner, data)
    shared = over_splits(learner, data)
    alone = one_left_out(shared, data, loss, keep=keep_predictions)

    def one(split: Split, told: Predictions | OrdinaryFit | None = None) -> SplitOutcome:
        if told is None and alone is not None and leaves_one_out(split, data.n):
            row = int(split.test[0])
            found = alone.of(range(row, row + 1))
            if found.fits[0, 0]:
                return _told(split, found.of_learner(0))
        return fitted(split, told)

    def fitted(split: Split, told: Predictions | OrdinaryFit | None = None) -> SplitOutcome:
        if told is None:
            told = predicted_at_once(shared, split, data.n)
        done = _run_one(name, learner, data, split, loss, seed, told)
        return _outcome(split, *done, keep_predictions=keep_predictions)

    if alone is not None and isinstance(splits, OneRowEach):
        return _each_row(alone, splits, fitted, keep_predictions=keep_predictions)
    predict_all = getattr(shared, "predict_all", None)
    if predict_all is None:
        return [one(split) for split in splits]
    return run_in_stretches(
        predict_all,
        splits,
        data,
        loss,
        one,
        ask_of_one_row=alone is None,
        keep_predictions=keep_predictions,
    )


def _each_row(
    alone: OneLeftOut,
    splits: OneRowEach,
    one: Callable[[Split], SplitOutcome],
    *,
    keep_predictions: bool,
) -> Outcomes:
    """Return the outcomes of rows left out one by one; those that do not fit are run alone."""
    rows = splits.rows
    if not rows:
        return gathered([])
    told = alone.of(rows)
    by_itself = {int(at): one(splits.leaving_out(rows[at])) for at in np.flatnonzero(~told.fits[0])}
    places = one_row_each(splits.n, rows)
    return with_others(places, told.of_learner(0), by_itself, keep_predictions=keep_predictions)


def _outcome(  # noqa: PLR0913 - what an outcome is made of
    split: Split,
    predictions: Predictions,
    losses: FloatArray,
    cautions: tuple[Caution, ...],
    why_plain: str | None,
    *,
    keep_predictions: bool,
) -> SplitOutcome:
    return SplitOutcome(
        repeat=split.repeat,
        block=split.block,
        label=split.label,
        n_train=split.n_train,
        test=split.test,
        losses=losses,
        output=predictions.output if keep_predictions else None,
        probabilities=predictions.probabilities if keep_predictions else None,
        scores=predictions.scores if keep_predictions else None,
        cautions=cautions,
        why_plain=why_plain,
    )


def _told(split: Split, arrays: dict[str, Any]) -> SplitOutcome:
    return SplitOutcome(
        repeat=split.repeat,
        block=split.block,
        label=split.label,
        n_train=split.n_train,
        test=split.test,
        **arrays,
    )


def place_of(name: str, split: Split, source: np.ndarray | None = None) -> str:
    """Name learner and split, for people: ``learner 'nb', repeat 0, block 3 (source 'dvd')``."""
    place = f"learner {name!r}, repeat {split.repeat}, block {split.block}"
    if split.label == split.block:
        return place
    is_source = source is not None and bool(np.all(source[split.test] == split.label))
    return f"{place} ({'source ' if is_source else ''}{split.label!r})"


def _run_one(  # noqa: PLR0913 - as run_splits
    name: str,
    learner: Learner,
    data: Data,
    split: Split,
    loss: Loss,
    seed: int,
    told: Predictions | OrdinaryFit,
) -> tuple[Predictions, FloatArray, tuple[Caution, ...], str | None]:
    """Return predictions, losses, what the learner warned of, and why it was fitted, if it was."""
    cautions: list[Caution] = []
    try:
        if isinstance(told, OrdinaryFit):
            rng = stream(seed, f"fit:{name}", split.repeat, split.block)
            predictions = _fitted(learner, data, split, rng, cautions)
        else:
            predictions = told
        _check_shapes(predictions, data, len(split.test))
        losses = loss.losses(data.y[split.test], predictions)
    except EvaluationError as error:
        place = place_of(name, split, data.source) + _row_of(error, split)
        told_where = type(error)(f"{place}: {error.message}", loc=error.loc, value=error.value)
        raise told_where from error
    _check_finite(losses, split, lambda: place_of(name, split, data.source))
    why_plain = told.reason if isinstance(told, OrdinaryFit) else None
    return predictions, losses, tuple(cautions), why_plain


def _fitted(
    learner: Learner,
    data: Data,
    split: Split,
    rng: np.random.Generator,
    cautions: list[Caution],
) -> Predictions:
    """Fit and predict; ``cautions`` grows by what the learner said, and what it warned of."""
    warned: list[Caution] = []
    with catch_failures(learner.info.name, warned):
        fitted = learner.fit(
            data.features.rows(split.train),
            data.y[split.train],
            weights=None if data.weight is None else data.weight[split.train],
            n_classes=data.n_classes,
            rng=rng,
        )
        predictions = fitted.predict(data.features.rows(split.test))
    cautions += [*getattr(fitted, "cautions", ()), *warned]
    return predictions


def _row_of(error: EvaluationError, split: Split) -> str:
    """Name the row of the data that a loss speaks of, whose instances count within the split."""
    at = error.loc[-1] if error.loc and error.loc[0] in _OF_INSTANCES else None
    return f", row {split.test[at]}" if isinstance(at, int) else ""


def _check_shapes(predictions: Predictions, data: Data, n_test: int) -> None:
    if predictions.output.shape != (n_test,):
        raise LearnerFailed(
            f"it gave predictions of shape {predictions.output.shape} for {n_test} instances"
        )
    given = predictions.probabilities
    if (
        data.task == CLASSIFICATION
        and given is not None
        and given.shape != (n_test, data.n_classes)
    ):
        raise LearnerFailed(
            f"it gave probabilities of shape {given.shape} for {n_test} instances of "
            f"{data.n_classes} classes"
        )


def _check_finite(losses: FloatArray, split: Split, place: Callable[[], str]) -> None:
    unfit = ~np.isfinite(losses)
    if unfit.any():
        at = int(np.argmax(unfit))
        raise LearnerFailed(
            f"{place()}: the loss of row {split.test[at]} is {losses[at]}, for the prediction "
            "there is no finite number or out of all scale",
            value=str(losses[at]),
        )
