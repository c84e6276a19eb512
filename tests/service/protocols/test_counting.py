"""What names a protocol is counted once, whoever submits at once; and clocks that differ."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
import sqlalchemy as sa

from tests.service.storage.databases import Setting
from thetahat_service.errors import InvalidRequest, ProtocolInUse, ResourceNotFound
from thetahat_service.jobs import read, retention
from thetahat_service.jobs.submit import Submission, Submitted, prepare_submission, submit_all
from thetahat_service.kinds.losses.request import LossesRequest
from thetahat_service.protocols import keeping
from thetahat_service.protocols.request import ProtocolRequest
from thetahat_service.settings import get_settings
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.protocols import ROWS, ProtocolRow
from thetahat_service.storage.tables import AUDIT_ENTRY, EVALUATION, PROTOCOL
from thetahat_service.storage.unit_of_work import reading, unit_of_work


def fix(**fields: Any) -> ProtocolRow:
    request = ProtocolRequest.model_validate({"margin": 0.1, **fields})
    return keeping.create(LOCAL_OWNER_ID, request, None, "")[0]


def prepare(protocol_id: UUID, loss: int = 0) -> Submission:
    """Return a submission that names a protocol; its data are those of the loss."""
    losses = {"a": [[0, 1, loss]], "b": [[1, 1, 0]]}
    body = {"blocks": "holdout", "losses": losses, "margin": 0.1, "protocol": protocol_id}
    return prepare_submission(LOCAL_OWNER_ID, LossesRequest.model_validate(body), {})


def look(outcome: object) -> Any:
    """Return how a stored evaluation follows its protocol."""
    assert isinstance(outcome, Submitted)
    return read.get(LOCAL_OWNER_ID, outcome.evaluation_id).protocol


def move(table: sa.Table, identifier: UUID, **values: object) -> None:
    with unit_of_work() as connection:
        connection.execute(sa.update(table).where(table.c.id == identifier).values(**values))


def test_exact_submissions_at_once_have_numbers_of_their_own(database: str) -> None:
    """Batches name two protocols in opposite orders, and wait for each other in one order."""
    first, second = fix().id, fix().id
    together = Barrier(4)

    def work(client: int) -> Sequence[object]:
        ids = (first, second) if client % 2 else (second, first)
        batches = [[prepare(each, client) for each in ids] for _ in range(5)]
        together.wait()
        return [outcome for batch in batches for outcome in submit_all(batch)]

    with ThreadPoolExecutor(4) as pool:
        outcomes = [look(each) for done in pool.map(work, range(4)) for each in done]

    for protocol_id in (first, second):
        numbers = [each["number"] for each in outcomes if each["id"] == str(protocol_id)]
        assert sorted(numbers) == list(range(1, 21))
        assert ROWS.fetch(LOCAL_OWNER_ID, protocol_id).evaluations == 20


def test_exact_data_of_an_hour_ahead_were_there_before(database: str) -> None:
    """The clock of the process that received the data is ahead of the database's."""
    early = submit_all([prepare(fix().id)])[0]
    assert isinstance(early, Submitted)
    ahead = datetime.now(UTC) + timedelta(hours=1)
    move(EVALUATION, early.evaluation_id, created_at=ahead)
    protocol = fix()
    same, other = submit_all([prepare(protocol.id), prepare(protocol.id, 1)])

    assert protocol.created_at == ahead
    assert (look(same)["fixed"], look(other)["fixed"]) == ("after_data", "before_data")


def test_exact_the_time_is_that_of_the_database(database: str) -> None:
    before = datetime.now(UTC)
    made = fix().created_at

    assert before - timedelta(seconds=1) <= made <= datetime.now(UTC) + timedelta(seconds=1)


def test_exact_a_protocol_that_is_deleted_meanwhile_refuses_one_alone(database: str) -> None:
    kept, gone = fix().id, fix().id
    batch = [prepare(kept), prepare(gone), prepare(kept)]
    keeping.delete(LOCAL_OWNER_ID, gone)
    outcomes = submit_all(batch)

    assert isinstance(outcomes[1], InvalidRequest)
    assert [look(each)["number"] for each in (outcomes[0], outcomes[2])] == [1, 2]
    with pytest.raises(ProtocolInUse):
        keeping.delete(LOCAL_OWNER_ID, kept)
    with pytest.raises(InvalidRequest, match="There is no protocol"):
        prepare(gone)


def test_exact_retention_deletes_what_was_withdrawn_long_ago_and_is_not_named(
    database: str, setting: Setting
) -> None:
    setting(keep_results_days=7)
    old, named, new, in_force = (fix().id for _ in range(4))
    submit_all([prepare(named)])
    for each in (old, named, new):
        keeping.withdraw(LOCAL_OWNER_ID, each, "no data")
    for each in (old, named):
        move(PROTOCOL, each, withdrawn_at=datetime.now(UTC) - timedelta(days=8))

    removed = retention.remove_expired(get_settings())

    listed, _ = ROWS.list_page(LOCAL_OWNER_ID, None, 10)
    assert removed.protocols == 1
    assert {row.id for row in listed} == {named, new, in_force}
    with pytest.raises(ResourceNotFound, match="There is no protocol"):
        ROWS.fetch(LOCAL_OWNER_ID, old)
    with reading() as connection:
        statement = sa.select(AUDIT_ENTRY.c.action).where(AUDIT_ENTRY.c.subject == str(old))
        actions = connection.scalars(statement).all()
    assert sorted(actions) == ["protocol.create", "protocol.delete", "protocol.withdraw"]
