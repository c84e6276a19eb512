"""Texts that are packed, or in UTF-16, are read as if they were not."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from tests.service.data.checked_files import CSV, read
from thetahat_service.data import packing
from thetahat_service.data.base import FREE_BYTES
from thetahat_service.data.csv_dialect import SAMPLE_BYTES
from thetahat_service.errors import InvalidFile, TooLarge

JSONL = "application/jsonl"
TEXTS = {
    CSV: b"a,b\n0.5,1\n0.25,2\n",
    JSONL: b'{"a": 0.5, "b": 1}\n{"a": 0.25, "b": 2}\n',
}


def zipped(members: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return sink.getvalue()


def in_utf_16(content: bytes, mark: bytes, encoding: str) -> bytes:
    return mark + content.decode().encode(encoding)


def zstandard(content: bytes) -> bytes:
    packed: bytes = pa.compress(content, "zstd", asbytes=True)
    return packed


WRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "gzip of two parts": lambda t: gzip.compress(t[:9]) + gzip.compress(t[9:]),
    "zip": lambda t: zipped({"data.csv": t}),
    "zip of a Mac": lambda t: zipped({"__MACOSX/._data.csv": b"x", "data.csv": t}),
    "zip of a folder": lambda t: zipped({"d/": b"", "d/.DS_Store": b"x", "d/\u00e9 \u4e2d.csv": t}),
    "zip of Windows": lambda t: zipped({"d/data.csv": t, "d/Thumbs.db": b"x", "desktop.ini": b"x"}),
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zstandard,
    "utf-16-le": lambda t: in_utf_16(t, codecs.BOM_UTF16_LE, "utf-16-le"),
    "utf-16-be": lambda t: in_utf_16(t, codecs.BOM_UTF16_BE, "utf-16-be"),
    "utf-8 with a mark": lambda t: codecs.BOM_UTF8 + t,
    "gzip of utf-16": lambda t: gzip.compress(in_utf_16(t, codecs.BOM_UTF16_LE, "utf-16-le")),
}


@pytest.mark.parametrize("media_type", TEXTS)
@pytest.mark.parametrize("form", WRITTEN)
def test_exact_a_text_is_read_however_it_is_packed(
    tmp_path: Path, form: str, media_type: str
) -> None:
    columns = read(tmp_path, media_type, WRITTEN[form](TEXTS[media_type]))

    assert_array_equal(columns["a"], [0.5, 0.25])
    assert_array_equal(columns["b"], [1, 2])
    assert sorted(p.suffix for p in tmp_path.iterdir()) == ["", ".arrow"]


@pytest.mark.parametrize("media_type", TEXTS)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            zipped({"a.csv": b"a\n1\n", "b.csv": b"a\n1\n"}),
            "of 2 files, .*: 'a.csv', 'b.csv'. Send",
        ),
        (zipped({"a.npy": b"x", "b.npy": b"x"}), "NPZ archive. Send it with the ending .npz"),
        (zipped({"xl/workbook.xml": b"x"}), "is a workbook. Save its sheet as CSV UTF-8"),
        (zipped({"mimetype": b"x", "content.xml": b"x"}), "is a workbook. Save its sheet as CSV"),
        (zipped({}), "empty ZIP archive"),
        (bz2.compress(b"a,b\n1,2\n")[:-6], "cannot be unpacked"),
        (lzma.compress(b"a,b\n1,2\n")[:-6], "cannot be unpacked"),
        (pa.compress(b"a,b\n1,2\n", "zstd", asbytes=True)[:-3], "cannot be unpacked"),
        (gzip.compress(b"PAR1"), "is Parquet, but was sent as .*ending .parquet"),
        (zipped({}).replace(b"PK\x05\x06", b"PK\x03\x04"), "cannot be unpacked"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6], "cannot be unpacked"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-8] + bytes(8), "cannot be unpacked"),
        (b"\x1f\x8b nothing", "cannot be unpacked"),
    ],
    # Archives have the time at which they were made; two processes must collect the same tests.
    ids=lambda value: "file" if isinstance(value, bytes) else None,
)
def test_invalid_packed_texts(tmp_path: Path, media_type: str, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        read(tmp_path, media_type, content)


OTHER_KINDS = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0": "a workbook of Excel",
    b"SQLite format 3\0\x10": "an SQLite database",
    pickle.dumps([1]): "a pickle of Python",
    pickle.dumps([1], protocol=2): "a pickle of Python",
    b"$FL2@(#) SPSS DATA FILE": "an SPSS file",
    b"<stata_dta><header>": "a Stata file",
    b"\x72\x02\x01\0": "a Stata file",
    bytes(12) + b"\xc2\xea\x81\x60\0": "a SAS file",
    gzip.compress(b"RDX3\nX\n\0"): "an R file",
    b"MATLAB 5.0 MAT-file": "a MATLAB file",
    b"\x89HDF\r\n\x1a\n": "an HDF5 file",
    b"FEA1\0\0": "a Feather file of version 1",
    b"ARROW1\0\0": "an Arrow file, but was sent as",
    b"Obj\x01\x04": "an Avro file",
    b"%PDF-1.7": "a PDF",
    b"<!DOCTYPE html><table>": "HTML",
    b"\\begin{tabular}{ll}": "LaTeX",
    b"@RELATION iris": "ARFF",
    b"| model | loss |\n|-------|-----:|\n| a | 0.5 |\n": "a table in Markdown",
    b"\xef\xbb\xbf\nmodel | loss\r\n:-- | --:\r\na | 0.5\r\n": "a table in Markdown",
    bytes(257) + b"ustar": "a tar archive",
    b"PAR1\x15": "Parquet, but was sent as",
    b"\x93NUMPY\x01": "an array of NumPy, but was sent as",
    b"\xff\xff\xff\xff\x10": "an Arrow file, but was sent as",
}


@pytest.mark.parametrize("media_type", TEXTS)
@pytest.mark.parametrize("content", OTHER_KINDS, ids=OTHER_KINDS.get)
def test_invalid_files_of_other_programs_are_named(
    tmp_path: Path, media_type: str, content: bytes
) -> None:
    with pytest.raises(InvalidFile, match=f"The file is {OTHER_KINDS[content]}"):
        read(tmp_path, media_type, content)


@pytest.mark.parametrize(
    "media_type", ["application/vnd.apache.parquet", "application/vnd.apache.arrow.stream"]
)
def test_invalid_a_packed_file_with_types_is_named(tmp_path: Path, media_type: str) -> None:
    with pytest.raises(InvalidFile, match=r"packed with gzip, .* Unpack it, and send what is"):
        read(tmp_path, media_type, gzip.compress(b"PAR1" + bytes(100)))


@pytest.mark.parametrize(
    "media_type", ["application/vnd.apache.parquet", "application/vnd.apache.arrow.stream"]
)
def test_invalid_a_feather_file_is_no_other_format(tmp_path: Path, media_type: str) -> None:
    with pytest.raises(InvalidFile, match="a Feather file of version 1, which is not read"):
        read(tmp_path, media_type, b"FEA1\0\0\0\0" + bytes(100))


@pytest.mark.parametrize("header", ["FEA1", "ORC", "BZh", "PAR", "RDX3", "X", "Obj", "ustar", "7z"])
def test_exact_a_header_is_no_other_kind(tmp_path: Path, header: str) -> None:
    assert read(tmp_path, CSV, f"{header},b\n1,2\n".encode())[header].tolist() == [1]


@pytest.mark.parametrize("first", ["-|-", "--5|1", "1|--"])
def test_exact_bars_between_cells_are_no_markdown(tmp_path: Path, first: str) -> None:
    text = f"a|b\n{first}\n1|2\n".encode()
    assert len(read(tmp_path, CSV, text)) == 2


PACKERS = pytest.mark.parametrize(
    "pack",
    [gzip.compress, lambda t: zipped({"a": t}), zstandard],
    ids=["gzip", "zip", "Zstandard"],
)


@PACKERS
def test_invalid_a_first_line_that_is_too_long_is_refused_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    unpacked = []
    monkeypatch.setattr(packing, "check_expansion", lambda _, size, __: unpacked.append(size))
    monkeypatch.setattr(packing, "CHUNK", 64 * 1024)
    with pytest.raises(InvalidFile, match="first line is longer than 262144 bytes"):
        read(tmp_path, CSV, pack(b" " * (FREE_BYTES // 2)))
    assert sum(size <= 2 * SAMPLE_BYTES for size in unpacked) == 4  # the fifth piece is refused


@PACKERS
def test_invalid_a_text_that_unpacks_to_too_much(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    with pytest.raises(TooLarge, match="times its size"):
        read(tmp_path, CSV, pack(b"a\n" + b"0\n" * FREE_BYTES))
    assert not (tmp_path / "file.unpacked").exists()
