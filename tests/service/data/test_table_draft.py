"""Text tables that are read once, and those whose columns change their type further down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from thetahat_service.data import csv_columns
from thetahat_service.data.base import FileLimits
from thetahat_service.data.formats import delimited
from thetahat_service.data.table_draft import TableDraft

N = 900
FRACTIONS = [f"{i % 97 / 8}" for i in range(N)]
WHOLE = [str(i % 50) for i in range(N)]
WORDS = [f"word {i % 7}" for i in range(N)]
LAST = N - 3


def change(cells: list[str], cell: str, row: int = LAST) -> list[str]:
    return [*cells[:row], cell, *cells[row + 1 :]]


PLAIN: list[list[str]] = [
    FRACTIONS,
    WHOLE,
    WORDS,
    ["True", "False"] * (N // 2),
    change(FRACTIONS, ""),
    change(WHOLE, "?"),
    change(WORDS, "NA"),
    [""] * N,
]
OTHERS: list[list[str]] = [
    change(WHOLE, "0.5"),
    change(WHOLE, "01"),
    change(WHOLE, "1.0"),
    change(FRACTIONS, "word"),
    change(FRACTIONS, "5 %"),
    change(FRACTIONS, '"1,234.5"'),
    change(["True"] * N, "yes"),
    change([""] * N, "7"),
    [f"{i}%" for i in range(N)],
]


def inspect(path: Path, columns: list[list[str]]) -> tuple[pa.Table, Any]:
    heading = ",".join(f"c{k}" for k in range(len(columns)))
    rows = (",".join(row) for row in zip(*columns, strict=True))
    path.write_text("\n".join([heading, *rows]) + "\n")
    with path.with_suffix(".table").open("w+b") as table:
        found = delimited.METHOD.inspect(path, FileLimits(), table)
    return pa.ipc.open_file(pa.memory_map(str(path.with_suffix(".table")))).read_all(), found


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_columns, "BLOCK_BYTES", 4096)


def test_exact_plain_columns_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("the text is read again")

    monkeypatch.setattr(delimited, "read_texts", refuse)

    table, found = inspect(tmp_path / "t.csv", PLAIN)

    assert found.rows == table.num_rows == N
    assert table["c0"].to_pylist() == [float(cell) for cell in FRACTIONS]
    assert table["c1"].to_pylist() == [int(cell) for cell in WHOLE]
    assert table["c2"].to_pylist() == WORDS
    assert table["c5"].to_pylist()[LAST] is None


@pytest.mark.parametrize("other", range(len(OTHERS)))
def test_naive_tables_are_the_same_without_a_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: int
) -> None:
    """Every plain column beside one that changes its type, in another order each time."""
    columns = [*PLAIN, OTHERS[other]]
    order = np.random.default_rng(other).permutation(len(columns))
    columns = [columns[k] for k in order]
    drafted, found = inspect(tmp_path / "drafted.csv", columns)

    def give_up(self: TableDraft, values: object) -> None:
        del values
        self._holds = False

    monkeypatch.setattr(TableDraft, "add", give_up)
    read_twice, expected = inspect(tmp_path / "twice.csv", columns)

    assert found == expected
    assert drafted.schema == read_twice.schema
    assert drafted.to_pylist() == read_twice.to_pylist()
