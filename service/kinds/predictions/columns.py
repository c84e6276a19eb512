"""What models said, from JSON or from a data set, brought to codes and probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from service.data.reading import read_columns
from service.kinds.base import DatasetFile
from service.schemas.numbers import number_array, shown
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.losses.base import Loss, Predictions
from thetahat.values.types import FloatArray

Values = Sequence[Any] | np.ndarray
"""A column as it came: a JSON list, or an array of a data set."""

PROBABILITY_SLACK = 1e-6  # how far a row of probabilities may be from summing to one


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """The truth and the predictions as they came, with where each stands in the request.

    ``y`` and each of ``predictions`` are (n,) lists or arrays of labels or numbers; each of
    ``scores`` is (n,) or (n, n_classes) floats.
    """

    y: Values
    predictions: Mapping[str, Values]
    scores: Mapping[str, FloatArray]
    y_loc: Loc
    predictions_loc: Loc
    scores_loc: Loc


def inline_said(
    y: list[Any], predictions: dict[str, list[Any]], scores: dict[str, list[Any]]
) -> Said:
    """Return what a request says, checked for its lengths."""
    if not y:
        raise InvalidParameter("y is empty", loc=("y",))
    arrays = {model: _score_array(rows, ("scores", model)) for model, rows in scores.items()}
    said = Said(y, predictions, arrays, ("y",), ("predictions",), ("scores",))
    return _checked(said)


def said_in_dataset(
    file: DatasetFile,
    target: str,
    predictions: Mapping[str, str],
    scores: Mapping[str, str | list[str]],
) -> Said:
    """Read the columns of a data set of predictions."""
    lists = {m: [names] if isinstance(names, str) else names for m, names in scores.items()}
    wanted = {target, *predictions.values(), *(n for names in lists.values() for n in names)}
    read = read_columns(file, sorted(wanted))
    arrays = {m: _score_columns(read, names, m) for m, names in lists.items()}
    said = Said(
        read[target],
        {m: read[column] for m, column in predictions.items()},
        arrays,
        ("columns", "target"),
        ("columns", "predictions"),
        ("columns", "scores"),
    )
    return _checked(said)


def encoded(
    loss: Loss, said: Said, classes: list[Any] | None
) -> tuple[np.ndarray, dict[str, Predictions]]:
    """Return the truth and the predictions in the form that the loss takes."""
    if loss.task == "regression":
        y_true = _numbers(said.y, said.y_loc)
        return y_true, {
            m: Predictions(output=_numbers(p, (*said.predictions_loc, m)))
            for m, p in said.predictions.items()
        }
    known = _classes(said, classes)
    code = {label: i for i, label in enumerate(known)}
    y_true = _codes(said.y, code, said.y_loc)
    found: dict[str, Predictions] = {}
    for model, predicted in said.predictions.items():
        output = _codes(predicted, code, (*said.predictions_loc, model))
        probabilities = scores = None
        if loss.uses == "probabilities":
            probabilities = _probabilities(said, model, len(known), loss)
        if loss.uses == "scores":
            scores = _decision_values(said, model, loss)
        found[model] = Predictions(
            output=output,
            probabilities=probabilities,
            scores=scores,
            classes=tuple(range(len(known))),
        )
    return y_true, found


def class_labels(said: Said, given: list[Any] | None) -> tuple[Any, ...]:
    """Return the classes in the order of their codes: as given, or those that occur, sorted."""
    return tuple(_classes(said, given))


def _checked(said: Said) -> Said:
    n = len(said.y)
    for model, predicted in said.predictions.items():
        if len(predicted) != n:
            raise InvalidParameter(
                f"{model!r} has {len(predicted)} predictions, and y has {n}",
                loc=(*said.predictions_loc, model),
                value=len(predicted),
            )
    for model, scores in said.scores.items():
        if model not in said.predictions:
            raise InvalidParameter(
                f"scores name {model!r}, which has no predictions", loc=(*said.scores_loc, model)
            )
        if len(scores) != n:
            raise InvalidParameter(
                f"{model!r} has {len(scores)} scores, and y has {n}",
                loc=(*said.scores_loc, model),
                value=len(scores),
            )
    return said


def _score_array(rows: list[Any], loc: Loc) -> FloatArray:
    if not any(isinstance(row, list) for row in rows):
        return number_array(rows, loc)
    arrays = [number_array(row, (*loc, i)) for i, row in enumerate(rows)]
    for i, row in enumerate(arrays):
        if len(row) != len(arrays[0]):
            raise InvalidParameter(
                f"row {i} has {len(row)} scores and row 0 has {len(arrays[0])}",
                loc=(*loc, i),
                value=len(row),
            )
    return np.vstack(arrays)


def _score_columns(read: Mapping[str, np.ndarray], names: list[str], model: str) -> FloatArray:
    columns = [_numbers(read[name], ("columns", "scores", model)) for name in names]
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _numbers(values: Values, loc: Loc) -> FloatArray:
    if not isinstance(values, np.ndarray):
        return number_array(values, loc)
    if values.dtype.kind not in "fiub":
        raise InvalidParameter("the column is not numeric", loc=loc)
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        at = int(np.argmin(np.isfinite(numbers)))
        raise InvalidParameter(
            f"row {at} is {numbers[at]}, not a finite number",
            loc=(*loc, at),
            value=str(numbers[at]),
        )
    return numbers


def _classes(said: Said, given: list[Any] | None) -> list[Any]:
    if given is not None:
        if len(given) < 2 or len({repr(c) for c in given}) != len(given):
            raise InvalidParameter("classes are two or more different labels", loc=("classes",))
        return [_label(c, ("classes", i)) for i, c in enumerate(given)]
    seen: dict[Any, None] = {}
    for loc, column in [
        (said.y_loc, said.y),
        *(((*said.predictions_loc, m), p) for m, p in said.predictions.items()),
    ]:
        for i, value in enumerate(column):
            seen.setdefault(_label(value, (*loc, i)))
    kinds = {type(label) for label in seen}
    if len(kinds) > 1:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise InvalidParameter(
            f"class labels are of different types: {names}", loc=said.y_loc, value=shown([*seen])
        )
    return sorted(seen)


def _label(value: Any, loc: Loc) -> str | int | float:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str | int) or (isinstance(value, float) and value == _rounded(value)):
        return int(value) if isinstance(value, float) else value
    raise InvalidParameter(
        "a class label is a string, a whole number or a boolean", loc=loc, value=shown(value)
    )


def _rounded(value: float) -> float:
    """Return the value rounded, or NaN where it cannot be."""
    return float(round(value)) if np.isfinite(value) else float("nan")


def _codes(values: Values, code: Mapping[Any, int], loc: Loc) -> np.ndarray:
    codes = np.empty(len(values), dtype=np.intp)
    for i, value in enumerate(values):
        label = _label(value, (*loc, i))
        if label not in code:
            raise InvalidParameter(
                f"{label!r} is not one of the classes", loc=(*loc, i), value=label
            )
        codes[i] = code[label]
    return codes


def _decision_values(said: Said, model: str, loss: Loss) -> FloatArray:
    loc = (*said.scores_loc, model)
    if model not in said.scores:
        raise UnsupportedCombination(
            f"{loss.info.name} needs the decision values of {model!r} in scores, one a row",
            loc=loc,
        )
    scores = said.scores[model]
    if scores.ndim != 1:
        raise InvalidParameter(
            f"{loss.info.name} takes one decision value a row, and there are {scores.shape[1]}",
            loc=loc,
            value=int(scores.shape[1]),
        )
    return scores


def _probabilities(said: Said, model: str, n_classes: int, loss: Loss) -> FloatArray:
    loc = (*said.scores_loc, model)
    if model not in said.scores:
        raise UnsupportedCombination(
            f"{loss.info.name} needs the probabilities of {model!r} in scores", loc=loc
        )
    scores = said.scores[model]
    if scores.ndim == 1:
        if n_classes != 2:
            raise InvalidParameter(
                f"there are {n_classes} classes, and one score a row says nothing of "
                f"{n_classes - 1} of them",
                loc=loc,
            )
        scores = np.column_stack([1 - scores, scores])
    if scores.shape[1] != n_classes:
        raise InvalidParameter(
            f"there are {n_classes} classes and {scores.shape[1]} columns of scores",
            loc=loc,
            value=int(scores.shape[1]),
        )
    bad = (scores < 0).any(axis=1) | (np.abs(scores.sum(axis=1) - 1) > PROBABILITY_SLACK)
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidParameter(
            f"row {at} is not made of probabilities that sum to one",
            loc=(*loc, at),
            value=[float(v) for v in scores[at][:10]],
        )
    return scores
