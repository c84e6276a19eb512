"""The limit of an evaluation's computing seconds, all of its units together."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from tests.service.jobs.evaluations import look, make_executor, set_unit, submit_nap, unit, units
from tests.service.storage.databases import Setting
from thetahat_service.jobs import record, sweep
from thetahat_service.outcomes import failures
from thetahat_service.settings import get_settings
from thetahat_service.storage import units as unit_table
from thetahat_service.storage.tables import UNIT
from thetahat_service.storage.unit_of_work import reading


def test_exact_units_count_together_and_the_whole_evaluation_ends(
    sqlite: None, setting: Setting
) -> None:
    setting(job_time_limit_s=100)
    evaluation_id = submit_nap(n_chunks=4, parts=["a", "b"])
    worker = make_executor()
    for number in (0, 1, 2):
        assert worker.run((evaluation_id, number))
    set_unit(evaluation_id, 0, seconds=0.0)  # it takes longer on a busy machine
    set_unit(evaluation_id, 1, seconds=60.0)
    set_unit(evaluation_id, 2, seconds=39.0)
    assert worker.run((evaluation_id, 3))
    assert unit(evaluation_id, 3).state == "done"
    set_unit(evaluation_id, 3, seconds=2.25)
    assert worker.run((evaluation_id, 4))

    row = look(evaluation_id)
    assert row.status == "failed"
    assert row.error is not None
    assert row.error["code"] == failures.TIME_LIMIT
    assert "used 101." in row.error["detail"]
    assert "the limit is 100." in row.error["detail"]
    assert {u.state for u in units(evaluation_id)} == {"done", "failed"}


def test_exact_a_unit_that_goes_over_the_limit_is_interrupted(
    sqlite: None, setting: Setting
) -> None:
    setting(job_time_limit_s=0.4, time_limit_s=600)
    evaluation_id = submit_nap(seconds=60)
    worker = make_executor()
    worker.start()
    try:
        worker.run((evaluation_id, 0))
    finally:
        worker.stop()
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == failures.TIME_LIMIT
    assert "the limit is 0.4." in error["detail"]


def test_exact_without_a_limit_nothing_is_ended(sqlite: None) -> None:
    evaluation_id = submit_nap(n_chunks=1)
    worker = make_executor()
    for number in (0, 1):
        worker.run((evaluation_id, number))
    set_unit(evaluation_id, 1, seconds=1e9)
    worker.run((evaluation_id, 2))
    assert look(evaluation_id).status == "succeeded"


def test_exact_lost_attempts_count(database: str, setting: Setting) -> None:
    setting(job_time_limit_s=100, max_attempts=9, time_limit_s=1000)
    evaluation_id = submit_nap(n_chunks=2)
    worker = make_executor()
    assert worker.run((evaluation_id, 0))
    set_unit(evaluation_id, 0, seconds=0.0)  # it takes longer on a busy machine
    holder = uuid4()
    for lost_s in (40.0, 59.0):  # the worker is killed so long after its claim
        assert record.claim_unit((evaluation_id, 1), uuid4(), 30.0)
        begun = UNIT.c.claimed_at - 500.0
        set_unit(evaluation_id, 1, claimed_at=begun, lease_until=begun + lost_s)
        assert sweep.sweep(holder, get_settings()).reclaimed == 1
        set_unit(evaluation_id, 1, not_before=0.0)
    assert abs(unit(evaluation_id, 1).lost_seconds - 99.0) < 1e-6
    assert worker.run((evaluation_id, 2))
    set_unit(evaluation_id, 2, seconds=2.25)
    assert worker.run((evaluation_id, 1))

    row = look(evaluation_id)
    assert row.status == "failed"
    assert row.error is not None
    assert row.error["code"] == failures.TIME_LIMIT
    assert "used 101." in row.error["detail"]


def test_exact_an_attempt_that_a_stop_interrupts_counts_until_the_stop(database: str) -> None:
    evaluation_id = submit_nap()
    claim = record.claim_unit((evaluation_id, 0), uuid4(), 3000.0)
    assert claim is not None
    assert claim.claimed_at is not None
    assert record.put_back(replace(claim, claimed_at=claim.claimed_at - 70.0))
    assert 70.0 <= unit(evaluation_id).lost_seconds < 100.0


def test_exact_chunks_that_are_computed_again_count_twice(sqlite: None) -> None:
    evaluation_id = submit_nap(n_chunks=1)
    worker = make_executor()
    for number in (0, 1):
        assert worker.run((evaluation_id, number))
    set_unit(evaluation_id, 0, seconds=0.0)
    set_unit(evaluation_id, 1, seconds=50.0)
    gathering = record.claim_unit((evaluation_id, 2), uuid4(), 30.0)
    assert gathering is not None
    record.recompute_chunks(
        gathering, [unit(evaluation_id, 1).output_file], failures.describe_internal_error(), 3
    )
    assert worker.run((evaluation_id, 1))
    with reading() as connection:
        assert 50.0 < unit_table.sum_seconds(connection, evaluation_id) < 60.0


def test_exact_lost_attempts_at_the_start_count(sqlite: None, setting: Setting) -> None:
    setting(job_time_limit_s=100, max_attempts=9)
    evaluation_id = submit_nap()
    claim = record.claim_unit((evaluation_id, 0), uuid4(), 30.0)
    assert claim is not None
    begun = UNIT.c.claimed_at - 150.0
    set_unit(evaluation_id, claimed_at=begun, lease_until=begun + 101.0)
    assert record.put_back(replace(claim, claimed_at=None), lost=True)  # by a sweeper
    assert make_executor().run((evaluation_id, 0))
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == failures.TIME_LIMIT
