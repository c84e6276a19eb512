from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tests.service.jobs.evaluations import look, submit_nap
from thetahat_service.jobs import change_watcher
from thetahat_service.jobs.cancel import cancel
from thetahat_service.storage import evaluations
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.unit_of_work import unit_of_work


def test_exact_the_end_wakes_all_who_wait_for_it(database: str) -> None:
    evaluation_id, other = submit_nap(), submit_nap()

    async def scene() -> list[bool]:
        waiting = [
            asyncio.create_task(change_watcher.wait_for_end(evaluation_id, 60)) for _ in range(20)
        ]
        in_vain = asyncio.create_task(change_watcher.wait_for_end(other, 0.3))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(cancel, LOCAL_OWNER_ID, evaluation_id)
        return [*await asyncio.gather(*waiting), await in_vain]

    started = time.monotonic()
    assert asyncio.run(scene()) == [True] * 20 + [False]
    assert time.monotonic() - started < 50.0


def test_exact_any_change_ends_a_long_poll_and_none_does_not(sqlite: None) -> None:
    evaluation_id = submit_nap()

    async def scene() -> tuple[bool, bool, bool]:
        now = look(evaluation_id)
        at_once = await change_watcher.wait_for_change(replace(now, version=0), 60)
        in_vain = await change_watcher.wait_for_change(now, 0.1)
        waiting = asyncio.create_task(change_watcher.wait_for_change(now, 60))
        await asyncio.sleep(0.05)
        with unit_of_work() as connection:
            evaluations.change(connection, evaluation_id, {"progress_done": 1}, None)
        return at_once, in_vain, await waiting

    assert asyncio.run(scene()) == (True, False, True)
    assert look(evaluation_id).version == 2


def test_degenerate_ended_or_deleted_evaluations_are_not_waited_for(sqlite: None) -> None:
    evaluation_id = submit_nap()
    cancel(LOCAL_OWNER_ID, evaluation_id)
    assert asyncio.run(change_watcher.wait_for_end(evaluation_id, 10))
    later = replace(look(evaluation_id), version=99)
    assert asyncio.run(change_watcher.wait_for_change(later, 10))
    assert asyncio.run(change_watcher.wait_for_end(uuid4(), 10))


def test_exact_on_sqlite_no_query_runs_before_a_change(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_id, looks = submit_nap(), 0
    look_up, looked = evaluations.list_versions, asyncio.Event()

    def counted(*arguments: object) -> object:
        nonlocal looks
        looks += 1
        looked.set()
        return look_up(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(evaluations, "list_versions", counted)

    async def scene() -> list[int]:
        waiting = [
            asyncio.create_task(change_watcher.wait_for_end(evaluation_id, 60)) for _ in range(50)
        ]
        await asyncio.sleep(0.2)
        searches = [looks]
        looked.clear()
        with unit_of_work() as connection:
            evaluations.change(connection, evaluation_id, {"progress_done": 1}, None)
        await asyncio.wait_for(looked.wait(), 10)
        await asyncio.sleep(0.1)
        searches.append(looks)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        return searches

    assert asyncio.run(scene()) == [1, 2]


def test_exact_on_postgres_waiting_costs_few_looks(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_id, looks = submit_nap(), 0
    look_up = evaluations.list_versions

    def counted(*arguments: object) -> object:
        nonlocal looks
        looks += 1
        return look_up(*arguments)  # type: ignore[arg-type]

    @contextmanager
    def always() -> Iterator[Callable[[], bool]]:
        yield lambda: True

    monkeypatch.setattr(evaluations, "list_versions", counted)
    monkeypatch.setattr(change_watcher, "is_sqlite", lambda: False)
    monkeypatch.setattr(change_watcher, "watch_for_changes", always)

    async def scene() -> None:
        await asyncio.gather(*(change_watcher.wait_for_end(evaluation_id, 1.0) for _ in range(50)))

    asyncio.run(scene())
    # Pauses of 3 ms grow to .04 of the age: 25 looks until .075 s, and ln(1/.075)/.04 = 65 after.
    assert 5 <= looks <= 100


def test_exact_pauses_grow_with_the_time_since_the_evaluation_began(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime.now(UTC)
    row = replace(look(submit_nap()), created_at=now - timedelta(hours=1))
    pauses: list[float] = []
    sleep = asyncio.sleep

    async def record_pause(seconds: float) -> None:
        pauses.append(seconds)
        await sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", record_pause)

    def wait_and_take_first_pause(row: EvaluationRow) -> float:
        pauses.clear()
        asyncio.run(change_watcher.wait_for_change(row, 0.05))
        return pauses[0]

    # It waited in the queue for an hour; then it began 2 s ago, then just now.
    assert wait_and_take_first_pause(row) == change_watcher.LONGEST_PAUSE_S
    began = replace(row, started_at=datetime.now(UTC) - timedelta(seconds=2))
    assert wait_and_take_first_pause(began) == pytest.approx(
        2 * change_watcher.SQLITE_GROWTH, rel=0.1
    )
    begins = replace(row, started_at=datetime.now(UTC) + timedelta(seconds=9))  # another clock
    assert wait_and_take_first_pause(begins) == change_watcher.FIRST_SQLITE_PAUSE_S
