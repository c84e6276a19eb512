"""The messages that are sent in one command are those that `Celery.send_task` sends."""

from __future__ import annotations

import base64
import json
import time
from typing import Any
from uuid import UUID

import pytest
import redis

from tests.service.storage.databases import use
from thetahat_service.broker import queue
from thetahat_service.broker.queue import QUEUES, RUN_UNIT
from thetahat_service.states import Stage

UNIT = UUID(int=7), 3
KEY = f"thetahat.{QUEUES[Stage.START]}"
DIFFERENT = {"id", "root_id", "correlation_id", "delivery_tag"}
OF_RESULTS = {"ignore_result", "reply_to"}  # Celery's results are not read


def _read(raw: Any) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(raw)
    message["body"] = json.loads(base64.b64decode(message["body"]))
    return message


def _same(message: dict[str, Any]) -> dict[str, Any]:
    """Return what does not differ from message to message."""
    return {
        **message,
        "headers": {k: v for k, v in message["headers"].items() if k not in DIFFERENT | OF_RESULTS},
        "properties": {
            k: v for k, v in message["properties"].items() if k not in DIFFERENT | OF_RESULTS
        },
    }


@pytest.mark.servers
def test_against_celery_the_messages_are_the_same(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, broker_url=redis_url)
    client = redis.Redis.from_url(redis_url)
    arguments = (str(UNIT[0]), UNIT[1])
    queue.get_publisher().send_task(RUN_UNIT, args=arguments, queue=QUEUES[Stage.START])
    theirs = _read(client.rpop(KEY))
    assert queue.enqueue([UNIT, (UNIT[0], 4)])
    ours, second = _read(client.rpop(KEY)), _read(client.rpop(KEY))

    assert _same(ours) == _same(theirs)
    assert set(ours["headers"]) == set(theirs["headers"])
    assert set(ours["properties"]) == set(theirs["properties"])
    assert ours["headers"]["id"] == ours["properties"]["correlation_id"]
    assert ours["headers"]["id"] != second["headers"]["id"]
    assert second["body"][0] == [str(UNIT[0]), 4]
    assert client.llen(KEY) == 0
    assert queue.enqueue([])
    assert client.llen(KEY) == 0
    client.close()
    queue.reset()


@pytest.mark.servers
def test_exact_no_message_is_sent_while_many_wait(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, broker_url=redis_url)
    client = redis.Redis.from_url(redis_url)
    for i in range(3 * queue.MOST_WAITING):
        assert queue.enqueue([(UNIT[0], i)])
    assert client.llen(KEY) == queue.MOST_WAITING
    assert queue.enqueue([UNIT] * queue.MOST_WAITING, Stage.CHUNK)  # another queue
    assert queue.count_messages() == 2 * queue.MOST_WAITING
    for _ in range(10):
        client.rpop(KEY)
    time.sleep(2 * queue.FULL_VALID_S)
    assert queue.enqueue([UNIT] * 100)
    assert client.llen(KEY) == queue.MOST_WAITING
    client.close()
    queue.reset()


@pytest.mark.servers
def test_exact_messages_that_are_taken_make_room_at_once(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, broker_url=redis_url)
    client = redis.Redis.from_url(redis_url)
    for i in range(5 * queue.MOST_WAITING):
        assert queue.enqueue([(UNIT[0], i)])
        assert client.rpop(KEY) is not None
    client.close()
    queue.reset()
