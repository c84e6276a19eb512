"""Learners that fail, run too long or want too much memory: each fails alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import orjson
import pytest

from tests.service.jobs.evaluations import look, make_executor, set_unit, submit_nap, unit, units
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read, record, sweep
from thetahat_service.outcomes import failures
from thetahat_service.settings import get_settings
from thetahat_service.storage import unit_queue
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.unit_of_work import reading
from thetahat_worker.executor import UnitExecutor, order_candidates

A_AND_B: dict[str, Any] = {"parts": ["a", "b"], "n_chunks": 6, "seed": 5}


def _end(evaluation_id: UUID, worker: UnitExecutor) -> Any:
    """Do what is left, and return the result by part."""
    worker.compute_queued_units((evaluation_id, 1))
    return orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))["parts"]


@pytest.mark.parametrize(
    ("fault", "code", "words"),
    [
        ("refuse", "insufficient_data", "too few sheep"),
        ("crash", "internal_error", "An internal error"),
        ("memory", "memory_limit_exceeded", "MiB of memory"),
    ],
)
def test_exact_a_learner_fails_alone_with_its_message(
    database: str, setting: Setting, fault: str, code: str, words: str
) -> None:
    setting(max_attempts=1)
    evaluation_id, worker = submit_nap(**A_AND_B, fault=fault, at=2), make_executor()
    worker.run((evaluation_id, 0))
    worker.compute_queued_units((evaluation_id, 1))
    result = _end(evaluation_id, make_executor())  # a crash ends the first one
    draws = expected_draws(5, 6)
    assert result["b"] == [draws[1], draws[3], draws[5]]
    assert result["a"]["code"] == code
    assert words in result["a"]["message"]
    assert result["a"]["loc"] == ["learners", "a"]
    assert "secret" not in str(result)
    row = look(evaluation_id)
    assert (row.status, row.progress_done, row.error) == ("succeeded", 12, None)
    assert not open_file_store().build_path(f"chunks/{evaluation_id}").exists()


def test_exact_what_comes_after_a_failure_is_not_begun(sqlite: None) -> None:
    evaluation_id, worker = submit_nap(**A_AND_B, fault="refuse", at=2), make_executor()
    worker.run((evaluation_id, 0))
    worker.run((evaluation_id, 3))  # the second of a: the first is still told, were it to fail
    states = {u.number: u.state for u in units(evaluation_id)}
    assert states == {
        0: "done",
        1: "queued",
        2: "queued",
        3: "failed",
        4: "queued",
        5: "cancelled",
        6: "queued",
    }
    assert unit(evaluation_id, 5).output_file == unit(evaluation_id, 3).output_file
    assert look(evaluation_id).progress_done == 4


def test_exact_the_first_failure_is_reported_whichever_worker_was_faster(sqlite: None) -> None:
    messages = []
    for order in ((1, 3, 5), (5, 3, 1), (3, 5, 1)):
        evaluation_id, worker = submit_nap(**A_AND_B, fault="refuse"), make_executor()
        worker.run((evaluation_id, 0))
        for number in order:
            worker.run((evaluation_id, number))
        messages.append([u.state for u in units(evaluation_id)][1])
    assert messages == ["failed"] * 3


def test_exact_without_a_learner_left_the_limit_fails_the_evaluation(
    sqlite: None, setting: Setting
) -> None:
    setting(memory_limit_mb=700)
    evaluation_id, worker = submit_nap(**A_AND_B, fault="memory"), make_executor()
    worker.run((evaluation_id, 0))
    worker.compute_queued_units((evaluation_id, 1))
    row = look(evaluation_id)
    assert row.status == "failed"
    assert row.error is not None
    assert row.error["type"] == "/problems/memory_limit_exceeded"
    assert "700 MiB" in row.error["detail"]


def test_exact_past_the_time_limit_the_others_go_on(sqlite: None, setting: Setting) -> None:
    setting(lease_s=0.6, time_limit_s=0.5)
    slow = {**A_AND_B, "n_chunks": 2, "seconds": 20.0, "at": 0}
    evaluation_id, worker = submit_nap(**slow), make_executor()
    worker.start()
    try:
        worker.run((evaluation_id, 0))
        worker.run((evaluation_id, 1))
    finally:
        worker.stop()
    assert unit(evaluation_id, 1).state == "failed"
    assert (unit(evaluation_id, 2).state, look(evaluation_id).status) == ("queued", "running")


def test_exact_a_learner_whose_workers_die_fails_alone(sqlite: None, setting: Setting) -> None:
    setting(max_attempts=2)
    evaluation_id, worker = submit_nap(**A_AND_B), make_executor()
    worker.run((evaluation_id, 0))
    for _ in range(3 * 2 + 1):  # a lost machine counts from three times as many claims on
        set_unit(evaluation_id, 1, not_before=0.0)
        assert record.claim_unit((evaluation_id, 1), uuid4(), 30.0) is not None
        set_unit(evaluation_id, 1, lease_until=1.0)
        holder = uuid4()
        sweep.sweep(holder, get_settings())
        sweep.release_duty(holder)
    result = _end(evaluation_id, worker)
    assert result["a"]["code"] == "worker_lost"
    assert "ended 2 times" in result["a"]["message"]
    assert len(result["b"]) == 3


def test_exact_a_failure_after_a_lost_claim_changes_nothing(database: str) -> None:
    evaluation_id, worker = submit_nap(**A_AND_B), make_executor()
    worker.run((evaluation_id, 0))
    zombie = record.claim_unit((evaluation_id, 1), uuid4(), 30.0)
    assert zombie is not None
    record.put_back(zombie)
    worker._record_failure(zombie, failures.build_problem("worker_lost", "gone"))
    assert [u.state for u in units(evaluation_id)][1:] == ["queued"] * 6
    assert not open_file_store().build_path(f"chunks/{evaluation_id}").exists() or not any(
        open_file_store().build_path(f"chunks/{evaluation_id}").iterdir()
    )
    assert len(_end(evaluation_id, worker)["a"]) == 3


def test_exact_learners_take_turns_and_a_slow_one_waits(sqlite: None) -> None:
    evaluation_id, worker = submit_nap(parts=["a", "b"], n_chunks=8, seed=5), make_executor()
    worker.run((evaluation_id, 0))
    assert _line(evaluation_id) == [1, 2, 3, 4, 5, 6, 7, 8]
    claim = record.claim_unit((evaluation_id, 1), uuid4(), 30.0)
    assert claim is not None
    assert claim.claimed_at is not None
    claim = replace(claim, claimed_at=claim.claimed_at - 100.0)
    record.record_output(claim, "nowhere")  # a took 100 seconds
    assert 100 <= unit(evaluation_id, 1).seconds < 110
    assert _line(evaluation_id) == [2, 4, 6, 8, 3, 5, 7]


def test_exact_a_quick_learner_is_done_before_a_slow_one_goes_on(sqlite: None) -> None:
    """Each is as far back as its time, that of both: a after 2 x 4 seconds, b at once."""
    evaluation_id, worker = submit_nap(parts=["a", "b"], n_chunks=8, seed=5), make_executor()
    worker.run((evaluation_id, 0))
    start = unit(evaluation_id, 1).place
    for number, seconds in ((1, 4.0), (2, 0.0)):
        claim = record.claim_unit((evaluation_id, number), uuid4(), 30.0)
        assert claim is not None
        assert claim.claimed_at is not None
        claim = replace(claim, claimed_at=claim.claimed_at - seconds)
        record.record_output(claim, "nowhere")
    assert _line(evaluation_id) == [4, 6, 8, 3, 5, 7]
    assert unit(evaluation_id, 3).place - start == pytest.approx(8.0, abs=1.0)
    assert unit(evaluation_id, 4).place - start == pytest.approx(1.0, abs=1.0)


def test_exact_chunks_done_out_of_order_do_not_move_their_part_back(sqlite: None) -> None:
    """Workers take chunks that stand close together in any order."""
    evaluation_id, worker = submit_nap(parts=["a", "b"], n_chunks=8, seed=5), make_executor()
    worker.run((evaluation_id, 0))
    worker.run((evaluation_id, 3))
    assert _line(evaluation_id)[:2] == [1, 2]


def test_exact_workers_take_the_chunks_of_the_first_part_in_any_order(sqlite: None) -> None:
    evaluation_id, worker = submit_nap(parts=["a", "b"], n_chunks=8, seed=5), make_executor()
    worker.run((evaluation_id, 0))
    with reading() as connection:
        queued = unit_queue.list_claimable(connection, 16)
    lines = [[number for _, number in order_candidates(queued)] for _ in range(50)]
    assert {line[0] for line in lines} == {1, 3}  # those of b, as near, come after them
    assert {number for line in lines for number in line[:2]} == {1, 3}
    assert all(sorted(line) == list(range(1, 9)) for line in lines)


def _line(evaluation_id: UUID) -> list[int]:
    waiting = [u for u in units(evaluation_id) if u.state == "queued"]
    return [u.number for u in sorted(waiting, key=lambda u: u.place)]


def test_exact_chunks_that_are_cut_by_learner_are_queued_in_turn(sqlite: None) -> None:
    from thetahat_service.storage.units import NewUnit, _alternate_parts

    new = [NewUnit(i, {}, 1, part) for i, part in enumerate(["a", "a", "a", "b", "b", None])]
    assert [unit.number for unit in _alternate_parts(new)] == [0, 3, 5, 1, 4, 2]
