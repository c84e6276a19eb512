from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.storage.query_plans import explain, reads_few_rows
from thetahat_service.storage import evaluations
from thetahat_service.storage.evaluations import Filters, list_page, select_page
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, EVALUATION_LABEL
from thetahat_service.storage.unit_of_work import reading, unit_of_work

N = 600
RARE, COMMON = ("run", "17"), ("team", "red")
START = datetime(2026, 1, 1, tzinfo=UTC)


def _store() -> list[UUID]:
    """Store evaluations, newest last: every 200th has the rare label, all have the common one."""
    ids = [uuid4() for _ in range(N)]
    rows = [
        {
            "id": identifier, "owner_id": LOCAL_OWNER_ID, "kind": "losses", "name": None,
            "status": "failed" if at % 400 == 0 else "succeeded", "version": 1, "request": "{}",
            "request_sha256": "", "data_sha256": "", "seed": at, "progress_done": 1,
            "progress_total": 1, "progress_unit": "losses",
            "created_at": START + timedelta(hours=at),
        }
        for at, identifier in enumerate(ids)
    ]  # fmt: skip
    labels = [
        {"evaluation_id": identifier, "key": key, "value": value}
        for at, identifier in enumerate(ids)
        for key, value in (COMMON, *((RARE,) if at % 200 == 0 else ()))
    ]
    with unit_of_work() as connection:
        connection.execute(sa.insert(EVALUATION), rows)
        connection.execute(sa.insert(EVALUATION_LABEL), labels)
        connection.execute(sa.text("ANALYZE"))
    return ids


@pytest.mark.parametrize("many", [1, 10**6])
def test_exact_a_page_is_the_same_however_many_have_the_label(
    database: str, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    ids = _store()
    monkeypatch.setattr(evaluations, "MANY_WITH_LABEL", many)

    def list_ids(filters: Filters, limit: int = 50) -> list[UUID]:
        with reading() as connection:
            return [row.id for row in list_page(connection, LOCAL_OWNER_ID, filters, None, limit)]

    assert list_ids(Filters(labels=(RARE,))) == [ids[400], ids[200], ids[0]]
    assert list_ids(Filters(labels=(RARE, COMMON), status="failed")) == [ids[400], ids[0]]
    assert list_ids(Filters(labels=(COMMON,)), limit=3) == [ids[599], ids[598], ids[597]]
    assert list_ids(Filters(labels=(RARE, ("run", "18")))) == []
    with reading() as connection:
        assert list_page(connection, uuid4(), Filters(labels=(RARE,)), None, 50) == []


@pytest.mark.parametrize(("many", "few_rows"), [(1, False), (10**6, True)])
def test_exact_a_rare_label_is_found_without_the_other_evaluations(
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    many: int,
    few_rows: bool,  # noqa: FBT001 - a table
) -> None:
    _store()
    monkeypatch.setattr(evaluations, "MANY_WITH_LABEL", many)
    with reading() as connection:
        page = select_page(connection, LOCAL_OWNER_ID, Filters(labels=(RARE,)), None, 50)
        if connection.dialect.name == "sqlite":
            plan = explain(connection, page)
            assert any("SEARCH evaluation USING" in line and "(id=?)" in line for line in plan) is (
                few_rows
            )
        elif few_rows:
            assert reads_few_rows(connection, page, EVALUATION, most=10)
