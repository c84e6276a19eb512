"""Converting texts in other encodings to UTF-8, piece by piece."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from thetahat_service.errors import InvalidFile, Unavailable

UTF_8: Final = "utf-8"
CHUNK: Final = 1024 * 1024
ENCODINGS: Final = (
    *(f"iso-8859-{part}" for part in (1, 2, 5, 7, 9, 15)),
    *(f"windows-125{page}" for page in range(9)),
    *("utf-16", "utf-16-le", "utf-16-be"),
    *("koi8-r", "shift_jis", "euc-jp", "euc-kr", "gb18030", "big5"),
)
"""The encodings that a request may name besides UTF-8."""

_MARKS: Final = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def find_encoding(charset: str) -> str | None:
    """Return the encoding of a ``charset``, by any of its names; None if it is not supported."""
    if charset in {"", "us-ascii", "ascii"}:
        return UTF_8
    try:
        wanted = codecs.lookup(charset)
    except (LookupError, ValueError):
        return None
    named = (UTF_8, *ENCODINGS)
    return next((name for name in named if codecs.lookup(name).name == wanted.name), None)


def detect_encoding_by_mark(path: Path) -> str:
    """Return UTF-16 if the file has its byte order mark, else UTF-8."""
    with path.open("rb") as file:
        head = file.read(4)
    return next((encoding for mark, encoding in _MARKS if head.startswith(mark)), UTF_8)


def build_converted_path(path: Path) -> Path:
    """Return the path of the temporary copy of a text that is being converted."""
    return path.with_name(path.name + ".utf-8")


@contextmanager
def convert_to_utf_8(text: Path, encoding: str, original: Path) -> Iterator[tuple[Path, str]]:
    """Yield the path of the text in UTF-8, itself or a temporary copy, and its encoding.

    The copy lies beside the original. A text in UTF-8 with a byte order mark of UTF-16 is UTF-16.
    Raises ``InvalidFile`` for a byte that is invalid in the encoding.
    """
    if encoding == UTF_8:
        encoding = detect_encoding_by_mark(text)
    if encoding == UTF_8:
        yield text, encoding
        return
    converted = build_converted_path(original)
    try:
        with converted.open("wb", buffering=0) as target, text.open("rb") as source:
            for piece in _decode(source, encoding):
                _write(target, piece.encode())
        yield converted, encoding
    finally:
        converted.unlink(missing_ok=True)


def _decode(source: IO[bytes], encoding: str) -> Iterator[str]:
    """Yield the text of a file in pieces; ``InvalidFile`` for a byte that cannot be decoded."""
    decoder = codecs.getincrementaldecoder(encoding)()
    before = 0
    while True:
        chunk = source.read(CHUNK)
        n_undecoded = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            raise InvalidFile(
                f"The text is not {encoding}: byte {before - n_undecoded + error.start} is "
                f"0x{error.object[error.start]:02x}."
            ) from None
        except UnicodeError as error:  # such as UTF-16 without a byte order mark
            raise InvalidFile(f"The text is not {encoding}: {error}.") from None
        yield text
        if not chunk:
            return
        before += len(chunk)


def _write(target: IO[bytes], text: bytes) -> None:
    try:
        target.write(text)
    except OSError as error:
        raise Unavailable(f"The text cannot be converted: {error.strerror}.") from error
