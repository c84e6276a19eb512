from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from tests.service.data.checked_files import (
    ARROW,
    CSV,
    MANY,
    NAN,
    NPY,
    PARQUET,
    inspected,
    keep,
    read,
    written,
)
from thetahat_client.media import MEDIA_TYPES
from thetahat_service.data.formats import FORMATS
from thetahat_service.data.preview import preview
from thetahat_service.data.reading import read_columns, read_labels
from thetahat_service.errors import InvalidFile, InvalidRequest, TooLarge, Unavailable

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
def test_exact_every_type_of_column(tmp_path: Path, media_type: str) -> None:
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
        (header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}"), "fields 'a'"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}") + b"\0" * 25, "bytes"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}") + b"\0" * 23, "bytes"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (9,9,9)}"), "dimensions"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': ()}") + b"\0" * 8, "dimensions"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,-1)}") + b"\0" * 8, "whole"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (0,)}"), "no rows"),
        (header("{'descr': '<f8', 'fortran_order': False, 'shape': (3,0)}"), "no columns"),
        (header("__import__('os').system('false')"), "read"),
        (header("[" * 100), "read"),
        (header("{'descr': '<f8',"), "its header breaks off"),
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
        (
            pa.table({"a": [[1, 2]], "b": [b"x"], "c": [{"b": 1}]}),
            "are all lists, objects or bytes",
        ),
        (pa.table({"a": pa.array([1], pa.duration("s"))}), "'a' has the type duration"),
        (pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), "Two columns"),
        (pa.table({"": [1]}), "olumn 0"),
        (pa.table({"x\0": [1]}), "olumn 0"),
        (pa.table({"x" * 1001: [1]}), "olumn 0"),
        (pa.table({"a": pa.array([], pa.float64())}), "no rows"),
    ],
)
def test_invalid_tables(tmp_path: Path, media_type: str, table: pa.Table, words: str) -> None:
    with pytest.raises((InvalidFile, TooLarge), match=words):
        keep(tmp_path, media_type, written(table, media_type))


@pytest.mark.parametrize("media_type", [PARQUET, ARROW])
def test_exact_lists_objects_and_bytes_are_left_out_by_name(
    tmp_path: Path, media_type: str
) -> None:
    table = pa.table(
        {
            "choices": [["x", "y"], []],
            "loss": [0.5, 0.25],
            "meta": [{"k": 1}, None],
            "blob": pa.array([b"1", b"2"], pa.large_binary()),
            "new": pa.array([1, None], pa.int64()),
        }
    )
    inspection, content = inspected(tmp_path, media_type, written(table, media_type))

    assert [column["name"] for column in inspection.columns] == ["loss", "new"]
    assert inspection.details["left_out"] == ["choices", "meta", "blob"]
    columns = read_columns(content, ["new", "loss"])
    assert_array_equal(columns["new"], [1, NAN])
    assert_array_equal(columns["loss"], [0.5, 0.25])


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


ARROW_WRITERS: dict[str, Callable[..., Any]] = {
    "file": pa.ipc.new_file,
    "stream": pa.ipc.new_stream,
}


def written_arrow(
    table: pa.Table, form: str, compression: str | None, rows: int | None = None
) -> bytes:
    sink = io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with ARROW_WRITERS[form](sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows)
    return sink.getvalue()


@pytest.mark.parametrize("compression", [None, "lz4", "zstd"])
@pytest.mark.parametrize("form", ARROW_WRITERS)
def test_exact_arrow_files_and_streams_compressed_or_not(
    tmp_path: Path, form: str, compression: str | None
) -> None:
    texts = [None if i % 7 == 0 else f"school {i % 5}" for i in range(200)]
    table = pa.table(
        {
            "id": pa.array([None if i == 3 else 2**53 + i for i in range(200)], pa.int64()),
            "loss": [i / 10 for i in range(200)],
            "school": texts,
            "class": pa.array(texts).dictionary_encode(),
        }
    )
    kept = keep(tmp_path, ARROW, written_arrow(table, form, compression, 64))

    assert kept.details["batches"] == 4
    assert read_columns(kept, ["loss"])["loss"].tolist() == table["loss"].to_pylist()
    labels = read_labels(kept, ["class", "id", "school"])
    for name in ("id", "school", "class"):
        assert labels[name].tolist() == table[name].to_pylist()


@pytest.mark.parametrize("media_type", [PARQUET, ARROW])
def test_exact_labels_of_single_precision_keep_their_type(tmp_path: Path, media_type: str) -> None:
    table = pa.table({"id": pa.array([16777216.0, None, 2.0], pa.float32())})
    labels = read_labels(keep(tmp_path, media_type, written(table, media_type)), ["id"])["id"]

    assert labels.dtype == np.float32  # of which whoever needs labels knows what it keeps
    assert_array_equal(labels, [16777216.0, NAN, 2.0])


def test_exact_categories_of_polars_in_an_arrow_file(tmp_path: Path) -> None:
    views = pa.array(["x", "01"], pa.string_view())
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.uint32()), views)
    kept = keep(tmp_path, ARROW, written_arrow(pa.table({"a": column}), "file", None))

    assert read_labels(kept, ["a"])["a"].tolist() == ["x", "01", None]


@pytest.mark.parametrize("form", ARROW_WRITERS)
def test_invalid_an_arrow_file_that_unpacks_to_far_more(tmp_path: Path, form: str) -> None:
    table = pa.table({"a": np.zeros(20_000_000)})
    with pytest.raises(TooLarge, match=r"unpacks to 160\d{6}, more than 1000 times its size"):
        keep(tmp_path, ARROW, written_arrow(table, form, "zstd", 10_000_000))


def test_invalid_an_arrow_file_that_ends_early_or_lists_a_batch_too_often(tmp_path: Path) -> None:
    content = written_arrow(pa.table({"a": np.arange(200_000) % 7}), "file", "zstd")
    with pytest.raises(InvalidFile, match="Arrow"):
        keep(tmp_path, ARROW, content[:-20])
    with pytest.raises(InvalidFile, match="Arrow"):
        keep(tmp_path, ARROW, content[:100] + content[-300:])
    with pytest.raises(TooLarge, match="A batch has 200000 rows"):
        keep(tmp_path, ARROW, content, max_cells=1000)


@pytest.mark.parametrize("form", ARROW_WRITERS)
def test_property_a_damaged_compressed_file_is_refused_or_read(tmp_path: Path, form: str) -> None:
    content = written_arrow(pa.table({"a": np.arange(3000) % 7}), form, "lz4", 500)
    rng = np.random.default_rng(20_261_127)
    refused = 0
    for _ in range(100):
        damaged = bytearray(content)
        for place in rng.integers(8, len(content), 3):
            damaged[place] ^= int(rng.integers(1, 256))
        try:
            read_columns(keep(tmp_path, ARROW, bytes(damaged)), ["a"])
        except (InvalidFile, TooLarge, InvalidRequest):
            refused += 1
    assert refused > 50


def test_invalid_a_stream_whose_rows_take_no_room(tmp_path: Path) -> None:
    table = pa.table({"a": pa.nulls(2 * MANY)})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)

    with pytest.raises(TooLarge, match="rows"):
        keep(tmp_path, ARROW, sink.getvalue())


def test_invalid_unknown_columns_list_the_columns(tmp_path: Path) -> None:
    kept = keep(tmp_path, CSV, b"a,b\n1,2\n")
    with pytest.raises(InvalidRequest, match=r"column 'c'\. The columns are a, b") as caught:
        read_columns(kept, ["a", "c"])
    assert caught.value.errors[0].value == "c"


def test_invalid_missing_file(tmp_path: Path) -> None:
    kept = keep(tmp_path, CSV, b"a,b\n1,2\n")
    assert kept.path is not None
    kept.path.unlink()
    with pytest.raises(Unavailable):
        read_columns(kept)


def test_exact_moments_that_differ_by_nanoseconds_stay_apart(tmp_path: Path) -> None:
    table = pa.table({"t": pa.array([1, 2, 2000], pa.timestamp("ns", tz="Europe/Berlin"))})

    assert read(tmp_path, PARQUET, written(table, PARQUET))["t"].tolist() == [
        "1970-01-01 00:00:00.000000001",
        "1970-01-01 00:00:00.000000002",
        "1970-01-01 00:00:00.000002000",
    ]


def test_exact_a_preview_shows_values_in_their_column_s_type(tmp_path: Path) -> None:
    table = pa.table({"i": [1, None], "b": [True, None], "x": [1.0, None]})
    shown = preview(keep(tmp_path, PARQUET, written(table, PARQUET)), 2)["rows"]

    assert [[str(cell) for cell in row] for row in shown] == [["1", "True", "1.0"], ["None"] * 3]


def test_exact_a_preview_is_json(tmp_path: Path) -> None:
    table = pa.table({"x": [float("inf"), None, 1.0], "s": ["y" * 300, None, "z"]})
    shown = preview(keep(tmp_path, PARQUET, written(table, PARQUET)), 2)

    assert shown["rows"] == [[None, "y" * 197 + "..."], [None, None]]
    assert [column["missing"] for column in shown["columns"]] == [1, 1]


def test_exact_a_file_name_and_the_formats_know_the_same_types() -> None:
    assert set(MEDIA_TYPES.values()) == set(FORMATS)
