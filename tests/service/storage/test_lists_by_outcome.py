from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.cases import case
from tests.service.storage.query_plans import reads_few_rows
from thetahat_service.storage import evaluations
from thetahat_service.storage.evaluations import UNSIGNED, Filters, list_page, select_page
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, SIGN_OFF
from thetahat_service.storage.unit_of_work import reading, unit_of_work

N = 600
START = datetime(2026, 1, 1, tzinfo=UTC)
DECISIONS = {0: ["approved"], 200: ["approved", "rejected"], 400: ["rejected", "approved"]}
"""Sign-offs by evaluation, the newest last."""


def _store() -> list[UUID]:
    """Store evaluations, newest last: few are better, and few have a gate that failed."""
    ids = [uuid4() for _ in range(N)]
    rows = [
        {
            "id": identifier, "owner_id": LOCAL_OWNER_ID, "kind": "losses", "status": "succeeded",
            "name": f"100% Run_{at}", "version": 1, "request": "{}", "request_sha256": "",
            "data_sha256": "", "seed": at, "progress_done": 1, "progress_total": 1,
            "progress_unit": "losses", "created_at": START + timedelta(hours=at),
            "verdict": "better" if at % 200 == 0 else "undecided",
            "gate": "fail" if at == 400 else None,
        }
        for at, identifier in enumerate(ids)
    ]  # fmt: skip
    signed = [
        {
            "id": uuid4(), "evaluation_id": ids[at], "at": START + timedelta(minutes=i),
            "name": "Ann", "owner": "local", "actor": "local", "decision": decision,
            "comment": "", "result_sha256": "0" * 64,
        }
        for at, decisions in DECISIONS.items()
        for i, decision in enumerate(decisions)
    ]  # fmt: skip
    with unit_of_work() as connection:
        connection.execute(sa.insert(EVALUATION), rows)
        connection.execute(sa.insert(SIGN_OFF), signed)
        connection.execute(sa.text("ANALYZE"))
    return ids


@pytest.mark.parametrize("many", [1, 10**6])
def test_exact_pages_by_outcome(database: str, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    ids = _store()
    monkeypatch.setattr(evaluations, "MANY_WITH_LABEL", many)
    expected = {
        Filters(verdict="better"): [400, 200, 0],
        Filters(verdict="better", gate="fail"): [400],
        Filters(verdict="mixed"): [],
        Filters(sign_off="approved"): [400, 0],
        Filters(sign_off="rejected"): [200],
        Filters(sign_off="needs_changes"): [],
        Filters(sign_off=UNSIGNED, verdict="better"): [],
        Filters(name="run_40"): [409, 408, 407, 406, 405, 404, 403, 402, 401, 400, 40],
        Filters(name="0% RUN_599"): [599],
        Filters(name="100_"): [],  # no wildcard
    }
    with reading() as connection:
        for filters, wanted in expected.items():
            with case(filters):
                rows = list_page(connection, LOCAL_OWNER_ID, filters, None, 50)
                assert [row.id for row in rows] == [ids[at] for at in wanted]
        (newest,) = list_page(connection, LOCAL_OWNER_ID, Filters(gate="fail"), None, 2)
        assert (newest.verdict, newest.gate, newest.sign_off) == ("better", "fail", "approved")
        unsigned = list_page(connection, LOCAL_OWNER_ID, Filters(sign_off=UNSIGNED), None, 200)
        assert [row.id for row in unsigned] == [
            ids[at] for at in range(N - 1, 0, -1) if at not in DECISIONS
        ][:200]
        assert list_page(connection, uuid4(), Filters(verdict="better"), None, 9) == []


def test_exact_rare_outcomes_are_found_by_an_index(database: str) -> None:
    _store()
    with reading() as connection:
        for filters in (
            Filters(verdict="better"),
            Filters(gate="fail"),
            Filters(sign_off="approved"),
        ):
            with case(filters):
                page = select_page(connection, LOCAL_OWNER_ID, filters, None, 50)
                assert reads_few_rows(connection, page, EVALUATION, most=10)
