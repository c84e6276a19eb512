"""Which deliveries to webhooks are sent next, and what finding them costs."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import UTC, datetime
from uuid import UUID

import pytest
import sqlalchemy as sa

from tests.service.storage.query_plans import reads_few_rows
from thetahat_service.storage import webhooks
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import OWNER, WEBHOOK_DELIVERY
from thetahat_service.storage.unit_of_work import reading, unit_of_work

NOW = 1e9
MOMENT = datetime(2026, 11, 26, tzinfo=UTC)
N_DELIVERIES = 20_000  # PostgreSQL reads a smaller table as a whole
BODY = "x" * 1000
STATES = ("pending", "pending", "pending", "delivered", "dead")
WEBHOOKS = [UUID(int=i) for i in range(1, 8)]
OWNERS = [LOCAL_OWNER_ID, UUID(int=100)]

Row = dict[str, object]


@pytest.fixture
def rows(database: str) -> list[Row]:
    """Deliveries in every state, of webhooks of two owners; the last one has none that is due."""
    del database
    rng = random.Random(20_261_126)
    rows: list[Row] = [
        {
            "id": UUID(int=rng.getrandbits(128)),
            "webhook_id": (webhook := rng.choice(WEBHOOKS)),
            "evaluation_id": UUID(int=i),
            "event_type": "evaluation.succeeded",
            "body": BODY,
            "state": rng.choice(STATES),
            "attempts": 0,
            "next_attempt_at": NOW + (1.0 if webhook == WEBHOOKS[-1] else rng.uniform(-99.0, 1.0)),
            "created_at": MOMENT,
        }
        for i in range(N_DELIVERIES)
    ]
    with unit_of_work() as connection:
        connection.execute(sa.insert(OWNER).values(id=OWNERS[1], name="another", created_at=MOMENT))
        for i, webhook_id in enumerate(WEBHOOKS):
            row = webhooks.WebhookRow(
                id=webhook_id, owner_id=OWNERS[i % 2], url="https://hooks.example.com",
                event_types=["evaluation.succeeded"], description=None, created_at=MOMENT,
                disabled_at=None, labels={}, previous_secret_until=None,
            )  # fmt: skip
            webhooks.ROWS.insert(connection, row, secret="secret")
        connection.execute(sa.insert(WEBHOOK_DELIVERY), rows)
    return rows


def list_naively(rows: list[Row], limit: int) -> list[object]:
    """Return the ids in the order of two turns: of webhooks, and of owners."""
    due = [
        row
        for row in rows
        if row["state"] == "pending" and float(str(row["next_attempt_at"])) <= NOW
    ]
    of_owner: dict[UUID, list[Row]] = defaultdict(list)
    taken: dict[object, int] = defaultdict(int)
    for row in sorted(due, key=lambda row: str(row["next_attempt_at"])):
        taken[row["webhook_id"]] += 1
        if taken[row["webhook_id"]] <= webhooks.AT_ONCE_PER_WEBHOOK:
            of_owner[OWNERS[WEBHOOKS.index(UUID(str(row["webhook_id"]))) % 2]].append(row)
    turns = [
        (turn, str(row["next_attempt_at"]), row)
        for each in of_owner.values()
        for turn, row in enumerate(each)
    ]
    return [row["id"] for *_, row in sorted(turns, key=lambda entry: entry[:2])][:limit]


def test_naive_the_oldest_of_each_owner_come_first_and_few_of_a_webhook(rows: list[Row]) -> None:
    with reading() as connection:
        for limit in (3, 100):
            found = connection.execute(webhooks.select_due(NOW, limit)).all()
            assert [row.id for row in found] == list_naively(rows, limit)
    assert len(found) == webhooks.AT_ONCE_PER_WEBHOOK * (len(WEBHOOKS) - 1)


def test_exact_few_deliveries_are_read_however_many_are_due(rows: list[Row]) -> None:
    with unit_of_work() as connection:
        connection.execute(sa.text("ANALYZE"))
    with reading() as connection:
        assert reads_few_rows(
            connection, webhooks.select_due(NOW, 100), WEBHOOK_DELIVERY, 10 * len(WEBHOOKS)
        )


def test_degenerate_without_deliveries_there_is_nothing_to_send(database: str) -> None:
    with reading() as connection:
        assert webhooks.list_due(connection, 10) == []
