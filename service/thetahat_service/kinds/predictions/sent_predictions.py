"""Reads the predictions of a request: from its JSON, or from the columns of a data set."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from thetahat.analyses.predictions.model_predictions import ModelPredictions, Values
from thetahat.errors import InvalidParameter, Loc
from thetahat.tables.columns import describe_other_cells
from thetahat.values.left_out_rows import KeptRows
from thetahat.values.types import FloatArray, Label
from thetahat_service.data.reading import read_columns, read_labels
from thetahat_service.errors import read_each
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.left_out import ColumnReader, keep_rows
from thetahat_service.kinds.predictions.request import (
    LimitsInput,
    PredictionColumns,
    PredictionsRequest,
)
from thetahat_service.schemas.numbers import read_number_array


def read_inline(
    request: PredictionsRequest, reader: ColumnReader, *, are_classes: bool
) -> ModelPredictions:
    """Return the predictions of a request that holds them, which are classes or numbers."""

    def read(column: str, values: list[Any], loc: Loc) -> Values:
        filled = list(reader.fill(column, values, loc))
        return filled if are_classes else read_number_array(filled, loc)

    y = request.y or []
    if not y:
        raise InvalidParameter(
            "The field y is empty. Give the true class or value of each row.", loc=("y",)
        )
    truth = read("target", y, ("y",))

    def read_prediction(model: str, values: list[Any]) -> Values:
        return read(f"prediction of {model}", values, ("predictions", model))

    def read_scores(model: str, rows: list[Any]) -> FloatArray:
        loc: Loc = ("scores", model)
        return _score_array(list(reader.fill(f"score of {model}", rows, loc)), loc)

    return ModelPredictions(
        truth,
        read_each(read_prediction, request.predictions or {}),
        read_each(read_scores, request.scores or {}),
        ("y",),
        ("predictions",),
        ("scores",),
        sets={
            model: list(reader.fill(f"set of {model}", rows, ("sets", model)))
            for model, rows in (request.sets or {}).items()
        },
        limits=read_each(partial(_read_limits, reader), request.limits or {}),
    )


def _read_limits(reader: ColumnReader, model: str, ends: LimitsInput) -> FloatArray:
    """Return the (n, 2) limits of a model."""
    columns = []
    for end, values in (("lower", ends.lower), ("upper", ends.upper)):
        loc: Loc = ("limits", model, end)
        filled = list(reader.fill(f"{end} limit of {model}", values, loc))
        columns.append(read_number_array(filled, loc))
    lower, upper = columns
    if len(lower) != len(upper):
        raise InvalidParameter(
            f"The limits of {model!r} have {len(lower)} lower and {len(upper)} upper ends.",
            loc=("limits", model, "upper"),
            value=len(upper),
        )
    return np.column_stack([lower, upper])


def read_dataset(
    file: DatasetFile, columns: PredictionColumns, reader: ColumnReader, *, are_classes: bool
) -> ModelPredictions:
    """Read the columns of a data set of predictions, which are classes or numbers."""
    target, predictions = columns.target, columns.predictions or {}
    scores, sets = columns.scores or {}, columns.sets or {}
    limits = {m: [ends.lower, ends.upper] for m, ends in (columns.limits or {}).items()}
    lists = {m: [names] if isinstance(names, str) else names for m, names in scores.items()}
    outputs = sorted({target, *predictions.values()})
    numeric = (*lists.values(), *sets.values(), *limits.values())
    values = read_columns(file, sorted({name for names in numeric for name in names}))
    if are_classes:
        predicted = read_labels(file, outputs, are_compared=True)
    else:
        predicted = read_columns(file, outputs)

    def read(column: str, values: np.ndarray, loc: Loc) -> Values:
        filled = reader.fill(column, values, loc)
        return filled if are_classes else _read_numbers(np.asarray(filled), loc)

    return ModelPredictions(
        read("target", predicted[target], ("columns", "target")),
        {
            m: read(f"prediction of {m}", predicted[column], ("columns", "predictions", m))
            for m, column in predictions.items()
        },
        {m: _read_number_columns(values, names, "score", m, reader) for m, names in lists.items()},
        ("columns", "target"),
        ("columns", "predictions"),
        ("columns", "scores"),
        sets={
            m: np.atleast_2d(_read_number_columns(values, names, "set", m, reader).T).T
            for m, names in sets.items()
        },
        limits={
            m: _read_number_columns(values, names, "limit", m, reader)
            for m, names in limits.items()
        },
        sets_path=("columns", "sets"),
        limits_path=("columns", "limits"),
    )


def check_order_of_scores(scores: Mapping[str, str | list[str]], classes: Sequence[Label]) -> None:
    """Refuse columns of scores whose last words are the classes, in another order than theirs."""
    texts = [str(label).lower() for label in classes]
    for model, names in scores.items():
        ends = ["".join(re.findall(r"[^\W_]+", name.lower())[-1:]) for name in names]
        if not isinstance(names, str) and ends != texts and sorted(ends) == sorted(texts):
            place = next(i for i, end in enumerate(ends) if end != texts[i])
            raise InvalidParameter(
                f"Column {names[place]!r} is given as the scores of the class {classes[place]!r}: "
                f"the order of the classes is {', '.join(map(repr, classes[:8]))}. Give the "
                "columns in this order, or name the classes in that of the columns in classes.",
                loc=("columns", "scores", model, place),
                value=names[place],
            )


def keep_predictions(data: ModelPredictions, kept_rows: KeptRows | None) -> ModelPredictions:
    """Return the predictions of the rows that are kept."""
    return replace(
        data,
        y=keep_rows(data.y, kept_rows),
        predictions={m: keep_rows(p, kept_rows) for m, p in data.predictions.items()},
        scores={m: keep_rows(s, kept_rows) for m, s in data.scores.items()},
        sets={m: keep_rows(s, kept_rows) for m, s in data.sets.items()},
        limits={m: keep_rows(ends, kept_rows) for m, ends in data.limits.items()},
    )


def _score_array(rows: list[Any], loc: Loc) -> FloatArray:
    if not any(isinstance(row, list) for row in rows):
        return read_number_array(rows, loc)
    arrays = [read_number_array(row, (*loc, i)) for i, row in enumerate(rows)]
    for i, row in enumerate(arrays):
        if len(row) != len(arrays[0]):
            raise InvalidParameter(
                f"Row {i} has {len(row)} scores and row 0 has {len(arrays[0])}. Every row needs "
                "one score for each class.",
                loc=(*loc, i),
                value=len(row),
            )
    return np.vstack(arrays)


def _read_number_columns(
    values: Mapping[str, np.ndarray], names: list[str], noun: str, model: str, reader: ColumnReader
) -> FloatArray:
    """Return the (n,) column of a model, or its (n, k) columns."""
    loc: Loc = ("columns", f"{noun}s", model)
    columns = [
        _read_numbers(np.asarray(reader.fill(f"{noun} of {model}", values[name], loc)), loc)
        for name in names
    ]
    return columns[0] if len(columns) == 1 else np.column_stack(columns)


def _read_numbers(values: np.ndarray, loc: Loc) -> FloatArray:
    """Return (n,) finite numbers of a column of a data set; refuse another column."""
    if values.dtype.kind not in "fiub":
        raise InvalidParameter(
            "The column is not numeric, and the loss needs numbers."
            f"{describe_other_cells(values) or ' Choose a numeric column.'}",
            loc=loc,
        )
    numbers = values.astype(np.float64)
    if not np.isfinite(numbers).all():
        at = int(np.argmin(np.isfinite(numbers)))
        raise InvalidParameter(
            f"The value in row {at} is {numbers[at]}, which is not a finite number.",
            loc=(*loc, at),
            value=str(numbers[at]),
        )
    return numbers
