"""Messages to a Redis or Valkey server, many as one command.

Celery sends one at a time, each at the cost of a small evaluation's whole storing. What is written
here is Celery's own form of a task (version 2 of its protocol) in kombu's envelope.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import orjson

if TYPE_CHECKING:
    from celery import Celery


class Line:
    """The short way to the queues of a Redis server.

    Parameters
    ----------
    app : Celery
        The sending half, whose broker is a Redis server.
    task : str
        Name of the task that the messages are for.
    """

    def __init__(self, app: Celery, task: str) -> None:
        self._connection = app.connection_for_write()
        self._channel: Any = self._connection.channel()
        self._headers: dict[str, Any] = app.amqp.as_task_v2("", task, ignore_result=True).headers

    def send(self, queue: str, arguments: Sequence[tuple[Any, ...]]) -> None:
        """Send a message for each tuple of arguments, the first of them first."""
        if not arguments:
            return
        with self._channel.conn_or_acquire() as client:
            client.lpush(queue, *(self._message(queue, one) for one in arguments))

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()

    def _message(self, queue: str, arguments: tuple[Any, ...]) -> bytes:
        identifier = str(uuid4())
        embedded = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
        message = {
            "body": b64encode(orjson.dumps([arguments, {}, embedded])).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": {
                **self._headers,
                "id": identifier,
                "root_id": identifier,
                "argsrepr": repr(arguments),
            },
            "properties": {
                "correlation_id": identifier,
                "delivery_mode": 2,
                "delivery_info": {"exchange": "", "routing_key": queue},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": str(uuid4()),
            },
        }
        return orjson.dumps(message)
