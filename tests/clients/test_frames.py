"""Frames and arrays are uploaded as files, and results become frames."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thetahat
from thetahat_client import comparisons_frame, models_frame
from thetahat_client.frames import CSV, NPY, PARQUET, write_npy, write_table

COLUMNS: dict[str, list[Any]] = {"x": [0.1, 1 / 3, None], "school": ["a", "b", "ä"]}
FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
}


@pytest.mark.parametrize("library", FRAMES)
def test_exact_a_frame_becomes_parquet(library: str) -> None:
    content, media_type = write_table(FRAMES[library])
    table = pq.read_table(BytesIO(content))

    assert media_type == PARQUET
    assert table.column("x").to_pylist() == COLUMNS["x"]
    assert table.column("school").to_pylist() == COLUMNS["school"]


def test_exact_without_parquet_a_frame_becomes_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: Any, **options: Any) -> None:
        raise ImportError

    monkeypatch.setattr(pd.DataFrame, "to_parquet", refuse)
    content, media_type = write_table(FRAMES["pandas"])

    assert media_type == CSV
    assert pd.read_csv(BytesIO(content))["x"].tolist()[:2] == [0.1, 1 / 3]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([[1, 2]], dtype="<i2"),
        np.zeros((5, 3, 2))[:, 1],
    ],
)
def test_exact_an_array_becomes_npy_as_numpy_reads_it(array: np.ndarray) -> None:
    content, media_type = write_table(array)

    assert media_type == NPY
    np.testing.assert_array_equal(np.load(BytesIO(content)), array)


def test_invalid_objects_are_no_numbers() -> None:
    with pytest.raises(TypeError, match="only numbers"):
        write_npy(np.array([["a", "b"]], dtype=object))
    with pytest.raises(TypeError):
        write_table(object())


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_exact_results_become_frames(backend: str) -> None:
    losses = {"a": [[0.1, 0.4], [0.3, 0.2]], "b": [[0.2, 0.1], [0.3, 0.1]]}
    result = thetahat.to_json(thetahat.evaluate(losses, blocks="source"))
    models: Any = models_frame(result, backend)
    pairs: Any = comparisons_frame(result, backend)

    assert type(models).__module__.split(".")[0] == {"pyarrow": "pyarrow"}.get(backend, backend)
    rows = models.to_pylist() if backend == "pyarrow" else _rows(models, backend)
    for row in rows:
        interval = result["models"][row["model"]]["recommended"][row["target"]]
        for end in ("lower", "upper"):
            value = None if row[end] is None or np.isnan(row[end]) else row[end]
            assert value == interval[end]
    assert len(rows) == sum(len(m["recommended"]) for m in result["models"].values())
    assert len(pairs) == 1


def _rows(frame: Any, backend: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = (
        frame.to_dict("records") if backend == "pandas" else frame.to_dicts()
    )
    return rows
