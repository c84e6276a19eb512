"""Data sets with an array of very many columns over HTTP, from the upload to the result."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
import pytest
from starlette.testclient import TestClient

import thetahat
from tests.service.api.test_datasets import send
from tests.service.data.checked_files import NPZ, inspected
from tests.service.kinds.run_requests import run_kind
from thetahat.errors import EvaluationError
from thetahat_service.data.npz_columns import MAX_SEPARATE_COLUMNS
from thetahat_service.kinds.base import DatasetFile

WIDTH = MAX_SEPARATE_COLUMNS + 1
RNG = np.random.default_rng(18)
Y = np.arange(12) % 2
X = RNG.normal(size=(12, WIDTH)) + Y[:, None] * 0.05
FOLD = np.arange(12) // 2 % 3
LEARNERS: Final[dict[str, Any]] = {
    "near": {"name": "nearest_neighbours", "params": {"k": 3}},
    "m": "majority",
}


def save_archive(**arrays: Any) -> bytes:
    sink = io.BytesIO()
    np.savez(sink, **arrays)
    return sink.getvalue()


def store(folder: Path, content: bytes) -> DatasetFile:
    """Return a checked archive as a data set that a worker reads."""
    inspection, kept = inspected(folder, NPZ, content)
    return DatasetFile(
        id=UUID(int=18),
        sha256="0" * 64,
        media_type=NPZ,
        rows=inspection.rows,
        columns=inspection.columns,
        details=inspection.details,
        path=kept.path,
    )


def build_request(dataset: str, features: list[str]) -> dict[str, Any]:
    return {
        "kind": "cross_validation",
        "dataset": dataset,
        "columns": {"target": "y", "features": features, "fold": "fold"},
        "task": "classification",
        "learners": dict(LEARNERS),
        "scheme": {"name": "predefined"},
    }


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("names", [["X"], ["dose", "X"]], ids=" and ".join)
def test_exact_a_wide_array_gives_the_result_of_its_columns(
    tmp_path: Path, names: list[str], dtype: type
) -> None:
    arrays: dict[str, np.ndarray] = {
        "dose": RNG.normal(size=12).astype(dtype),
        "X": X.astype(dtype),
    }
    dataset = store(tmp_path, save_archive(**arrays, y=Y, fold=FOLD))

    result = run_kind(build_request(str(dataset.id), names), [dataset]).result

    features = np.column_stack([arrays[name] for name in names])
    wanted = thetahat.cross_validate(
        features, Y, LEARNERS, task="classification", scheme="predefined", fold=FOLD
    )
    for name, model in wanted.models.items():
        assert result["models"][name]["mean"]["pooled"] == model.mean.pooled
    assert result["models"]["near"]["mean"]["pooled"] < result["models"]["m"]["mean"]["pooled"]


def test_exact_a_wide_array_is_shown_as_one_column(client: TestClient) -> None:
    damaged = X.copy()
    damaged[4, 7] = np.nan
    dataset = send(client, save_archive(X=damaged, y=Y, fold=FOLD), NPZ).json()
    shown = client.get(dataset["links"]["preview"], params={"rows": 5}).json()

    assert dataset["columns"][0] == {"name": "X", "type": "matrix"}
    assert dataset["understood"]["arrays"]["X"]["shape"] == [12, WIDTH]
    assert shown["columns"][0] == {"name": "X", "type": "matrix", "missing": 1}
    assert list(shown["rows"][0][0]) == [f"X{j}" for j in range(20)]
    assert shown["rows"][0][0]["X19"] == X[0, 19]
    assert shown["rows"][4][0]["X7"] is None


def test_invalid_a_matrix_is_no_target(client: TestClient) -> None:
    dataset = send(client, save_archive(X=X, y=Y, fold=FOLD), NPZ).json()
    request = build_request(dataset["id"], ["y"])
    request["columns"]["target"] = "X"

    answer = client.post("/v1/evaluations", json=request)

    assert answer.status_code == 422
    assert "'X' is a matrix, which can only be a feature" in answer.text


def test_invalid_a_missing_value_is_named_by_column_and_row(tmp_path: Path) -> None:
    damaged = X.copy()
    damaged[4, 7] = np.nan
    dataset = store(tmp_path, save_archive(X=damaged, y=Y, fold=FOLD))
    request = build_request(str(dataset.id), ["X"])
    request["learners"].pop("m")
    with pytest.raises(EvaluationError, match="Column 'X7' has no value in row 4"):
        run_kind(request, [dataset])


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"X": X, "X5": Y}, "column 5 of the array 'X' is called 'X5'"),
        ({"X": np.full((2, WIDTH), "a"), "y": Y[:2]}, "columns of text"),
        ({"X": np.zeros((2, 1_000_001)), "y": Y[:2]}, "more than the limit of 1000000"),
    ],
    ids=["two of one name", "text", "too wide"],
)
def test_invalid_matrices_are_refused(
    client: TestClient, arrays: dict[str, np.ndarray], words: str
) -> None:
    answer = send(client, save_archive(**arrays), NPZ)
    assert answer.status_code in {413, 422}
    assert words in answer.json()["detail"]


def test_invalid_a_single_array_of_that_width_says_what_to_save(client: TestClient) -> None:
    sink = io.BytesIO()
    np.save(sink, X)
    answer = send(client, sink.getvalue(), "application/x-npy")
    assert answer.status_code == 413
    assert "numpy.savez(file, X=X, y=y)" in answer.json()["detail"]
