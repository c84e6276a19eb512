from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, submit_nap, units
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import SleepRequest
from thetahat.seeds import derive_seed
from thetahat_service.broker import queue
from thetahat_service.errors import IdempotencyMismatch, InvalidRequest, TooManyJobs
from thetahat_service.jobs import read
from thetahat_service.jobs.submit import prepare_submission, submit
from thetahat_service.json_encoding import encode_json
from thetahat_service.json_types import ColumnDescription
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.losses.request import LossesRequest
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import DATASET, EVALUATION, EVALUATION_DATASET
from thetahat_service.storage.unit_of_work import reading, unit_of_work


def _count() -> int:
    with reading() as connection:
        return connection.scalars(sa.select(sa.func.count()).select_from(EVALUATION)).one()


def _data_set(sha256: str = "ab" * 32) -> DatasetFile:
    identifier = uuid4()
    columns: list[ColumnDescription] = [{"name": "x", "type": "float"}]
    with unit_of_work() as connection:
        connection.execute(
            sa.insert(DATASET).values(
                id=identifier,
                owner_id=LOCAL_OWNER_ID,
                sha256=sha256,
                media_type="text/csv",
                bytes=1,
                rows=1,
                columns=columns,
                details={},
                created_at=datetime.now(UTC),
            )
        )
    return DatasetFile(identifier, sha256, "text/csv", 1, columns, {})


def test_exact_a_submission_is_stored_whole(database: str) -> None:
    request = SleepRequest(kind="sleeping", name="first", labels={"a": "1", "b": "2"}, n_chunks=3)
    submitted = submit(prepare_submission(LOCAL_OWNER_ID, request, {}))
    row = look(submitted.evaluation_id)
    assert not submitted.replayed
    assert (row.kind, row.name, row.status, row.version) == ("sleeping", "first", "queued", 1)
    assert row.labels == {"a": "1", "b": "2"}
    assert (row.progress_done, row.progress_total) == (0, None)
    canonical = '{"kind":"sleeping","n_chunks":3}'
    assert row.request_sha256 == hashlib.sha256(canonical.encode()).hexdigest()
    assert row.seed == derive_seed(row.request_sha256, row.data_sha256)
    assert [(u.number, u.stage, u.state) for u in units(row.id)] == [(0, "start", "queued")]
    assert [e.type for e in read.list_events(LOCAL_OWNER_ID, row.id)] == ["queued"]


@pytest.mark.parametrize(
    "body",
    [
        {"seed": 3, "losses": {"b": [[0, 1.5], [1e300, -2]], "a": [[0, 1], [1, 0]]}, "level": 0.9},
        {"blocks": "source", "losses": {"a": [0, 1, 1]}, "block": ["x", "y", "y"], "name": "n"},
        {
            "split_scores": {"a": [0.5, 1]},
            "better": "lower",
            "tests": [{"name": "sign", "as": "s"}],
            "n_test": [9, 8],
        },
    ],
)
def test_naive_lists_are_written_as_they_would_be_copied(body: dict[str, Any]) -> None:
    request = LossesRequest.model_validate({"kind": "losses", **body})
    copied = request.model_dump(
        mode="json", by_alias=True, exclude={"name", "labels", "seed"}, exclude_unset=True
    )
    assert encode_json(request.build_canonical()) == encode_json(copied)


def test_exact_name_and_labels_do_not_change_the_numbers(sqlite: None) -> None:
    first, other = submit_nap(n_chunks=2), submit_nap(n_chunks=2, name="x", labels={"a": "b"})
    assert look(first).seed == look(other).seed
    assert look(submit_nap(n_chunks=3)).seed != look(first).seed
    assert look(submit_nap(n_chunks=2, seed=2**63 - 1)).seed == 2**63 - 1


def test_exact_data_sets_are_linked_and_enter_the_digest(sqlite: None) -> None:
    first, second = _data_set("ab" * 32), _data_set("cd" * 32)
    request = SleepRequest(kind="sleeping")
    identifier = submit(
        prepare_submission(LOCAL_OWNER_ID, request, {first.id: first})
    ).evaluation_id
    both = submit(
        prepare_submission(LOCAL_OWNER_ID, request, {first.id: first, second.id: second})
    ).evaluation_id
    assert look(identifier).data_sha256 == first.sha256
    joined = f"{first.sha256}\n{second.sha256}"
    assert look(both).data_sha256 == hashlib.sha256(joined.encode()).hexdigest()
    with reading() as connection:
        links = connection.scalars(
            sa.select(EVALUATION_DATASET.c.dataset_id).where(
                EVALUATION_DATASET.c.evaluation_id == both
            )
        )
        assert set(links) == {first.id, second.id}


def test_invalid_a_data_set_that_was_deleted_meanwhile(database: str) -> None:
    gone = DatasetFile(uuid4(), "ab" * 32, "text/csv", 1, [], {})
    with pytest.raises(InvalidRequest, match="was deleted"):
        submit(prepare_submission(LOCAL_OWNER_ID, SleepRequest(kind="sleeping"), {gone.id: gone}))
    assert _count() == 0


@pytest.mark.parametrize("fields", [{"name": "a\0"}, {"labels": {"a": "\0"}}])
def test_invalid_nul_is_refused_with_its_place(sqlite: None, fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match="NUL") as refusal:
        submit_nap(**fields)
    assert refusal.value.errors[0].loc[0] in fields


def test_exact_the_same_key_and_request_give_the_first_evaluation(sqlite: None) -> None:
    request = SleepRequest(kind="sleeping")
    first = submit(prepare_submission(LOCAL_OWNER_ID, request, {}, "key", "f1"))
    again = submit(prepare_submission(LOCAL_OWNER_ID, request, {}, "key", "f1"))
    assert (again.evaluation_id, again.replayed) == (first.evaluation_id, True)
    with pytest.raises(IdempotencyMismatch, match="'key' was used"):
        submit(prepare_submission(LOCAL_OWNER_ID, request, {}, "key", "f2"))
    assert _count() == 1


def test_property_racing_requests_with_one_key_make_one_evaluation(database: str) -> None:
    request, racers = SleepRequest(kind="sleeping"), 16
    barrier = threading.Barrier(racers)

    def race(_: int) -> UUID:
        barrier.wait()
        return submit(prepare_submission(LOCAL_OWNER_ID, request, {}, "key", "f")).evaluation_id

    with ThreadPoolExecutor(racers) as pool:
        assert len(set(pool.map(race, range(racers)))) == 1
    assert _count() == 1


def test_exact_a_full_queue_is_refused_and_nothing_is_stored(
    sqlite: None, setting: Setting
) -> None:
    setting(max_unfinished=2)
    submit_nap()
    submit_nap()
    with pytest.raises(TooManyJobs, match="2 evaluations are unfinished") as refusal:
        submit_nap()
    assert refusal.value.retry_after is not None
    assert _count() == 2


def test_degenerate_a_broker_that_is_away_is_no_error_and_costs_little(
    sqlite: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked once, and then not again before the pause is over."""
    asked: list[object] = []
    publish = queue._publish

    def count(name: str, keys: Sequence[tuple[UUID, int]]) -> None:
        asked.append(keys)
        publish(name, keys)

    monkeypatch.setattr(queue, "PAUSE_AFTER_FAILURE_S", 600.0)
    monkeypatch.setattr(queue, "_publish", count)
    for _ in range(20):
        submit_nap()
    assert len(asked) == 1
    assert _count() == 20
