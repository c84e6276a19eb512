"""Batches are counted once and none is lost, whoever adds at once and whatever is killed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from uuid import UUID, uuid4

import numpy as np
import pytest
import sqlalchemy as sa
from numpy.testing import assert_allclose

from tests.service.series.batches import ROWS, add, create_series, draw, read
from tests.service.storage.databases import Setting
from thetahat_service.errors import IdempotencyMismatch, QuotaExceeded, SeriesClosed
from thetahat_service.jobs import retention
from thetahat_service.series import adding, keeping
from thetahat_service.series.request import SeriesRequest
from thetahat_service.settings import get_settings
from thetahat_service.storage import series, webhooks
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.series import LookRow
from thetahat_service.storage.tables import AUDIT_ENTRY, SERIES, SERIES_LOOK, WEBHOOK_DELIVERY
from thetahat_service.storage.unit_of_work import reading, unit_of_work


def list_looks(series_id: UUID) -> list[LookRow]:
    looks, _ = keeping.list_looks(LOCAL_OWNER_ID, series_id, None, 1000)
    return looks


def check_each_once(series_id: UUID, keys: Sequence[str]) -> None:
    """Every key is one look, and the sums are those of all batches."""
    row, looks = read(series_id), list_looks(series_id)
    values = np.concatenate([draw(key).losses["new"] - draw(key).losses["old"] for key in keys])
    moments = row.state["method"]

    assert sorted(look.key for look in looks) == sorted(keys)
    assert [look.number for look in looks] == list(range(len(keys), 0, -1))
    assert (row.batches, row.state["rows"], moments["n"]) == (len(keys), len(values), len(values))
    assert_allclose(
        [moments["mean"], moments["squares"]], [values.mean(), values.var() * len(values)]
    )


def test_exact_many_clients_at_once(database: str) -> None:
    series_id = create_series()
    together = Barrier(6)

    def work(client: int) -> None:
        together.wait()
        for number in range(8):
            add(series_id, f"c{client}-{number}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))

    check_each_once(series_id, [f"c{client}-{n}" for client in range(6) for n in range(8)])


def test_exact_the_same_batch_at_once_is_counted_once(database: str) -> None:
    series_id = create_series()
    together = Barrier(5)

    def work(_: int) -> tuple[str, bool]:
        together.wait()
        look, is_new = add(series_id, "k")
        return look.body, is_new

    with ThreadPoolExecutor(5) as pool:
        outcomes = list(pool.map(work, range(5)))

    assert len({body for body, _ in outcomes}) == 1
    assert sum(is_new for _, is_new in outcomes) == 1
    check_each_once(series_id, ["k"])


def run(series_id: UUID, *options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.service.series.batches", str(series_id)]
    return subprocess.Popen(
        [*command, *map(str, options)], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


@pytest.mark.chaos
@pytest.mark.parametrize(("how", "stored"), [("after", 3), ("before", 2)])
def test_exact_a_process_that_dies_at_the_commit(database: str, how: str, stored: int) -> None:
    """The answer to the last batch is lost; the client sends all again."""
    series_id = create_series()
    with run(series_id, "k", 3, how) as process:
        assert process.wait(120) == 9
    assert read(series_id).batches == stored

    replays = [not add(series_id, f"k{number}")[1] for number in range(3)]

    assert replays == [number < stored for number in range(3)]
    check_each_once(series_id, ["k0", "k1", "k2"])


@pytest.mark.chaos
def test_exact_two_processes_of_which_one_is_killed_and_started_again(database: str) -> None:
    series_id = create_series()
    # The first waits before its batch 30, so that it is killed between two of 20 batches.
    with run(series_id, "a", 30, "wait") as first, run(series_id, "b", 40) as second:
        assert first.stdout is not None
        for _ in range(10):
            first.stdout.readline()
        first.kill()
        assert second.wait(120) == 0
    assert 50 <= read(series_id).batches <= 70
    with run(series_id, "a", 40) as again:
        assert again.wait(120) == 0

    check_each_once(series_id, [f"{prefix}{n}" for prefix in "ab" for n in range(40)])


def test_exact_a_batch_that_is_always_too_late_gets_the_lock(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another batch is added between the reading and the storing of each unlocked attempt."""
    series_id = create_series()
    advance, others = series.advance, iter(f"other{n}" for n in range(100))
    monkeypatch.setattr(adding, "UNLOCKED_ATTEMPTS", 2)
    calls = 0

    def interrupt(connection: sa.Connection, *arguments: object) -> bool:
        nonlocal calls
        calls += 1
        if calls <= 2:
            return False
        return advance(connection, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(series, "advance", interrupt)
    look, is_new = add(series_id, next(others))

    assert (look.number, is_new, calls) == (1, True, 3)


def listen(labels: dict[str, str] | None) -> UUID:
    """Register a webhook for decided series with these labels, and return its id."""
    hook = webhooks.WebhookRow(
        id=uuid4(),
        owner_id=LOCAL_OWNER_ID,
        url="https://hooks.example.com/",
        event_types=["series.decided"],
        description=None,
        created_at=datetime.now(UTC),
        disabled_at=None,
        labels=labels,
        previous_secret_until=None,
    )
    with unit_of_work() as connection:
        webhooks.ROWS.insert(connection, hook, secret="whsec_")
    return hook.id


def test_exact_a_webhook_is_told_once_of_a_decision(database: str) -> None:
    series_id = create_series(labels={"team": "x"})
    of_all, of_team, _ = (listen(labels) for labels in (None, {"team": "x"}, {"team": "y"}))
    for number in range(12):
        add(series_id, f"k{number}")
    row = read(series_id)
    with reading() as connection:
        sent = connection.execute(sa.select(WEBHOOK_DELIVERY)).mappings().all()

    assert row.decision == "better"
    assert row.decided_at is not None
    assert sorted(each["webhook_id"] for each in sent) == sorted([of_all, of_team])
    assert {(each["event_type"], each["evaluation_id"]) for each in sent} == {
        ("series.decided", series_id)
    }
    assert '"decision":"better"' in sent[0]["body"]


def test_invalid_a_key_with_other_content_and_a_closed_series(database: str) -> None:
    series_id = create_series()
    first, _ = add(series_id, "k")
    sent = adding.SentBatch(batch=draw("z"), at=None, key="k", fingerprint="other")
    with pytest.raises(IdempotencyMismatch):
        adding.add(LOCAL_OWNER_ID, series_id, sent)
    keeping.close(LOCAL_OWNER_ID, series_id)
    with pytest.raises(SeriesClosed, match="closed"):
        add(series_id, "l")

    # a batch whose answer was lost before the series was closed is still answered
    assert add(series_id, "k") == (first, False)
    check_each_once(series_id, ["k"])


def test_invalid_more_than_the_limits(sqlite: None, setting: Setting) -> None:
    setting(max_series=1, max_series_batches=2)
    series_id = create_series()
    add(series_id, "a")
    add(series_id, "b")

    with pytest.raises(QuotaExceeded, match="MAX_SERIES_BATCHES"):
        add(series_id, "c")
    with pytest.raises(QuotaExceeded, match="MAX_SERIES"):
        create_series()


def test_exact_deleting_leaves_nothing_but_the_audit_log(database: str) -> None:
    series_id, other = create_series(), create_series()
    add(series_id, "a")
    add(other, "a")
    keeping.delete(LOCAL_OWNER_ID, series_id)
    with reading() as connection:
        rows = connection.scalars(sa.select(SERIES.c.id)).all()
        looks = connection.scalars(sa.select(SERIES_LOOK.c.series_id)).all()
        actions = connection.scalars(
            sa.select(AUDIT_ENTRY.c.action).where(AUDIT_ENTRY.c.subject == str(series_id))
        ).all()

    assert (rows, looks) == ([other], [other])
    assert sorted(actions) == ["series.add", "series.create", "series.delete"]


def test_exact_retention_deletes_series_that_were_closed_long_ago(
    database: str, setting: Setting
) -> None:
    setting(keep_results_days=7)
    old, new, still_open = (create_series() for _ in range(3))
    for each in (old, new):
        keeping.close(LOCAL_OWNER_ID, each)
    with unit_of_work() as connection:
        long_ago = datetime.now(UTC) - timedelta(days=8)
        connection.execute(sa.update(SERIES).where(SERIES.c.id == old).values(closed_at=long_ago))

    removed = retention.remove_expired(get_settings())

    listed, _ = keeping.list_series(LOCAL_OWNER_ID, None, None, 10)
    assert removed.series == 1
    assert {row.id for row in listed} == {new, still_open}


def test_exact_pages_of_the_list_and_of_looks(database: str) -> None:
    ids = [create_series() for _ in range(3)]
    keeping.close(LOCAL_OWNER_ID, ids[0])
    for number in range(5):
        add(ids[1], f"k{number}")
    first, end = keeping.list_series(LOCAL_OWNER_ID, None, None, 2)
    second, last = keeping.list_series(LOCAL_OWNER_ID, None, end, 2)
    looks, before = keeping.list_looks(LOCAL_OWNER_ID, ids[1], None, 3)
    rest, none = keeping.list_looks(LOCAL_OWNER_ID, ids[1], before, 3)

    assert [row.id for row in [*first, *second]] == ids[::-1]
    assert (last, none) == (None, None)
    assert [row.id for row in keeping.list_series(LOCAL_OWNER_ID, "closed", None, 9)[0]] == ids[:1]
    assert [look.number for look in [*looks, *rest]] == [5, 4, 3, 2, 1]
    drawn = keeping.list_drawn_looks(read(ids[1]), 2)
    assert [look.number for look in drawn] == [1, 3, 5]
    assert read(ids[1]).state["rows"] == ROWS * 5


def test_exact_what_is_fixed_is_kept_with_the_defaults_of_this_release(sqlite: None) -> None:
    kept = json.loads(read(create_series(margin=0.1)).request)

    assert kept["method"] == {
        "name": "asymptotic",
        "params": {"start": 100, "narrowest_at": 500},
    }
    assert kept["stop"] == ["equivalent", "better", "worse"]
    assert (kept["level"], kept["better"], kept["unit"]) == (0.95, "lower", "row")
    assert SeriesRequest.model_validate(kept).build_design() == keeping.read_design(
        json.dumps(kept)
    )
