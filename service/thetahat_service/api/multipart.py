"""Forms (multipart/form-data), parsed while they arrive: no part is held in memory as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.message import Message
from email.utils import collapse_rfc2231_value
from typing import Any, Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from thetahat_service.errors import MalformedRequest

MAX_HEADERS: Final = 16
MAX_HEADER_LENGTH: Final = 4096
MAX_BOUNDARY_LENGTH: Final = 70  # RFC 2046


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
    """Splits the bytes of a form into its parts."""

    content_type: str
    """The header ``Content-Type``, which has the boundary."""
    _parsed: list[FormData] = field(default_factory=list)
    _headers: dict[str, bytes] = field(default_factory=dict)
    _header: _Header = field(default_factory=_Header)
    _part: FormPart | None = None
    _is_complete: bool = False

    def __post_init__(self) -> None:
        _, options = parse_options_header(self.content_type)
        boundary = options.get(b"boundary", b"")
        if not boundary:
            raise MalformedRequest("The form's Content-Type has no boundary.")
        if len(boundary) > MAX_BOUNDARY_LENGTH:
            raise MalformedRequest(
                f"The form's boundary has {len(boundary)} characters; it may have "
                f"{MAX_BOUNDARY_LENGTH}."
            )
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

    def parse_bytes(self, data: bytes) -> list[FormData]:
        """Parse some bytes and return the data of parts in them."""
        try:
            self._parser.write(data)
        except FormParserError as error:
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
        self._headers[name] = self._header.value
        self._header = _Header()

    def _end_headers(self) -> None:
        disposition = self._headers.get("content-disposition", b"")
        # As bytes: the parser does not know UTF-8, which forms use, and leaves its bytes alone.
        _, options = parse_options_header(disposition)
        filename = options.get(b"filename")
        self._part = FormPart(
            options.get(b"name", b"").decode("utf-8", "replace"),
            _find_extended_filename(disposition)
            or (None if filename is None else filename.decode("utf-8", "replace")),
            self._headers.get("content-type", b"").decode("utf-8", "replace"),
        )
        self._parsed.append(FormData(self._part, b""))

    def _on_data(self, data: bytes, start: int, end: int) -> None:
        if self._part is not None:
            self._parsed.append(FormData(self._part, data[start:end]))

    def _end(self) -> None:
        self._is_complete = True


def _find_extended_filename(disposition: bytes) -> str | None:
    """Return the decoded ``filename*=UTF-8''...`` of a part (RFC 6266); None without one."""
    if b"*" not in disposition:
        return None
    message = Message()
    message["Content-Disposition"] = disposition.decode("latin-1")
    parameters: Any = message.get_params(failobj=[], header="Content-Disposition")
    encoded = (value for name, value in parameters if name.lower() == "filename")
    return next((collapse_rfc2231_value(v) for v in encoded if isinstance(v, tuple)), None)
