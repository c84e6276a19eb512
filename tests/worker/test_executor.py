from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import orjson
import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

import thetahat
from tests.service.jobs.evaluations import look, make_executor, submit_nap, unit, units
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.broker import queue
from thetahat_service.jobs import loading, read, record
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.loading import Loaded
from thetahat_service.outcomes import failures
from thetahat_service.settings import get_settings
from thetahat_service.storage import unit_queue
from thetahat_service.storage import units as unit_table
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.unit_of_work import unit_of_work
from thetahat_service.storage.unit_transitions import UnitEvent
from thetahat_service.storage.units import UnitKey
from thetahat_worker import executor
from thetahat_worker.compute import compute
from thetahat_worker.executor import UnitExecutor
from thetahat_worker.interrupts import SharedFlag


def _result(evaluation_id: Any) -> Any:
    return orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))


@pytest.fixture
def watched(database: str, setting: Setting) -> Iterator[UnitExecutor]:
    """A worker whose watch runs, with short leases."""
    setting(lease_s=0.6, time_limit_s=1.0)
    worker = make_executor()
    worker.start()
    yield worker
    worker.stop()


def test_exact_a_small_evaluation_is_done_in_one_unit(sqlite: None) -> None:
    evaluation_id = submit_nap(seed=5)
    assert make_executor().run((evaluation_id, 0))
    row = look(evaluation_id)
    assert (row.status, row.progress_done, row.progress_total) == ("succeeded", 1, 1)
    assert row.started_at is not None
    assert row.finished_at is not None
    assert row.created_at <= row.started_at <= row.finished_at
    result = _result(evaluation_id)
    assert result["draws"] == expected_draws(5, 1)[0]
    assert "methods" not in result
    assert result["provenance"] == {
        "version": thetahat.__version__,
        "seed": 5,
        "data_sha256": row.data_sha256,
        "spec_sha256": row.request_sha256,
        "methods": [{"family": "naps", "name": "nap", "params": {}}],
    }


def test_exact_a_large_evaluation_is_cut_computed_and_joined(sqlite: None) -> None:
    evaluation_id = submit_nap(n_chunks=5, seed=5)
    make_executor().compute_queued_units(
        (evaluation_id, 0)
    )  # and drains the queue without further messages
    row = look(evaluation_id)
    assert (row.status, row.progress_done, row.progress_total) == ("succeeded", 10, 10)
    assert row.progress_unit == "naps"
    assert _result(evaluation_id)["draws"] == expected_draws(5, 5)
    table = pq.read_table(read.find_losses_file(LOCAL_OWNER_ID, evaluation_id))
    assert table["a"].to_pylist() == [draw[0] for draw in expected_draws(5, 5)]
    assert not open_file_store().build_path(f"chunks/{evaluation_id}").exists()
    types = [event.type for event in read.list_events(LOCAL_OWNER_ID, evaluation_id)]
    assert types == ["queued", "started", *["progress"] * 6, "succeeded"]
    assert (
        min(event.number for event in read.list_events(LOCAL_OWNER_ID, evaluation_id, after=6)) == 7
    )


def test_exact_the_request_is_not_read_again_for_the_next_chunk(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_jobs: list[UUID] = []

    def load(connection: sa.Connection, evaluation_id: UUID, files: FileStore) -> Loaded:
        read_jobs.append(evaluation_id)
        return loading.load(connection, evaluation_id, files)

    monkeypatch.setattr("thetahat_worker.compute.load", load)
    first, second = (submit_nap(n_chunks=2, seed=seed) for seed in (5, 6))
    worker = make_executor()
    for evaluation_id, number in ((first, 0), (first, 1), (first, 2), (second, 0), (first, 3)):
        assert worker.run((evaluation_id, number))
    # once to cut the work and once for both chunks; the other job then takes its place
    assert read_jobs == [first, first, second, first]
    for number in (1, 2, 3):
        assert worker.run((second, number))
    assert _result(first)["draws"] == expected_draws(5, 2)
    assert _result(second)["draws"] == expected_draws(6, 2)


def test_exact_the_order_of_the_chunks_changes_no_number(sqlite: None) -> None:
    evaluation_id, worker = submit_nap(n_chunks=4, seed=5), make_executor()
    for number in (0, 3, 1, 4, 2, 5):
        assert worker.run((evaluation_id, number))
    assert _result(evaluation_id)["draws"] == expected_draws(5, 4)


def test_exact_a_message_that_comes_ten_times_is_done_once(database: str) -> None:
    evaluation_id, worker = submit_nap(n_chunks=1), make_executor()
    assert [worker.run((evaluation_id, 0)) for _ in range(10)] == [True] + [False] * 9
    assert not worker.run((uuid4(), 0))
    assert unit(evaluation_id).attempt == 1


def test_exact_a_zombies_outcome_is_discarded_with_its_file(database: str) -> None:
    evaluation_id, worker, files = (
        submit_nap(n_chunks=2, seed=5),
        make_executor(),
        open_file_store(),
    )
    worker.run((evaluation_id, 0))
    zombie = record.claim_unit((evaluation_id, 1), uuid4(), 30.0)
    assert zombie is not None
    outcome = compute(zombie, files)
    record.put_back(zombie)  # the lease ran out and the sweeper queued it again
    worker.run((evaluation_id, 1))
    worker._record(zombie, outcome)
    (name,) = (path.name for path in files.build_path(f"chunks/{evaluation_id}").iterdir())
    assert name.startswith("1-2.")
    assert look(evaluation_id).progress_done == 2
    assert not record.record_failure(zombie, failures.describe_internal_error())
    assert not record.record_result(zombie, "{}", None)
    assert not record.put_back(zombie)
    worker.compute_queued_units((evaluation_id, 2))
    assert _result(evaluation_id)["draws"] == expected_draws(5, 2)


@pytest.mark.parametrize("same_worker", [True, False])
def test_exact_a_zombie_records_nothing_while_the_next_attempt_runs(
    database: str,
    same_worker: bool,  # noqa: FBT001 - a table
) -> None:
    evaluation_id, first = submit_nap(), uuid4()
    zombie = record.claim_unit((evaluation_id, 0), first, 30.0)
    assert zombie is not None
    record.put_back(zombie)
    winner = record.claim_unit((evaluation_id, 0), first if same_worker else uuid4(), 30.0)
    assert winner is not None
    assert winner.attempt == zombie.attempt + 1
    assert not record.record_result(zombie, '{"by": "zombie"}', None)
    assert not record.record_failure(zombie, failures.describe_internal_error())
    assert not record.put_back(zombie)
    with unit_of_work() as connection:
        assert not unit_table.apply(connection, zombie, UnitEvent.RENEW, lease_until=30.0)
        assert unit_table.apply(connection, winner, UnitEvent.RENEW, lease_until=30.0)
    assert record.record_result(winner, '{"by": "winner"}', None)
    assert _result(evaluation_id) == {"by": "winner"}


def test_exact_a_zombies_gathering_keeps_the_winners_losses(database: str) -> None:
    evaluation_id, worker, files = submit_nap(n_chunks=1), make_executor(), open_file_store()
    worker.run((evaluation_id, 0))
    worker.run((evaluation_id, 1))
    zombie = record.claim_unit((evaluation_id, 2), uuid4(), 30.0)
    assert zombie is not None
    outcome = compute(zombie, files)
    record.put_back(zombie)
    worker.run((evaluation_id, 2))
    body = read.get_result(LOCAL_OWNER_ID, evaluation_id)
    worker._record(zombie, outcome)
    assert read.get_result(LOCAL_OWNER_ID, evaluation_id) == body
    losses = read.find_losses_file(LOCAL_OWNER_ID, evaluation_id)
    assert losses.name.startswith(f"{evaluation_id}-2.")
    assert list(files.build_path("losses").iterdir()) == [losses]


@pytest.mark.parametrize(
    ("fault", "code", "detail"),
    [
        ("refuse", "insufficient_data", "too few sheep"),
        ("refuse_request", "invalid_request", "no such bed"),
        ("crash", "internal_error", "An internal error"),
        ("memory", "memory_limit_exceeded", "MiB of memory"),
    ],
)
def test_exact_a_failed_unit_fails_the_evaluation_with_its_reason(
    sqlite: None, setting: Setting, fault: str, code: str, detail: str
) -> None:
    setting(max_attempts=1)
    evaluation_id, worker = submit_nap(n_chunks=3, fault=fault, at=1), make_executor()
    for number in (0, 1, 2, 3):
        worker.run((evaluation_id, number))
    row = look(evaluation_id)
    assert row.status == "failed"
    assert row.error is not None
    assert (row.error["type"], row.error["code"]) == (f"/problems/{code}", code)
    assert detail in row.error["detail"]
    assert "secret" not in str(row.error)
    assert [u.state for u in units(evaluation_id)] == ["done", "done", "failed", "cancelled"]
    assert not open_file_store().build_path(f"chunks/{evaluation_id}").exists()


def test_exact_a_refusal_names_place_and_value(sqlite: None) -> None:
    first, second = submit_nap(fault="refuse"), submit_nap(fault="refuse_request")
    for evaluation_id in (first, second):
        make_executor().run((evaluation_id, 0))
    first_error, other = look(first).error, look(second).error
    assert first_error is not None
    assert other is not None
    assert first_error["errors"] == [
        {"loc": ["sheep", 3], "message": "too few sheep", "value": 2.0}
    ]
    assert other["errors"] == [{"loc": ["bed"], "message": "is not there", "value": "nan"}]


def test_exact_work_past_its_time_limit_is_ended(watched: UnitExecutor) -> None:
    evaluation_id = submit_nap(seconds=20.0)
    watched.run((evaluation_id, 0))
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == "time_limit_exceeded"
    assert "longer than 1 seconds" in error["detail"]
    assert look(evaluation_id).status == "failed"
    assert not watched.must_be_replaced  # the worker lives on


def test_exact_a_lease_is_renewed_while_the_work_goes_on(database: str, setting: Setting) -> None:
    setting(lease_s=0.6)  # without a time limit that a slow machine could reach
    evaluation_id, worker = submit_nap(seconds=0.9), make_executor()
    worker.start()
    try:
        worker.run((evaluation_id, 0))
    finally:
        worker.stop()
    assert look(evaluation_id).status == "succeeded"


def test_exact_after_its_slice_a_worker_sends_a_message_for_the_next_unit(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "SLICE_S", -1.0)
    sent: list[UnitKey] = []
    monkeypatch.setattr(queue, "enqueue", lambda keys, *_: sent.extend(keys))
    evaluation_id = submit_nap()
    sent.clear()
    make_executor().compute_queued_units((evaluation_id, 0))
    assert sent == [(evaluation_id, 0)]
    assert look(evaluation_id).status == "queued"


def test_exact_cancelled_work_is_ended(
    watched: UnitExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_id = submit_nap(seconds=20.0)
    take = record.claim_unit

    def take_then_cancel(*arguments: Any) -> Any:
        claim = take(*arguments)
        cancel(LOCAL_OWNER_ID, evaluation_id)
        return claim

    monkeypatch.setattr(record, "claim_unit", take_then_cancel)
    assert watched.run((evaluation_id, 0))
    assert look(evaluation_id).status == "cancelled"


def test_exact_a_stopped_worker_queues_its_work_again(sqlite: None, setting: Setting) -> None:
    setting(lease_s=0.6)
    stopping = SharedFlag()
    worker = UnitExecutor(get_settings(), stopping)
    worker.start()
    stopping.set()
    evaluation_id = submit_nap(seconds=20.0)
    worker.run((evaluation_id, 0))
    worker.compute_queued_units((evaluation_id, 0))  # nothing more is begun
    worker.stop()
    row = unit(evaluation_id)
    assert (row.state, row.lost, row.attempt) == ("queued", 0, 1)
    assert look(evaluation_id).status == "running"


def test_exact_places_let_small_evaluations_pass_large_ones(sqlite: None) -> None:
    large, small = submit_nap(n_chunks=50), submit_nap(n_chunks=2)
    worker = make_executor()
    worker.run((large, 0))
    worker.run((small, 0))
    latest = submit_nap()
    with unit_of_work() as connection:
        line = [unit.key for unit in unit_queue.list_claimable(connection, 6)]
    assert line[0] == (latest, 0)
    assert {(small, 1), (small, 2)} <= set(line)


def test_exact_arrays_of_objects_are_refused(sqlite: None) -> None:
    from thetahat_service.storage.chunk_arrays import keep_arrays

    evaluation_id = submit_nap()
    claim = record.claim_unit((evaluation_id, 0), uuid4(), 30.0)
    assert claim is not None
    with pytest.raises(ValueError, match=r"[Oo]bject arrays"):
        keep_arrays(open_file_store(), claim, {"a": np.array([{}], dtype=object)})
