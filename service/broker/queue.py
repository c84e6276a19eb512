"""The one way to enqueue: a message names a unit of work and carries nothing else.

The database is the truth; a message only saves a worker from waiting for the next sweep. So a
broker that is away is no error here, and nobody waits for it long.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from service.broker.redis_publisher import Line
from service.settings import settings
from service.states import Stage

if TYPE_CHECKING:
    from celery import Celery

log = logging.getLogger(__name__)

RUN_UNIT: Final = "thetahat.run_unit"
QUEUES: Final = {Stage.START: "thetahat.soon", Stage.CHUNK: "thetahat.chunks"}
PUBLISH_TIMEOUT_S = 0.5
PAUSE_AFTER_FAILURE_S = 2.0
TRANSPORT_OPTIONS: Final[dict[str, Any]] = {
    "global_keyprefix": "thetahat.",
    "socket_keepalive": True,
    "queue_order_strategy": "priority",
}


class _Pause:
    until = 0.0


@lru_cache(maxsize=1)
def producer() -> Celery:
    """Return the sending half of Celery; it knows tasks by name alone."""
    from celery import Celery  # noqa: PLC0415 - slow to load, and a sweeper seldom sends

    app = Celery("thetahat", broker=settings().resolved_broker_url, set_as_current=False)
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


@lru_cache(maxsize=1)
def _line() -> Line | None:
    """Return the short way to a Redis server; None for another broker."""
    with producer().connection_for_write() as connection:
        is_redis = connection.transport.driver_type == "redis"
    return Line(producer(), RUN_UNIT) if is_redis else None


def reset() -> None:
    """Forget the connection; the next use reads the settings again."""
    if _line.cache_info().currsize and (line := _line()) is not None:
        line.close()
    if producer.cache_info().currsize:
        producer().close()
    producer.cache_clear()
    _line.cache_clear()
    _Pause.until = 0.0


def enqueue(keys: Iterable[tuple[UUID, int]], stage: Stage = Stage.START) -> bool:
    """Send a message for each unit; False when the broker is away, which the sweeper makes good."""
    if time.monotonic() < _Pause.until:
        return False
    queue = QUEUES.get(stage, QUEUES[Stage.START])
    units = [(str(evaluation_id), number) for evaluation_id, number in keys]
    try:
        line = _line()
        if line is not None:
            line.send(queue, units)
        else:
            for unit in units:
                producer().send_task(RUN_UNIT, args=unit, queue=queue, retry=False)
    except Exception as error:  # noqa: BLE001 - any transport's errors, and none may reach a client
        _Pause.until = time.monotonic() + PAUSE_AFTER_FAILURE_S
        log.warning("queue.away", extra={"reason": repr(error)})
        return False
    return True


def is_up() -> bool:
    """Tell whether the broker answers."""
    try:
        with producer().connection_for_write(connect_timeout=PUBLISH_TIMEOUT_S) as connection:
            connection.connect()
    except Exception:  # noqa: BLE001 - any transport's errors mean the same here
        return False
    return True
