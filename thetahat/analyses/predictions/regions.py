"""Prediction sets of classes and limits of values, in the form that losses take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thetahat.analyses.predictions.model_predictions import (
    EncodedPredictions,
    ModelPredictions,
    read_codes,
)
from thetahat.cautions import EMPTY_SETS, Caution
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination, shorten_value
from thetahat.losses import LOSSES
from thetahat.losses._regions import OF_REGIONS
from thetahat.losses.base import Loss, Predictions
from thetahat.values.types import BoolArray


def check_regions(loss: Loss, data: ModelPredictions) -> None:
    """Refuse sets and limits that the loss does not use, and models without those that it uses."""
    if loss.uses not in OF_REGIONS:
        for name, path, given in (
            ("sets", data.sets_path, data.sets),
            ("limits", data.limits_path, data.limits),
        ):
            if given:
                fitting = OF_REGIONS if name == "limits" else OF_REGIONS[:1]
                raise UnsupportedCombination(
                    f"The loss {loss.info.name} does not use {name}. Losses that do are "
                    f"{_list_losses(fitting)}.",
                    loc=path,
                )
        return
    if loss.uses == "limits" and data.sets:
        raise UnsupportedCombination(
            f"The loss {loss.info.name} is of limits. Losses of sets are "
            f"{_list_losses(OF_REGIONS[:1])}.",
            loc=data.sets_path,
        )
    for model in data.models:
        if model not in data.sets and model not in data.limits:
            needed = (
                "limits" if loss.uses == "limits" else "sets (of classes) or limits (of values)"
            )
            known = data.sets_path if data.sets else data.limits_path
            raise UnsupportedCombination(
                f"The loss {loss.info.name} needs prediction {needed}, and {model!r} has none.",
                loc=(*known, model),
            )


def find_default_loss() -> str:
    """Return the loss of sets and limits that is taken where none is named."""
    return next(
        name
        for name, loss in LOSSES.items()
        if loss.uses in OF_REGIONS and loss.info.loss.can_be_zero_one
    )


def _list_losses(uses: Sequence[str]) -> str:
    return ", ".join(name for name, loss in LOSSES.items() if loss.uses in uses)


def encode_regions(data: ModelPredictions, classes: Sequence[Any]) -> EncodedPredictions:
    """Return sets as truth values by class, or limits, beside the predictions if there are any."""
    if data.limits:
        _refuse_crossed_limits(data)
        values = np.asarray(data.y, dtype=np.float64)
        return EncodedPredictions(
            values,
            {
                model: Predictions(
                    output=np.asarray(data.predictions.get(model, limits.mean(axis=1))),
                    limits=limits,
                )
                for model, limits in data.limits.items()
            },
        )
    code = {label: i for i, label in enumerate(classes)}
    truth = read_codes(data.y, code, data.y_path)
    encoded: dict[str, Predictions] = {}
    cautions: list[Caution] = []
    for model, given in data.sets.items():
        sets = _read_sets(given, code, (*data.sets_path, model))
        output = sets.argmax(axis=1).astype(np.intp)
        if model in data.predictions:
            output = read_codes(data.predictions[model], code, (*data.predictions_path, model))
        encoded[model] = Predictions(output=output, sets=sets, classes=tuple(range(len(classes))))
        if n_empty := int((~sets.any(axis=1)).sum()):
            cautions.append(EMPTY_SETS(model=model, n=n_empty, n_rows=len(sets)))
    return EncodedPredictions(truth, encoded, tuple(cautions))


def _refuse_crossed_limits(data: ModelPredictions) -> None:
    for model, limits in data.limits.items():
        crossed = limits[:, 0] > limits[:, 1]
        if crossed.any():
            at = int(np.argmax(crossed))
            low, high = limits[at].tolist()
            raise InvalidParameter(
                f"The limits of {model!r} in row {at} are {low:g} and {high:g}: the lower one is "
                "above the upper one.",
                loc=(*data.limits_path, model, "lower", at),
                value=low,
            )


def _read_sets(given: Sequence[Any] | np.ndarray, code: Mapping[Any, int], loc: Loc) -> BoolArray:
    """Return (n, n_classes) whether each class is in the set of each row."""
    if isinstance(given, np.ndarray):
        if given.ndim != 2 or given.shape[1] != len(code):
            raise InvalidParameter(
                f"There are {len(code)} classes, and the sets have "
                f"{given.shape[1] if given.ndim == 2 else 1} columns. Give one for each class; "
                "name all classes in classes if some do not occur here.",
                loc=loc,
            )
        wrong = (given != 0) & (given != 1)
        if wrong.any():
            at, column = (int(part) for part in np.argwhere(wrong)[0])
            raise InvalidParameter(
                f"Column {column} of the sets has {given[at, column]} in row {at}, and must have 1 "
                "where the class is in the set, and 0 elsewhere.",
                loc=(*loc, column, at),
                value=str(given[at, column]),
            )
        return np.asarray(given == 1)
    sets = np.zeros((len(given), len(code)), dtype=np.bool_)
    for i, labels in enumerate(given):
        if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
            raise InvalidParameter(
                f"The set in row {i} is {shorten_value(labels)}, and must be a list of labels.",
                loc=(*loc, i),
                value=shorten_value(labels),
            )
        codes = read_codes(labels, code, (*loc, i))
        for place, found in enumerate(codes.tolist()):
            if sets[i, found]:
                raise InvalidParameter(
                    f"The set in row {i} has the label {labels[place]!r} twice.",
                    loc=(*loc, i, place),
                    value=shorten_value(labels[place]),
                )
            sets[i, found] = True
    return sets
