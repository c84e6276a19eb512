"""The labels and grades of a request in which a judge graded all rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import numpy as np

from thetahat.analyses.losses.judged_table import Judge, build_judged_table, refuse_beside_judge
from thetahat.error_paths import located_errors
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.values.block_losses import MAX_LOSS, LossTable
from thetahat.values.left_out_rows import find_missing
from thetahat.values.types import FloatArray
from thetahat_service.data.reading import read_columns, read_labels
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.layout import (
    list_named_columns,
    require_columns,
    require_numbers,
)
from thetahat_service.kinds.losses.judge_fields import JudgeColumns, JudgeFields
from thetahat_service.kinds.losses.request import LossDatasetColumns, LossInput
from thetahat_service.schemas.numbers import read_label_list, read_number_array

C = TypeVar("C")
V = TypeVar("V")

_NOT_BESIDE_JUDGE: Final = {
    "split_scores": None,
    "logs": None,
    "block": None,
    "repeat": None,
    "time": None,
    "item": None,
    "run": None,
    "pass_at": None,
    "groups": None,
    "group_by": None,
    "block_labels": None,
    "n_train": None,
    "weights": None,
    "fits": None,
    "missing": "refuse",
    "small_sources": "keep",
}
"""Fields that do not go with a judge, and their defaults."""


def has_judge(request: LossInput) -> bool:
    """Return whether a request has the grades of a judge."""
    return request.judge is not None or (
        request.columns is not None and request.columns.judge is not None
    )


def check_judge(request: LossInput) -> None:
    """Refuse fields that do not go with a judge."""
    others = {
        name: None if (value := getattr(request, name, default)) == default else value
        for name, default in _NOT_BESIDE_JUDGE.items()
    }
    refuse_beside_judge(others, request.block_kind)
    by_column = request.columns is not None and request.columns.judge is not None
    if by_column and request.judge is not None:
        for name in ("losses", "losses_by_fold", "fold", "stratum"):
            if getattr(request.judge, name) is not None:
                raise InvalidParameter(
                    f"Of a data set the judge's {name} is a column; name it in columns.judge.",
                    loc=("judge", name),
                )
    if request.dataset is not None and not by_column:
        raise InvalidParameter(
            "The data set needs columns.judge, which names the columns of grades.",
            loc=("columns", "judge"),
        )


def check_judge_columns(file: DatasetFile, columns: JudgeColumns) -> None:
    """Refuse columns of a judge that the data set does not have, or that hold text."""
    path: Loc = ("columns", "judge")
    numeric = ("losses", "losses_by_fold", "fold")
    require_numbers(file, list_named_columns(columns, numeric, path))
    require_columns(file, list_named_columns(columns, ("stratum",), path))


def read_judged_losses(request: LossInput, datasets: Mapping[UUID, DatasetFile]) -> LossTable:
    """Return the losses of the labelled rows of a request, with the grades of all rows."""
    check_judge(request)
    if request.dataset is not None and request.columns is not None:
        return _read_dataset(request, datasets[request.dataset], request.columns)
    assert request.judge is not None  # noqa: S101 - the caller has seen it
    labels = {
        name: _read_labels_of_model(row, ("losses", name))
        for name, row in (request.losses or {}).items()
    }
    return build_judged_table(
        labels,
        _read_judge(request.judge),
        instance=_read_inline_column(request.instance, "instance"),
        cluster=_read_inline_column(request.cluster, "cluster"),
    )


def _read_inline_column(column: list[Any] | None, name: str) -> list[Any] | None:
    return None if column is None else read_label_list(column, (name,))


def _read_judge(fields: JudgeFields) -> Judge:
    """Return the grades of a request itself."""
    by_fold = fields.losses_by_fold
    stratum = fields.stratum
    return Judge(
        losses=None
        if fields.losses is None
        else {name: _fill(row, ("judge", "losses", name)) for name, row in fields.losses.items()},
        losses_by_fold=None
        if by_fold is None
        else {
            name: [_fill(row, ("judge", "losses_by_fold", name, k)) for k, row in enumerate(rows)]
            for name, rows in by_fold.items()
        },
        fold=fields.fold,
        weight=fields.weight,
        stratum=None if stratum is None else read_label_list(stratum, ("judge", "stratum")),
        sampled=fields.sampled,
        half_width=fields.half_width,
    )


def _read_labels_of_model(row: list[Any], loc: Loc) -> FloatArray:
    """Return (T,) labels, NaN where they are null."""
    if any(isinstance(value, list) for value in row):
        raise InvalidParameter(
            "With a judge each model has one list of losses, without lists inside it.", loc=loc
        )
    return _fill(row, loc)


def _fill(row: list[Any], loc: Loc) -> FloatArray:
    """Return numbers or booleans, with NaN where they are null."""
    missing = [value is None for value in row]
    numbers = [0.0 if value is None else value for value in row]
    if all(value is None or isinstance(value, bool) for value in row):
        numbers = [float(value) for value in numbers]
    values = read_number_array(numbers, loc, largest=MAX_LOSS).copy()
    values[missing] = np.nan
    return values


def _read_dataset(request: LossInput, file: DatasetFile, columns: LossDatasetColumns) -> LossTable:
    of_judge = columns.judge
    assert of_judge is not None  # noqa: S101 - checked before
    models = columns.losses
    numbers = read_columns(file, list(dict.fromkeys([*models, *of_judge.list_grades()])))
    for name in ("block", "repeat", "time", "item", "run", "groups"):
        if getattr(columns, name) is not None:
            raise UnsupportedCombination(
                f"A judge is for one test set, which has no {name}. Leave the column out.",
                loc=("columns", name),
            )
    options = request.judge or JudgeFields()
    roles = {"instance": columns.instance, "cluster": columns.cluster, "stratum": of_judge.stratum}
    present = {role: name for role, name in roles.items() if name is not None}
    labels = read_labels(file, list(present.values()))
    by_role = {role: _list_labels(labels[name], role) for role, name in present.items()}
    paths: dict[str, Loc] = {
        "judge": ("columns", "judge"),
        "losses": ("columns", "losses"),
        "instance": ("columns", "instance"),
        "cluster": ("columns", "cluster"),
        "judge.lambda": ("judge", "lambda"),
        "judge.sampled": ("judge", "sampled"),
        "judge.half_width": ("judge", "half_width"),
    }
    with located_errors(paths):
        judge = Judge(
            losses=_match(
                of_judge.losses, models, "losses", lambda name: _to_numbers(numbers[name])
            ),
            losses_by_fold=_match(
                of_judge.losses_by_fold,
                models,
                "losses_by_fold",
                lambda names: [_to_numbers(numbers[name]) for name in names],
            ),
            fold=None if of_judge.fold is None else _read_fold(file, of_judge.fold),
            weight=options.weight,
            stratum=by_role.get("stratum"),
            sampled=options.sampled,
            half_width=options.half_width,
        )
        return build_judged_table(
            {name: _to_numbers(numbers[name]) for name in models},
            judge,
            instance=by_role.get("instance"),
            cluster=by_role.get("cluster"),
        )


def _match(
    columns: Sequence[C] | None, models: Sequence[str], field: str, read: Callable[[C], V]
) -> dict[str, V] | None:
    """Return what the judge's columns hold by model; refuse more or fewer than models."""
    if columns is None:
        return None
    if len(columns) != len(models):
        raise InvalidParameter(
            f"columns.judge.{field} has {len(columns)} entries, and there are {len(models)} "
            "columns of losses. Name one for each, in the same order.",
            loc=("judge", field),
            value=len(columns),
        )
    return dict(zip(models, map(read, columns), strict=True))


def _to_numbers(column: np.ndarray) -> FloatArray:
    """Return a numeric column as float64, NaN where a cell is empty."""
    if column.dtype.kind not in "fiub":
        raise InvalidParameter(
            "A column of losses or grades holds text, and must be numeric.", loc=("losses",)
        )
    return np.array(column, dtype=np.float64)


def _read_fold(file: DatasetFile, name: str) -> list[int | None]:
    values = _to_numbers(read_columns(file, [name])[name])
    return [None if np.isnan(v) else int(v) if v == int(v) else v for v in values.tolist()]


def _list_labels(column: np.ndarray, role: str) -> list[Any]:
    """Return the labels of a column; refuse rows without one."""
    missing = find_missing(column)
    if missing.any():
        row = int(np.argmax(missing))
        loc: Loc = ("columns", "judge", role) if role == "stratum" else ("columns", role)
        raise InvalidParameter(f"Row {row} has no {role}.", loc=(*loc, row))
    labels: list[Any] = column.tolist()
    return labels
