"""Columns of every type that files and frames have: the answer is written first."""

from __future__ import annotations

import datetime as dt
import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.service.kinds.run_requests import run_kind
from tests.service.surfaces.commands import SEED, run_command
from thetahat.errors import InvalidParameter
from thetahat_service.in_process.files import open_file

A = [0.1, 0.5, 0.25, 0.75, 0.3, 0.9, 0.6, 0.2]
B = [0.2, 0.45, 0.3, 0.7, 0.35, 0.8, 0.65, 0.1]
PAIRS = [0, 0, 1, 1, 2, 2, 3, 3]
"""The source of each row: four of two rows."""
BY_SOURCE = {"a": [0.3, 0.5, 0.6, 0.4], "b": [0.325, 0.5, 0.575, 0.375]}
"""The means of the sources, by hand."""
LARGE = 2**62 + 1  # as a double it is 2**62
HUGE = 10**19 + 1  # 20 digits, beyond int64; as a double it is 10**19
DAYS = [dt.date(2026, 1, 1 + source) for source in PAIRS]
NOONS = [dt.datetime.combine(day, dt.time(12)) for day in DAYS]
LETTERS = [list("wxyz")[source] for source in PAIRS]


def of(first: int) -> list[int]:
    return [first + source for source in PAIRS]


def texts(first: int) -> list[str]:
    return [str(first + source) for source in range(4)]


LABELS: dict[str, tuple[list[str], Callable[[], Any]]] = {
    "int64": (texts(LARGE), lambda: pa.array(of(LARGE), pa.int64())),
    "uint64": (texts(2**64 - 4), lambda: pa.array(of(2**64 - 4), pa.uint64())),
    "int8": (texts(-2), lambda: pa.array(of(-2), pa.int8())),
    "decimal128": (texts(HUGE), lambda: pa.array(map(Decimal, of(HUGE)), pa.decimal128(22, 0))),
    "decimal256": (texts(HUGE), lambda: pa.array(map(Decimal, of(HUGE)), pa.decimal256(44, 0))),
    "dictionary of int64": (texts(LARGE), lambda: pa.array(of(LARGE)).dictionary_encode()),
    "dictionary of text": (list("wxyz"), lambda: pa.array(LETTERS).dictionary_encode()),
    "large_string": (list("wxyz"), lambda: pa.array(LETTERS, pa.large_string())),
    "string_view": (list("wxyz"), lambda: pa.array(LETTERS, pa.string_view())),
    "several chunks": (
        texts(LARGE),
        lambda: pa.chunked_array([of(LARGE)[:3], of(LARGE)[3:]], pa.int64()),
    ),
    "chunks of other dictionaries": (
        list("wxyz"),
        lambda: pa.chunked_array(
            [pa.array(part).dictionary_encode() for part in (LETTERS[:3], LETTERS[3:])]
        ),
    ),
    "date32": ([str(day) for day in DAYS[::2]], lambda: pa.array(DAYS)),
    "pandas Int64": (texts(LARGE), lambda: pd.array(of(LARGE), dtype="Int64")),
    "pandas UInt64": (texts(2**64 - 4), lambda: pd.array(of(2**64 - 4), dtype="UInt64")),
    "pandas string": (list("wxyz"), lambda: pd.array(LETTERS, dtype="string")),
    "pandas string of pyarrow": (list("wxyz"), lambda: pd.array(LETTERS, dtype="string[pyarrow]")),
    "pandas decimal of pyarrow": (
        texts(HUGE),
        lambda: pd.array([*map(Decimal, of(HUGE))], dtype=pd.ArrowDtype(pa.decimal128(22, 0))),
    ),
    "pandas categories, some unused": (
        list("wxyz"),
        lambda: pd.Categorical(LETTERS, categories=list("uzyxwv")),
    ),
    "pandas categories of ids": (texts(LARGE), lambda: pd.Categorical(of(LARGE))),
    "polars UInt64": (texts(2**64 - 4), lambda: pl.Series(of(2**64 - 4), dtype=pl.UInt64)),
    "polars Decimal": (texts(HUGE), lambda: pl.Series([*map(Decimal, of(HUGE))])),
    "polars Enum": (
        list("wxyz"),
        lambda: pl.Series(LETTERS, dtype=pl.Enum(list("uzyxwv"))),
    ),
    "polars Categorical": (list("wxyz"), lambda: pl.Series(LETTERS, dtype=pl.Categorical)),
    "polars Date": ([str(day) for day in DAYS[::2]], lambda: pl.Series(DAYS)),
}
"""The labels of the sources in order, and a column of them."""
SCORES: dict[str, Callable[[], Any]] = {
    "float64": lambda: pa.array(A),
    "dictionary of float64": lambda: pa.array(A).dictionary_encode(),
    "decimal128": lambda: pa.array([Decimal(str(v)) for v in A], pa.decimal128(10, 4)),
    "text": lambda: pa.array(map(str, A)),
    "pandas Float64": lambda: pd.array(A, dtype="Float64"),
    "pandas categories": lambda: pd.Categorical(A),
    "pandas double of pyarrow": lambda: pd.array(A, dtype="double[pyarrow]"),
    "polars Decimal": lambda: pl.Series([Decimal(str(v)) for v in A]),
}


def write_stream(path: Path, table: pa.Table) -> None:
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table)


FILES: dict[str, Callable[[Path, pa.Table], object]] = {
    "t.parquet": lambda path, table: pq.write_table(table, path, row_group_size=3),
    "plain.parquet": lambda path, table: pq.write_table(table, path, use_dictionary=False),
    "t.feather": lambda path, table: pf.write_feather(table, path),
    "t.arrow": write_stream,
}


def as_arrow(column: Any) -> Any:
    """Return a column of a frame as the library of the frame writes it to a file."""
    if isinstance(column, pl.Series):
        sink = io.BytesIO()
        pl.DataFrame({"x": column}).write_parquet(sink)
        return pq.read_table(sink).column("x")
    if isinstance(column, pa.Array | pa.ChunkedArray):
        return column
    return pa.table(pa.Table.from_pandas(pd.DataFrame({"x": column}))).column("x")


def check_result(result: Any, labels: list[str] | None) -> None:
    for name, means in BY_SOURCE.items():
        assert_allclose(result["models"][name]["mean"]["blocks"], means, rtol=1e-12)
    if labels is not None:
        assert [str(label) for label in result["block_labels"]] == labels


def check_everywhere(folder: Path, a: Any, source: Any, labels: list[str]) -> None:
    """Check the result of the library, of the command and of a request, in every file."""
    found = thetahat.evaluate({"a": a, "b": B}, block=source, blocks="source", seed=SEED)
    check_result(json.loads(json.dumps(thetahat.to_json(found), default=str)), None)
    table = pa.table({"school": as_arrow(source), "a": as_arrow(a), "b": B})
    for name, write in FILES.items():
        path = folder / name
        write(path, table)
        printed = run_command("compare", path, "--block", "school", "--better", "lower", "--json")
        assert printed.status == 0, printed.errors
        check_result(json.loads(printed.out), labels)
    check_result(submit(folder / "t.parquet", "school"), labels)


def submit(path: Path, block: str, **more: Any) -> Any:
    from thetahat_client.media import guess_media_type

    with open_file(path, guess_media_type(path.name)) as file:
        columns = {"losses": ["a", "b"], "block": block}
        request = {"kind": "losses", "blocks": "source", "columns": columns, **more}
        return run_kind({**request, "dataset": str(file.id)}, [file], seed=SEED).result


@pytest.mark.parametrize("kind", LABELS)
def test_exact_labels_of_every_type_are_those_of_the_file(kind: str, tmp_path: Path) -> None:
    labels, make = LABELS[kind]

    check_everywhere(tmp_path, pa.array(A), make(), labels)


@pytest.mark.parametrize("kind", SCORES)
def test_exact_losses_of_every_type_are_numbers(kind: str, tmp_path: Path) -> None:
    check_everywhere(tmp_path, SCORES[kind](), pa.array(LETTERS), list("wxyz"))


def with_gap(values: list[Any]) -> list[Any]:
    """Return values of which the last one, in source z, is missing."""
    return [*values[:-1], None]


GAPS: dict[str, Callable[[], Any]] = {
    "int64": lambda: pa.array(with_gap(of(LARGE)), pa.int64()),
    "uint64": lambda: pa.array(with_gap(of(2**64 - 4)), pa.uint64()),
    "decimal128": lambda: pa.array(with_gap([*map(Decimal, of(HUGE))]), pa.decimal128(22, 0)),
    "dictionary of text": lambda: pa.array(with_gap(LETTERS)).dictionary_encode(),
    "pandas Int64": lambda: pd.array(with_gap(of(LARGE)), dtype="Int64"),
    "pandas categories": lambda: pd.Categorical(with_gap(LETTERS)),
    "polars Int64": lambda: pl.Series(with_gap(of(LARGE))),
    "polars Date": lambda: pl.Series(with_gap(DAYS)),
    "polars Datetime": lambda: pl.Series(with_gap(NOONS)),
    "polars Boolean": lambda: pl.Series(with_gap([source > 1 for source in PAIRS])),
}


@pytest.mark.parametrize("kind", GAPS)
def test_exact_a_missing_label_of_every_type_is_one_row(kind: str, tmp_path: Path) -> None:
    source, expected = GAPS[kind](), [0.3, 0.5, 0.6, 0.6]
    if kind == "polars Boolean":
        expected = [sum(A[:4]) / 4, sum(A[4:7]) / 3]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"school": as_arrow(source), "a": A, "b": B}), path)
    options = ["--block", "school", "--better", "lower", "--json"]

    with pytest.raises(InvalidParameter, match="The block has no value in row 7"):
        thetahat.evaluate({"a": A, "b": B}, block=source, blocks="source")
    assert "The block has no value in row 7." in run_command("compare", path, *options).errors
    with pytest.raises(InvalidParameter, match="The block has no value in row 7"):
        submit(path, "school")
    printed = run_command("compare", path, *options, "--missing", "leave_out")
    for result in (json.loads(printed.out), submit(path, "school", missing="leave_out")):
        assert_allclose(result["models"]["a"]["mean"]["blocks"], expected, rtol=1e-12)
        assert result["models"]["a"]["n"] == 7


DURATIONS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.Series(pd.to_timedelta(A, unit="s").astype("timedelta64[ns]")),
    "numpy": lambda: np.arange(8).astype("timedelta64[s]"),
    "numpy in nanoseconds": lambda: np.arange(8).astype("timedelta64[ns]"),
    "polars": lambda: pl.Series([dt.timedelta(seconds=v) for v in A]),
    "pyarrow": lambda: pa.array([dt.timedelta(seconds=v) for v in A]),
    "dates in nanoseconds": lambda: np.array(DAYS, dtype="datetime64[ns]"),
    "dates": lambda: pl.Series(DAYS),
}


@pytest.mark.parametrize("kind", DURATIONS)
def test_invalid_durations_and_dates_are_no_losses(kind: str) -> None:
    values = DURATIONS[kind]()

    with pytest.raises(InvalidParameter, match="losses must be numbers, and are of type"):
        thetahat.evaluate({"a": values, "b": B}, blocks="holdout")
    with pytest.raises(InvalidParameter, match="column is not numeric"):
        thetahat.evaluate_predictions(A, {"m": values}, loss="squared", blocks="holdout")
    with pytest.raises(InvalidParameter, match="column is not numeric"):
        thetahat.evaluate_predictions(values, {"m": A}, loss="squared", blocks="holdout")


OTHERS: dict[str, Callable[[], Any]] = {
    "list": lambda: pa.array([[v] for v in B]),
    "struct": lambda: pa.array([{"k": v} for v in B]),
    "binary": lambda: pa.array([b"x"] * 8),
    "duration": lambda: pa.array([dt.timedelta(seconds=v) for v in B]),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_exact_a_column_of_another_type_is_named(kind: str, tmp_path: Path) -> None:
    """Durations may be losses and are refused; lists, objects and bytes are left out."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": A, "b": OTHERS[kind]()}), path)

    printed = run_command("compare", path)

    refused = f"The column 'b' has the type {kind}"
    named = "not used: b, whose values are lists, objects or bytes."
    assert printed.status == (2 if kind == "duration" else 0)
    assert (refused if kind == "duration" else named) in printed.errors
    with pytest.raises(InvalidParameter, match="losses must be numbers"):
        thetahat.evaluate({"a": A, "b": OTHERS[kind]()}, blocks="holdout")
