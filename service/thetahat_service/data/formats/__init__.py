"""The formats of data sets, one module each, by media type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from thetahat_service.data.base import Format, TextFormat
from thetahat_service.data.encodings import ENCODINGS, UTF_8
from thetahat_service.data.tables import EARLIER_TEXT_TABLE, TEXT_TABLE

_CHARSET: Final = "; charset="


class _Formats(Mapping[str, Format]):
    """The formats by media type; modules are imported one after another until one has it."""

    def __init__(self) -> None:
        self._names = sorted(module.name for module in iter_modules(__path__))

    def __getitem__(self, media_type: str) -> Format:
        for file_format in self._import_one_by_one():
            if file_format.media_type == media_type:
                return file_format
        raise KeyError(media_type)

    def __iter__(self) -> Iterator[str]:
        return (file_format.media_type for file_format in self._import_one_by_one())

    def __len__(self) -> int:
        return len(self._names)

    def _import_one_by_one(self) -> Iterator[Format]:
        for name in self._names:
            file_format: Format = import_module(f"{__name__}.{name}").METHOD
            yield file_format


FORMATS: Final = _Formats()
"""By media type, as they are listed."""


def add_encoding(media_type: str, encoding: str) -> str:
    """Return the media type of a text in that encoding, as a data set keeps it."""
    return media_type if encoding == UTF_8 else f"{media_type}{_CHARSET}{encoding}"


@cache
def find_format(media_type: str) -> Format:
    """Return the format of a data set's media type, with its encoding."""
    plain_type, _, encoding = media_type.partition(_CHARSET)
    file_format = FORMATS[plain_type]
    if not encoding:
        return file_format
    if encoding not in ENCODINGS or not isinstance(file_format, TextFormat):
        raise KeyError(media_type)
    return file_format.set_encoding(encoding)


def list_table_suffixes() -> tuple[str, ...]:
    """Return the endings of all tables that can lie beside a file, also of earlier releases."""
    encoded = [
        file_format.set_encoding(encoding)
        for file_format in FORMATS.values()
        if isinstance(file_format, TextFormat)
        for encoding in ENCODINGS
    ]
    formats = (*FORMATS.values(), *encoded)
    suffixes = {file_format.table_suffix for file_format in formats} - {""}
    earlier = {suffix.replace(TEXT_TABLE, EARLIER_TEXT_TABLE) for suffix in suffixes}
    return tuple(sorted(suffixes | earlier))
