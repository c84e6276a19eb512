"""A column that is text because of a few cells is refused with these cells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.uploads import uploaded
from thetahat.errors import EvaluationError
from thetahat_service.data.reading import read_columns
from thetahat_service.errors import InvalidRequest

ROWS = [(i / 7, i % 2) for i in range(30)]
CELLS = ["mean", "12?", "0.5 ms", "<1", "1/2", "1.2.3"]
FILES = {
    "text/csv": lambda cell: "\n".join(["a,y", *(f"{a},{y}" for a, y in ROWS), f"{cell},1"]),
    "application/jsonl": lambda cell: "\n".join(
        json.dumps({"a": a, "y": y}) for a, y in [*ROWS, (cell, 1)]
    ),
}
REQUESTS: dict[str, dict[str, Any]] = {
    "losses": {"kind": "losses", "blocks": "holdout", "columns": {"losses": ["a", "y"]}},
    "predictions": {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "squared",
        "columns": {"target": "a", "predictions": {"m": "y"}},
    },
    "bootstrap": {"kind": "bootstrap", "statistic": "mean", "columns": {"x": "a"}},
}


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("kind", REQUESTS)
def test_exact_the_cell_of_a_text_is_named(tmp_path: Path, kind: str, cell: str) -> None:
    file = uploaded(tmp_path, "text/csv", FILES["text/csv"](cell).encode())
    words = f"30 of its 31 values are numbers; the others are {cell!r} in row 30. Correct"
    with pytest.raises((EvaluationError, InvalidRequest)) as refusal:
        run_kind({**REQUESTS[kind], "dataset": str(file.id)}, [file])

    assert words in str(refusal.value)


@pytest.mark.parametrize("write", ["${}", "{} kg", "EUR {}", "({})"])
@pytest.mark.parametrize("kind", ["losses", "cross_validation"])
def test_exact_numbers_with_a_unit_are_no_categories(tmp_path: Path, kind: str, write: str) -> None:
    rows = [f"{write.format(round(a + 0.25, 3))},{y}" for a, y in ROWS]
    file = uploaded(tmp_path, "text/csv", "\n".join(["a,y", *rows]).encode())
    fit = {
        "kind": "cross_validation",
        "columns": {"target": "y"},
        "task": "classification",
        "learners": {"m": "logistic_regression"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
    }
    with pytest.raises((EvaluationError, InvalidRequest)) as refusal:
        run_kind({**REQUESTS.get(kind, fit), "dataset": str(file.id)}, [file])

    row = 0 if kind == "losses" else 1  # the first one of the first training part
    cell = write.format(round(ROWS[row][0] + 0.25, 3))
    assert f"{cell!r} in row {row}, which is no plain number" in str(refusal.value)
    assert "one_hot" not in str(refusal.value)


def test_exact_classes_of_two_types_are_named(tmp_path: Path) -> None:
    rows = [f"{'yes' if y else 'no'},{y}" for _, y in ROWS]
    file = uploaded(tmp_path, "text/csv", "\n".join(["a,y", *rows]).encode())
    body = {**REQUESTS["predictions"], "loss": "zero_one", "dataset": str(file.id)}

    with pytest.raises(EvaluationError, match=r"'no' in columns\.target\.0") as refusal:
        run_kind(body, [file])
    assert "0 in columns.predictions.m.0" in str(refusal.value)


MIXED = [
    ["1,5", "2.5", "3"],
    ["1,534", "1.432", "2.102"],  # thousands, or a decimal comma
    ["1,534", "1.4", "-2.25"],  # far from the others as 1534
    ["0.5", "1.234,5", "7"],
    ["1e3", "1,5e2", "2.5"],
    ["+1,25", "\N{MINUS SIGN}2.5", "2.5"],
]


@pytest.mark.parametrize("cells", MIXED)
@pytest.mark.parametrize("kind", REQUESTS)
def test_exact_numbers_of_two_decimal_marks_are_named(
    tmp_path: Path, kind: str, cells: list[str]
) -> None:
    rows = [f"{cells[i % 3]};{i % 2}" for i in range(30)]
    file = uploaded(tmp_path, "text/csv", "\n".join(["a;y", *rows]).encode())
    with pytest.raises((EvaluationError, InvalidRequest)) as refusal:
        run_kind({**REQUESTS[kind], "dataset": str(file.id)}, [file])

    message = str(refusal.value)
    point = next(i for i, cell in enumerate(cells) if "." in cell)
    comma = next(i for i, cell in enumerate(cells) if "," in cell)
    assert f"{cells[point]!r} in row {point}" in message
    assert f"and with a comma, such as {cells[comma]!r} in row {comma}" in message
    assert "Write all of them with a decimal point" in message


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,534", "900.5", "1,200.25"], [1534.0, 900.5, 1200.25]),
        (["1,534", "88.5", "20"], [1534.0, 88.5, 20.0]),
        (["1.534", "88,5", "20"], [1534.0, 88.5, 20.0]),
    ],
)
def test_exact_thousands_near_the_other_numbers_are_read(
    tmp_path: Path, cells: list[str], values: list[float]
) -> None:
    file = uploaded(tmp_path, "text/csv", "\n".join(["a;y", *(f"{c};1" for c in cells)]).encode())

    assert read_columns(file)["a"].tolist() == values


@pytest.mark.parametrize("media_type", FILES)
def test_exact_the_cell_of_a_feature_is_named(tmp_path: Path, media_type: str) -> None:
    file = uploaded(tmp_path, media_type, FILES[media_type]("mean").encode())
    body = {
        "kind": "cross_validation",
        "task": "classification",
        "dataset": str(file.id),
        "columns": {"target": "y"},
        "scheme": "stratified_k_fold",
        "learners": {"m": "logistic_regression", "base": "majority"},
    }
    cautions = run_kind(body, [file]).result["cautions"]

    assert any("the others are 'mean' in row 30" in caution["message"] for caution in cautions)
