"""Frames and arrays are uploaded as files."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

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
