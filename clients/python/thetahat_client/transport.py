"""Requests to the service, with further attempts where they are safe and may help."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from thetahat_client.errors import ConnectionFailed, Refused, build_refusal
from thetahat_client.exchange import Answer, AttemptFailed, Query, Request
from thetahat_client.models import Problem

UNAVAILABLE: Final = frozenset({429, 502, 503, 504})
IDEMPOTENCY_RACE: Final = "idempotency_race"  # the first attempt is still being answered
SHORTEST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 15.0
LONGEST_RETRY_AFTER_S: Final = 120.0  # after a longer one, the caller decides
WAITING_MARGIN_S: Final = 10.0

Body = Callable[[], "bytes | Iterable[bytes]"]
"""Returns the body, anew for each attempt."""


@dataclass(eq=False)
class Transport:
    """Sends requests, each of which can safely be sent twice.

    Reading and deleting are safe by nature, an upload because the same bytes give the same data
    set, and a submission because it has an idempotency key.
    """

    url: str
    """Address of the service."""
    timeout: float
    """Seconds without a byte after which an attempt counts as failed."""
    retries: int
    """Further attempts after the first."""
    exchange: Callable[[Request], Answer]
    """Sends a request and returns its answer, or raises ``AttemptFailed``."""
    pause: Callable[[float], None]
    """Waits for a number of seconds."""

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
    ) -> Answer:
        """Send a request; statuses from 300 on raise ``Refused``, except for those ``accepted``.

        ``waiting`` is the number of seconds that the request asks the service to wait. With
        ``stream``, the caller reads the lines of the answer and closes it.
        """
        last = 1 if once else self.retries + 1
        for attempt in range(1, last + 1):
            request = Request(
                method=method,
                path=path,
                query={key: each for key, each in (query or {}).items() if each is not None},
                headers=headers or {},
                content=None if body is None else body(),
                timeout=self.timeout,
                read_timeout=max(self.timeout, waiting + WAITING_MARGIN_S if waiting else 0.0),
                stream=stream,
            )
            try:
                answer = self.exchange(request)
            except AttemptFailed as failed:
                if attempt == last or not failed.may_repeat:
                    raise self.build_unreachable_error(failed, attempt) from failed
                self.pause(choose_pause(attempt))
                continue
            if answer.status < 300 or answer.status in {304, *accepted}:
                return answer
            failure = _build_failure(answer, attempt)
            if attempt == last or not _may_succeed(failure):
                raise failure
            self.pause(max(failure.retry_after or 0.0, choose_pause(attempt)))
        raise AssertionError  # the last attempt returns or raises

    def read(self, path: str, query: Query | None = None) -> Any:
        """Return the JSON of ``GET``."""
        return self.send("GET", path, query=query).json()

    def post(self, path: str, content: object, *, waiting: float = 0.0, once: bool = False) -> Any:
        """Send JSON by ``POST``, and return the JSON of the answer."""
        text = json.dumps(content, ensure_ascii=False).encode()
        headers = {"Content-Type": "application/json"}
        answer = self.send(
            "POST", path, headers=headers, body=lambda: text, waiting=waiting, once=once
        )
        return answer.json()

    def build_unreachable_error(self, failed: AttemptFailed, attempts: int) -> ConnectionFailed:
        """Return the exception for a service that did not answer the last attempt."""
        times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
        return ConnectionFailed(f"The service at {self.url} does not answer ({failed}; {times}).")


def _build_failure(answer: Answer, attempts: int) -> Refused:
    """Return the exception for a status that is no success."""
    data: Any = None
    if answer.media_type in {"application/problem+json", "application/json"}:
        try:
            data = json.loads(answer.content)
        except ValueError:
            data = None
    if not isinstance(data, dict) or "type" not in data:
        if answer.status not in UNAVAILABLE:
            raise answer.build_error()
        title = f"{answer.status} {answer.reason}"
        data = {"type": "about:blank", "title": title, "code": "", "detail": title}
    problem = Problem.read({**data, "status": answer.status})
    return build_refusal(problem, _read_retry_after(answer), attempts)


def _may_succeed(failure: Refused) -> bool:
    """Return whether another attempt may succeed."""
    if failure.retry_after is not None and failure.retry_after > LONGEST_RETRY_AFTER_S:
        return False
    return failure.problem.status in UNAVAILABLE or failure.problem.code == IDEMPOTENCY_RACE


def choose_pause(attempt: int) -> float:
    """Return a pause that doubles with each attempt, and is random so that clients spread out."""
    longest = min(LONGEST_PAUSE_S, SHORTEST_PAUSE_S * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - not for security


def _read_retry_after(answer: Answer) -> float | None:
    text = answer.headers.get("retry-after")
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
