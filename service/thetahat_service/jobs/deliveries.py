"""Sending deliveries to webhooks, signed as Standard Webhooks describes.

Each delivery is sent at least once: a process that is killed between the answer and its record
sends it again, with the same ``webhook-id``, by which receivers notice it.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from thetahat_service.outbound.addresses import RefusedAddress, resolve_target
from thetahat_service.process import counters
from thetahat_service.settings import Settings
from thetahat_service.states import DeliveryState
from thetahat_service.storage import webhooks
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.storage.webhooks import ClaimedDelivery

log = logging.getLogger(__name__)

AT_ONCE: Final = 8
"""Most deliveries that a process sends at the same time."""
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


def send_due(settings: Settings) -> int:
    """Send the deliveries that are due, and return how many attempts were made."""
    now = time.time()
    with reading() as connection:
        if not webhooks.are_due(connection, now):
            return 0
    with unit_of_work() as connection:
        until = now + settings.webhook_timeout_s + RECORDING_S
        claimed = webhooks.claim(connection, now, until, AT_ONCE)
    _send_all(claimed, settings)
    return len(claimed)


def remove_old(settings: Settings) -> int:
    """Delete delivered and dead deliveries after the days of the settings."""
    if not settings.keep_deliveries_days:
        return 0
    moment = datetime.now(UTC) - timedelta(days=settings.keep_deliveries_days)
    with unit_of_work() as connection:
        return webhooks.remove_before(connection, moment, OLD_BATCH)


def _send_all(claimed: Sequence[ClaimedDelivery], settings: Settings) -> None:
    if not claimed:
        return
    with ThreadPoolExecutor(len(claimed), thread_name_prefix="webhook") as threads:
        list(threads.map(lambda delivery: _send_and_record(delivery, settings), claimed))


def _send_and_record(delivery: ClaimedDelivery, settings: Settings) -> None:
    """Send a delivery, and record the outcome."""
    try:
        answer = send(delivery, settings)
    except Exception as error:
        log.exception("webhook.failed", extra={"delivery": str(delivery.id)})
        answer = AttemptOutcome(None, f"internal error ({type(error).__name__})")
    outcome = decide_next(delivery.attempts, answer, settings.webhook_pauses)
    with unit_of_work() as connection:
        webhooks.record_attempt(connection, delivery, outcome)
        if answer.status == GONE:
            webhooks.disable(connection, delivery.webhook_id)
    counters.add("webhook_deliveries", outcome=str(outcome["state"]))


def send(delivery: ClaimedDelivery, settings: Settings) -> AttemptOutcome:
    """Send a delivery once."""
    from thetahat_service.outbound.connections import (  # noqa: PLC0415 - httpx, seldom needed
        RequestFailed,
        open_response,
    )

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
    try:
        with open_response(
            target,
            method="POST",
            headers=headers,
            content=delivery.body.encode(),
            timeout_s=settings.webhook_timeout_s,
        ) as response:
            return _read_answer(response, time.monotonic() + settings.webhook_timeout_s)
    except RequestFailed as error:
        return AttemptOutcome(None, str(error))


def _read_answer(response: Any, deadline: float) -> AttemptOutcome:
    """Return the status; a bounded part of the body is read and forgotten."""
    retry_after = response.headers.get("retry-after", "")
    size = 0
    for piece in response.iter_raw():
        size += len(piece)
        if size > LARGEST_ANSWER or time.monotonic() > deadline:
            break
    is_number = retry_after.isascii() and retry_after.isdigit() and len(retry_after) < 8
    return AttemptOutcome(
        response.status_code,
        None if 200 <= response.status_code < 300 else f"status {response.status_code}",
        float(retry_after) if is_number and response.status_code in THROTTLED else 0.0,
    )


def decide_next(attempts: int, answer: AttemptOutcome, pauses: Sequence[float]) -> dict[str, Any]:
    """Return what to record after an attempt: delivered, dead, or when to try again."""
    values: dict[str, Any] = {"last_status": answer.status, "last_error": answer.error}
    if answer.is_success:
        return {**values, "state": DeliveryState.DELIVERED.value}
    if answer.status == GONE or attempts > len(pauses):
        return {**values, "state": DeliveryState.DEAD.value}
    pause = pauses[attempts - 1] * random.uniform(1.0, 1.0 + JITTER)  # noqa: S311 - spreads load
    pause = min(max(pause, answer.retry_after_s), LONGEST_PAUSE_S * (1.0 + JITTER))
    return {
        **values,
        "state": DeliveryState.PENDING.value,
        "next_attempt_at": time.time() + pause,
    }
