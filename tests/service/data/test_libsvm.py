from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.service.data.checked_files import LIBSVM, inspected, keep
from thetahat.tables.sparse import SparseColumns
from thetahat_service.data import libsvm_lines
from thetahat_service.data.preview import preview
from thetahat_service.data.reading import read_columns, read_features
from thetahat_service.errors import InvalidFile, TooLarge

TEXT = b"""# made by hand
+1 1:0.5 3:2  # the first
-1 2:1e-3

+1\t4:.25\r
-1
"""


def matrix(folder: Path, content: bytes) -> SparseColumns:
    group = read_features(keep(folder, LIBSVM, content), ["X"])["X"]
    assert isinstance(group, SparseColumns)
    return group


def test_exact_lines_become_rows(tmp_path: Path) -> None:
    inspection, kept = inspected(tmp_path, LIBSVM, TEXT)
    group = matrix(tmp_path, TEXT)

    assert inspection.rows == 4
    assert [tuple(c.values()) for c in inspection.columns] == [("X", "sparse"), ("y", "integer")]
    assert inspection.details == {
        "layout": "sparse",
        "first_index": 1,
        "shape": [4, 4],
        "nonzeros": 4,
        "density": 0.25,
    }
    assert list(group.names) == ["X1", "X2", "X3", "X4"]
    assert_array_equal(
        group.dense(), [[0.5, 0, 2, 0], [0, 0.001, 0, 0], [0, 0, 0, 0.25], [0, 0, 0, 0]]
    )
    assert_array_equal(read_columns(kept, ["y"])["y"], [1, -1, 1, -1])
    assert preview(kept, 2)["rows"] == [[{"X1": 0.5, "X3": 2.0}, 1], [{"X2": 0.001}, -1]]


@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("with_queries", [True, False])
def test_against_sklearn_its_files_are_read(
    tmp_path: Path, *, zero_based: bool, with_queries: bool
) -> None:
    from sklearn.datasets import dump_svmlight_file

    rng = np.random.default_rng(20_261_133)
    X = np.where(rng.random((30, 8)) < 0.4, rng.integers(1, 99, (30, 8)) / 8, 0)
    X[0, 0] = X[0, 7] = 1.0
    y = rng.integers(-99, 99, 30) / 8  # sixteen digits are written, which keep these
    queries = np.sort(rng.integers(0, 9, 30))
    sink = io.BytesIO()
    dump_svmlight_file(
        X, y, sink, zero_based=zero_based, query_id=queries if with_queries else None
    )
    kept = keep(tmp_path, LIBSVM, sink.getvalue())
    group = matrix(tmp_path, sink.getvalue())

    assert_array_equal(group.dense(), X)
    assert group.names[0] == ("X0" if zero_based else "X1")
    columns = read_columns(kept, [str(c["name"]) for c in kept.columns if c["name"] != "X"])
    assert_array_equal(columns["y"], y)
    assert ("qid" in columns) == with_queries
    if with_queries:
        assert_array_equal(columns["qid"], queries)


@pytest.mark.parametrize("size", [1, 7, 30])
def test_exact_the_size_of_pieces_changes_nothing(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = matrix(tmp_path, TEXT).dense()
    monkeypatch.setattr(libsvm_lines, "CHUNK", size)

    assert_array_equal(matrix(tmp_path, TEXT.rstrip()).dense(), whole)


def test_exact_indices_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    group = matrix(tmp_path, b"1 3:3 1:1 2:0\n0.5 2:2\n")

    assert_array_equal(group.matrix.indices, [0, 2, 1])
    assert_array_equal(group.dense(), [[1, 0, 3], [0, 2, 0]])


def test_exact_labels_that_are_no_whole_numbers_are_numbers(tmp_path: Path) -> None:
    inspection, kept = inspected(tmp_path, LIBSVM, b"1.5 1:1\n2 1:1\n")

    assert inspection.columns[1] == {"name": "y", "type": "number"}
    assert_array_equal(read_columns(kept, ["y"])["y"], [1.5, 2])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"1 1:1\n1 2:2 3:", "Line 2: the value '' of index '3' is not a finite number"),
        (b"1 1:1\n1 2:2 3", "Line 2: '3' is not index:value"),
        (b"# a\n\nyes 1:1\n", "Line 3: the label 'yes' is not a number"),
        (b"1,2 1:1\n", "the label '1,2' is not a number"),
        (b"1 1:nan\n", "Line 1: the value 'nan' of index '1'"),
        (b"1 1:inf\n", "Line 1: the value 'inf' of index '1'"),
        (b"1 1:1\n1 1:1e999\n", "Line 2: a value is out of range"),
        (b"1 1:1\n1e999 1:1\n", "Line 2: a label is out of range"),
        (b"1 1:1\n1 2:1 4294967296:1\n", "Line 2: an index is out of range"),
        (b"1 -1:1\n", "Line 1: '-1:1' is not index:value"),
        (b"1 1:1 1:2\n", "Line 1 has the index 1 twice"),
        (b"1 3:1\n1 2:1 1:1 2:2\n", "Line 2 has the index 2 twice"),
        (b"1 qid:1 1:1\n1 1:1\n", "some lines have a qid and others do not"),
        (b"1 1:1 qid:1\n", "Line 1: 'qid:1' is not index:value"),
        (b"1 qid:99999999999999999999 1:1\n", "Line 1: the qid is above"),
        (b"1 1:1\xff\n", "Line 1: the value "),
        (b"1\xa01:1\n", "Line 1: the label "),
        (b"1\x0b1:1\n", "Line 1 cannot be read"),
        (b"PK\x03\x04", "the label"),
        (b"# nothing\n\n", "no rows"),
        (b"1\n0\n", "no values other than zero"),
    ],
)
def test_invalid_lines(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, LIBSVM, content)


def test_invalid_queries_that_come_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm_lines, "CHUNK", 4)
    with pytest.raises(InvalidFile, match="Line 2: some lines have a qid"):
        keep(tmp_path, LIBSVM, b"1 1:1\n1 qid:3 1:1\n")


def test_invalid_a_line_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm_lines, "CHUNK", 10)
    monkeypatch.setattr(libsvm_lines, "LONGEST_LINE", 50)
    with pytest.raises(InvalidFile, match="longer than 50 bytes"):
        keep(tmp_path, LIBSVM, b"1 " + b"1:1 " * 30)


@pytest.mark.parametrize(
    ("content", "cells"),
    [(b"1 1:1\n" * 11, 10), (b"1 1:1 2:1\n" * 6, 10), (b"1 20000002:1\n", 10)],
)
def test_invalid_too_large(tmp_path: Path, content: bytes, cells: int) -> None:
    with pytest.raises(TooLarge):
        keep(tmp_path, LIBSVM, content, max_cells=cells)
