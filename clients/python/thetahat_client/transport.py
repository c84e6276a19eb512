"""Requests to the service, with further attempts where they are safe and may help."""

from __future__ import annotations

import ipaddress
import random
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypedDict, cast

import httpx

from thetahat_client.errors import ConnectionFailed, Refused, UnexpectedAnswer, build_refusal
from thetahat_client.models import Problem, ProblemJson
from thetahat_client.steps import Query, Request, Steps, pause, send_request
from thetahat_client.version import VERSION

UNAVAILABLE: Final = frozenset({429, 502, 503, 504})
NOT_RETRIED: Final = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
IDEMPOTENCY_RACE: Final = "idempotency_race"  # the first attempt is still being answered
SHORTEST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 15.0
LONGEST_RETRY_AFTER_S: Final = 120.0  # after a longer one, the caller decides
WAITING_MARGIN_S: Final = 10.0

Body = Callable[[], "bytes | Iterable[bytes]"]
"""Returns the body, anew for each attempt."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a request."""

    response: httpx.Response

    def json(self) -> Any:
        """Return the body's JSON."""
        try:
            return self.response.json()
        except ValueError:
            raise _build_unexpected_answer(self.response) from None

    def check_type(self, media_type: str) -> None:
        """Raise ``UnexpectedAnswer`` if the body is of another media type."""
        if self.response.headers.get("content-type", "").partition(";")[0] != media_type:
            raise _build_unexpected_answer(self.response)


class Transport:
    """Sends requests, each of which can safely be sent twice.

    Reading and deleting are safe by nature, an upload because the same bytes give the same data
    set, and a submission because it has an idempotency key.

    Parameters
    ----------
    url : str
        Address of the service.
    timeout : float
        Seconds without a byte after which an attempt counts as failed.
    retries : int
        Further attempts after the first.
    """

    def __init__(self, url: str, timeout: float, retries: int) -> None:
        self._url = url
        self._timeout = timeout
        self.retries = retries

    def send(  # noqa: PLR0913 - each is one part of a request
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        headers: Mapping[str, str] | None = None,
        body: Body | None = None,
        waiting: float = 0.0,
        once: bool = False,
        stream: bool = False,
        accepted: Collection[int] = (),
    ) -> Steps[Answer]:
        """Send a request; statuses from 400 on raise ``Refused``, except for those ``accepted``.

        ``waiting`` is the number of seconds that the request asks the service to wait. With
        ``stream``, ``read_line`` reads the body of the answer.
        """
        read = max(self._timeout, waiting + WAITING_MARGIN_S) if waiting else self._timeout
        timeout = httpx.Timeout(self._timeout, connect=min(self._timeout, 10.0), read=read)
        last = 1 if once else self.retries + 1
        for attempt in range(1, last + 1):
            content = None if body is None else body()
            request = Request(method, path, query, headers, content, timeout, stream)
            try:
                response = yield from send_request(request)
            except httpx.TransportError as error:
                if attempt == last or isinstance(error, NOT_RETRIED):
                    raise self.build_unreachable_error(error, attempt) from error
                yield from pause(choose_pause(attempt))
                continue
            status = response.status_code
            if status < 300 or status == 304 or status in accepted:
                return Answer(response)
            failure = _build_failure(response, attempt)
            if attempt == last or not _may_succeed(failure):
                raise failure
            yield from pause(max(failure.retry_after or 0.0, choose_pause(attempt)))
        raise AssertionError  # the last attempt returns or raises

    def read(self, path: str, query: Query | None = None) -> Steps[Any]:
        """Return the JSON of ``GET``."""
        answer = yield from self.send("GET", path, query=query)
        return answer.json()

    def build_unreachable_error(
        self, error: httpx.TransportError, attempts: int
    ) -> ConnectionFailed:
        """Return the exception for a service that did not answer the last attempt."""
        reason = str(error) or type(error).__name__
        times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        return ConnectionFailed(f"The service at {self._url} does not answer ({reason}; {times}).")


class ConnectionOptions(TypedDict):
    """Arguments of ``httpx.Client`` and of ``httpx.AsyncClient``."""

    base_url: str
    headers: dict[str, str]
    trust_env: bool


def connection_options(url: str, api_key: str | None) -> ConnectionOptions:
    """Return the arguments of ``httpx.Client`` for a service, for ``httpx.AsyncClient`` too."""
    headers = {"User-Agent": f"thetahat-client/{VERSION}"}
    if api_key:
        headers["Authorization"] = f"Bearer {api_key}"
    # A proxy of the environment cannot reach the loopback of this machine.
    return {"base_url": url, "headers": headers, "trust_env": not _is_loopback(url)}


def _build_failure(response: httpx.Response, attempts: int) -> Refused:
    """Return the exception for a status that is no success."""
    kind = response.headers.get("content-type", "").partition(";")[0]
    data: Any = None
    if kind in {"application/problem+json", "application/json"}:
        try:
            data = response.json()
        except ValueError:
            data = None
    if not isinstance(data, dict) or "type" not in data:
        if response.status_code not in UNAVAILABLE:
            raise _build_unexpected_answer(response)
        title = f"{response.status_code} {response.reason_phrase}"
        data = {"type": "about:blank", "title": title, "code": "", "detail": title}
    body = cast("ProblemJson", {**data, "status": response.status_code})
    problem = Problem.read(body)
    return build_refusal(problem, _retry_after(response), attempts)


def _may_succeed(failure: Refused) -> bool:
    """Return whether another attempt may succeed."""
    if failure.retry_after is not None and failure.retry_after > LONGEST_RETRY_AFTER_S:
        return False
    return failure.problem.status in UNAVAILABLE or failure.problem.code == IDEMPOTENCY_RACE


def choose_pause(attempt: int) -> float:
    """Return a pause that doubles with each attempt, and is random so that clients spread out."""
    longest = min(LONGEST_PAUSE_S, SHORTEST_PAUSE_S * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - not for security


def _retry_after(response: httpx.Response) -> float | None:
    text = response.headers.get("retry-after")
    if text is None:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _build_unexpected_answer(response: httpx.Response) -> UnexpectedAnswer:
    kind = response.headers.get("content-type", "no content type")
    return UnexpectedAnswer(
        f"{response.request.method} {response.url} answered {response.status_code} with {kind}, "
        "which is not an answer of thetahat. Check the address of the service."
    )


def _is_loopback(url: str) -> bool:
    host = httpx.URL(url).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
