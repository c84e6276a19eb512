"""The client of the service."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

from thetahat_client.errors import (
    ConnectionFailed,
    NotFound,
    Refused,
    UnexpectedAnswer,
    WaitTimeout,
)
from thetahat_client.frames import FrameOrArray, write_table
from thetahat_client.media import Source, guess_media_type, make_body, read_name
from thetahat_client.models import Dataset, Evaluation
from thetahat_client.outputs import Outputs
from thetahat_client.transport import Transport

DEFAULT_URL: Final = "http://127.0.0.1:8000"
LONGEST_WAIT_S: Final = 60.0  # the default limit of the service for one long poll
SHORTEST_POLL_S: Final = 0.2


class Client(Outputs):
    """A connection to one service, for use in a ``with`` block.

    Every request is tried again after a dropped connection, 429, 502, 503 or 504. That is safe: an
    upload gives the same data set again, and a submission has an idempotency key. After the last
    attempt an exception is raised, see ``thetahat_client.errors``.

    Parameters
    ----------
    url : str or None
        Address of the service; by default that of ``THETAHAT_URL``, or ``http://127.0.0.1:8000``.
    api_key : str or None
        Needed if the service has API keys; by default that of ``THETAHAT_API_KEY``.
    timeout : float
        Seconds without a byte from the service after which an attempt counts as failed.
    retries : int
        Further attempts after the first.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30.0,
        retries: int = 5,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        address = url or os.environ.get("THETAHAT_URL") or DEFAULT_URL
        key = api_key or os.environ.get("THETAHAT_API_KEY") or None
        super().__init__(Transport(address.rstrip("/"), key, timeout, retries, sleep))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def ready(self) -> bool:
        """Return whether service, database, broker and a worker are available; one attempt.

        A service that does not answer is not ready.
        """
        try:
            self._transport.send("GET", "/readyz", once=True)
        except (Refused, ConnectionFailed, UnexpectedAnswer):
            return False
        return True

    def methods(self, family: str) -> list[dict[str, Any]]:
        """Return the methods of a family: schemes, learners, losses, variances, tests, ..."""
        answer = self._transport.send("GET", f"/v1/methods/{family}").json()
        return list(answer["items"])

    def families(self) -> list[str]:
        """Return the names of the families of methods."""
        answer = self._transport.send("GET", "/v1/methods").json()
        return [str(family["name"]) for family in answer["families"]]

    # Data sets

    def upload(
        self,
        source: Source | FrameOrArray,
        *,
        media_type: str | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Upload a file, a frame or an array; the same bytes give the same data set.

        Parameters
        ----------
        source : path, bytes, binary file, frame or array
            A frame of pandas, polars or pyarrow (which needs ``narwhals``), or a NumPy array with
            one row per instance. A file is sent in pieces; one that cannot be rewound is sent once,
            without further attempts.
        media_type : str or None
            By default that of the ending of the file or the name (``.csv``, ``.parquet``, ...).
            ``UnknownMediaType`` if neither has a known one.
        name : str or None
            Name of the data set in the service; by default that of the file.
        """
        if not isinstance(source, str | os.PathLike | bytes) and not hasattr(source, "read"):
            source, own_type = write_table(source)
            media_type = media_type or own_type
        file_name = read_name(source)
        name = name or file_name
        body, can_repeat = make_body(source)
        answer = self._transport.send(
            "POST",
            "/v1/datasets",
            query={"name": name} if name else None,
            headers={"Content-Type": media_type or guess_media_type(file_name, name)},
            body=body,
            once=not can_repeat,
        )
        return Dataset.read(answer.json())

    def dataset(self, dataset_id: str) -> Dataset:
        """Return a data set, or raise ``NotFound``."""
        return Dataset.read(self._transport.send("GET", f"/v1/datasets/{dataset_id}").json())

    def datasets(self, *, page_size: int = 100) -> Iterator[Dataset]:
        """Return all data sets, the newest first; pages are requested as they are needed."""
        return (Dataset.read(item) for item in self._pages("/v1/datasets", {}, page_size))

    def preview(self, dataset_id: str, rows: int = 20) -> dict[str, Any]:
        """Return the first rows of a data set, and how the file was read."""
        path, query = f"/v1/datasets/{dataset_id}/preview", {"rows": rows}
        return dict(self._transport.send("GET", path, query=query).json())

    def delete_dataset(self, dataset_id: str) -> None:
        """Delete a data set; ``Refused`` is raised while an evaluation needs it."""
        self._delete(f"/v1/datasets/{dataset_id}")

    # Evaluations

    def submit(
        self,
        request: Mapping[str, Any],
        *,
        wait: float | None = None,
        idempotency_key: str | None = None,
    ) -> Evaluation:
        """Submit an evaluation.

        Parameters
        ----------
        request : Mapping
            The body of ``POST /v1/evaluations``.
        wait : float or None
            Seconds, at most 60, that the service waits for the end of the evaluation; if it has
            ended by then, the answer has the ``result``.
        idempotency_key : str or None
            The same key with the same request gives the same evaluation. By default a new key,
            which protects only the further attempts of this call.
        """
        text = json.dumps(request, allow_nan=False, ensure_ascii=False).encode()
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key or str(uuid4()),
        }
        seconds = 0 if wait is None else math.ceil(min(max(wait, 0.0), LONGEST_WAIT_S))
        if seconds:
            headers["Prefer"] = f"wait={seconds}"
        answer = self._transport.send(
            "POST", "/v1/evaluations", headers=headers, body=lambda: text, waiting=seconds
        )
        return Evaluation.read(answer.json())

    def get(self, evaluation_id: str) -> Evaluation:
        """Return the current state of an evaluation."""
        answer = self._transport.send("GET", f"/v1/evaluations/{evaluation_id}")
        return Evaluation.read(answer.json())

    def wait(
        self,
        evaluation_id: str,
        timeout: float | None = None,
        on_progress: Callable[[Evaluation], None] | None = None,
    ) -> Evaluation:
        """Wait for the end of an evaluation by long polling, and return it, even if it failed.

        Parameters
        ----------
        timeout : float or None
            Seconds after which ``WaitTimeout`` is raised; the evaluation continues.
        on_progress : callable or None
            Called with the evaluation once at the beginning and whenever it has changed.
        """
        path = f"/v1/evaluations/{evaluation_id}"
        headers: dict[str, str] = {}
        end = math.inf if timeout is None else time.monotonic() + timeout
        known: Evaluation | None = None
        while True:
            seconds = min(LONGEST_WAIT_S / 2, max(0.0, end - time.monotonic())) if known else 0.0
            query = {"wait": f"{seconds:.3f}"} if seconds else None
            sent = time.monotonic()
            answer = self._transport.send(
                "GET", path, query=query, headers=headers, waiting=seconds
            )
            if answer.response.status_code != 304:
                known = Evaluation.read(answer.json())
                headers = {"If-None-Match": answer.response.headers.get("etag", "")}
                if on_progress is not None:
                    on_progress(known)
            assert known is not None  # noqa: S101 - the first request carries no If-None-Match
            if known.is_finished:
                return known
            if time.monotonic() >= end:
                raise WaitTimeout(known, timeout or 0.0)
            # A service whose limit of a long poll is 0 answers at once.
            pause = SHORTEST_POLL_S - (time.monotonic() - sent)
            time.sleep(max(0.0, min(pause, end - time.monotonic())))

    def cancel(self, evaluation_id: str) -> Evaluation:
        """Cancel an evaluation; one that has ended stays as it is."""
        answer = self._transport.send("POST", f"/v1/evaluations/{evaluation_id}/cancel")
        return Evaluation.read(answer.json())

    def delete(self, evaluation_id: str) -> None:
        """Delete an evaluation that has ended, with its result."""
        self._delete(f"/v1/evaluations/{evaluation_id}")

    def evaluations(  # noqa: PLR0913 - one argument per filter
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        labels: Mapping[str, str] | None = None,
        created_after: datetime | None = None,
        created_before: datetime | None = None,
        page_size: int = 100,
    ) -> Iterator[Evaluation]:
        """Return the evaluations that match all filters, the newest first.

        Pages are requested as they are needed.
        """
        query: dict[str, Any] = {
            "status": status,
            "kind": kind,
            "label": [f"{key}:{value}" for key, value in (labels or {}).items()] or None,
            "created_after": created_after.isoformat() if created_after else None,
            "created_before": created_before.isoformat() if created_before else None,
        }
        filters = {key: value for key, value in query.items() if value is not None}
        pages = self._pages("/v1/evaluations", filters, page_size)
        return (Evaluation.read(item) for item in pages)

    def _pages(self, path: str, query: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
        cursor: str | None = None
        while True:
            more = {"cursor": cursor} if cursor else {}
            page = self._transport.send("GET", path, query={**query, "limit": size, **more}).json()
            yield from page["items"]
            cursor = page["next"]
            if cursor is None:
                return

    def _delete(self, path: str) -> None:
        """Delete; a 404 after a dropped attempt means that the first attempt succeeded."""
        try:
            self._transport.send("DELETE", path)
        except NotFound as gone:
            if gone.attempts == 1:
                raise
