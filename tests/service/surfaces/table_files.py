"""Any small table as a file of every form: text in ten dialects, typed files, and frames."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
from collections.abc import Callable
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq

Table = dict[str, list[Any]]
"""Values by column: whole numbers, fractions, truth values or texts, and None where one lacks."""


def _write_text(
    table: Table,
    delimiter: str = ",",
    decimal: str = ".",
    *,
    missing: str = "",
    line: str = "\n",
    before: str = "",
    quoting: int = csv.QUOTE_MINIMAL,
) -> str:
    """Return a table as text; ``missing`` stands for missing numbers, and nothing for labels."""
    sink = io.StringIO()
    writer = csv.writer(sink, delimiter=delimiter, lineterminator=line, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow(table)
    marks = {name: "" if are_texts(values) else missing for name, values in table.items()}
    for row in zip(*table.values(), strict=True):
        cells = zip(row, marks.values(), strict=True)
        writer.writerow(
            [
                mark if v is None else v if isinstance(v, str) else repr(v).replace(".", decimal)
                for v, mark in cells
            ]
        )
    return before + sink.getvalue()


def are_texts(values: list[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def _write(write: Callable[[io.BytesIO], object]) -> bytes:
    sink = io.BytesIO()
    write(sink)
    return sink.getvalue()


def _list_rows(table: Table) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def _write_lines(table: Table) -> str:
    return "\n".join(map(json.dumps, _list_rows(table)))


def _write_stream(table: pa.Table) -> bytes:
    def write(sink: io.BytesIO) -> None:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)

    return _write(write)


def make_arrow(table: Table) -> pa.Table:
    """Return a table whose ids beyond 63 bits are unsigned."""
    columns = {}
    for name, values in table.items():
        is_large = any(type(value) is int and value >= 2**63 for value in values)
        columns[name] = pa.array(values, pa.uint64() if is_large else None)
    return pa.table(columns)


def make_polars(table: Table) -> pl.DataFrame:
    """Return a frame with the types of the Arrow table."""
    frame = pl.from_arrow(make_arrow(table))
    assert isinstance(frame, pl.DataFrame)
    return frame


def make_pandas(table: Table) -> pd.DataFrame:
    """Return a frame of dtypes that have missing values, which keep ids as they are."""
    kinds = {str: "string", bool: "boolean", int: "Int64", float: "Float64"}
    columns = {}
    for name, values in table.items():
        kind = kinds[next((type(value) for value in values if value is not None), str)]
        is_large = kind == "Int64" and max(v for v in values if v is not None) >= 2**63
        columns[name] = pd.array(values, dtype="UInt64" if is_large else kind)
    return pd.DataFrame(columns)


def _make_categories(table: Table) -> pd.DataFrame:
    """Return a frame whose labels are categories, of which one has no row."""
    frame = make_pandas(table)
    for name, values in table.items():
        if are_texts(values):
            frame[name] = pd.Categorical(values, categories=[*sorted({*values} - {None}), "unused"])
    return frame


def _make_dictionaries(table: Table) -> pa.Table:
    return pa.table(
        {
            name: column.combine_chunks().dictionary_encode()
            if pa.types.is_string(column.type)
            else column
            for name, column in zip(table, make_arrow(table).columns, strict=True)
        }
    )


TEXT_FILES: dict[str, tuple[str, Callable[[Table], bytes]]] = {
    "comma": (".csv", lambda t: _write_text(t).encode()),
    "semicolon and decimal comma": (".csv", lambda t: _write_text(t, ";", ",").encode()),
    "semicolon and point": (".csv", lambda t: _write_text(t, ";").encode()),
    "tab": (".tsv", lambda t: _write_text(t, "\t").encode()),
    "bar and n/a": (".csv", lambda t: _write_text(t, "|", missing="n/a").encode()),
    "question marks": (".csv", lambda t: _write_text(t, missing="?").encode()),
    "Excel": (
        ".csv",
        lambda t: _write_text(t, ";", ",", line="\r\n", before="sep=;\r\n").encode("utf-8-sig"),
    ),
    "UTF-16": (".csv", lambda t: _write_text(t, "\t").encode("utf-16")),
    "gzip": (".csv.gz", lambda t: gzip.compress(_write_text(t, missing="NULL").encode())),
    "quoted texts": (
        ".csv",
        lambda t: _write_text(t, quoting=csv.QUOTE_ALL, line="\r\n").encode(),
    ),
    "delimiter at the end": (
        ".csv",
        lambda t: _write_text({**t, "": [""] * len(next(iter(t.values())))}).encode(),
    ),
    "xz": (".csv.xz", lambda t: lzma.compress(_write_text(t).encode())),
    "pandas": (".csv", lambda t: make_pandas(t).to_csv(index=False).encode()),
    "polars": (".csv", lambda t: make_polars(t).write_csv().encode()),
}
"""The ending and the writer of each form of a text table, in which every value is text."""
TYPED_FILES: dict[str, tuple[str, Callable[[Table], bytes]]] = {
    "Parquet": (".parquet", lambda t: _write(lambda sink: pq.write_table(make_arrow(t), sink))),
    "Parquet in row groups": (
        ".parquet",
        lambda t: _write(
            lambda sink: pq.write_table(_make_dictionaries(t), sink, row_group_size=4)
        ),
    ),
    "Parquet of pandas": (".parquet", lambda t: _write(make_pandas(t).to_parquet)),
    "Parquet of categories": (".parquet", lambda t: _write(_make_categories(t).to_parquet)),
    "Parquet of polars": (".parquet", lambda t: _write(make_polars(t).write_parquet)),
    "Arrow stream": (".arrow", lambda t: _write_stream(make_arrow(t))),
    "Arrow dictionaries": (".arrow", lambda t: _write_stream(_make_dictionaries(t))),
    "Arrow file of polars": (
        ".arrow",
        lambda t: _write(lambda sink: make_polars(t).write_ipc(sink, compression="zstd")),
    ),
    "Feather": (".feather", lambda t: _write(_make_categories(t).to_feather)),
    "Feather without compression": (
        ".feather",
        lambda t: _write(
            lambda sink: pf.write_feather(make_arrow(t), sink, compression="uncompressed")
        ),
    ),
    "JSON Lines": (".jsonl", lambda t: _write_lines(t).encode()),
    "JSON Lines of polars": (".jsonl", lambda t: _write(make_polars(t).write_ndjson)),
    "JSON records": (".json", lambda t: json.dumps(_list_rows(t)).encode("utf-8-sig")),
    "JSON lists": (".json", lambda t: json.dumps(t).encode("utf-16")),
    "JSON split": (
        ".json",
        lambda t: json.dumps(
            {"columns": [*t], "data": [[*row.values()] for row in _list_rows(t)]}
        ).encode(),
    ),
}
"""Those of forms that keep numbers, texts and truth values apart."""
FRAMES: dict[str, Callable[[Table], Any]] = {
    "lists": dict,
    "pandas": make_pandas,
    "pandas objects": lambda t: pd.DataFrame(t, dtype=object),
    "pandas categories": _make_categories,
    "polars": make_polars,
    "pyarrow": make_arrow,
    "pyarrow dictionaries": _make_dictionaries,
}
"""Those of frames of the library."""
