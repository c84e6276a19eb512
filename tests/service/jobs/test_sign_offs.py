"""Sign-offs in both databases: their order, their end, and what they keep from retention."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import submit_nap
from tests.service.jobs.test_retention import age, finish_nap, remaining
from tests.service.storage.databases import Setting
from thetahat_service.errors import InvalidRequest, NoResult, ResultPending
from thetahat_service.jobs import delete, read, retention, sign_offs
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.sign_offs import Signature
from thetahat_service.settings import get_settings
from thetahat_service.states import SignOffDecision
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, SIGN_OFF
from thetahat_service.storage.unit_of_work import reading, unit_of_work

ANN = Signature(name="Ann", decision=SignOffDecision.APPROVED, comment="Größe < 5 %\nline two")
BOB = Signature(name="Bob", decision=SignOffDecision.REJECTED)


def test_exact_a_sign_off_is_stored_as_it_was_made(sqlite: None) -> None:
    evaluation_id = finish_nap()

    row, is_new = sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, ANN)

    listed, end = sign_offs.list_sign_offs(LOCAL_OWNER_ID, evaluation_id, None, 10)
    assert is_new
    assert (listed, end) == ([row], None)
    assert (row.name, row.decision, row.comment) == ("Ann", "approved", ANN.comment)
    assert row.result_sha256 == sign_offs.compute_digest(
        read.get_result(LOCAL_OWNER_ID, evaluation_id)
    )
    assert abs(row.at - datetime.now(UTC)) < timedelta(minutes=1)


def test_exact_the_newest_is_first_even_after_the_clock_was_set_back(sqlite: None) -> None:
    evaluation_id = finish_nap()
    sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, ANN)
    with unit_of_work() as connection:
        future = datetime.now(UTC) + timedelta(days=1)
        connection.execute(sa.update(SIGN_OFF).values(at=future))

    sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, BOB)

    rows, _ = sign_offs.list_sign_offs(LOCAL_OWNER_ID, evaluation_id, None, 10)
    assert [row.name for row in rows] == ["Bob", "Ann"]


def test_exact_the_same_signature_at_once_is_stored_once(database: str) -> None:
    evaluation_id = finish_nap()
    together = Barrier(4)

    def sign() -> None:
        together.wait(timeout=120)
        sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, ANN)

    threads = [Thread(target=sign) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)

    assert len(remaining(SIGN_OFF)) == 1


def test_invalid_another_result_than_the_recorded_one_is_not_signed(sqlite: None) -> None:
    evaluation_id = finish_nap()
    wrong = Signature(name="Ann", decision=SignOffDecision.APPROVED, result_sha256="0" * 64)

    with pytest.raises(InvalidRequest, match="result_sha256 is not that of the recorded result"):
        sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, wrong)

    assert not remaining(SIGN_OFF)


def test_invalid_without_a_result_nothing_is_signed(sqlite: None) -> None:
    evaluation_id = submit_nap()
    with pytest.raises(ResultPending, match="queued"):
        sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, ANN)
    cancel(LOCAL_OWNER_ID, evaluation_id)
    with pytest.raises(NoResult, match="cancelled"):
        sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, ANN)


def test_exact_retention_keeps_what_is_signed(sqlite: None, setting: Setting) -> None:
    setting(keep_results_days=30)
    signed, unsigned = finish_nap(), finish_nap()
    sign_offs.sign_result(LOCAL_OWNER_ID, signed, BOB)
    age(31)

    assert retention.remove_expired(get_settings()).evaluations == 1
    assert remaining(EVALUATION) == {signed}
    assert unsigned not in remaining(EVALUATION)
    assert not delete.delete_expired(signed, datetime.now(UTC))  # signed after it was listed


def test_exact_a_deleted_evaluation_takes_its_sign_offs_along(database: str) -> None:
    evaluation_id = finish_nap()
    sign_offs.sign_result(LOCAL_OWNER_ID, evaluation_id, ANN)

    delete.delete(LOCAL_OWNER_ID, evaluation_id)

    with reading() as connection:
        assert connection.scalars(sa.select(sa.func.count()).select_from(SIGN_OFF)).one() == 0
