"""Deliveries to webhooks, to a real receiver; signatures by another package."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa
from standardwebhooks import Webhook, WebhookVerificationError

from tests.servers.receiver import Receiver, Reply, run_receiver
from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.storage.databases import Setting
from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs import deliveries, webhooks
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.deliveries import AttemptOutcome, DeliveryLanes, decide_next
from thetahat_service.jobs.record import fail_evaluation
from thetahat_service.outbound.open_connection import OpenConnection
from thetahat_service.outcomes import failures
from thetahat_service.settings import InvalidSettings, get_settings
from thetahat_service.states import EvaluationStatus, WebhookEvent
from thetahat_service.storage import api_keys, evaluations
from thetahat_service.storage import webhooks as stored
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, WEBHOOK_DELIVERY
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.supervisor.delivery_thread import DeliveryThread

EVERY = tuple(event.value for event in WebhookEvent)


@pytest.fixture
def receiver(setting: Setting) -> Iterator[Receiver]:
    """A receiver to which webhooks may be sent."""
    with run_receiver() as receiver:
        setting(
            webhook_allowed_hosts=f"http://127.0.0.1:{receiver.port}",
            webhook_pauses_s="0,0",
            webhook_timeout_s=5,
        )
        yield receiver


def register(
    receiver: Receiver, path: str = "/hook", types: Sequence[str] = EVERY
) -> tuple[UUID, str]:
    url = f"http://127.0.0.1:{receiver.port}{path}"
    row, secret = webhooks.create(LOCAL_OWNER_ID, url, types, None)
    return row.id, secret


def finish(**fields: Any) -> UUID:
    """Submit an evaluation and compute it."""
    identifier = submit_nap(**fields)
    make_executor().compute_queued_units((identifier, 0))
    return identifier


def rows(webhook_id: UUID) -> list[stored.DeliveryRow]:
    return webhooks.list_deliveries(LOCAL_OWNER_ID, webhook_id, None, None, 100)[0]


def send_due() -> int:
    """Send what is due, and return how many attempts were made."""
    lanes = DeliveryLanes(get_settings())
    started = lanes.start_due()
    assert lanes.wait_for_end(0, 60.0)
    return started


def send_all() -> None:
    while send_due():
        pass


def test_against_standardwebhooks_a_delivery_is_signed(sqlite: None, receiver: Receiver) -> None:
    webhook_id, secret = register(receiver)
    identifier = finish(name="my evaluation", labels={"team": "x"})
    send_all()
    (received,) = receiver.received
    verified = Webhook(secret).verify(received.body.decode(), dict(received.headers))
    (row,) = rows(webhook_id)

    assert verified["type"] == "evaluation.succeeded"
    assert datetime.fromisoformat(verified["timestamp"]) == look(identifier).finished_at
    assert verified["data"] == {
        "id": str(identifier),
        "kind": "sleeping",
        "name": "my evaluation",
        "created_at": verified["data"]["created_at"],
        "error_code": None,
        "outcome": verified["data"]["outcome"],
        "status": "succeeded",
        "labels": {"team": "x"},
        "finished_at": verified["timestamp"],
        "links": {
            "self": f"/v1/evaluations/{identifier}",
            "result": f"/v1/evaluations/{identifier}/result",
        },
    }
    told = {"verdict", "gate", "headline", "findings", "protocol"}
    assert set(verified["data"]["outcome"]) == told
    assert received.headers["webhook-id"] == str(row.id)
    assert abs(int(received.headers["webhook-timestamp"]) - time.time()) < 60
    assert (row.state, row.attempts, row.last_status) == ("delivered", 1, 204)
    for change in ({"webhook-id": "other"}, {"webhook-timestamp": "1"}):
        with pytest.raises(WebhookVerificationError):
            Webhook(secret).verify(received.body.decode(), {**received.headers, **change})
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(received.body.decode() + " ", dict(received.headers))


@pytest.mark.outside("the tests of the published standardwebhooks libraries")
def test_golden_the_signature_of_a_published_example() -> None:
    signature = deliveries.sign(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        '{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_exact_each_webhook_receives_the_events_that_it_asked_for(
    sqlite: None, receiver: Receiver
) -> None:
    register(receiver, "/every")
    register(receiver, "/ends", ["evaluation.failed", "evaluation.cancelled"])
    cancelled = submit_nap()
    cancel(LOCAL_OWNER_ID, cancelled)
    cancel(LOCAL_OWNER_ID, cancelled)  # which changes nothing and tells nobody
    finish()
    send_all()
    received = sorted((each.path, json.loads(each.body)["type"]) for each in receiver.received)

    assert received == [
        ("/ends", "evaluation.cancelled"),
        ("/every", "evaluation.cancelled"),
        ("/every", "evaluation.succeeded"),
    ]


def test_exact_a_webhook_with_labels_receives_evaluations_that_have_them(
    sqlite: None,
    receiver: Receiver,
) -> None:
    url = f"http://127.0.0.1:{receiver.port}"
    webhooks.create(LOCAL_OWNER_ID, f"{url}/one", EVERY, None, {"team": "x"})
    webhooks.create(LOCAL_OWNER_ID, f"{url}/two", EVERY, None, {"team": "x", "notify": "yes"})
    finish(labels={"team": "x", "other": "1"})
    finish(labels={"team": "y", "notify": "yes"})
    finish()
    send_all()

    assert [each.path for each in receiver.received] == ["/one"]


def test_against_standardwebhooks_both_secrets_sign_after_a_rotation(
    sqlite: None, receiver: Receiver
) -> None:
    webhook_id, first = register(receiver)
    row, second = webhooks.rotate_secret(LOCAL_OWNER_ID, webhook_id, 3600)
    finish()
    send_all()
    (received,) = receiver.received

    assert second != first
    assert row.previous_secret_until is not None
    assert 3500 < row.previous_secret_until.timestamp() - time.time() <= 3600
    assert len(received.headers["webhook-signature"].split()) == 2
    for secret in (first, second):
        assert Webhook(secret).verify(received.body.decode(), dict(received.headers))


@pytest.mark.parametrize("rotations", [1, 2])
def test_exact_the_oldest_secret_ends(database: str, receiver: Receiver, rotations: int) -> None:
    webhook_id, first = register(receiver)
    secrets = [
        webhooks.rotate_secret(LOCAL_OWNER_ID, webhook_id, 0 if rotations == 1 else 3600)[1]
        for _ in range(rotations)
    ]
    finish()
    send_all()
    (received,) = receiver.received

    assert len(received.headers["webhook-signature"].split()) == rotations
    for secret in secrets:
        assert Webhook(secret).verify(received.body.decode(), dict(received.headers))
    with pytest.raises(WebhookVerificationError):
        Webhook(first).verify(received.body.decode(), dict(received.headers))


def test_exact_a_failure_has_its_code(sqlite: None, receiver: Receiver) -> None:
    register(receiver)
    identifier = submit_nap()
    with unit_of_work() as connection:
        evaluations.lock(connection, identifier)
        fail_evaluation(connection, identifier, failures.describe_lost_worker(3))
    send_all()
    (received,) = receiver.received
    body = json.loads(received.body)

    assert body["type"] == "evaluation.failed"
    assert (body["data"]["status"], body["data"]["error_code"]) == ("failed", "worker_lost")


def test_exact_another_owner_receives_nothing(sqlite: None, receiver: Receiver) -> None:
    with unit_of_work() as connection:
        api_keys.create(connection, "test", "ann")
        owner = connection.execute(
            sa.text("SELECT id FROM owner WHERE name = 'ann'").columns(id=sa.Uuid())
        ).scalar_one()
    webhooks.create(owner, f"http://127.0.0.1:{receiver.port}/ann", EVERY, None)
    finish()
    send_all()

    assert receiver.received == []


def test_exact_a_delivery_is_written_with_the_end_of_the_evaluation_or_not_at_all(
    database: str,
    receiver: Receiver,
) -> None:
    webhook_id, _ = register(receiver)
    identifier = submit_nap()

    class Crash(BaseException):
        """The process is killed before the commit."""

    def end_and_crash() -> None:
        with unit_of_work() as connection:
            evaluations.finish(connection, identifier, EvaluationStatus.CANCELLED)
            raise Crash

    with pytest.raises(Crash):
        end_and_crash()
    assert rows(webhook_id) == []
    assert look(identifier).status == "queued"
    cancel(LOCAL_OWNER_ID, identifier)  # committed; the process is killed before it sends
    (row,) = rows(webhook_id)
    assert (row.state, row.attempts) == ("pending", 0)
    thread = DeliveryThread(get_settings())  # of another process
    thread.start()
    receiver.wait_for(1)
    thread.stop()


def test_exact_a_claim_of_a_killed_process_is_due_again(database: str, receiver: Receiver) -> None:
    webhook_id, secret = register(receiver)
    finish()
    with unit_of_work() as connection:
        ids = [each.id for each in stored.list_due(connection, 10)]
        (claimed,) = stored.claim(connection, ids, 60.0)
        assert stored.claim(connection, ids, 60.0) == []
    assert deliveries.send(
        claimed, get_settings(), OpenConnection()
    ).is_success  # and killed before it is recorded
    assert send_due() == 0
    with unit_of_work() as connection:
        connection.execute(sa.update(WEBHOOK_DELIVERY).values(next_attempt_at=time.time() - 1))
    send_all()
    first, second = receiver.received
    (row,) = rows(webhook_id)

    assert first.headers["webhook-id"] == second.headers["webhook-id"] == str(row.id)
    assert first.body == second.body
    assert (row.state, row.attempts) == ("delivered", 2)
    Webhook(secret).verify(second.body.decode(), dict(second.headers))
    with unit_of_work() as connection:  # the outcome of the killed process comes too late
        stored.record_attempt(connection, claimed, {"state": "dead"})
    assert rows(webhook_id)[0].state == "delivered"


def test_exact_failed_attempts_are_repeated_until_the_delivery_is_dead(
    database: str, receiver: Receiver
) -> None:
    webhook_id, _ = register(receiver)
    receiver.replies += [Reply(500), Reply(302, {"Location": "https://example.com"}), Reply(404)]
    finish()
    send_all()
    (row,) = rows(webhook_id)

    assert len(receiver.received) == 3
    assert (row.state, row.attempts, row.last_status) == ("dead", 3, 404)
    assert row.last_error == "status 404"
    again = webhooks.send_again(LOCAL_OWNER_ID, webhook_id, row.id)
    assert (again.state, again.attempts) == ("pending", 0)
    send_all()
    assert rows(webhook_id)[0].state == "delivered"
    assert len({each.headers["webhook-id"] for each in receiver.received}) == 1


def test_exact_status_410_disables_the_webhook(database: str, receiver: Receiver) -> None:
    webhook_id, _ = register(receiver)
    receiver.replies.append(Reply(410))
    finish()
    send_all()
    finish()
    send_all()
    (row,) = rows(webhook_id)

    assert len(receiver.received) == 1
    assert (row.state, row.attempts, row.last_status) == ("dead", 1, 410)
    assert stored.ROWS.fetch(LOCAL_OWNER_ID, webhook_id).disabled_at is not None
    webhooks.send_again(LOCAL_OWNER_ID, webhook_id, row.id)
    assert stored.ROWS.fetch(LOCAL_OWNER_ID, webhook_id).disabled_at is None


def test_exact_a_private_address_is_never_reached(
    sqlite: None, receiver: Receiver, setting: Setting
) -> None:
    webhook_id, _ = register(receiver)
    finish()
    setting(webhook_allowed_hosts="")
    send_all()
    (row,) = rows(webhook_id)

    assert receiver.received == []
    assert row.state == "dead"
    assert row.last_error is not None
    assert "https" in row.last_error


def test_exact_of_a_long_answer_little_is_read(sqlite: None, receiver: Receiver) -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 100_000
            time.sleep(0.01)

    webhook_id, _ = register(receiver)
    receiver.replies.append(Reply(200, body=endless))
    finish()
    send_all()
    (row,) = rows(webhook_id)

    assert (row.state, row.last_status) == ("delivered", 200)  # the rest is not read


def test_property_processes_that_send_at_once_share_the_deliveries(
    database: str, receiver: Receiver
) -> None:
    for i in range(3):
        register(receiver, f"/{i}")
    for _ in range(4):
        cancel(LOCAL_OWNER_ID, submit_nap())
    start = threading.Barrier(3)

    def work(_: int) -> None:
        start.wait()
        deadline = time.monotonic() + 20
        while count_open() and time.monotonic() < deadline:
            send_due()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(work, range(3)))

    assert len(receiver.received) == 12
    assert len({each.headers["webhook-id"] for each in receiver.received}) == 12


def count_open() -> int:
    with reading() as connection:
        return connection.execute(
            sa.select(sa.func.count()).where(WEBHOOK_DELIVERY.c.state == "pending")
        ).scalar_one()


def test_exact_few_deliveries_of_each_webhook_are_listed(sqlite: None, receiver: Receiver) -> None:
    first, _ = register(receiver, "/first")
    for _ in range(6):
        cancel(LOCAL_OWNER_ID, submit_nap())
    second, _ = register(receiver, "/second")
    cancel(LOCAL_OWNER_ID, submit_nap())
    with reading() as connection:
        listed = [each.webhook_id for each in stored.list_due(connection, 8)]

    assert listed == [first, first, second]


def test_exact_a_webhook_that_is_deleted_takes_its_deliveries_along(
    database: str, receiver: Receiver
) -> None:
    webhook_id, _ = register(receiver)
    finish()
    webhooks.delete(LOCAL_OWNER_ID, webhook_id)

    assert count_open() == 0
    assert send_due() == 0


def test_exact_a_deleted_evaluation_is_still_delivered(sqlite: None, receiver: Receiver) -> None:
    register(receiver)
    identifier = finish()
    with unit_of_work() as connection:
        connection.execute(sa.delete(EVALUATION).where(EVALUATION.c.id == identifier))
    send_all()

    assert json.loads(receiver.received[0].body)["data"]["id"] == str(identifier)


def test_exact_old_deliveries_are_deleted(
    database: str, receiver: Receiver, setting: Setting
) -> None:
    webhook_id, _ = register(receiver)
    finish()
    send_all()
    finish()
    long_ago = datetime.now(UTC) - timedelta(days=31)
    with unit_of_work() as connection:
        connection.execute(sa.update(WEBHOOK_DELIVERY).values(created_at=long_ago))
    setting(keep_deliveries_days=0)
    assert deliveries.remove_old(get_settings()) == 0
    setting(keep_deliveries_days=30)
    assert deliveries.remove_old(get_settings()) == 1
    assert [row.state for row in rows(webhook_id)] == ["pending"]


def test_exact_pauses_grow_by_the_schedule_and_retry_after() -> None:
    pauses = (5.0, 300.0)

    def pause(attempts: int, answer: AttemptOutcome) -> float:
        values, pause_s = decide_next(attempts, answer, pauses)
        assert values["state"] == "pending"
        assert pause_s is not None
        return pause_s

    assert 4 < pause(1, AttemptOutcome(500)) < 6
    assert 299 < pause(2, AttemptOutcome(None, "no answer")) < 331
    assert 599 < pause(1, AttemptOutcome(429, "status 429", 600.0)) < 601
    assert decide_next(3, AttemptOutcome(500), pauses)[0]["state"] == "dead"
    assert decide_next(1, AttemptOutcome(410), pauses)[0]["state"] == "dead"
    assert decide_next(1, AttemptOutcome(200), pauses)[0]["state"] == "delivered"
    assert decide_next(1, AttemptOutcome(None), ())[0]["state"] == "dead"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook_pauses_s", "5,x"),
        ("webhook_pauses_s", "-1"),
        ("webhook_allowed_hosts", "10.0.0.1/8"),
        ("webhook_allowed_hosts", "https://a/path"),
    ],
)
def test_invalid_settings(setting: Setting, name: str, value: str) -> None:
    setting(**{name: value})
    with pytest.raises(InvalidSettings, match=f"THETAHAT_{name.upper()}"):
        get_settings()


def test_degenerate_a_delivery_that_is_not_there(sqlite: None, receiver: Receiver) -> None:
    webhook_id, _ = register(receiver)
    with pytest.raises(ResourceNotFound):
        webhooks.send_again(LOCAL_OWNER_ID, webhook_id, uuid4())
