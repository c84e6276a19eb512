"""Sending messages to the workers: each names one unit of work and carries nothing else.

The database has the whole queue; a message only saves a worker from waiting until it looks there by
itself. So a broker that does not answer is no error here, no request waits long for it, and no
message is sent while many wait: each that a worker takes leads to all of the queue.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID, uuid4

from thetahat_service.settings import get_settings
from thetahat_service.states import Stage

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

RUN_UNIT: Final = "thetahat.run_unit"
QUEUES: Final = {Stage.START: "thetahat.soon", Stage.CHUNK: "thetahat.chunks"}
PUBLISH_TIMEOUT_S = 0.5
PAUSE_AFTER_FAILURE_S = 2.0
MOST_WAITING: Final = 64
"""Messages in a queue beyond which a process sends no more."""
COUNT_VALID_S: Final = 0.5
"""How long a process relies on its count of the waiting messages."""
FULL_VALID_S: Final = 0.05
"""The same for a queue that is full."""
TRANSPORT_OPTIONS: Final[dict[str, object]] = {
    "global_keyprefix": "thetahat.",
    "socket_keepalive": True,
    "queue_order_strategy": "priority",
}


class _Pause:
    """The monotonic time before which no message is sent, after the broker did not answer."""

    until = 0.0


@dataclass(slots=True)
class _Waiting:
    """How many messages wait in a queue: the count, those sent since, and when it was made."""

    count: int
    at: float
    was_full: bool

    def is_valid(self, n_new: int, now: float) -> bool:
        """Return whether the count can be used to send so many more messages.

        A queue that was full when it was counted is not counted again at once. One that only the
        messages sent since have filled is, because workers may have taken them.
        """
        if self.was_full:
            return now - self.at < FULL_VALID_S
        return self.count + n_new <= MOST_WAITING and now - self.at < COUNT_VALID_S


_WAITING: Final[dict[str, _Waiting]] = {}


@lru_cache(maxsize=1)
def get_publisher() -> Celery:
    """Return the Celery application that sends; it knows tasks by name only."""
    from celery import Celery  # noqa: PLC0415 - slow to load, and a sweeper seldom sends

    app = Celery("thetahat", broker=get_settings().resolved_broker_url, set_as_current=False)
    app.conf.update(
        task_ignore_result=True,
        task_serializer="json",
        accept_content=["json"],
        broker_transport_options={
            **TRANSPORT_OPTIONS,
            "max_retries": 0,
            "interval_start": 0,
            "socket_timeout": PUBLISH_TIMEOUT_S,
            "socket_connect_timeout": PUBLISH_TIMEOUT_S,
        },
        broker_connection_timeout=PUBLISH_TIMEOUT_S,
    )
    return app


def load() -> None:
    """Import the packages for sending messages; no connection is opened."""
    app = get_publisher()
    app.amqp.as_task_v2(str(uuid4()), RUN_UNIT, args=(), ignore_result=True)
    with app.connection_for_write() as connection:
        connection.transport  # noqa: B018 - the property imports the module of the transport
    app.producer_pool  # noqa: B018 - likewise


def reset() -> None:
    """Close the connection; the next use reads the settings again."""
    if get_publisher.cache_info().currsize:
        get_publisher().close()
    get_publisher.cache_clear()
    _WAITING.clear()
    _Pause.until = 0.0


def enqueue(keys: Sequence[tuple[UUID, int]], stage: Stage = Stage.START) -> bool:
    """Send a message for each unit, unless many wait; False if the broker does not answer.

    What was not sent is found by a worker that has no messages.
    """
    if time.monotonic() < _Pause.until:
        return False
    try:
        _publish(QUEUES.get(stage, QUEUES[Stage.START]), keys)
    except Exception as error:  # noqa: BLE001 - the type depends on the transport; no client may see it
        _note_failure(error)
        return False
    return True


def count_messages() -> int | None:
    """Return how many messages wait for a worker; None if the broker does not answer."""
    if time.monotonic() < _Pause.until:
        return None
    try:
        with get_publisher().producer_pool.acquire(block=True) as producer:
            channel: Any = producer.channel
            declared = [channel.queue_declare(queue=name) for name in QUEUES.values()]
    except Exception as error:  # noqa: BLE001 - as in enqueue
        _note_failure(error)
        return None
    return sum(int(queue.message_count) for queue in declared)


def _note_failure(error: Exception) -> None:
    """Log that the broker does not answer, and send it nothing for a while."""
    _Pause.until = time.monotonic() + PAUSE_AFTER_FAILURE_S
    log.warning("broker.unreachable", extra={"reason": repr(error)})


def _publish(queue: str, keys: Sequence[tuple[UUID, int]]) -> None:
    """Send all messages in one command if the transport can do that, as Redis can.

    ``Celery.send_task`` takes twice the time for each, most of it for options that are not used
    here; docs/decisions/0005 has the measurement.
    """
    if not keys:
        return
    app = get_publisher()
    with (
        app.producer_pool.acquire(block=True) as producer,
        (
            producer.batch()  # type: ignore[attr-defined]  # newer than its stubs
        ),
    ):
        for evaluation_id, number in keys[: _count_free(queue, len(keys), producer.channel)]:
            message = app.amqp.as_task_v2(
                str(uuid4()), RUN_UNIT, args=(str(evaluation_id), number), ignore_result=True
            )
            producer.publish(
                message.body,
                exchange="",
                routing_key=queue,
                headers=message.headers,
                serializer="json",
                **message.properties,
            )


def _count_free(queue: str, n_new: int, channel: Any) -> int:
    """Return how many of some new messages may be sent, and count them as waiting."""
    now = time.monotonic()
    waiting = _WAITING.get(queue)
    if waiting is None or not waiting.is_valid(n_new, now):
        count = int(channel.queue_declare(queue=queue).message_count)
        waiting = _WAITING[queue] = _Waiting(count, now, count >= MOST_WAITING)
    n_free = max(0, min(n_new, MOST_WAITING - waiting.count))
    waiting.count += n_free
    return n_free


def is_up() -> bool:
    """Return whether the broker answers."""
    try:
        with get_publisher().connection_for_write(connect_timeout=PUBLISH_TIMEOUT_S) as connection:
            connection.connect()
    except Exception:  # noqa: BLE001 - the type depends on the transport
        return False
    return True
