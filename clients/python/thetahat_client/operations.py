"""The operations of the clients: each is written once, for ``Client`` and ``AsyncClient``."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar
from uuid import uuid4

from thetahat_client.compression import compress_body
from thetahat_client.errors import (
    ConnectionFailed,
    NotFound,
    Refused,
    UnexpectedAnswer,
    WaitTimeout,
)
from thetahat_client.events import Event, read_events
from thetahat_client.exchange import Query
from thetahat_client.figure import MEDIA_TYPES, FigureFormat, FigureImage
from thetahat_client.frames import FrameOrArray, write_table
from thetahat_client.ladders import Ladder, LadderScore
from thetahat_client.media import Source, guess_media_type, make_body, read_name
from thetahat_client.models import Dataset, Evaluation, SignOff
from thetahat_client.outputs import Outputs
from thetahat_client.progress import ShowProgress, choose_display
from thetahat_client.protocols import Protocol
from thetahat_client.record import EvaluationRecord
from thetahat_client.request_json import encode_request
from thetahat_client.runners import Items, listing, operation
from thetahat_client.series import Look, Series
from thetahat_client.webhooks import Delivery, SubmissionOutcome, Webhook

if TYPE_CHECKING:
    from thetahat_client.results import (
        AdviceDict,
        DatasetPreviewDict,
        DatasetUnderstandingDict,
        JsonValue,
        LeaderboardsReadDict,
        MethodReadDict,
    )

LARGEST_BATCH: Final = 4 * 1024 * 1024  # bytes; the service allows 8 MiB by default
LONGEST_IMPORT_S: Final = 120.0  # the default limit of the service
LONGEST_WAIT_S: Final = 60.0  # the default limit of the service for one long poll
SHORTEST_POLL_S: Final = 0.2

ServiceState = Literal["ready", "warming", "not ready", "down"]

T = TypeVar("T")


class Operations(Outputs):
    """The methods of a client, apart from those that read what an evaluation has computed.

    A method with ``@operation`` returns a value: ``client.get(id)``, ``await client.get(id)``. One
    with ``@listing`` is for ``for`` or ``async for``. The functions themselves block; the runner of
    the client calls them, an async one in a thread. ``call_back`` calls a function of the caller
    where the caller expects it.
    """

    call_back: Callable[[ShowProgress, Evaluation], None]

    @operation
    def ready(self) -> bool:
        """Return whether a request would be accepted and computed at once; one attempt.

        False while the service is away or its workers still load their packages and loops;
        ``state`` tells these apart.
        """
        return self._read_state() == "ready"

    @operation
    def state(self) -> ServiceState:
        """Return ``ready``, ``warming``, ``not ready`` or ``down``; one attempt.

        ``warming`` means that requests are accepted and wait until a worker has loaded its packages
        and compiled loops; ``not ready``, that a part is missing, such as the database; ``down``,
        that nothing answers at this address, or not this service.
        """
        return self._read_state()

    def _read_state(self) -> ServiceState:
        try:
            answer = self.transport.send("GET", "/readyz", once=True, accepted={503}).json()
        except (Refused, ConnectionFailed, UnexpectedAnswer):
            return "down"
        status = answer.get("status") if isinstance(answer, dict) else None
        states: dict[object, ServiceState] = {"ready": "ready", "warming": "warming"}
        return states.get(status, "not ready")

    @operation
    def methods(self, family: str) -> list[MethodReadDict]:
        """Return the methods of a family: schemes, learners, losses, variances, tests, ..."""
        answer = self.transport.read(f"/v1/methods/{family}")
        return list(answer["items"])

    @operation
    def families(self) -> list[str]:
        """Return the names of the families of methods."""
        answer = self.transport.read("/v1/methods")
        return [str(family["name"]) for family in answer["families"]]

    @operation
    def advise(self, /, **situation: Any) -> AdviceDict:
        """Return which scheme fits the data and the question, and what precision to expect.

        Parameters
        ----------
        **situation
            The fields of ``POST /v1/advice``: ``n`` (the number of rows) and what else is known,
            such as ``class_counts``, ``source_sizes``, ``fit_seconds`` and ``budget_seconds``.
        """
        advice: AdviceDict = self.transport.post("/v1/advice", situation)
        return advice

    # Data sets

    @operation
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
        answer = self.transport.send(
            "POST",
            "/v1/datasets",
            query={"name": name or None},
            headers={"Content-Type": media_type or guess_media_type(file_name, name)},
            body=body,
            once=not can_repeat,
        )
        return Dataset.read(answer.json())

    @operation
    def import_dataset(
        self, url: str, *, media_type: str | None = None, name: str | None = None
    ) -> Dataset:
        """Let the service receive a data set from a host that its operator has listed.

        Parameters
        ----------
        url : str
            Address of the file.
        media_type : str or None
            By default that of the answer or of the ending of the path.
        name : str or None
            Name of the data set; by default the last part of the path.
        """
        body = {"url": url, "media_type": media_type, "name": name}
        path = "/v1/datasets/import"
        return Dataset.read(self.transport.post(path, body, waiting=LONGEST_IMPORT_S))

    @operation
    def dataset(self, dataset_id: str) -> Dataset:
        """Return a data set, or raise ``NotFound``."""
        return Dataset.read(self.transport.read(f"/v1/datasets/{dataset_id}"))

    @listing
    def datasets(self, *, page_size: int = 100) -> Items[Dataset]:
        """Return all data sets, the newest first; pages are requested as they are needed."""
        return self._iterate_pages("/v1/datasets", {}, page_size, Dataset.read)

    @operation
    def preview(self, dataset_id: str, rows: int = 20) -> DatasetPreviewDict:
        """Return the first rows of a data set, and how the file was read."""
        path = f"/v1/datasets/{dataset_id}/preview"
        preview: DatasetPreviewDict = self.transport.read(path, {"rows": rows})
        return preview

    @operation
    def understand(self, dataset_id: str) -> DatasetUnderstandingDict:
        """Return what each column seems to be for, and which questions the file can answer."""
        path = f"/v1/datasets/{dataset_id}/understood"
        understood: DatasetUnderstandingDict = self.transport.read(path)
        return understood

    @operation
    def delete_dataset(self, dataset_id: str) -> None:
        """Delete a data set; ``Refused`` is raised while an evaluation needs it."""
        self._delete(f"/v1/datasets/{dataset_id}")

    # Evaluations

    @operation
    def submit(
        self,
        request: Mapping[str, object],
        *,
        wait: float | None = None,
        idempotency_key: str | None = None,
    ) -> Evaluation:
        """Submit an evaluation.

        Parameters
        ----------
        request : Mapping
            The body of ``POST /v1/evaluations``; arrays, series and frames of NumPy, pandas, polars
            and pyarrow may stand for its lists.
        wait : float or None
            Seconds, at most 60, that the service waits for the end of the evaluation; if it has
            ended by then, the answer has the ``result``.
        idempotency_key : str or None
            The same key with the same request gives the same evaluation. By default a new key,
            which protects only the further attempts of this call.
        """
        seconds = 0 if wait is None else math.ceil(min(max(wait, 0.0), LONGEST_WAIT_S))
        body = encode_request(request)
        answer = self._send_once("/v1/evaluations", body, idempotency_key, waiting=seconds)
        evaluation = Evaluation.read(answer)
        if evaluation.result is None:
            return evaluation
        return replace(evaluation, result=self.bind_result(evaluation.id, evaluation.result))

    @operation
    def submit_many(
        self,
        requests: Iterable[Mapping[str, object]],
        *,
        idempotency_key: str | None = None,
        batch_size: int = 100,
    ) -> list[SubmissionOutcome]:
        """Submit several evaluations; each is accepted or refused by itself.

        Parameters
        ----------
        requests : iterable of Mapping
            Bodies of ``POST /v1/evaluations``, as in ``submit``.
        idempotency_key : str or None
            The same key with the same requests, in the same order and with the same batch size,
            gives the same evaluations and tries those again that were refused. By default a new
            key, which protects only the further attempts of this call.
        batch_size : int
            Most evaluations sent at once; the service allows 100 unless its settings say other.
        """
        key = idempotency_key or str(uuid4())
        outcomes: list[SubmissionOutcome] = []
        for number, batch in enumerate(_cut_batches(requests, batch_size)):
            body = b'{"items":[' + b",".join(batch) + b"]}"
            answer = self._send_once("/v1/evaluations/batch", body, f"{key} {number}")
            first = len(outcomes)
            read = map(SubmissionOutcome.read, answer["items"])
            outcomes += [replace(outcome, index=first + outcome.index) for outcome in read]
        return outcomes

    @operation
    def get(self, evaluation_id: str) -> Evaluation:
        """Return the current state of an evaluation."""
        path = f"/v1/evaluations/{evaluation_id}"
        return Evaluation.read(self.transport.read(path))

    @operation
    def read_fields(self, evaluation_id: str, fields: Sequence[str]) -> dict[str, Any]:
        """Return some fields of an evaluation and of its result, without the rest.

        Parameters
        ----------
        fields : sequence of str
            Paths such as ``"status"`` and ``"result.summary"``; ``field_path`` writes one with a
            name that has dots or spaces. ``result`` is None until the evaluation has succeeded.
        """
        path = f"/v1/evaluations/{evaluation_id}"
        return dict(self.transport.read(path, {"fields": ",".join(fields)}))

    @operation
    def leaderboards(self, evaluation_ids: Sequence[str]) -> LeaderboardsReadDict:
        """Rank the models of several evaluations together, where they were tested on the same rows.

        ``boards`` has a board for each test set, with its ``result``; ``apart_because`` says why a
        board is not ranked with the first. ``left_out`` names evaluations that are on none.

        Parameters
        ----------
        evaluation_ids : sequence of str
            The evaluations, at most 50.
        """
        query = {"of": list(evaluation_ids)}
        found: LeaderboardsReadDict = self.transport.read("/v1/leaderboards", query)
        return found

    @operation
    def wait(
        self,
        evaluation_id: str,
        timeout: float | None = None,
        *,
        progress: bool | ShowProgress = False,
    ) -> Evaluation:
        """Wait for the end of an evaluation by long polling, and return it, even if it failed.

        Parameters
        ----------
        timeout : float or None
            Seconds after which ``WaitTimeout`` is raised; the evaluation continues.
        progress : bool or callable
            True shows a line with a bar and the time left, in a notebook a bar below the cell. A
            function is called with the evaluation at the beginning and whenever it has changed.
        """
        path = f"/v1/evaluations/{evaluation_id}"
        headers: dict[str, str] = {}
        end = math.inf if timeout is None else time.monotonic() + timeout
        latest: Evaluation | None = None
        show = choose_display(progress=progress)
        while True:
            seconds = min(LONGEST_WAIT_S / 2, max(0.0, end - time.monotonic())) if latest else 0.0
            query = {"wait": f"{seconds:.3f}" if seconds else None}
            sent_at = time.monotonic()
            answer = self.transport.send("GET", path, query=query, headers=headers, waiting=seconds)
            if answer.status != 304:
                latest = Evaluation.read(answer.json())
                headers = {"If-None-Match": answer.headers.get("etag", "")}
                if show is not None:
                    self.call_back(show, latest)
            assert latest is not None  # noqa: S101 - the first request carries no If-None-Match
            if latest.is_finished:
                return latest
            if time.monotonic() >= end:
                raise WaitTimeout(latest, timeout or 0.0)
            # A service whose limit of a long poll is 0 answers at once.
            pause_s = SHORTEST_POLL_S - (time.monotonic() - sent_at)
            self.transport.pause(max(0.0, min(pause_s, end - time.monotonic())))

    @operation
    def request(self, evaluation_id: str) -> dict[str, JsonValue]:
        """Return the request of an evaluation; sent again, it gives the same numbers."""
        return dict(self.transport.read(f"/v1/evaluations/{evaluation_id}/request"))

    @operation
    def record(
        self, evaluation_id: str, *, figures: Sequence[str] | None = None
    ) -> EvaluationRecord:
        """Return an evaluation with its request, result and figures, for ``log_to_mlflow``.

        Parameters
        ----------
        figures : sequence of str or None
            Names of the figures to draw; all of them by default.
        """
        path = f"/v1/evaluations/{evaluation_id}"
        evaluation = Evaluation.read(self.transport.read(path))
        result = self.read_result(evaluation_id)
        if figures is None:
            answer = self.read_output(evaluation_id, "figures", "application/json")
            figures = [figure["name"] for figure in answer.json()["items"]]
        drawn = tuple(self.read_figure(evaluation_id, name) for name in figures)
        request = self.transport.read(f"{path}/request")
        return EvaluationRecord(evaluation, request, result, drawn)

    @operation
    def cancel(self, evaluation_id: str) -> Evaluation:
        """Cancel an evaluation; one that has ended stays as it is."""
        path = f"/v1/evaluations/{evaluation_id}/cancel"
        return Evaluation.read(self.transport.send("POST", path).json())

    @operation
    def delete(self, evaluation_id: str) -> None:
        """Delete an evaluation that has ended, with its result."""
        self._delete(f"/v1/evaluations/{evaluation_id}")

    @listing
    def evaluations(  # noqa: PLR0913 - one argument per filter
        self,
        *,
        status: str | None = None,
        kind: str | None = None,
        name: str | None = None,
        verdict: str | None = None,
        gate: str | None = None,
        sign_off: str | None = None,
        protocol: str | None = None,
        labels: Mapping[str, str] | None = None,
        created_after: datetime | None = None,
        created_before: datetime | None = None,
        page_size: int = 100,
    ) -> Items[Evaluation]:
        """Return the evaluations that match all filters, the newest first.

        Pages are requested as they are needed.

        Parameters
        ----------
        name : str or None
            A part of the name.
        verdict : str or None
            ``better``, ``equivalent``, ``not_worse``, ``undecided``, ``worse`` or ``mixed``: the
            decision on the best model and those that it is compared with.
        gate : str or None
            ``pass``, ``fail`` or ``undecided``.
        sign_off : str or None
            ``approved``, ``rejected`` or ``needs_changes``; ``none`` for results that nobody has
            signed.
        protocol : str or None
            Id of the protocol that they name.
        """
        filters: Query = {
            "status": status,
            "kind": kind,
            "name": name,
            "verdict": verdict,
            "gate": gate,
            "sign_off": sign_off,
            "protocol": protocol,
            "label": [f"{key}:{value}" for key, value in (labels or {}).items()] or None,
            "created_after": created_after.isoformat() if created_after else None,
            "created_before": created_before.isoformat() if created_before else None,
        }
        return self._iterate_pages("/v1/evaluations", filters, page_size, Evaluation.read)

    @listing
    def events(self, evaluation_id: str, *, after: int = 0) -> Items[Event]:
        """Return the events of an evaluation as they happen, until it ends.

        A stream that breaks is opened again after its last event.

        Parameters
        ----------
        after : int
            Number of an event; earlier ones and itself are left out. 0 for all events.
        """
        return read_events(self.transport, evaluation_id, after)

    # Sign-offs

    @operation
    def sign_off(
        self,
        evaluation_id: str,
        *,
        name: str,
        decision: Literal["approved", "rejected", "needs_changes"],
        comment: str = "",
        result_sha256: str | None = None,
    ) -> SignOff:
        """Sign the result of an evaluation; a later sign-off supersedes it, and all are kept.

        Parameters
        ----------
        name : str
            The person who signs.
        decision : str
            ``approved``, ``rejected`` or ``needs_changes``.
        comment : str
            Reasons and conditions, which the report shows.
        result_sha256 : str or None
            SHA-256 of the result that was read: if the service has another one, the sign-off is
            refused. None signs the result that the service has.
        """
        content = {"name": name, "decision": decision, "comment": comment}
        path = f"/v1/evaluations/{evaluation_id}/sign-offs"
        signed = _drop_none({**content, "result_sha256": result_sha256})
        return SignOff.read(self.transport.post(path, signed))

    @listing
    def sign_offs(self, evaluation_id: str, *, page_size: int = 100) -> Items[SignOff]:
        """Return the sign-offs of an evaluation, the newest first."""
        path = f"/v1/evaluations/{evaluation_id}/sign-offs"
        return self._iterate_pages(path, {}, page_size, SignOff.read)

    # Series

    @operation
    def create_series(
        self, request: Mapping[str, object], *, idempotency_key: str | None = None
    ) -> Series:
        """Create a series: models, margin, level, method and stop rule are fixed from then on.

        Parameters
        ----------
        request : Mapping
            The body of ``POST /v1/series``.
        idempotency_key : str or None
            The same key with the same request gives the same series. By default a new key, which
            protects only the further attempts of this call.
        """
        return Series.read(self._send_once("/v1/series", encode_request(request), idempotency_key))

    @operation
    def series(self, series_id: str) -> Series:
        """Return a series with its newest look and its plan, or raise ``NotFound``."""
        return Series.read(self.transport.read(f"/v1/series/{series_id}"))

    @listing
    def list_series(self, *, status: str | None = None, page_size: int = 100) -> Items[Series]:
        """Return all series, the newest first.

        Parameters
        ----------
        status : str or None
            ``open`` or ``closed``; None for all.
        """
        return self._iterate_pages("/v1/series", {"status": status}, page_size, Series.read)

    @operation
    def add_batch(
        self,
        series_id: str,
        losses: Mapping[str, object],
        *,
        cluster: Sequence[str | int] | None = None,
        at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Look:
        """Add a batch of losses to a series, and return what the look after it has shown.

        Parameters
        ----------
        losses : Mapping
            The losses of each model on the same rows; arrays, series and frames may stand for
            lists.
        cluster : sequence or None
            The cluster of each row, in a series whose units are clusters.
        at : datetime or None
            The time of the batch, with its zone; by default when it is received.
        idempotency_key : str or None
            A batch with the key of an earlier one is not counted again. By default a new key, which
            protects only the further attempts of this call: a program that may be started again
            gives its own, such as the date.
        """
        time_of_batch = None if at is None else at.isoformat()
        body = _drop_none({"losses": losses, "cluster": cluster, "at": time_of_batch})
        path = f"/v1/series/{series_id}/batches"
        return Look.read(self._send_once(path, encode_request(body), idempotency_key))

    @listing
    def looks(self, series_id: str, *, page_size: int = 100) -> Items[Look]:
        """Return the looks of a series, the newest first."""
        return self._iterate_pages(f"/v1/series/{series_id}/looks", {}, page_size, Look.read)

    @operation
    def series_figure(
        self,
        series_id: str,
        format: FigureFormat = "svg",  # noqa: A002 - as in figure
    ) -> FigureImage:
        """Return the figure of a series: the estimate with its interval at every look."""
        answer = self.transport.send("GET", f"/v1/series/{series_id}/figures/sequence.{format}")
        answer.check_type(MEDIA_TYPES[format])
        return FigureImage(answer.content, "sequence", format)

    @operation
    def close_series(self, series_id: str) -> Series:
        """Let a series take no more batches; one that is closed stays as it is."""
        answer = self.transport.send("POST", f"/v1/series/{series_id}/close")
        return Series.read(answer.json())

    @operation
    def delete_series(self, series_id: str) -> None:
        """Delete a series with all its looks."""
        self._delete(f"/v1/series/{series_id}")

    # Protocols

    @operation
    def create_protocol(
        self, request: Mapping[str, object], *, idempotency_key: str | None = None
    ) -> Protocol:
        """Fix a plan before the data; nothing of it changes later.

        Parameters
        ----------
        request : Mapping
            The body of ``POST /v1/protocols``.
        idempotency_key : str or None
            As of ``create_series``.
        """
        return Protocol.read(
            self._send_once("/v1/protocols", encode_request(request), idempotency_key)
        )

    @operation
    def protocol(self, protocol_id: str) -> Protocol:
        """Return a protocol, or raise ``NotFound``."""
        return Protocol.read(self.transport.read(f"/v1/protocols/{protocol_id}"))

    @listing
    def list_protocols(self, *, page_size: int = 100) -> Items[Protocol]:
        """Return all protocols, the newest first."""
        return self._iterate_pages("/v1/protocols", {}, page_size, Protocol.read)

    @operation
    def withdraw_protocol(self, protocol_id: str, reason: str) -> Protocol:
        """Record that a protocol is withdrawn, and why; one that is withdrawn stays as it is."""
        answer = self.transport.post(f"/v1/protocols/{protocol_id}/withdraw", {"reason": reason})
        return Protocol.read(answer)

    @operation
    def delete_protocol(self, protocol_id: str) -> None:
        """Delete a protocol that no evaluation and no series names."""
        self._delete(f"/v1/protocols/{protocol_id}")

    # Ladders

    @operation
    def ladder(self, ladder_id: str) -> Ladder:
        """Return a Ladder, or raise ``NotFound``."""
        return Ladder.read(self.transport.read(f"/v1/ladders/{ladder_id}"))

    @listing
    def ladders(
        self, *, dataset: str | None = None, target: str | None = None, page_size: int = 100
    ) -> Items[Ladder]:
        """Return all Ladders, the newest first.

        Parameters
        ----------
        dataset : str or None
            Only Ladders on the content of the data set with this id.
        target : str or None
            Only Ladders on this column.
        """
        filters = {"dataset": dataset, "target": target}
        return self._iterate_pages("/v1/ladders", filters, page_size, Ladder.read)

    @listing
    def ladder_scores(self, ladder_id: str, *, page_size: int = 100) -> Items[LadderScore]:
        """Return the scores that a Ladder has published, the newest first."""
        path = f"/v1/ladders/{ladder_id}/scores"
        return self._iterate_pages(path, {}, page_size, LadderScore.read)

    @operation
    def ladder_figure(
        self,
        ladder_id: str,
        format: FigureFormat = "svg",  # noqa: A002 - as in figure
    ) -> FigureImage:
        """Return the figure of a Ladder: the published score after each submission."""
        answer = self.transport.send("GET", f"/v1/ladders/{ladder_id}/figures/scores.{format}")
        answer.check_type(MEDIA_TYPES[format])
        return FigureImage(answer.content, "scores", format)

    def _send_once(self, path: str, content: bytes, key: str | None, waiting: int = 0) -> Any:
        """Return the answer to a request with a key, for whose end the service may wait."""
        body, encoding = compress_body(content)
        headers = {
            "Content-Type": "application/json",
            **encoding,
            "Idempotency-Key": key or str(uuid4()),
            **({"Prefer": f"wait={waiting}"} if waiting else {}),
        }
        return self.transport.send(
            "POST", path, headers=headers, body=lambda: body, waiting=waiting
        ).json()

    # Webhooks

    @operation
    def create_webhook(
        self,
        url: str,
        *,
        event_types: Sequence[str] | None = None,
        labels: Mapping[str, str] | None = None,
        description: str | None = None,
    ) -> Webhook:
        """Register an address that is told of ends of evaluations and decisions; one attempt.

        Only the webhook that this returns has the ``secret``.

        Parameters
        ----------
        url : str
            An ``https`` address.
        event_types : sequence of str or None
            By default every end of an evaluation (succeeded, failed and cancelled) and the decision
            of every series.
        labels : Mapping or None
            Only evaluations and series that have all these labels.
        description : str or None
            A note for people.
        """
        body = {
            "url": url,
            "event_types": None if event_types is None else list(event_types),
            "labels": None if labels is None else dict(labels),
            "description": description,
        }
        return Webhook.read(self.transport.post("/v1/webhooks", _drop_none(body), once=True))

    @operation
    def webhooks(self) -> list[Webhook]:
        """Return all webhooks, without their secrets."""
        answer = self.transport.read("/v1/webhooks")
        return [Webhook.read(item) for item in answer["items"]]

    @operation
    def rotate_webhook_secret(
        self, webhook_id: str, *, keep_previous_s: int = 24 * 3600
    ) -> Webhook:
        """Give a webhook a new ``secret``, which only the answer has; one attempt.

        Parameters
        ----------
        keep_previous_s : int
            Seconds for which deliveries are signed with the previous secret, too.
        """
        answer = self.transport.send(
            "POST",
            f"/v1/webhooks/{webhook_id}/rotate",
            query={"keep_previous_s": keep_previous_s},
            once=True,
        )
        return Webhook.read(answer.json())

    @operation
    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook with its deliveries; nothing more is sent to it."""
        self._delete(f"/v1/webhooks/{webhook_id}")

    @listing
    def deliveries(
        self, webhook_id: str, *, state: str | None = None, page_size: int = 100
    ) -> Items[Delivery]:
        """Return what was sent to a webhook, or waits to be, the newest first.

        Parameters
        ----------
        state : str or None
            ``pending``, ``delivered`` or ``dead``; None for all.
        """
        path = f"/v1/webhooks/{webhook_id}/deliveries"
        return self._iterate_pages(path, {"state": state}, page_size, Delivery.read)

    @operation
    def send_again(self, webhook_id: str, delivery_id: str) -> Delivery:
        """Send a delivery again, with its first body and id."""
        path = f"/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/send"
        return Delivery.read(self.transport.send("POST", path).json())

    def _iterate_pages(
        self, path: str, query: Query, size: int, read: Callable[[Any], T]
    ) -> Items[T]:
        cursor: str | None = None
        while True:
            page = self.transport.read(path, {**query, "limit": size, "cursor": cursor})
            yield from map(read, page["items"])
            cursor = page["next"]
            if cursor is None:
                return

    def _delete(self, path: str) -> None:
        """Delete; a 404 after a dropped attempt means that the first attempt succeeded."""
        try:
            self.transport.send("DELETE", path)
        except NotFound as gone:
            if gone.attempts == 1:
                raise


def _drop_none(fields: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a request that the caller has given."""
    return {name: value for name, value in fields.items() if value is not None}


def _cut_batches(requests: Iterable[Mapping[str, object]], size: int) -> Iterator[list[bytes]]:
    """Yield items of batches as JSON, limited in number and in bytes."""
    batch: list[bytes] = []
    length = 0
    for request in requests:
        item = encode_request({"request": request})
        if batch and (len(batch) >= size or length + len(item) > LARGEST_BATCH):
            yield batch
            batch, length = [], 0
        batch.append(item)
        length += len(item)
    if batch:
        yield batch
