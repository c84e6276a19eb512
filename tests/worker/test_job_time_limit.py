"""The limit of an evaluation's computing seconds, all of its units together."""

from __future__ import annotations

from service.jobs import failures
from tests.service.jobs.evaluations import (
    look,
    make_executor,
    set_unit,
    submit_nap,
    unit,
    units,
)
from tests.service.storage.databases import Setting


def test_exact_units_count_together_and_the_whole_evaluation_ends(
    database: str, setting: Setting
) -> None:
    setting(job_time_limit_s=100)
    evaluation_id = submit_nap(n_chunks=4, parts=["a", "b"])
    worker = make_executor()
    for number in (0, 1, 2):
        assert worker.run((evaluation_id, number))
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
