"""Sending deliveries to webhooks, signed as Standard Webhooks describes.

Each delivery is sent at least once: a process that is killed between the answer and its record
sends it again, with the same ``webhook-id``, by which receivers notice it.

Each delivery has a thread, and owners have equal shares of the threads: those whose receivers do
not answer keep a few of them busy, and the others' deliveries are sent beside them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from thetahat_service.outbound.addresses import RefusedAddress, resolve_target
from thetahat_service.outbound.open_connection import OpenConnection
from thetahat_service.process import counters
from thetahat_service.settings import Settings
from thetahat_service.states import DeliveryState
from thetahat_service.storage import webhooks
from thetahat_service.storage.infrastructure import read_reason
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.webhooks import ClaimedDelivery, DueDelivery

log = logging.getLogger(__name__)

AT_ONCE: Final = 32
"""Most deliveries that a process sends at the same time."""
AT_ONCE_PER_OWNER: Final = 4
"""Most of them that are of one owner."""
LISTED: Final = 256
"""Deliveries that are read for the next claim."""
RECORDING_S: Final = 30.0
"""Time for recording an outcome, beyond that of the attempt, before others send it again."""
GONE: Final = 410
THROTTLED: Final = frozenset({429, 502, 503, 504})
LONGEST_PAUSE_S: Final = 24 * 3600.0
JITTER: Final = 0.1
LARGEST_ANSWER: Final = 16 * 1024  # bytes that are read, so that the receiver can finish; not kept
OLD_BATCH: Final = 1000


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """The outcome of an attempt: the status of the answer, or the reason why there was none."""

    status: int | None
    error: str | None = None
    retry_after_s: float = 0.0

    @property
    def is_success(self) -> bool:
        """Whether the receiver has accepted the delivery."""
        return self.status is not None and 200 <= self.status < 300


def sign(secret: str, message_id: str, timestamp: int, body: str) -> str:
    """Return one signature of a delivery; ``webhook-signature`` has one for each valid secret.

    Source: Standard Webhooks, version 1 (symmetric).
    """
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{message_id}.{timestamp}.{body}".encode()
    digest = hmac.new(key, content, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def remove_old(settings: Settings) -> int:
    """Delete delivered and dead deliveries after the days of the settings."""
    if not settings.keep_deliveries_days:
        return 0
    moment = datetime.now(UTC) - timedelta(days=settings.keep_deliveries_days)
    with unit_of_work() as connection:
        return webhooks.remove_before(connection, moment, OLD_BATCH)


@dataclass(eq=False)
class _Attempt:
    """A delivery that a thread of this process sends now."""

    delivery: ClaimedDelivery
    connection: OpenConnection


class DeliveryLanes:
    """The deliveries that this process sends now.

    Parameters
    ----------
    settings : Settings
        Pauses, timeout and allowed hosts.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._changed = threading.Condition()
        self._attempts: set[_Attempt] = set()
        self._n_ended = self._n_ended_at_claim = 0
        self._is_stopping = False

    def start_due(self) -> int:
        """Begin to send deliveries that are due, as many as may be sent; return how many."""
        self._n_ended_at_claim = self._n_ended
        with reading() as connection:
            due = webhooks.list_due(connection, LISTED)
        chosen = self._choose(due)
        if not chosen:
            return 0
        with unit_of_work() as connection:
            seconds = self._settings.webhook_timeout_s + RECORDING_S
            claimed = webhooks.claim(connection, chosen, seconds)
        for delivery in claimed:
            self._start(delivery)
        return len(claimed)

    def wait_for_end(self, count: int, timeout_s: float) -> bool:
        """Wait until at most ``count`` deliveries are being sent; False after the timeout."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self._attempts) <= count, timeout_s)

    def wait_for_free_lane(self, timeout_s: float) -> None:
        """Wait until a delivery has ended since ``start_due`` was called."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._is_stopping or self._n_ended != self._n_ended_at_claim, timeout_s
            )

    def stop(self, timeout_s: float) -> None:
        """Interrupt what is being sent, and wait a little until it is due again.

        A thread that still waits, such as for the address of a host, ends with the process; others
        send its delivery when the claim expires.
        """
        with self._changed:
            self._is_stopping = True
            for attempt in self._attempts:
                attempt.connection.close()
            self._changed.notify_all()
        self.wait_for_end(0, timeout_s)

    def _choose(self, due: Sequence[DueDelivery]) -> list[UUID]:
        """Return the deliveries to claim, within the limits of webhooks and owners.

        An owner with some deliveries under way gets another only while more lanes than these are
        free. So one owner gets ``AT_ONCE_PER_OWNER`` of them, many get fewer each, and an owner who
        has none finds a free one.
        """
        with self._changed:
            if self._is_stopping:
                return []
            sent = [attempt.delivery for attempt in self._attempts]
        n_free = AT_ONCE - len(sent)
        of_owner = Counter(delivery.owner_id for delivery in sent)
        of_webhook = Counter(delivery.webhook_id for delivery in sent)
        known, chosen = {delivery.id for delivery in sent}, []
        for each in due:
            n_own = of_owner[each.owner_id]
            has_lane = n_own < min(AT_ONCE_PER_OWNER, n_free)
            is_slow = of_webhook[each.webhook_id] >= webhooks.AT_ONCE_PER_WEBHOOK
            if has_lane and not is_slow and each.id not in known:
                chosen.append(each.id)
                n_free -= 1
                of_owner[each.owner_id] += 1
                of_webhook[each.webhook_id] += 1
        return chosen

    def _start(self, delivery: ClaimedDelivery) -> None:
        attempt = _Attempt(delivery, OpenConnection())
        with self._changed:
            self._attempts.add(attempt)
            if self._is_stopping:
                attempt.connection.close()
        threading.Thread(
            target=self._run, args=(attempt,), name="webhook", daemon=True
        ).start()  # a daemon: the process does not wait for a host that does not answer

    def _run(self, attempt: _Attempt) -> None:
        """Send a delivery, and record the outcome."""
        delivery = attempt.delivery
        try:
            answer = send(delivery, self._settings, attempt.connection)
            self._record(delivery, answer)
        except SQLAlchemyError as error:
            log.warning("webhooks.database_unreachable", extra={"reason": read_reason(error)})
        except Exception as error:
            log.exception("webhook.failed", extra={"delivery": str(delivery.id)})
            with suppress(SQLAlchemyError):
                message = f"internal error ({type(error).__name__})"
                self._record(delivery, AttemptOutcome(None, message))
        finally:
            with self._changed:
                self._attempts.discard(attempt)
                self._n_ended += 1
                self._changed.notify_all()

    def _record(self, delivery: ClaimedDelivery, answer: AttemptOutcome) -> None:
        """Record the outcome of an attempt; one that ``stop`` interrupted does not count."""
        if self._is_stopping and answer.status is None:
            with unit_of_work() as connection:
                webhooks.put_back(connection, delivery)
            return
        outcome, pause_s = decide_next(delivery.attempts, answer, self._settings.webhook_pauses)
        with unit_of_work() as connection:
            webhooks.record_attempt(connection, delivery, outcome, pause_s)
            if answer.status == GONE:
                webhooks.disable(connection, delivery.webhook_id)
        counters.add("webhook_deliveries", outcome=str(outcome["state"]))


def send(
    delivery: ClaimedDelivery, settings: Settings, connection: OpenConnection
) -> AttemptOutcome:
    """Send a delivery once, within the time of the settings; closing the connection ends it."""
    from thetahat_service.outbound.connections import RequestFailed, open_response  # noqa: PLC0415 - httpx, seldom needed

    deadline = time.monotonic() + settings.webhook_timeout_s
    try:
        target = resolve_target(delivery.url, settings.webhook_hosts)
    except RefusedAddress as error:
        return AttemptOutcome(None, str(error))
    timestamp = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "thetahat-webhooks/1",
        "webhook-id": str(delivery.id),
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            sign(secret, str(delivery.id), timestamp, delivery.body) for secret in delivery.secrets
        ),
    }
    answer: AttemptOutcome | None = None
    try:
        with open_response(
            target,
            method="POST",
            headers=headers,
            content=delivery.body.encode(),
            timeout_s=max(deadline - time.monotonic(), 0.0),
            connection=connection,
        ) as response:
            answer = _read_head(response)
            _read_body(response)
    except RequestFailed as error:
        # The status decides: what comes after it is not used.
        return answer or AttemptOutcome(None, str(error))
    return answer


def _read_head(response: Any) -> AttemptOutcome:
    """Return the outcome by the status of a response."""
    retry_after = response.headers.get("retry-after", "")
    is_number = retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 8
    return AttemptOutcome(
        response.status_code,
        None if 200 <= response.status_code < 300 else f"status {response.status_code}",
        float(retry_after) if is_number and response.status_code in THROTTLED else 0.0,
    )


def _read_body(response: Any) -> None:
    """Read a bounded part of the body, so that the receiver can finish."""
    size = 0
    for piece in response.iter_raw():
        size += len(piece)
        if size > LARGEST_ANSWER:
            return


def decide_next(
    attempts: int, answer: AttemptOutcome, pauses: Sequence[float]
) -> tuple[dict[str, Any], float | None]:
    """Return what to record after an attempt, and the seconds until the next one, if any."""
    values: dict[str, Any] = {"last_status": answer.status, "last_error": answer.error}
    if answer.is_success:
        return {**values, "state": DeliveryState.DELIVERED.value}, None
    if answer.status == GONE or attempts > len(pauses):
        return {**values, "state": DeliveryState.DEAD.value}, None
    pause = pauses[attempts - 1] * random.uniform(1.0, 1.0 + JITTER)  # noqa: S311 - spreads load
    pause = min(max(pause, answer.retry_after_s), LONGEST_PAUSE_S * (1.0 + JITTER))
    return {**values, "state": DeliveryState.PENDING.value}, pause
