"""Faults that are not those of a request or a learner: of the service itself, and of its store."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np
import orjson
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from tests.service.jobs.evaluations import look, make_executor, set_unit, submit_nap, unit, units
from tests.service.storage.databases import Setting
from tests.worker import sleeping_kind
from tests.worker.sleeping_kind import expected_draws
from thetahat.errors import InsufficientData, LearnerFailed
from thetahat.pipelines.third_party_calls import catch_failures
from thetahat_service.errors import Unavailable
from thetahat_service.jobs import read, record
from thetahat_service.settings import get_settings
from thetahat_service.storage.files import FileStore
from thetahat_service.storage.infrastructure import describe_fault, find_fault
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_worker.executor import retry_while_unreachable

A_AND_B: dict[str, Any] = {"parts": ["a", "b"], "n_chunks": 6, "seed": 5}
FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/srv/private")


def _finish(evaluation_id: UUID) -> Any:
    """Compute all units that are left, and return the result."""
    for _ in range(20):
        for row in units(evaluation_id):
            set_unit(evaluation_id, row.number, not_before=0.0)
        make_executor().compute_queued_units((evaluation_id, 0))
        if look(evaluation_id).is_finished:
            break
    return orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))


def _crash_n_times(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    left = [n]

    def crash() -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise ImportError("cannot import name 'part' from partially initialized module")

    monkeypatch.setitem(sleeping_kind.FAULTS, "crash", crash)


def test_exact_an_internal_error_is_tried_again_in_another_process(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    _crash_n_times(monkeypatch, 2)
    evaluation_id, poisoned = submit_nap(fault="crash", seed=5), make_executor()
    other = submit_nap(seed=6)
    assert poisoned.run((evaluation_id, 0))
    assert poisoned.must_be_replaced
    assert (unit(evaluation_id).state, unit(evaluation_id).lost) == ("queued", 1)
    poisoned.compute_queued_units((other, 0))
    assert not poisoned.run((other, 0))
    assert unit(other).state == "queued"  # it draws no more work to itself
    assert _finish(evaluation_id)["draws"] == expected_draws(5, 1)[0]
    assert look(other).status == "succeeded"


def test_exact_the_last_internal_error_says_how_often_it_was_tried(sqlite: None) -> None:
    evaluation_id = submit_nap(fault="crash")
    for lost in (1, 2, 3):
        set_unit(evaluation_id, not_before=0.0)
        assert make_executor().run((evaluation_id, 0))
        assert look(evaluation_id).status == ("failed" if lost == 3 else "running")
    error = look(evaluation_id).error
    assert error is not None
    assert error["code"] == "internal_error"
    assert "tried 3 times, in different processes" in error["detail"]
    assert "secret" not in error["detail"]


def test_exact_a_learner_survives_an_internal_error(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    _crash_n_times(monkeypatch, 2)
    evaluation_id = submit_nap(**A_AND_B, fault="crash", at=2)
    draws = expected_draws(5, 6)
    assert _finish(evaluation_id)["parts"] == {"a": draws[::2], "b": draws[1::2]}


def test_exact_memory_left_by_another_evaluation_fails_no_learner(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, worker = submit_nap(), submit_nap(fault="memory"), make_executor()
    worker.run((first, 0))
    worker.run((second, 0))
    assert worker.must_be_replaced
    assert unit(second).state == "queued"
    monkeypatch.setitem(sleeping_kind.FAULTS, "memory", lambda: None)
    assert _finish(second)["draws"]


@pytest.mark.parametrize("fault", [FULL, Unavailable("The file is not in the file store.")])
@pytest.mark.parametrize("at", [None, 2])
def test_exact_a_store_that_fails_for_a_while_fails_no_learner_and_no_evaluation(
    sqlite: None, monkeypatch: pytest.MonkeyPatch, fault: Exception, at: int | None
) -> None:
    left = [5]

    def fail_at_first() -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise fault

    monkeypatch.setitem(sleeping_kind.FAULTS, "disk", fail_at_first)
    evaluation_id = submit_nap(**A_AND_B, fault="disk", at=at)
    make_executor().run((evaluation_id, 0))
    make_executor().run((evaluation_id, 3))
    row = unit(evaluation_id, 3)
    assert (row.state, row.lost) == ("queued", 0)
    assert row.unavailable_since is not None
    assert not make_executor().run((evaluation_id, 3))  # not before its pause is over
    draws = expected_draws(5, 6)
    assert _finish(evaluation_id)["parts"] == {"a": draws[::2], "b": draws[1::2]}


def test_exact_a_store_that_stays_away_fails_the_evaluation_with_the_reason(
    database: str, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole evaluation fails, and not only the learner at work."""

    def fail() -> None:
        raise FULL

    monkeypatch.setitem(sleeping_kind.FAULTS, "disk", fail)
    setting(max_outage_s=30)
    evaluation_id = submit_nap(**A_AND_B, fault="disk", at=2)
    make_executor().run((evaluation_id, 0))
    make_executor().run((evaluation_id, 3))
    row = unit(evaluation_id, 3)
    set_unit(evaluation_id, 3, not_before=0.0, unavailable_since=row.unavailable_since - 20)
    make_executor().run((evaluation_id, 3))
    row = unit(evaluation_id, 3)
    assert row.state == "queued"
    assert 5 <= row.not_before - row.claimed_at <= 11  # the pauses grow
    set_unit(evaluation_id, 3, not_before=0.0, unavailable_since=row.unavailable_since - 20)
    make_executor().run((evaluation_id, 3))
    evaluation = look(evaluation_id)
    assert evaluation.status == "failed"
    assert evaluation.error is not None
    assert evaluation.error["code"] == "unavailable"
    assert "longer than 30 seconds" in evaluation.error["detail"]
    assert "No space left on device" in evaluation.error["detail"]
    assert "private" not in evaluation.error["detail"]


@pytest.mark.parametrize("change", [{"kind": "of_tomorrow"}, {"request": '{"of_tomorrow":1}'}])
def test_exact_a_worker_leaves_the_request_of_a_newer_release_to_that_release(
    database: str, change: dict[str, str]
) -> None:
    evaluation_id = submit_nap(**A_AND_B)
    with reading() as connection:
        columns = [EVALUATION.c[name] for name in change]
        before = connection.execute(sa.select(*columns).where(EVALUATION.c.id == evaluation_id))
        original = dict(before.mappings().one())

    def store(values: Mapping[str, Any]) -> None:
        with unit_of_work() as connection:
            connection.execute(
                sa.update(EVALUATION).where(EVALUATION.c.id == evaluation_id).values(**values)
            )

    store(change)
    worker = make_executor()
    for _ in range(5):
        set_unit(evaluation_id, not_before=0.0)
        assert worker.run((evaluation_id, 0))
    row = unit(evaluation_id)
    assert (row.state, row.lost, row.unavailable_since is None) == ("queued", 0, False)
    assert not worker.must_be_replaced
    store(original)
    draws = expected_draws(5, 6)
    assert _finish(evaluation_id)["parts"] == {"a": draws[::2], "b": draws[1::2]}


def test_exact_a_failure_that_cannot_be_stored_is_stored_later(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_id = submit_nap(**A_AND_B, fault="refuse", at=2)
    make_executor().run((evaluation_id, 0))
    keep = FileStore.keep_with_digest

    def fail(*arguments: Any) -> str:
        raise FULL

    monkeypatch.setattr(FileStore, "keep_with_digest", fail)
    make_executor().run((evaluation_id, 3))
    assert unit(evaluation_id, 3).state == "queued"
    monkeypatch.setattr(FileStore, "keep_with_digest", keep)
    parts = _finish(evaluation_id)["parts"]
    assert parts["a"]["code"] == "insufficient_data"
    assert parts["b"] == expected_draws(5, 6)[1::2]


def test_exact_an_outcome_waits_for_the_database(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_id, kept = submit_nap(seed=5), record.record_result
    left = [3]

    def fail_at_first(*arguments: Any) -> bool:
        left[0] -= 1
        if left[0] >= 0:
            raise OperationalError("COMMIT", {}, Exception("terminating connection"))
        return kept(*arguments)

    monkeypatch.setattr(record, "record_result", fail_at_first)
    make_executor().run((evaluation_id, 0))
    assert look(evaluation_id).status == "succeeded"
    assert unit(evaluation_id).attempt == 1


def test_exact_a_commit_whose_answer_was_lost_keeps_its_file(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation_id = submit_nap(n_chunks=2, seed=5)
    make_executor().run((evaluation_id, 0))

    def lose_answer(name: str) -> None:
        write, left = getattr(record, name), [1]

        def write_twice(*arguments: Any) -> Any:
            answer = write(*arguments)
            left[0] -= 1
            if left[0] >= 0:
                raise OperationalError("COMMIT", {}, Exception("server closed the connection"))
            return answer

        monkeypatch.setattr(record, name, write_twice)

    lose_answer("record_output")
    lose_answer("record_result")
    for number in (1, 2, 3):
        make_executor().run((evaluation_id, number))
    assert look(evaluation_id).status == "succeeded"
    assert read.find_losses_file(LOCAL_OWNER_ID, evaluation_id).exists()


def test_exact_the_wait_for_the_database_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thetahat_worker.executor.time.sleep", lambda _: None)
    tries = [0]

    def fail() -> None:
        tries[0] += 1
        raise OperationalError("SELECT 1", {}, Exception("away"))

    with pytest.raises(OperationalError):
        retry_while_unreachable(fail, 0.05)
    assert tries[0] > 1
    tries[0] = 0
    with pytest.raises(OperationalError):
        retry_while_unreachable(fail, 60.0, lambda: True)
    assert tries[0] == 1


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EMFILE, errno.ESTALE])
def test_exact_a_full_disk_inside_a_learner_is_not_its_failure(code: int) -> None:
    fault = OSError(code, os.strerror(code))
    with pytest.raises(OSError, match=os.strerror(code)), catch_failures("forest", []):
        raise fault
    with pytest.raises(LearnerFailed), catch_failures("forest", []):
        raise FileNotFoundError(errno.ENOENT, "no such file")


def test_exact_the_cause_of_an_error_decides_whose_fault_it_is() -> None:
    refusal = InsufficientData("The file cannot be read.")
    assert find_fault(refusal) is None
    refusal.__cause__ = OSError("Couldn't deserialize thrift")  # a damaged file, says Arrow
    assert find_fault(refusal) is None
    refusal.__cause__ = FULL
    assert find_fault(refusal) is FULL
    assert find_fault(np.linalg.LinAlgError()) is None
    assert find_fault(OSError("Couldn't deserialize thrift")) is None
    gone = ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
    assert find_fault(gone) is gone


def test_exact_reasons_name_no_path_and_no_address() -> None:
    away = OperationalError("", {}, Exception("connection to server at 10.0.0.5 failed"))
    assert describe_fault(FULL) == "The file store does not work: No space left on device."
    assert describe_fault(away) == "The database cannot be reached."
    assert describe_fault(Unavailable("It is away.")) == "It is away."
    assert get_settings().max_outage_s > 0
