"""Losses as CSV: texts that a spreadsheet would run as formulas are neutralised."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from thetahat_service.api.loss_responses import stream_csv, stream_json

TEXTS = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=x", "a=b", "", "'=1", None]
SAFE = ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", "'\rx", "'\n=x", "a=b", "", "'=1", ""]


def rows_of(table: pa.Table, folder: Path) -> list[list[str]]:
    pq.write_table(table, folder / "t.parquet")
    text = b"".join(stream_csv(folder / "t.parquet")).decode()
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_exact_texts_that_look_like_formulas_get_an_apostrophe(tmp_path: Path, kind: Any) -> None:
    header, *rows = rows_of(pa.table({"id": pa.array(TEXTS, kind)}), tmp_path)

    assert header == ["id"]
    # An empty text and a missing one are an empty line in a table of one column.
    assert [row[0] if row else "" for row in rows] == SAFE


def test_exact_names_of_models_are_texts_and_numbers_stay_numbers(tmp_path: Path) -> None:
    table = pa.table({"=cmd|'/c calc'!A1": [-0.5, 1e-300], "n": [-1, 2]})
    header, *rows = rows_of(table, tmp_path)

    assert header == ["'=cmd|'/c calc'!A1", "n"]
    assert [[float(cell) for cell in row] for row in rows] == [[-0.5, -1], [1e-300, 2]]


def test_exact_json_keeps_every_text(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["=1", "-1"]}), tmp_path / "t.parquet")

    assert b'"id":["=1","-1"]' in b"".join(stream_json(tmp_path / "t.parquet"))
