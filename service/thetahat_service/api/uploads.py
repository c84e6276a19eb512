"""Uploads over HTTP: the file is the body, or one part of a form."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import IO, Final
from uuid import UUID

from starlette.requests import Request

from thetahat_client.errors import UnknownMediaType
from thetahat_client.media import guess_media_type
from thetahat_service.api.bodies import read_declared_length
from thetahat_service.api.multipart import FormPart, FormReader
from thetahat_service.api.simultaneous_requests import SimultaneousRequests
from thetahat_service.data.base import TextFormat
from thetahat_service.data.encodings import ENCODINGS, UTF_8, find_encoding
from thetahat_service.data.formats import FORMATS, add_encoding
from thetahat_service.data.receiving import Receiver, check_length
from thetahat_service.errors import FieldError, InvalidRequest, MalformedRequest, UnsupportedMedia
from thetahat_service.jobs.datasets import Upload
from thetahat_service.settings import get_settings

FORM: Final = "multipart/form-data"
FORM_OVERHEAD: Final = 64 * 1024  # bytes that a form may have besides its file
MAX_NAME_LENGTH: Final = 200
ALIASES: Final = {
    "application/x-ndjson": "application/jsonl",
    "application/x-jsonlines": "application/jsonl",
    "application/jsonlines": "application/jsonl",
    "application/csv": "text/csv",
    "text/tab-separated-values": "text/csv",
    "application/parquet": "application/vnd.apache.parquet",
    "application/x-parquet": "application/vnd.apache.parquet",
    "application/x-apache-arrow-stream": "application/vnd.apache.arrow.stream",
    "application/vnd.apache.arrow.file": "application/vnd.apache.arrow.stream",
    "application/x-apache-arrow-file": "application/vnd.apache.arrow.stream",
}
UNTYPED: Final = frozenset(
    {"", "application/octet-stream", "application/vnd.ms-excel", "text/plain"}
)
"""Content types that browsers also give to other files, by what is installed beside them."""
PACKED: Final = frozenset(
    {"application/gzip", "application/x-gzip", "application/zip", "application/x-zip-compressed"}
)
"""Content types of packed texts, whose own type is that of the ending within."""


UPLOADS: Final = SimultaneousRequests("uploads", "received")


@dataclass(slots=True)
class _ReceivedFile:
    """The type, name, digest and size of an upload that was received."""

    media_type: str
    name: str | None
    sha256: str
    size: int


def count_upload(owner_id: UUID) -> AbstractContextManager[None]:
    """Count an upload while it is received; ``RateLimitExceeded`` if the owner sends too many."""
    return UPLOADS.count(owner_id, get_settings().max_uploads)


async def receive(request: Request, file: IO[bytes], table: IO[bytes], limit: int) -> Upload:
    """Write the file in a request's body to a temporary file, and return what it is."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedMedia("The file must be sent without a Content-Encoding.")
    content_type = request.headers.get("content-type", "")
    is_form = content_type.partition(";")[0].strip().lower() == FORM
    check_length(read_declared_length(request), limit + FORM_OVERHEAD * is_form)
    receiver = Receiver(file, limit)
    if is_form:
        received = await _receive_form(request.stream(), content_type, receiver)
    else:
        media_type = parse_media_type(content_type, None)
        async for data in request.stream():
            await receiver.add(data)
        name = request.query_params.get("name")
        received = _ReceivedFile(media_type, name, await receiver.finish(), receiver.size)
    return Upload(
        file,
        table,
        received.media_type,
        received.sha256,
        received.size,
        check_name(received.name),
    )


async def _receive_form(
    stream: AsyncIterator[bytes], content_type: str, receiver: Receiver
) -> _ReceivedFile:
    reader = FormReader(content_type)
    part: FormPart | None = None
    named: FormPart | None = None
    media_type, name = "", b""
    async for data in stream:
        for piece in reader.parse_bytes(data):
            if piece.part.filename is not None or piece.part.name == "file":
                if part is None:
                    part = piece.part
                    media_type = parse_media_type(part.content_type, part.filename)
                elif part is not piece.part:
                    raise MalformedRequest("The form has more than one file.")
                await receiver.add(piece.data)
            elif piece.part.name == "name" and (named is None or named is piece.part):
                named = piece.part
                name += piece.data
            else:
                raise MalformedRequest(
                    f"The form has a part {piece.part.name[:80]!r}, which is no file (it has no "
                    "filename) and not its name, or a second name. Send one file and one name."
                )
            if len(name) > FORM_OVERHEAD:
                raise MalformedRequest("The form's name is too long.")
    reader.finish()
    if part is None:
        raise MalformedRequest("The form has no file.")
    text = name.decode("utf-8", "replace") or PurePath(part.filename or "").name or None
    return _ReceivedFile(media_type, text, await receiver.finish(), receiver.size)


def parse_media_type(content_type: str, filename: str | None) -> str:
    """Return the media type of a supported format, or raise ``UnsupportedMedia``.

    Without a content type, the ending of the file name decides the format.
    """
    kind, _, parameters = content_type.partition(";")
    kind = kind.strip().lower()
    if kind in UNTYPED | PACKED and filename is not None:
        with suppress(UnknownMediaType):
            kind = guess_media_type(filename)
    kind = ALIASES.get(kind, kind)
    if kind not in FORMATS:
        formats = ", ".join(f"{t} ({f.title})" for t, f in FORMATS.items())
        raise UnsupportedMedia(
            f"{kind[:80] or 'A file without a Content-Type'} is not supported. Send one of "
            f"{formats}."
        )
    charset = parameters.lower().partition("charset=")[2].partition(";")[0].strip(' "')
    encoding = find_encoding(charset)
    has_encodings = isinstance(FORMATS[kind], TextFormat)
    if encoding is None or (encoding != UTF_8 and not has_encodings):
        encodings = f"UTF-8 or {', '.join(ENCODINGS)}" if has_encodings else "UTF-8"
        raise UnsupportedMedia(f"The text must be encoded as {encodings}, not {charset[:40]}.")
    return add_encoding(kind, encoding)


def check_name(name: str | None) -> str | None:
    """Return the name of a data set, or raise ``InvalidRequest`` if it is too long."""
    if name is None or (len(name) <= MAX_NAME_LENGTH and "\0" not in name):
        return name
    message = f"The name must have at most {MAX_NAME_LENGTH} characters, and no NUL."
    raise InvalidRequest(message, (FieldError(("name",), message, name),))
