"""Forms (multipart/form-data), parsed while they arrive: no part is held in memory as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header

from service.errors import MalformedRequest

MAX_HEADERS: Final = 16
MAX_HEADER_LENGTH: Final = 4096


@dataclass(slots=True)
class FormPart:
    """The headers of one part of a form."""

    name: str
    filename: str | None
    content_type: str


@dataclass(slots=True)
class FormData:
    """Some bytes of a part."""

    part: FormPart
    data: bytes


@dataclass(slots=True)
class _Header:
    name: bytes = b""
    value: bytes = b""


@dataclass(eq=False)
class FormReader:
    """Splits the bytes of a form into its parts.

    Parameters
    ----------
    content_type : str
        The header ``Content-Type``, which has the boundary.
    """

    content_type: str
    _parsed: list[FormData] = field(default_factory=list)
    _headers: dict[str, str] = field(default_factory=dict)
    _header: _Header = field(default_factory=_Header)
    _part: FormPart | None = None
    _is_complete: bool = False

    def __post_init__(self) -> None:
        _, options = parse_options_header(self.content_type)
        boundary = options.get(b"boundary", b"")
        if not boundary:
            raise MalformedRequest("The form's Content-Type has no boundary.")
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._on_name,
                "on_header_value": self._on_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._on_data,
                "on_end": self._end,
            },
        )

    def feed(self, data: bytes) -> list[FormData]:
        """Parse some bytes and return the data of parts in them."""
        try:
            self._parser.write(data)
        except MultipartParseError as error:
            raise MalformedRequest(f"The form cannot be parsed: {error}.") from None
        parsed, self._parsed = self._parsed, []
        return parsed

    def finish(self) -> None:
        """Raise ``MalformedRequest`` if the form's last boundary has not arrived."""
        if not self._is_complete:
            raise MalformedRequest("The form was cut off before its last boundary.")

    def _begin(self) -> None:
        self._headers = {}
        self._header = _Header()

    def _on_name(self, data: bytes, start: int, end: int) -> None:
        self._header.name += data[start:end]
        self._check_header()

    def _on_value(self, data: bytes, start: int, end: int) -> None:
        self._header.value += data[start:end]
        self._check_header()

    def _check_header(self) -> None:
        size = len(self._header.name) + len(self._header.value)
        if size > MAX_HEADER_LENGTH or len(self._headers) >= MAX_HEADERS:
            raise MalformedRequest("A part of the form has too many or too long headers.")

    def _end_header(self) -> None:
        name = self._header.name.decode("latin-1").lower()
        self._headers[name] = self._header.value.decode("utf-8", "replace")
        self._header = _Header()

    def _end_headers(self) -> None:
        _, options = parse_options_header(self._headers.get("content-disposition", ""))
        name = options.get(b"name", b"").decode("utf-8", "replace")
        filename = options.get(b"filename")
        self._part = FormPart(
            name,
            None if filename is None else filename.decode("utf-8", "replace"),
            self._headers.get("content-type", ""),
        )
        self._parsed.append(FormData(self._part, b""))

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._part is not None:
            self._parsed.append(FormData(self._part, data[start:end]))

    def _end(self) -> None:
        self._is_complete = True
