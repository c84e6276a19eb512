from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from tests.service.data.checked_files import NPZ, inspected, keep
from thetahat.tables.sparse import SparseColumns
from thetahat_service.data import npz_archive, npz_columns
from thetahat_service.data.preview import preview
from thetahat_service.data.reading import read_columns, read_features
from thetahat_service.errors import InvalidFile, InvalidRequest, TooLarge, Unavailable

RNG = np.random.default_rng(20_261_130)
DENSE = np.where(RNG.random((7, 5)) < 0.4, RNG.integers(1, 5, (7, 5)), 0).astype(float)
Y = np.array([1, 0, 1, 0, 1, 0, 1], dtype=np.int8)


def saved(**arrays: Any) -> bytes:
    sink = io.BytesIO()
    np.savez_compressed(sink, **arrays)
    return sink.getvalue()


def parts(matrix: Any = DENSE) -> dict[str, Any]:
    csr = sparse.csr_array(matrix)
    named = {name: getattr(csr, name) for name in ("data", "indices", "indptr")}
    return {**named, "shape": np.array(csr.shape)}


def group(folder: Path, content: bytes) -> SparseColumns:
    matrix = read_features(keep(folder, NPZ, content), ["X"])["X"]
    assert isinstance(matrix, SparseColumns)
    return matrix


def test_exact_a_compressed_matrix_comes_back_with_its_columns(tmp_path: Path) -> None:
    content = saved(**parts(), y=Y, site=np.array(list("aabbccd")), vocabulary=np.arange(3))
    inspection, kept = inspected(tmp_path, NPZ, content)
    read = read_features(kept)
    matrix = group(tmp_path, content)

    assert inspection.rows == 7
    assert [tuple(c.values()) for c in inspection.columns] == [
        ("X", "sparse"),
        ("y", "integer"),
        ("site", "string"),
    ]
    assert_array_equal(matrix.dense(), DENSE)
    assert list(matrix.names) == ["X0", "X1", "X2", "X3", "X4"]
    assert_array_equal(np.asarray(read["y"]), Y)
    assert_array_equal(np.asarray(read["site"]), list("aabbccd"))
    details = inspection.details
    assert (details["layout"], details["shape"]) == ("sparse", [7, 5])
    assert details["nonzeros"] == np.count_nonzero(DENSE)
    assert details["density"] == np.count_nonzero(DENSE) / 35
    assert details["left_out"] == {"vocabulary": "Its shape is (3,), and the table has 7 rows."}


def test_against_scipy_its_own_archives_are_read(tmp_path: Path) -> None:
    sink = io.BytesIO()
    sparse.save_npz(sink, sparse.csr_matrix(DENSE))

    assert_array_equal(group(tmp_path, sink.getvalue()).dense(), DENSE)


@pytest.mark.parametrize("rows_at_once", [1, 2, 100])
def test_exact_the_size_of_batches_changes_nothing(
    tmp_path: Path, rows_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npz_columns, "BATCH_CELLS", 4 * rows_at_once)
    content = saved(**parts(), y=Y)
    kept = keep(tmp_path, NPZ, content)

    assert_array_equal(group(tmp_path, content).dense(), DENSE)
    assert_array_equal(read_columns(kept, ["y"])["y"], Y)


def test_exact_entries_out_of_order_and_twice_are_put_right(tmp_path: Path) -> None:
    content = saved(
        data=np.array([1, 2, 3, 4, 0], dtype=np.uint16),
        indices=np.array([2, 0, 2, 1, 0]),
        indptr=np.array([0, 3, 5], dtype=np.uint32),
        shape=[2, 3],
        y=[0, 1],
    )
    inspection, kept = inspected(tmp_path, NPZ, content)
    del kept
    matrix = group(tmp_path, content).matrix

    assert_array_equal(matrix.toarray(), [[2, 0, 4], [0, 4, 0]])
    assert_array_equal(matrix.indices, [0, 2, 1])
    assert inspection.details["duplicates_added"] == 1
    assert inspection.details["nonzeros"] == 3


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(3, 2),
        np.asfortranarray(np.arange(6.0).reshape(3, 2)),
        np.arange(6, dtype=">f4").reshape(3, 2),
        np.arange(6, dtype=np.uint8).reshape(3, 2),
        np.array([[True, False], [False, False], [True, True]]),
        np.array([[1, 2], [2**63 + 5, 0], [7, 7]], dtype=np.uint64),
        np.array([[1.5, np.nan], [0, 1], [2, 3]], dtype=np.float16),
    ],
    ids=lambda a: f"{a.dtype}{a.shape}",
)
def test_exact_matrices_come_back_as_columns(tmp_path: Path, array: np.ndarray) -> None:
    content = saved(X=array, label=np.array(["ä", "b", "ä"]), raw=np.array([b"x", b"yy", b"z"]))
    inspection, kept = inspected(tmp_path, NPZ, content)
    columns = read_columns(kept)

    assert list(columns) == ["X0", "X1", "label", "raw"]
    assert_array_equal(columns["X0"].astype(float), array[:, 0].astype(float))
    assert_array_equal(columns["X1"].astype(float), array[:, 1].astype(float))
    assert columns["label"].tolist() == ["ä", "b", "ä"]
    assert columns["raw"].tolist() == ["x", "yy", "z"]
    assert inspection.details["layout"] == "dense"
    arrays: Any = inspection.details["arrays"]
    assert arrays["X"] == {"type": array.dtype.name, "shape": [3, 2]}


def test_exact_the_preview_shows_the_values_that_are_not_zero(tmp_path: Path) -> None:
    content = saved(**parts([[0, 2.5, 0], [0, 0, 0], [1, 0, 3]]), y=[1, 0, 1])
    shown = preview(keep(tmp_path, NPZ, content), 3)

    assert shown["columns"] == [
        {"name": "X", "type": "sparse", "missing": 0},
        {"name": "y", "type": "integer", "missing": 0},
    ]
    assert shown["rows"] == [[{"X1": 2.5}, 1], [{}, 0], [{"X0": 1.0, "X2": 3.0}, 1]]
    assert preview(keep(tmp_path, NPZ, content), 1)["rows"] == [[{"X1": 2.5}, 1]]


def test_invalid_a_sparse_group_where_a_column_is_meant(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="'X' is a group of sparse columns"):
        read_columns(keep(tmp_path, NPZ, saved(**parts(), y=Y)), ["X"])


def broken(**changed: Any) -> bytes:
    return saved(**{**parts(), "y": Y, **changed})


CSR = parts()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"PK\x03\x04 not an archive", "not an NPZ"),
        (broken()[:-30], "not an NPZ"),
        (broken()[:400], "not an NPZ"),
        (b"col\n1\n", "not an NPZ"),
        (broken(y=np.array([None] * 7)), "'y' has Python objects"),
        (broken(y=np.ones(7, dtype=complex)), "'y' has the type complex128"),
        (broken(y=np.array([b"\xff"] * 7)), "'y' has text in row 0 that is not UTF-8"),
        (broken(X=DENSE[:, 0]), "Two columns have the name 'X'"),
        (broken(format=np.array("csc")), "not in CSR format"),
        (saved(row=[0], col=[1], data=[2.0], shape=[1, 2], format="coo"), "not in CSR format"),
        (broken(shape=np.array([7.0, 5.0])), "'shape'"),
        (broken(shape=np.array([7])), "'shape'"),
        (broken(shape=np.array([-7, 5])), "'shape'"),
        (broken(shape=np.array([8, 5])), "must have 9 numbers"),
        (broken(shape=np.array([7, 0])), "no columns"),
        (broken(indices=CSR["indices"] * 1.0), "'indices' must be"),
        (broken(indices=CSR["indices"][:-1]), "one number for each"),
        (broken(data=np.array(["a"] * len(CSR["data"]))), "one number for each"),
        (broken(indptr=CSR["indptr"] + 1), "'indptr' must have 8 numbers from 0"),
        (broken(indptr=CSR["indptr"][::-1].copy()), "'indptr' must have"),
        (broken(indptr=np.array([0, 2, 1, 3, 3, 3, 3, len(CSR["data"])])), "decreases after row 1"),
        (broken(indices=CSR["indices"] - 5), "Row 0 has a value in column -"),
        (broken(indices=CSR["indices"] + np.eye(1, len(CSR["data"]), 3, dtype=int)[0] * 9), "Row "),
        (
            broken(data=np.where(np.arange(len(CSR["data"])) == 3, np.nan, 1)),
            "the value nan in column",
        ),
        (
            broken(data=np.where(np.arange(len(CSR["data"])) == 3, np.inf, 1)),
            "the value inf in column",
        ),
        (saved(), "no array of one or two dimensions"),
        (saved(a=3.0), "no array of one or two dimensions"),
        (saved(a=np.empty((0, 3))), "no rows"),
    ],
)
def test_invalid_archives(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, NPZ, content)


def archive(members: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return sink.getvalue()


def array_file(array: Any, *, more: bytes = b"") -> bytes:
    sink = io.BytesIO()
    np.save(sink, array)
    return sink.getvalue() + more


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"y.txt": b"1 2 3"}, "'y.txt' is not an array"),
        ({"y.npy": b"1 2 3"}, "'y' is not a NumPy array"),
        ({"y.npy": array_file([1, 2], more=b"x")}, "needs 144 bytes, but it has 145"),
        ({"y.npy": array_file([1, 2])[:-1]}, "needs 144 bytes, but it has 143"),
        ({"y.npy": array_file(np.zeros(2, dtype=[("a", "f8")]))}, "records, with the fields 'a'"),
        ({"y.npy": b"\x93NUMPY\x02\x00\xff\xff\xff\x7f" + b" " * 200_000}, "'y' is not a NumPy"),
    ],
)
def test_invalid_parts_of_an_archive(tmp_path: Path, members: dict[str, bytes], words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        keep(tmp_path, NPZ, archive(members))


def test_invalid_an_array_that_is_there_twice(tmp_path: Path) -> None:
    content = archive({"y.npy": array_file([1, 2]), "z.npy": array_file([1, 2])})

    with pytest.raises(InvalidFile, match=r"'y\.npy' occurs twice"):
        keep(tmp_path, NPZ, content.replace(b"z.npy", b"y.npy"))


def test_invalid_an_encrypted_archive(tmp_path: Path) -> None:
    content = bytearray(archive({"y.npy": array_file([1, 2])}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1

    with pytest.raises(InvalidFile, match="encrypted"):
        keep(tmp_path, NPZ, bytes(content))


def test_invalid_a_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npz_archive, "_map_array", None)  # calling it would fail
    with pytest.raises(TooLarge, match=r"unpacks to \d+ bytes; at most 16000 are"):
        keep(tmp_path, NPZ, saved(y=np.zeros(10_000_000)), max_cells=1000)
    with pytest.raises(TooLarge, match="201 arrays"):
        keep(tmp_path, NPZ, archive({f"{i}.npy": b"" for i in range(201)}))


def test_invalid_a_bomb_that_lies_about_its_size(tmp_path: Path) -> None:
    content = bytearray(archive({"y.npy": array_file(np.zeros(100_000))}))
    small = len(array_file(np.zeros(1))).to_bytes(4, "little")
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.index(mark) + offset
        content[at : at + 4] = small

    # what is read stops where the archive says, and the rest is found missing
    with pytest.raises(InvalidFile, match=r"CRC|takes 800128 bytes; it has 136"):
        keep(tmp_path, NPZ, bytes(content))


def test_invalid_a_table_of_contents_that_would_fill_the_memory(tmp_path: Path) -> None:
    members = {f"{i}{'x' * 60_000}.npy": b"" for i in range(80)}
    with pytest.raises(InvalidFile, match=r"a part of \d+ bytes that is not an array"):
        keep(tmp_path, NPZ, archive(members))


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        (saved(X=np.zeros((40, 5))), 199),
        (saved(**parts(np.ones((40, 5)))), 199),
        (saved(**{**parts(), "shape": np.array([7, 20_000_001])}), 1000),
        (saved(data=[], indices=np.array([], int), indptr=[0], shape=[2**40, 3]), 10**9),
    ],
)
def test_invalid_too_large(tmp_path: Path, content: bytes, cells: int) -> None:
    with pytest.raises(TooLarge):
        keep(tmp_path, NPZ, content, max_cells=cells)


def test_invalid_no_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _piece: Any) -> int:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: Full())
    with pytest.raises(Unavailable, match="No space left"):
        keep(tmp_path, NPZ, saved(y=Y))
