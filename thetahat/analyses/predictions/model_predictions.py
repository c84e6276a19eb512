"""The predictions of models as class codes, numbers and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from thetahat.cautions import PROBABILITIES_NORMALISED, Caution
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination, run_checks, shorten_value
from thetahat.losses.base import Loss, Predictions
from thetahat.tables.columns import describe_label
from thetahat.values.json_values import LARGEST_EXACT
from thetahat.values.types import FloatArray

Values = Sequence[Any] | np.ndarray
"""A column of labels before it is checked: a list or an array."""

PROBABILITY_SLACK: Final = 1e-6
"""How far the sum of a row of probabilities may be from one for it to be taken as it is."""


@dataclass(frozen=True, slots=True, eq=False)
class ModelPredictions:
    """The true values and the predictions of models, not yet checked against a loss."""

    y: Values
    """(n,) true labels, or an array of finite numbers."""
    predictions: Mapping[str, Values]
    """(n,) labels, or arrays of finite numbers, by model."""
    scores: Mapping[str, FloatArray]
    """(n,) or (n, n_classes), by model."""
    y_path: Loc
    predictions_path: Loc
    scores_path: Loc
    """The request's paths; the model's name follows the last two."""
    sets: Mapping[str, Sequence[Any] | np.ndarray] = field(default_factory=dict)
    """(n,) lists of labels, or (n, n_classes) truth values, by model."""
    limits: Mapping[str, FloatArray] = field(default_factory=dict)
    """(n, 2) lower and upper limits, by model."""
    sets_path: Loc = ("sets",)
    limits_path: Loc = ("limits",)
    """The paths of sets and limits; the model's name follows."""

    def __post_init__(self) -> None:
        if self.sets and self.limits:
            raise InvalidParameter(
                "Sets are of classes and limits of values. Give one of the two.",
                loc=self.limits_path,
            )
        outputs: tuple[tuple[Loc, Mapping[str, Values], str], ...] = (
            (self.predictions_path, self.predictions, "prediction"),
            (self.scores_path, self.scores, "score"),
            (self.sets_path, self.sets, "set"),
            (self.limits_path, self.limits, "limit pair"),
        )
        run_checks(
            *(
                partial(self._check_length, path, model, of_model, noun)
                for path, by_model, noun in outputs
                for model, of_model in by_model.items()
            )
        )

    def _check_length(self, path: Loc, model: str, of_model: Values, noun: str) -> None:
        if len(of_model) != len(self.y):
            raise InvalidParameter(
                f"The model {model!r} has {len(of_model)} {noun}s, and y has {len(self.y)} rows. "
                f"Give one {noun} for each row.",
                loc=(*path, model),
                value=len(of_model),
            )

    @property
    def models(self) -> tuple[str, ...]:
        """The models that have predictions, scores, sets or limits."""
        return tuple(dict.fromkeys((*self.predictions, *self.scores, *self.sets, *self.limits)))

    def check_predictions(self, needed_by: str) -> None:
        """Refuse models that have scores alone, where predictions are needed."""
        for model in self.models:
            if model not in self.predictions:
                path = self.scores_path
                has = "scores"
                if model not in self.scores:
                    is_of_sets = model in self.sets
                    path = self.sets_path if is_of_sets else self.limits_path
                    has = "sets" if is_of_sets else "limits"
                raise InvalidParameter(
                    f"The model {model!r} has {has} and no predictions, which {needed_by} needs. "
                    "Give its predictions too.",
                    loc=(*path, model),
                )

    def build_paths(self, model: str) -> dict[str, Loc]:
        """Return the request's path of each argument of a loss of this model."""
        return {
            "y": self.y_path,
            "predictions": (*self.predictions_path, model),
            "scores": (*self.scores_path, model),
        }


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPredictions:
    """The truth and the predictions in the form that a loss takes."""

    truth: np.ndarray
    """(n,) class codes, or numbers."""
    models: Mapping[str, Predictions]
    """The predictions of every model. The output of a model that has scores alone is its most
    probable class."""
    cautions: tuple[Caution, ...] = ()
    """On probabilities that were normalised."""


def encode(loss: Loss, data: ModelPredictions, classes: Sequence[Any]) -> EncodedPredictions:
    """Return the truth and the predictions in the form that the loss takes.

    ``classes`` are in the order of their codes; empty for a regression.
    """
    if loss.task == "regression" or loss.uses == "output":
        data.check_predictions(f"the loss {loss.info.name}")
    if loss.task == "regression":
        y_true = np.asarray(data.y, dtype=np.float64)
        outputs = {
            m: Predictions(output=np.asarray(p, dtype=np.float64))
            for m, p in data.predictions.items()
        }
        return EncodedPredictions(y_true, outputs)
    code = {label: i for i, label in enumerate(classes)}
    y_true = read_codes(data.y, code, data.y_path)
    encoded: dict[str, Predictions] = {}
    cautions: list[Caution] = []
    for model in data.models:
        probabilities = scores = None
        if loss.uses == "probabilities":
            needed_by = f"The loss {loss.info.name}"
            probabilities, caution = read_probabilities(data, model, len(classes), needed_by)
            cautions += [caution] if caution is not None else []
        if loss.uses == "scores":
            scores = _read_decision_values(data, model, loss)
        if model in data.predictions:
            output = read_codes(data.predictions[model], code, (*data.predictions_path, model))
        elif probabilities is not None:
            output = probabilities.argmax(axis=1).astype(np.intp)
        else:
            output = (np.asarray(scores) > 0).astype(np.intp)
        encoded[model] = Predictions(
            output=output,
            probabilities=probabilities,
            scores=scores,
            classes=tuple(range(len(classes))),
        )
    return EncodedPredictions(y_true, encoded, tuple(cautions))


def read_classes(data: ModelPredictions, named: Sequence[Any] | None) -> tuple[Any, ...]:
    """Return the classes in the order of their codes: as named, or those that occur, sorted."""
    if named is not None:
        if len(named) < 2 or len({repr(c) for c in named}) != len(named):
            raise InvalidParameter(
                "The field classes must have two or more different labels.", loc=("classes",)
            )
        return tuple(_read_label(c, ("classes", i)) for i, c in enumerate(named))
    columns = {data.y_path: data.y}
    columns |= {(*data.predictions_path, m): p for m, p in data.predictions.items()}
    for model, sets in data.sets.items():
        if not isinstance(sets, np.ndarray):
            rows = (
                (i, labels) for i, labels in enumerate(sets) if isinstance(labels, list | tuple)
            )
            columns |= {(*data.sets_path, model, i): labels for i, labels in rows}
    seen: dict[Any, Loc] = {}
    for path, column in columns.items():
        for i, value in enumerate(column):
            seen.setdefault(_read_label(value, (*path, i)), (*path, i))
    kinds = {type(label): (label, place) for label, place in reversed(seen.items())}
    if len(kinds) > 1:
        examples = " and ".join(
            f"{label!r} in {'.'.join(map(str, place))}" for label, place in kinds.values()
        )
        raise InvalidParameter(
            f"The class labels have different types: {examples}. Write each class in one way, in "
            "the true values and in all predictions.",
            loc=data.y_path,
            value=shorten_value([*seen]),
        )
    return tuple(sorted(seen))


def _read_label(value: Any, loc: Loc) -> str | int | float:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str | int):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_EXACT:
        return int(value)
    raise InvalidParameter(
        f"A class label in row {loc[-1]} is {shorten_value(value)}. "
        f"{describe_label(np.dtype(float))}",
        loc=loc,
        value=shorten_value(value),
    )


def read_codes(values: Values, code: Mapping[Any, int], loc: Loc) -> np.ndarray:
    """Return the (n,) codes of labels; refuse one that is not among the classes."""
    codes = np.empty(len(values), dtype=np.intp)
    for i, value in enumerate(values):
        label = _read_label(value, (*loc, i))
        if label not in code:
            raise InvalidParameter(
                f"The label {label!r} is not among the classes that the field classes names: "
                f"{', '.join(map(repr, [*code][:20]))}. Add it there.",
                loc=(*loc, i),
                value=label,
            )
        codes[i] = code[label]
    return codes


def _read_decision_values(data: ModelPredictions, model: str, loss: Loss) -> FloatArray:
    loc = (*data.scores_path, model)
    if model not in data.scores:
        raise UnsupportedCombination(
            f"The loss {loss.info.name} needs decision values. Give those of {model!r} in scores, "
            "one for each row.",
            loc=loc,
        )
    scores = data.scores[model]
    if scores.ndim != 1:
        raise InvalidParameter(
            f"The loss {loss.info.name} takes one decision value for each row, and {model!r} has "
            f"{scores.shape[1]}.",
            loc=loc,
            value=int(scores.shape[1]),
        )
    return scores


def read_probabilities(
    data: ModelPredictions, model: str, n_classes: int, needed_by: str
) -> tuple[FloatArray, Caution | None]:
    """Return the (n, C) probabilities of a model that sum to one, and a caution on rounded ones.

    ``needed_by`` says what needs them, as the beginning of a sentence.
    """
    loc = (*data.scores_path, model)
    if model not in data.scores:
        raise UnsupportedCombination(
            f"{needed_by} needs probabilities. Give those of {model!r} in scores.", loc=loc
        )
    scores = data.scores[model]
    if scores.ndim == 1:
        if n_classes != 2:
            raise InvalidParameter(
                f"The number of classes is {n_classes}, and {model!r} has one score for each row. "
                "Give one probability for each class; name all classes in classes if some do not "
                "occur here.",
                loc=loc,
            )
        outside = ~((scores >= 0) & (scores <= 1))  # written so that NaN fails
        if outside.any():
            at = int(np.argmax(outside))
            raise InvalidParameter(
                f"Row {at} of the scores of {model!r} is {scores[at]:.6g}, and a probability is "
                "from 0 to 1. Send probabilities, not logits or percentages.",
                loc=(*loc, at),
                value=float(scores[at]),
            )
        scores = np.column_stack([1 - scores, scores])
    if scores.shape[1] != n_classes:
        raise InvalidParameter(
            f"The number of classes is {n_classes}, and {model!r} has {scores.shape[1]} columns "
            "of scores. Give one column for each class; name all classes in classes if some do "
            "not occur here.",
            loc=loc,
            value=int(scores.shape[1]),
        )
    return _normalise(scores, model, loc)


def _normalise(
    probabilities: FloatArray, model: str, loc: Loc
) -> tuple[FloatArray, Caution | None]:
    """Return probabilities that sum to one, and a caution if rounded ones were divided by sums."""
    sums = probabilities.sum(axis=1)
    limit = PROBABILITIES_NORMALISED.threshold
    for bad, reason in (
        (
            (probabilities < 0).any(axis=1),
            "has {least:.6g}, a number below 0, so they are no probabilities",
        ),
        (np.abs(sums - 1) > limit + PROBABILITY_SLACK, "sums to {total:.6g} and not to 1"),
    ):
        if bad.any():
            at = int(np.argmax(bad))
            raise InvalidParameter(
                f"Row {at} of the scores of {model!r} "
                f"{reason.format(total=sums[at], least=probabilities[at].min())}. Send the "
                "probabilities of all classes, not logits or percentages: each row must sum to 1, "
                f"and a sum within {limit:g} of 1 is taken as rounded and normalised.",
                loc=(*loc, at),
                value=[float(v) for v in probabilities[at][:10]],
            )
    inexact = np.abs(sums - 1) > PROBABILITY_SLACK
    if not inexact.any():
        return probabilities, None
    normalised = np.where(inexact[:, None], probabilities / sums[:, None], probabilities)
    low, high = f"{sums[inexact].min():.6g}", f"{sums[inexact].max():.6g}"
    caution = PROBABILITIES_NORMALISED(model=model, low=low, high=high, n=int(inexact.sum()))
    return normalised, caution
