from __future__ import annotations

import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from service.data import csv_types
from service.data.base import TABLE_SUFFIX
from service.data.formats import FORMATS
from service.data.preview import preview
from service.data.reading import read_columns
from service.errors import InvalidFile, InvalidRequest, TooLarge, Unavailable

CSV = "text/csv"
PARQUET = "application/vnd.apache.parquet"
ARROW = "application/vnd.apache.arrow.stream"
NPY = "application/x-npy"
MANY = 10**9


@dataclass
class Kept:
    media_type: str
    columns: Any
    path: Path | None


def keep(folder: Path, media_type: str, content: bytes, max_cells: int = MANY) -> Kept:
    path = folder / "file"
    path.write_bytes(content)
    with path.with_name(path.name + TABLE_SUFFIX).open("w+b") as table:
        found = FORMATS[media_type].inspect(path, max_cells, table)
    return Kept(media_type, found.columns, path)


def read(folder: Path, media_type: str, content: bytes) -> dict[str, np.ndarray]:
    return read_columns(keep(folder, media_type, content))


def types(folder: Path, text: str) -> dict[str, str]:
    kept = keep(folder, CSV, text.encode())
    return {column["name"]: column["type"] for column in kept.columns}


def written(table: pa.Table, media_type: str) -> bytes:
    sink = io.BytesIO()
    if media_type == PARQUET:
        pq.write_table(table, sink, row_group_size=2)
        return sink.getvalue()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


TABLE = pa.table(
    {
        "number": pa.array([1.5, None, float("nan")]),
        "single": pa.array([0.5, 1.5, 2.5], pa.float32()),
        "whole": pa.array([1, -2, 3], pa.int16()),
        "holes": pa.array([1, None, 3]),
        "huge": pa.array([1, 2, 2**64 - 1], pa.uint64()),
        "flag": pa.array([True, False, True]),
        "maybe": pa.array([True, None, False]),
        "text": pa.array(["a", None, "ä"]),
        "long": pa.array(["a", "b", "a"], pa.large_string()),
        "label": pa.array(["x", "y", "x"]).dictionary_encode(),
        "code": pa.array([7, 8, 7]).dictionary_encode(),
        "money": pa.array(["1.25", "2.50", None]).cast(pa.decimal128(9, 2)),
        "day": pa.array([0, 1, None], pa.date32()),
        "instant": pa.array([0, 1, 2], pa.timestamp("s", tz="UTC")),
        "nothing": pa.nulls(3),
    }
)
NAN = float("nan")
EXPECTED: dict[str, tuple[str, list[Any]]] = {
    "number": ("f", [1.5, NAN, NAN]),
    "single": ("f", [0.5, 1.5, 2.5]),
    "whole": ("i", [1, -2, 3]),
    "holes": ("f", [1.0, NAN, 3.0]),
    "huge": ("f", [1.0, 2.0, 2.0**64]),
    "flag": ("b", [True, False, True]),
    "maybe": ("f", [1.0, NAN, 0.0]),
    "text": ("O", ["a", None, "ä"]),
    "long": ("O", ["a", "b", "a"]),
    "label": ("O", ["x", "y", "x"]),
    "code": ("i", [7, 8, 7]),
    "money": ("f", [1.25, 2.5, NAN]),
    "day": ("O", ["1970-01-01", "1970-01-02", None]),
    "instant": ("O", [f"1970-01-01 00:00:0{i}.000000" for i in range(3)]),
    "nothing": ("f", [NAN, NAN, NAN]),
}


@pytest.mark.parametrize("media_type", [PARQUET, ARROW])
def test_golden_every_type_of_column(tmp_path: Path, media_type: str) -> None:
    columns = read(tmp_path, media_type, written(TABLE, media_type))

    assert list(columns) == list(EXPECTED)
    for name, (kind, values) in EXPECTED.items():
        assert columns[name].dtype.kind == kind, name
        assert columns[name].dtype.itemsize == (1 if kind == "b" else 8)
        assert_array_equal(columns[name], np.array(values, columns[name].dtype))


@pytest.mark.parametrize("media_type", [PARQUET, ARROW])
def test_exact_the_columns_asked_for_in_their_order(tmp_path: Path, media_type: str) -> None:
    kept = keep(tmp_path, media_type, written(TABLE, media_type))

    assert list(read_columns(kept, ["text", "whole", "text"])) == ["text", "whole"]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(3, 2),
        np.asfortranarray(np.arange(6.0).reshape(3, 2)),
        np.arange(6, dtype=">f4").reshape(3, 2),
        np.arange(6, dtype=np.uint8).reshape(3, 2),
        np.arange(6, dtype="<i8").reshape(3, 2),
        np.arange(3.0),
        np.array([[True, False], [False, False], [True, True]]),
        np.array([1, 2, 2**63 + 5], dtype=np.uint64),
    ],
    ids=lambda a: f"{a.dtype}{a.shape}",
)
def test_exact_arrays_come_back(tmp_path: Path, array: np.ndarray) -> None:
    sink = io.BytesIO()
    np.save(sink, array)
    columns = read(tmp_path, NPY, sink.getvalue())

    wide = array.reshape(3, -1)
    assert list(columns) == [f"c{j}" for j in range(wide.shape[1])]
    for j, column in enumerate(columns.values()):
        assert_array_equal(column.astype(np.float64), wide[:, j].astype(np.float64))
        assert column.dtype in (np.float64, np.int64, np.bool_)


def header(text: str) -> bytes:
    padded = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (header("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}"), "object"),
        (header("{'descr': '<U4', 'fortran_order': False, 'shape': (3,)}"), "str"),
        (header("{'descr': '<c16', 'fortran_order': False, 'shape': (3,)}"), "complex"),
        (header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}"), "void"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}") + b"\0" * 25, "bytes"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}") + b"\0" * 23, "bytes"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (9,9,9)}"), "dimensions"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': ()}") + b"\0" * 8, "dimensions"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,-1)}") + b"\0" * 8, "dim"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}"), "no rows"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,0)}"), "no columns"),
        (header("__import__('os').system('false')"), "read"),
        (header("[" * 100), "read"),
        (b"\x93NUMPY\x03\x00" + b"\0" * 20, "version"),
        (b"\x93NUMPY\x01\x00", "read"),
        (b"\x93NUM", "read"),
    ],
)
def test_invalid_arrays(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, NPY, content)


def test_invalid_an_array_of_more_cells_is_refused_by_its_header(tmp_path: Path) -> None:
    content = header("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 9)}")
    with pytest.raises(TooLarge, match="cells"):
        keep(tmp_path, NPY, content)


@pytest.mark.parametrize("media_type", [PARQUET, ARROW])
@pytest.mark.parametrize(
    ("table", "words"),
    [
        (pa.table({"a": [[1, 2]]}), "'a' holds list"),
        (pa.table({"a": [b"x"]}), "'a' holds binary"),
        (pa.table({"a": [{"b": 1}]}), "'a' holds struct"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), "two columns"),
        (pa.table({"": [1]}), "column 0"),
        (pa.table({"x\0": [1]}), "column 0"),
        (pa.table({"x" * 1001: [1]}), "column 0"),
        (pa.table({"a": pa.array([], pa.float64())}), "no rows"),
    ],
)
def test_invalid_tables(tmp_path: Path, media_type: str, table: pa.Table, words: str) -> None:
    with pytest.raises((InvalidFile, TooLarge), match=words):
        keep(tmp_path, media_type, written(table, media_type))


def test_invalid_a_small_file_of_very_many_rows(tmp_path: Path) -> None:
    sink = io.BytesIO()
    pq.write_table(pa.table({"a": np.zeros(2_000_000, dtype=np.int8)}), sink, compression="zstd")
    assert len(sink.getvalue()) < 20_000

    with pytest.raises(TooLarge, match="cells"):
        keep(tmp_path, PARQUET, sink.getvalue(), max_cells=1_999_999)


def test_exact_text_that_repeats_does_not_swell(tmp_path: Path) -> None:
    # 100 000 rows of one text of 100 kB would be 10 GB side by side
    table = pa.table({"a": pa.array(["x" * 100_000] * 1000)})
    sink = io.BytesIO()
    pq.write_table(table, sink)
    columns = read(tmp_path, PARQUET, sink.getvalue())

    assert len({id(text) for text in columns["a"]}) == 1


def test_invalid_a_page_that_was_changed(tmp_path: Path) -> None:
    content = bytearray(written(pa.table({"a": np.arange(1000.0)}), PARQUET))
    content[4:400] = b"\xff" * 396
    with pytest.raises(InvalidFile, match="Parquet"):
        keep(tmp_path, PARQUET, bytes(content))


def test_invalid_a_compressed_stream(tmp_path: Path) -> None:
    sink = io.BytesIO()
    table = pa.table({"a": np.zeros(100_000)})
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)

    with pytest.raises(InvalidFile, match="compressed"):
        keep(tmp_path, ARROW, sink.getvalue())


def test_invalid_a_stream_whose_rows_take_no_room(tmp_path: Path) -> None:
    table = pa.table({"a": pa.nulls(2 * MANY)})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)

    with pytest.raises(TooLarge, match="rows"):
        keep(tmp_path, ARROW, sink.getvalue())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\n1,x\n2,y\n", {"a": "integer", "b": "string"}),
        ("a;b\n1,5;x\n2;y\n", {"a": "number", "b": "string"}),
        ("a\tb\n1.5\ttrue\n", {"a": "number", "b": "boolean"}),
        ("a|b\n1|2\n", {"a": "integer", "b": "integer"}),
        ("a\n1\n\n3\n", {"a": "integer"}),
        ("\ufeffa,b\n1,2\n", {"a": "integer", "b": "integer"}),
        ("a,b\r\n1,2\r\n", {"a": "integer", "b": "integer"}),
        ('"a,b",c\n"1\n2",3\n', {"a,b": "string", "c": "integer"}),
        (",x\nr1,1\nr2,2\n", {"column_0": "string", "x": "integer"}),
        ("a,b\n2020-01-01,12:00\n", {"a": "string", "b": "string"}),
        ("a,b\n,1\nNA,2\nNaN,3\n", {"a": "number", "b": "integer"}),
        ("a,b\n1e5, 2 \n-3.5,4\n", {"a": "number", "b": "integer"}),
        ("a\n99999999999999999999\n", {"a": "number"}),
        ("a,b\nyes,0\nno,1\n", {"a": "string", "b": "integer"}),
    ],
)
def test_golden_what_is_understood_of_a_text(
    tmp_path: Path, text: str, expected: dict[str, str]
) -> None:
    assert types(tmp_path, text) == expected


def test_golden_values_of_a_text(tmp_path: Path) -> None:
    text = 'x;s;n;q\n1,5;a b;1;""\n;"a;b";2;"1"\nNA;"say ""so""";3;NaN\n'
    columns = read(tmp_path, CSV, text.encode())

    assert_array_equal(columns["x"], [1.5, NAN, NAN])
    assert columns["s"].tolist() == ["a b", "a;b", 'say "so"']
    assert_array_equal(columns["n"], [1, 2, 3])
    assert columns["n"].dtype == np.int64
    assert_array_equal(columns["q"], [NAN, 1.0, NAN])


def test_exact_an_empty_line_of_one_column_is_a_missing_value(tmp_path: Path) -> None:
    assert_array_equal(read(tmp_path, CSV, b"a\n1\n\n3\n")["a"], [1.0, NAN, 3.0])


@pytest.mark.parametrize(
    ("late", "expected"),
    [
        ("2.5", {"a": "number", "b": "integer", "c": "boolean", "d": "number"}),
        ("x", {"a": "string", "b": "integer", "c": "boolean", "d": "number"}),
        ("", {"a": "integer", "b": "integer", "c": "boolean", "d": "number"}),
    ],
)
def test_exact_a_late_row_widens_its_column_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: str, expected: dict[str, str]
) -> None:
    monkeypatch.setattr(csv_types, "BLOCK_BYTES", 1000)
    rows = [f"{i},{i},true," for i in range(500)]
    text = "\n".join(["a,b,c,d", *rows, f"{late},1,false,7.5"]) + "\n"
    kept = keep(tmp_path, CSV, text.encode())
    columns = read_columns(kept)

    assert {column["name"]: column["type"] for column in kept.columns} == expected
    assert len(columns["a"]) == 501
    assert columns["d"][-1] == 7.5
    assert columns["b"][499] == 499


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,\xff\n", "byte 6 is 0xff"),
        (b"a,b\n1,\xc3", "cut off at byte 6"),
        (b"a,b\n1,\0\n", "NUL byte at byte 6"),
        ("a,b\n1,2\n".encode("utf-16"), "byte 0 is 0xff"),
        (b"a,a\n1,2\n", "two columns"),
        (b"1,2\n3,4\n", "must name the columns"),
        (b"a,b\n1,2,3\n", "Expected 2 columns, got 3"),
        (b"a,b\n1\n", "Expected 2 columns, got 1"),
        (b"a,b\n", "no rows"),
        (b"\n\n", "header"),
        (b"a" * 300_000, "first line is longer|1 to 1000"),
        (b'a,b\n"1,2\n', "table|rows"),
    ],
)
def test_invalid_texts(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, CSV, content)


def test_exact_the_place_of_a_bad_byte_is_counted_over_pieces(tmp_path: Path) -> None:
    content = b"a\n" + "ä".encode() * 800_000 + b"\xff"
    with pytest.raises(InvalidFile, match=f"byte {len(content) - 1} is 0xff"):
        keep(tmp_path, CSV, content)


@given(
    numbers=st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.none(), min_size=1, max_size=20
    ),
    texts=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=20),
)
def test_property_csv_and_parquet_read_the_same(
    numbers: list[float | None], texts: list[str]
) -> None:
    cleaned = [f"t{text}" for text in texts[: len(numbers)]]
    table = pa.table({"x": pa.array(numbers, pa.float64()), "s": cleaned})
    quoted = [f'"{text.replace(chr(34), chr(34) * 2)}"' for text in cleaned]
    rows = [f"{'' if x is None else repr(x)},{s}" for x, s in zip(numbers, quoted, strict=True)]
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        as_csv = read(Path(one), CSV, "\n".join(["x,s", *rows, ""]).encode())
        as_parquet = read(Path(other), PARQUET, written(table, PARQUET))

    assert_array_equal(as_csv["x"].astype(float), as_parquet["x"])
    assert as_csv["s"].tolist() == as_parquet["s"].tolist()


def test_invalid_unknown_columns_list_those_there_are(tmp_path: Path) -> None:
    kept = keep(tmp_path, CSV, b"a,b\n1,2\n")
    with pytest.raises(InvalidRequest, match=r"'c'; there are a, b") as caught:
        read_columns(kept, ["a", "c"])
    assert caught.value.errors[0].value == "c"


def test_invalid_bytes_that_are_gone(tmp_path: Path) -> None:
    kept = keep(tmp_path, CSV, b"a,b\n1,2\n")
    assert kept.path is not None
    kept.path.unlink()
    with pytest.raises(Unavailable):
        read_columns(kept)


def test_exact_a_preview_is_json(tmp_path: Path) -> None:
    table = pa.table({"x": [float("inf"), None, 1.0], "s": ["y" * 300, None, "z"]})
    shown = preview(keep(tmp_path, PARQUET, written(table, PARQUET)), 2)

    assert shown["rows"] == [[None, "y" * 197 + "..."], [None, None]]
    assert [column["missing"] for column in shown["columns"]] == [1, 1]
