"""One request to the service and its answer, without the library that sends it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from thetahat_client.errors import UnexpectedAnswer

Query: TypeAlias = Mapping[str, str | int | Sequence[str] | None]
"""The parameters of a query; one with several values is repeated, and None is left out."""


class AttemptFailed(Exception):
    """There is no answer, or only a part of one; the message says why.

    Parameters
    ----------
    may_repeat : bool
        Whether the same request can succeed later.
    """

    def __init__(self, reason: str, *, may_repeat: bool) -> None:
        super().__init__(reason)
        self.may_repeat = may_repeat


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to the service."""

    method: str
    path: str
    """The path below the address of the service."""
    query: Query
    headers: Mapping[str, str]
    content: bytes | Iterable[bytes] | None
    """The body; pieces of an unknown total length are sent as they come."""
    timeout: float
    """Seconds in which a part of the request must be sent."""
    read_timeout: float
    """Seconds without a byte of the answer after which the attempt has failed."""
    stream: bool = False
    """Leave the body of an answer of status 200 to ``Answer.lines``."""


def _do_nothing() -> None:
    """Close an answer that has been read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a request."""

    request: str
    """Method and address of the request."""
    status: int
    reason: str
    headers: Mapping[str, str]
    """Names are found in upper and in lower case."""
    content: bytes = b""
    """The body, unpacked; empty if it is read by ``lines``."""
    lines: Iterator[str] = field(default_factory=lambda: iter(()))
    """The lines of a stream as they arrive, which raises ``AttemptFailed``."""
    close: Callable[[], None] = _do_nothing
    """Closes the connection of a stream."""

    @property
    def media_type(self) -> str:
        """The media type of the body; empty if the answer names none."""
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode(errors="replace")

    def json(self) -> Any:
        """Return the body's JSON, or raise ``UnexpectedAnswer``."""
        try:
            return json.loads(self.content)
        except ValueError:
            raise self.build_error() from None

    def check_type(self, media_type: str) -> None:
        """Raise ``UnexpectedAnswer`` if the body is of another media type."""
        if self.media_type != media_type:
            raise self.build_error()

    def build_error(self) -> UnexpectedAnswer:
        """Return the exception for an answer that is not one of the service."""
        kind = self.headers.get("content-type", "no content type")
        return UnexpectedAnswer(
            f"{self.request} answered {self.status} with {kind}, "
            "which is not an answer of thetahat. Check the address of the service."
        )
