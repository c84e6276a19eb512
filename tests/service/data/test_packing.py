"""Texts that are packed, or in UTF-16, are read as if they were not."""

from __future__ import annotations

import codecs
import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

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


WRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "gzip of two parts": lambda t: gzip.compress(t[:9]) + gzip.compress(t[9:]),
    "zip": lambda t: zipped({"data.csv": t}),
    "zip of a Mac": lambda t: zipped({"__MACOSX/._data.csv": b"x", "data.csv": t}),
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
        (zipped({"a.csv": b"a\n1\n", "b.csv": b"a\n1\n"}), "ZIP archive of 2 files"),
        (zipped({}).replace(b"PK\x05\x06", b"PK\x03\x04"), "cannot be unpacked"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6], "cannot be unpacked"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0)[:-8] + bytes(8), "cannot be unpacked"),
        (b"\x1f\x8b nothing", "cannot be unpacked"),
    ],
)
def test_invalid_packed_texts(tmp_path: Path, media_type: str, content: bytes, words: str) -> None:
    with pytest.raises(InvalidFile, match=words):
        read(tmp_path, media_type, content)


PACKERS = pytest.mark.parametrize(
    "pack", [gzip.compress, lambda t: zipped({"a": t})], ids=["gzip", "zip"]
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
