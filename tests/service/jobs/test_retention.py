"""What the sweeper deletes after the times of the settings, and what must stay."""

from __future__ import annotations

import shutil
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.jobs.test_datasets import keep, kept_files
from tests.service.storage.databases import Setting
from thetahat_service.errors import ResourceNotFound, Unavailable
from thetahat_service.jobs import datasets as stored_datasets
from thetahat_service.jobs import retention
from thetahat_service.settings import get_settings
from thetahat_service.states import EvaluationStatus
from thetahat_service.storage import audit
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import AUDIT_ENTRY, DATASET, EVALUATION, EVALUATION_DATASET
from thetahat_service.storage.unit_of_work import reading, unit_of_work
from thetahat_service.supervisor.sweep_thread import SweepThread

DAY = timedelta(days=1)


def finish_nap(n_chunks: int = 0) -> UUID:
    """Return an evaluation that has succeeded."""
    evaluation_id = submit_nap(n_chunks=n_chunks)
    for number in range(n_chunks + 2 if n_chunks else 1):
        make_executor().run((evaluation_id, number))
    assert look(evaluation_id).status == "succeeded"
    return evaluation_id


def age(days: float) -> None:
    """Move every stored time into the past."""
    past = datetime.now(UTC) - days * DAY
    with unit_of_work() as connection:
        connection.execute(
            sa.update(EVALUATION)
            .where(EVALUATION.c.finished_at.is_not(None))
            .values(finished_at=past)
        )
        connection.execute(sa.update(EVALUATION).values(created_at=past))
        connection.execute(sa.update(DATASET).values(created_at=past, last_uploaded_at=None))
        connection.execute(sa.update(AUDIT_ENTRY).values(at=past))


def remaining(table: sa.Table) -> set[UUID]:
    with reading() as connection:
        return set(connection.scalars(sa.select(table.c.id)))


def name_dataset(evaluation_id: UUID, dataset_id: UUID) -> None:
    with unit_of_work() as connection:
        row = {"evaluation_id": evaluation_id, "dataset_id": dataset_id}
        connection.execute(sa.insert(EVALUATION_DATASET), row)


def test_exact_nothing_is_deleted_by_default(sqlite: None) -> None:
    evaluation_id, row = finish_nap(), keep(b"a\n1\n")[0]
    age(10_000)

    assert retention.remove_expired(get_settings()) == retention.RemovedCounts()
    assert remaining(EVALUATION) == {evaluation_id}
    assert remaining(DATASET) == {row.id}
    assert remaining(AUDIT_ENTRY)


def test_exact_results_go_with_their_files_after_their_days(
    database: str, setting: Setting
) -> None:
    setting(keep_results_days=30)
    evaluation_id = finish_nap(n_chunks=2)
    unfinished = submit_nap()
    age(29)
    assert retention.remove_expired(get_settings()).evaluations == 0
    assert kept_files()  # its losses

    age(31)
    assert retention.remove_expired(get_settings()).evaluations == 1
    with pytest.raises(ResourceNotFound):
        look(evaluation_id)
    assert look(unfinished).status == "queued"
    assert kept_files() == []
    with reading() as connection:
        newest = audit.list_page(connection, None, 1, subject=str(evaluation_id))[0]
    assert (newest.action, newest.actor) == ("evaluation.delete", "service")
    assert (newest.owner_id, newest.request_id) == (LOCAL_OWNER_ID, None)


def test_exact_an_evaluation_that_an_unfinished_one_extends_stays(
    database: str, setting: Setting
) -> None:
    setting(keep_results_days=30)
    earlier, other, later = finish_nap(), finish_nap(), submit_nap()
    with unit_of_work() as connection:
        connection.execute(
            sa.update(EVALUATION)
            .where(EVALUATION.c.id == later)
            .values(request=f'{{"extends":"{earlier}","note":""}}')
        )
    age(31)
    assert retention.remove_expired(get_settings()).evaluations == 1
    assert remaining(EVALUATION) == {earlier, later}
    assert other not in remaining(EVALUATION)

    with unit_of_work() as connection:
        last = {"status": EvaluationStatus.CANCELLED.value, "finished_at": datetime.now(UTC)}
        connection.execute(sa.update(EVALUATION).where(EVALUATION.c.id == later).values(last))
    assert retention.remove_expired(get_settings()).evaluations == 1
    assert remaining(EVALUATION) == {later}


def test_exact_a_data_set_stays_while_an_evaluation_names_it(
    sqlite: None, setting: Setting
) -> None:
    setting(keep_datasets_days=7)
    named, unnamed = keep(b"a\n1\n")[0], keep(b"a\n2\n")[0]
    evaluation_id = finish_nap()
    name_dataset(evaluation_id, named.id)
    age(6)
    assert retention.remove_expired(get_settings()).datasets == 0
    age(8)
    assert retention.remove_expired(get_settings()).datasets == 1
    assert remaining(DATASET) == {named.id}
    assert all(named.sha256 in path.name for path in kept_files())
    assert kept_files()
    with reading() as connection:
        newest = audit.list_page(connection, None, 1, subject=str(unnamed.id))[0]
    assert (newest.action, newest.actor) == ("dataset.delete", "service")


def test_exact_another_upload_of_a_data_set_starts_its_time_anew(
    sqlite: None, setting: Setting
) -> None:
    setting(keep_datasets_days=7)
    row, _ = keep(b"a\n1\n")
    age(8)
    again, is_new = keep(b"a\n1\n")
    assert (again.id, is_new) == (row.id, False)
    assert retention.remove_expired(get_settings()).datasets == 0
    later = datetime.now(UTC) + 8 * DAY
    assert retention.remove_expired(get_settings(), later).datasets == 1


def test_exact_a_data_set_that_is_named_or_uploaded_meanwhile_stays(
    database: str, setting: Setting
) -> None:
    named, uploaded = keep(b"a\n1\n")[0], keep(b"a\n2\n")[0]
    age(8)
    before = datetime.now(UTC) - 7 * DAY
    name_dataset(submit_nap(), named.id)
    keep(b"a\n2\n")
    assert not stored_datasets.delete_expired(named.id, before)
    assert not stored_datasets.delete_expired(uploaded.id, before)
    assert not stored_datasets.delete_expired(uuid4(), before)
    assert remaining(DATASET) == {named.id, uploaded.id}


def test_exact_batches_are_small_and_say_that_there_is_more(
    database: str, setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    monkeypatch.setattr(retention, "AUDIT_BATCH", 3)
    setting(keep_results_days=1, keep_datasets_days=1, keep_audit_days=1)
    for i in range(3):
        finish_nap()
        keep(b"a\n%d\n" % i)
    age(2)
    n_entries = len(remaining(AUDIT_ENTRY))
    assert n_entries >= 4

    first = retention.remove_expired(get_settings())
    assert (first.evaluations, first.datasets, first.audit_entries) == (2, 2, 3)
    assert first.has_more
    while (last := retention.remove_expired(get_settings())).has_more:
        pass
    assert remaining(EVALUATION) == remaining(DATASET) == set()
    assert not last.has_more
    with reading() as connection:  # what is left says what was deleted today
        assert set(connection.scalars(sa.select(AUDIT_ENTRY.c.actor))) == {"service"}


def test_exact_nothing_is_deleted_while_the_file_store_is_away(
    sqlite: None, setting: Setting
) -> None:
    setting(keep_results_days=1, keep_datasets_days=1)
    evaluation_id, row = finish_nap(n_chunks=1), keep(b"a\n1\n")[0]
    age(2)
    shutil.rmtree(open_file_store().root)
    with pytest.raises(Unavailable):
        retention.remove_expired(get_settings())
    assert remaining(EVALUATION) == {evaluation_id}
    assert remaining(DATASET) == {row.id}


def test_exact_the_sweep_thread_deletes(sqlite: None, setting: Setting) -> None:
    setting(keep_results_days=1, sweep_s=0.01)
    finish_nap()
    age(2)
    thread = SweepThread(get_settings())
    thread.start()
    try:
        deadline = time.monotonic() + 30
        while remaining(EVALUATION):
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        thread.stop()
