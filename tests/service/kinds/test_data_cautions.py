"""Cautions about the data of a request, for each kind that fits learners."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import parquet_file, run_kind

N = 24
CLASS = np.repeat(["no", "yes"], N // 2)
IDS = np.arange(1, N + 1)
A = np.arange(N) % 5
FIT: dict[str, Any] = {
    "task": "classification",
    "scheme": {"name": "stratified_k_fold", "params": {"n_folds": 3}},
    "learners": {"majority": "majority"},
}
KINDS: list[dict[str, Any]] = [
    {"kind": "cross_validation", **FIT},
    {"kind": "learning_curve", **FIT, "sizes": [0.5, 1]},
    {
        "kind": "selection",
        "task": "classification",
        "candidates": {"majority": "majority", "nearest": "nearest_mean"},
        "internal": FIT["scheme"],
    },
]


def messages_of(result: dict[str, Any], code: str) -> list[str]:
    return [caution["message"] for caution in result["cautions"] if caution["code"] == code]


@pytest.mark.parametrize("body", KINDS, ids=lambda body: body["kind"])
def test_exact_a_column_that_numbers_the_rows_is_a_feature_with_a_caution(
    tmp_path: Path, body: dict[str, Any]
) -> None:
    """pandas and R write such a column first; here it tells the class."""
    file = parquet_file(tmp_path, {"id": IDS, "a": A, "y": CLASS})
    request = {**body, "dataset": str(file.id), "columns": {"target": "y"}}
    named = {**request, "columns": {"target": "y", "features": ["id", "a"]}}

    (message,) = messages_of(run_kind(request, [file]).result, "row_numbers")
    assert message.startswith(
        "Column 'id' numbers the rows and is used as a feature, because the request"
    )
    assert messages_of(run_kind(named, [file]).result, "row_numbers") == []


@pytest.mark.parametrize("body", KINDS, ids=lambda body: body["kind"])
def test_exact_classes_and_sources_spelt_in_two_ways_have_cautions(body: dict[str, Any]) -> None:
    data = {
        "X": A[:, None].tolist(),
        "y": ["No" if i < 3 else label for i, label in enumerate(CLASS.tolist())],
        "source": ["Oslo" if i == 0 else "oslo" for i in range(N)],
    }
    messages = messages_of(run_kind({**body, "data": data}).result, "labels_alike")

    assert [message.split(" differ")[0] for message in messages] == [
        "The classes 'No' and 'no'",
        "The sources 'Oslo' and 'oslo'",
    ]


@pytest.mark.parametrize(
    "column", [[1, 2], [2, 3, 5] * 8, np.arange(N) + 0.5, np.arange(N) * 2, [1, 2, None] * 8]
)
def test_exact_other_columns_have_none(tmp_path: Path, column: Any) -> None:
    n = len(column)
    file = parquet_file(tmp_path, {"a": column, "y": [i * i for i in range(n)]})
    body = {
        "kind": "cross_validation",
        "task": "regression",
        "learners": {"mean": "mean"},
        "scheme": "leave_one_out",
        "dataset": str(file.id),
        "columns": {"target": "y"},
    }

    assert messages_of(run_kind(body, [file]).result, "row_numbers") == []


@pytest.mark.parametrize("body", KINDS, ids=lambda body: body["kind"])
def test_exact_a_source_that_is_named_and_not_used_is_named_again(
    tmp_path: Path, body: dict[str, Any]
) -> None:
    copy = [f"{label}!" for label in CLASS]
    file = parquet_file(tmp_path, {"a": A, "copy": copy, "school": A, "y": CLASS})
    columns = {"target": "y", "source": "school", "features": ["a"]}
    request = {**body, "dataset": str(file.id), "columns": columns}
    result = run_kind(request, [file]).result

    (message,) = messages_of(result, "sources_cross_blocks")
    assert "of the 5 sources of column 'school', so that models are tested on sources" in message
    assert message.endswith("and not about a new one.")
    assert messages_of(result, "feature_equals_target") == []
    with_copy = {**request, "columns": {"target": "y", "features": ["a", "copy"]}}
    if body["kind"] != "selection":  # whose candidate needs numbers
        result = run_kind(with_copy, [file]).result
        (message,) = messages_of(result, "feature_equals_target")
        assert message.startswith("Feature 'copy' has one value for each value of the target")


@pytest.mark.parametrize("body", KINDS, ids=lambda body: body["kind"])
@pytest.mark.parametrize("word", ["Total", "mean", "Grand total:"])
def test_exact_a_row_that_is_named_as_a_total_has_a_caution(
    tmp_path: Path, body: dict[str, Any], word: str
) -> None:
    name = [f"n{i}" for i in range(N)]
    rows: dict[str, Any] = {"name": name, "a": A, "y": CLASS}
    request = {**body, "columns": {"target": "y"}}
    total = parquet_file(tmp_path, {**rows, "name": [*name[:7], word, *name[8:]]})

    (message,) = messages_of(
        run_kind({**request, "dataset": str(total.id)}, [total]).result, "total_row"
    )
    assert message.startswith(f"Row 7 seems to sum up other rows: it has {word!r} in column 'name'")
    plain = parquet_file(tmp_path, {**rows, "b": A})
    result = run_kind({**request, "dataset": str(plain.id)}, [plain]).result
    assert messages_of(result, "total_row") == []


@pytest.mark.parametrize("how", [np.sum, np.mean])
def test_exact_a_row_of_sums_of_all_columns_has_a_caution(tmp_path: Path, how: Any) -> None:
    rng = np.random.default_rng(20_261_127)
    columns = {name: np.round(rng.normal(3, 1, N), 3) for name in ("a", "b", "y")}
    rows = {name: [*c, round(float(how(c)), 3)] for name, c in columns.items()}
    body = {
        "kind": "cross_validation",
        "columns": {"target": "y"},
        "task": "regression",
        "scheme": "leave_one_out",
        "learners": {"mean": "mean"},
    }
    total = parquet_file(tmp_path, rows)

    (message,) = messages_of(
        run_kind({**body, "dataset": str(total.id)}, [total]).result, "total_row"
    )
    assert message.startswith(f"Row {N} seems to sum up other rows: in every column")
    plain = parquet_file(tmp_path, {**columns, "c": np.arange(N) % 7})
    result = run_kind({**body, "dataset": str(plain.id)}, [plain]).result
    assert messages_of(result, "total_row") == []


@pytest.mark.parametrize("column", ["a", "y"])
def test_exact_a_code_of_missing_values_among_numbers_has_a_caution(
    tmp_path: Path, column: str
) -> None:
    rng = np.random.default_rng(20_261_128)
    columns = {name: np.round(rng.normal(3, 1, N), 3) for name in ("a", "y")}
    columns[column][5] = -999
    file = parquet_file(tmp_path, {**columns, f"without {column}": rng.normal(3, 1, N)})
    body = {
        "kind": "cross_validation",
        "dataset": str(file.id),
        "columns": {"target": "y"},
        "task": "regression",
        "scheme": "leave_one_out",
        "learners": {"mean": "mean"},
    }

    (message,) = messages_of(run_kind(body, [file]).result, "missing_code")
    name = "the target" if column == "y" else "a"
    assert message.startswith(f"'{name}' is -999 in row 5 (1 rows), and ")
