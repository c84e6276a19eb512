"""The formats of data sets, one module each, by media type."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from thetahat_service.data.base import Format, TextFormat
from thetahat_service.data.encodings import ENCODINGS, UTF_8


def _collect() -> dict[str, Format]:
    names = [m.name for m in iter_modules(__path__)]
    formats = [import_module(f"{__name__}.{name}").METHOD for name in sorted(names)]
    return {file_format.media_type: file_format for file_format in formats}


FORMATS: Final[dict[str, Format]] = _collect()
"""By media type, as they are listed."""


def add_encoding(media_type: str, encoding: str) -> str:
    """Return the media type of a text in that encoding, as a data set keeps it."""
    return media_type if encoding == UTF_8 else f"{media_type}; charset={encoding}"


_ENCODED: Final[dict[str, Format]] = {
    add_encoding(media_type, encoding): file_format.set_encoding(encoding)
    for media_type, file_format in FORMATS.items()
    if isinstance(file_format, TextFormat)
    for encoding in ENCODINGS
}


def find_format(media_type: str) -> Format:
    """Return the format of a data set's media type, with its encoding."""
    return FORMATS.get(media_type) or _ENCODED[media_type]


def list_table_suffixes() -> tuple[str, ...]:
    """Return the endings of all tables that can lie beside a file."""
    formats = (*FORMATS.values(), *_ENCODED.values())
    return tuple(sorted({file_format.table_suffix for file_format in formats} - {""}))
