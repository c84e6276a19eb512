"""What an operation of the client asks of its connection, one step at a time.

An operation is written once, as a generator: it yields steps, receives the outcome of each, and
returns its value. ``Client`` takes the steps by blocking calls and ``AsyncClient`` by awaiting
(``runners``), so both have the same requests, further attempts, waiting and exceptions.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

import httpx

T = TypeVar("T")


Query: TypeAlias = Mapping[str, str | int | float | bool | Sequence[str] | None]
"""The parameters of a query; one with several values is repeated."""


@dataclass(frozen=True, slots=True)
class Request:
    """Send a request; the outcome is the response, or the transport error.

    Parameters
    ----------
    stream : bool
        Leave the body of a response of status 200 to ``ReadLine`` steps.
    """

    method: str
    path: str
    query: Query | None
    headers: Mapping[str, str] | None
    content: bytes | Iterable[bytes] | None
    timeout: httpx.Timeout
    stream: bool = False


@dataclass(frozen=True, slots=True)
class ReadLine:
    """Read the next line of the open stream; the outcome is None at its end."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for this number of seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Item(Generic[T]):
    """Hand an item to the caller, who iterates over the operation."""

    value: T


OperationStep: TypeAlias = Request | ReadLine | Pause
Steps: TypeAlias = Generator[OperationStep, Any, T]
"""An operation with a value."""
Items: TypeAlias = Generator[OperationStep | Item[T], Any, None]
"""An operation over whose items the caller iterates."""


class Progression(Generic[T]):
    """A running operation; ``value`` is set when it has returned."""

    value: T

    def __init__(self, steps: Generator[OperationStep | Item[Any], Any, T]) -> None:
        self._steps = steps

    def advance(self, outcome: Any) -> OperationStep | Item[Any] | None:
        """Give the outcome of the last step and return the next; None if there is none."""
        try:
            if isinstance(outcome, Exception):
                return self._steps.throw(outcome)
            return self._steps.send(outcome)
        except StopIteration as end:
            self.value = end.value
            return None


def send_request(request: Request) -> Steps[httpx.Response]:
    """Send a request and return the response; raise its ``httpx.TransportError``."""
    response: httpx.Response = yield request
    return response


def read_line() -> Steps[str | None]:
    """Return the next line of the open stream; None at its end."""
    line: str | None = yield ReadLine()
    return line


def pause(seconds: float) -> Steps[None]:
    """Wait for a number of seconds."""
    yield Pause(seconds)
