from __future__ import annotations

from pathlib import Path

import pytest
from numpy.testing import assert_array_equal

from tests.service.data.checked_files import CSV, inspected, keep
from thetahat_service.data import encodings
from thetahat_service.data.encodings import ENCODINGS, find_encoding
from thetahat_service.data.formats import FORMATS, add_encoding, find_format, list_table_suffixes
from thetahat_service.data.reading import read_columns
from thetahat_service.errors import InvalidFile, Unavailable

TEXTS = {
    "iso-8859-1": "größe;café",
    "iso-8859-2": "źródło;żółw",
    "iso-8859-5": "цена;дом",
    "iso-8859-7": "τιμή;σπίτι",
    "iso-8859-9": "fiyatı;şehir",
    "iso-8859-15": "prix;€ ou £",
    "windows-1252": "prix;“€”",
    "windows-1251": "цена;дом",
    "koi8-r": "цена;дом",
    "utf-16": "größe;東京",
    "utf-16-le": "größe;東京",
    "utf-16-be": "größe;東京",
    "shift_jis": "価格;東京",
    "euc-jp": "価格;東京",
    "euc-kr": "가격;서울",
    "gb18030": "价格;北京",
    "big5": "價格;台北",
}


@pytest.mark.parametrize("encoding", TEXTS)
def test_exact_a_text_is_read_in_the_encoding_of_the_content_type(
    tmp_path: Path, encoding: str
) -> None:
    first, second = TEXTS[encoding].split(";")
    content = f"{first};n\n{second};1,5\nx;2\n".encode(encoding)
    media_type = add_encoding(CSV, encoding)
    inspection, kept = inspected(tmp_path, media_type, content)
    columns = read_columns(kept)

    assert inspection.details["encoding"] == encoding
    assert list(columns) == [first, "n"]
    assert columns[first].tolist() == [second, "x"]
    assert_array_equal(columns["n"], [1.5, 2.0])
    assert {p.name for p in tmp_path.iterdir()} == {
        "file",
        f"file{find_format(media_type).table_suffix}",
    }


def test_exact_utf_16_is_known_by_its_mark(tmp_path: Path) -> None:
    for name in ("utf-16-le", "utf-16-be"):
        inspection, kept = inspected(tmp_path, CSV, "\ufeffgröße,b\n1,東京\n".encode(name))

        assert inspection.details["encoding"] == "utf-16"
        assert read_columns(kept)["b"].tolist() == ["東京"]
        assert "größe" in read_columns(kept)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_exact_the_size_of_pieces_changes_nothing(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encodings, "CHUNK", size)
    kept = keep(tmp_path, add_encoding(CSV, "shift_jis"), "価格,b\n東京,1\n".encode("shift_jis"))

    assert read_columns(kept)["価格"].tolist() == ["東京"]


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_invalid_the_place_of_a_byte_that_the_encoding_has_not(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encodings, "CHUNK", size)
    with pytest.raises(InvalidFile, match="The text is not windows-1252: byte 7 is 0x81"):
        keep(tmp_path, add_encoding(CSV, "windows-1252"), b"a,b\n1,x\x81y\n")


def test_invalid_utf_16_without_a_byte_order_mark(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="not utf-16: UTF-16 stream does not start with BOM"):
        keep(tmp_path, add_encoding(CSV, "utf-16"), "a,b\n1,2\n".encode("utf-16-le"))


def test_invalid_no_room_for_the_converted_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = tmp_path / "full"
    full.symlink_to("/dev/full")  # the link is removed, not the device
    monkeypatch.setattr(encodings, "build_converted_path", lambda _: full)
    with pytest.raises(Unavailable, match="No space left"):
        keep(tmp_path, add_encoding(CSV, "utf-16-le"), "a,b\n1,2\n".encode("utf-16-le"))


@pytest.mark.parametrize(
    ("charset", "encoding"),
    [
        ("", "utf-8"),
        ("utf8", "utf-8"),
        ("us-ascii", "utf-8"),
        ("latin-1", "iso-8859-1"),
        ("cp1252", "windows-1252"),
        ("UTF-16LE", "utf-16-le"),
        ("ebcdic", None),
        ("cp037", None),
        ("rot13", None),
        ("a\0b", None),
    ],
)
def test_exact_an_encoding_by_any_of_its_names(charset: str, encoding: str | None) -> None:
    assert find_encoding(charset) == encoding


def test_exact_each_encoding_of_a_text_has_a_table_of_its_own() -> None:
    kinds = [*FORMATS, *(add_encoding(CSV, encoding) for encoding in ENCODINGS)]
    suffixes = [s for kind in kinds if (s := find_format(kind).table_suffix)]

    assert sorted(set(suffixes)) == sorted(suffixes)
    earlier = [suffix.replace("-2.arrow", ".arrow") for suffix in suffixes]
    assert list(list_table_suffixes()) == sorted({*suffixes, *earlier})
    assert add_encoding(CSV, "utf-8") == CSV
    with pytest.raises(KeyError):
        find_format("text/x-libsvm; charset=utf-16")
