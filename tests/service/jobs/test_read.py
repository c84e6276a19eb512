from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, submit_nap, units
from thetahat_service.errors import EvaluationNotFinished, NoResult, ResourceNotFound, ResultPending
from thetahat_service.jobs import read
from thetahat_service.jobs.cancel import cancel
from thetahat_service.jobs.delete import delete
from thetahat_service.storage.evaluations import Filters
from thetahat_service.storage.files import MARK
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, EVALUATION_RESULT, EVENT, UNIT
from thetahat_service.storage.unit_of_work import reading, unit_of_work

STRANGER = uuid4()


def _finished() -> object:
    evaluation_id = submit_nap()
    make_executor().run((evaluation_id, 0))
    return evaluation_id


def test_exact_the_pages_hold_everything_once_newest_first(database: str) -> None:
    made = [submit_nap() for _ in range(7)]
    same = datetime.now(UTC)
    with unit_of_work() as connection:  # equal moments: the id decides
        connection.execute(
            sa.update(EVALUATION).where(EVALUATION.c.id.in_(made[:4])).values(created_at=same)
        )
    seen, end = read.list_evaluations(LOCAL_OWNER_ID, Filters(), None, 2)
    while end is not None:
        rows, end = read.list_evaluations(LOCAL_OWNER_ID, Filters(), end, 2)
        seen += rows
    assert {row.id for row in seen} == set(made)
    assert len(seen) == 7
    assert seen == sorted(seen, key=lambda row: (row.created_at, row.id), reverse=True)


def test_exact_filters_keep_what_they_name(database: str) -> None:
    labelled = submit_nap(labels={"a": "1", "b": "2"})
    other = submit_nap(labels={"a": "1"})
    cancel(LOCAL_OWNER_ID, other)

    def listed(filters: Filters) -> set[object]:
        return {row.id for row in read.list_evaluations(LOCAL_OWNER_ID, filters, None, 10)[0]}

    assert listed(Filters(labels=[("a", "1")])) == {labelled, other}
    assert listed(Filters(labels=[("a", "1"), ("b", "2")])) == {labelled}
    assert listed(Filters(labels=[("b", "1")])) == set()
    assert listed(Filters(status="cancelled")) == {other}
    assert listed(Filters(kind="losses")) == set()
    later = datetime.now(UTC) + timedelta(hours=1)
    assert listed(Filters(created_after=later)) == set()
    assert listed(Filters(created_before=later)) == {labelled, other}


def test_exact_another_owners_evaluation_is_not_there(sqlite: None) -> None:
    evaluation_id = submit_nap()
    for act in (read.get, read.get_result, read.find_losses_file, read.list_events, cancel, delete):
        with pytest.raises(ResourceNotFound, match=str(evaluation_id)):
            act(STRANGER, evaluation_id)
    assert read.list_evaluations(STRANGER, Filters(), None, 10) == ([], None)
    assert look(evaluation_id).status == "queued"


def test_exact_results_come_only_from_success(sqlite: None) -> None:
    queued, failed, cancelled = submit_nap(), submit_nap(fault="refuse"), submit_nap()
    make_executor().run((failed, 0))
    cancel(LOCAL_OWNER_ID, cancelled)
    with pytest.raises(ResultPending, match="is queued"):
        read.get_result(LOCAL_OWNER_ID, queued)
    with pytest.raises(NoResult, match="failed: too few sheep"):
        read.get_result(LOCAL_OWNER_ID, failed)
    with pytest.raises(NoResult, match="was cancelled"):
        read.get_result(LOCAL_OWNER_ID, cancelled)


def test_degenerate_a_kind_without_losses_is_refused_with_a_reason(sqlite: None) -> None:
    evaluation_id = submit_nap()
    make_executor().run((evaluation_id, 0))
    with pytest.raises(ResourceNotFound, match="has no losses"):
        read.find_losses_file(LOCAL_OWNER_ID, evaluation_id)


def test_exact_cancelling_takes_every_unit_out_of_the_queue(database: str) -> None:
    evaluation_id = submit_nap(n_chunks=3)
    worker = make_executor()
    worker.run((evaluation_id, 0))
    worker.run((evaluation_id, 1))
    row = cancel(LOCAL_OWNER_ID, evaluation_id)
    assert row.status == "cancelled"
    assert row.finished_at is not None
    assert [u.state for u in units(evaluation_id)] == ["done", "done", "cancelled", "cancelled"]
    assert not worker.run((evaluation_id, 2))
    assert not open_file_store().build_path(f"chunks/{evaluation_id}").exists()
    assert cancel(LOCAL_OWNER_ID, evaluation_id) == row  # again changes nothing


def test_exact_cancelling_what_has_finished_changes_nothing(sqlite: None) -> None:
    evaluation_id = submit_nap()
    make_executor().run((evaluation_id, 0))
    before = look(evaluation_id)
    assert cancel(LOCAL_OWNER_ID, evaluation_id) == before


def test_exact_deleting_leaves_no_row_and_no_file(database: str) -> None:
    evaluation_id = submit_nap(n_chunks=2, labels={"a": "b"})
    with pytest.raises(EvaluationNotFinished, match="is queued"):
        delete(LOCAL_OWNER_ID, evaluation_id)
    worker = make_executor()
    worker.compute_queued_units((evaluation_id, 0))
    assert read.find_losses_file(LOCAL_OWNER_ID, evaluation_id).exists()
    delete(LOCAL_OWNER_ID, evaluation_id)
    with pytest.raises(ResourceNotFound):
        look(evaluation_id)
    with reading() as connection:
        for table in (UNIT, EVENT, EVALUATION_RESULT):
            assert connection.scalars(sa.select(sa.func.count()).select_from(table)).one() == 0
    files = open_file_store().root.rglob("*")
    assert [path for path in files if path.is_file() and path.name != MARK] == []
