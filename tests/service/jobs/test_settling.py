"""Uses of test sets and submissions to a Ladder are counted once, whoever records at once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import UUID

import numpy as np
import orjson
import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor
from thetahat.analyses.ladder import compute_ladder
from thetahat_service.jobs import cancel, datasets, read, settling
from thetahat_service.jobs.datasets import Upload, read_dataset_files
from thetahat_service.jobs.submit import prepare_submission, submit
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.states import UNFINISHED
from thetahat_service.storage import test_sets
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.overtaking import Overtaken
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import LADDER, TEST_SET_MODEL, TEST_SET_USE
from thetahat_service.storage.unit_of_work import reading
from thetahat_worker.compute import EvaluationOutput

N = 50
Y = [i % 2 for i in range(N)]


def upload(name: str = "y") -> UUID:
    """Store the true values as a data set."""
    content = "\n".join([name, *map(str, Y)]).encode() + b"\n"
    store = open_file_store()
    with store.open_upload() as file, store.open_upload() as table:
        file.write(content)
        digest = hashlib.sha256(content).hexdigest()
        sent = Upload(file, table, "text/csv", digest, len(content), None)
        row, _ = datasets.store_upload(LOCAL_OWNER_ID, sent)
    return row.id


def draw(seed: int) -> list[int]:
    """Return predictions that are wrong on a share of the rows that falls with the seed."""
    rng = np.random.default_rng(seed)
    wrong = rng.random(N) < 0.5 - 0.04 * seed
    return [value ^ int(is_wrong) for value, is_wrong in zip(Y, wrong, strict=True)]


def send(body: dict[str, Any]) -> UUID:
    request = JOB_KINDS[body["kind"]].request.model_validate(body)
    files = read_dataset_files(LOCAL_OWNER_ID, request.list_dataset_ids())
    return submit(prepare_submission(LOCAL_OWNER_ID, request, files)).evaluation_id


def compare(seed: int) -> dict[str, Any]:
    return {
        "kind": "predictions",
        "blocks": "holdout",
        "y": Y,
        "predictions": {"old": draw(0), f"new{seed}": draw(seed)},
        "loss": "zero_one",
    }


def enter(dataset: UUID, seed: int) -> dict[str, Any]:
    return {
        "kind": "ladder",
        "dataset": str(dataset),
        "columns": {"target": "y"},
        "predictions": {f"m{seed}": draw(seed)},
        "loss": "zero_one",
    }


def work_together(identifiers: Sequence[UUID]) -> None:
    """Let one worker for each evaluation compute it at the same time, until it has ended."""
    together = Barrier(len(identifiers))

    def work(identifier: UUID) -> None:
        worker = make_executor()
        together.wait()
        while look(identifier).status in UNFINISHED:  # a submission may wait for an earlier one
            worker.run((identifier, 0))

    with ThreadPoolExecutor(len(identifiers)) as pool:
        list(pool.map(work, identifiers))


def read_result(identifier: UUID) -> Any:
    return orjson.loads(read.get_result(LOCAL_OWNER_ID, identifier))


def count(identifier: UUID) -> int:
    n: int = read_result(identifier)["provenance"]["test_set"]["comparisons"]
    return n


def test_exact_many_workers_at_once_get_a_number_each(database: str) -> None:
    evaluations = [send(compare(seed)) for seed in range(1, 7)]
    work_together(evaluations)
    with reading() as connection:
        numbers = connection.scalars(sa.select(TEST_SET_USE.c.number)).all()
        models = connection.scalars(sa.select(TEST_SET_MODEL.c.name_sha256)).all()

    assert sorted(map(count, evaluations)) == sorted(numbers) == [1, 2, 3, 4, 5, 6]
    assert len(models) == 7


def test_exact_the_same_request_at_once_is_one_use(database: str) -> None:
    evaluations = [send(compare(1)) for _ in range(4)]
    work_together(evaluations)

    assert {count(each) for each in evaluations} == {1}


def test_exact_submissions_at_once_are_in_the_order_in_which_they_were_sent(database: str) -> None:
    dataset = upload()
    order = (3, 0, 5, 1, 2, 4)
    evaluations = {seed: send(enter(dataset, seed)) for seed in order}
    work_together(list(evaluations.values()))
    results = {seed: read_result(each) for seed, each in evaluations.items()}
    losses = [np.not_equal(draw(seed), Y).astype(float) for seed in order]
    with reading() as connection:
        board = connection.execute(sa.select(LADDER.c.submissions, LADDER.c.score)).one()

    assert [results[seed]["submissions"] for seed in order] == [1, 2, 3, 4, 5, 6]
    assert [results[seed]["score"] for seed in order] == compute_ladder(losses)
    assert (board.submissions, board.score) == (6, compute_ladder(losses)[-1])


def test_exact_the_same_submission_at_once_is_counted_each_time(database: str) -> None:
    """It is no new use of the data set, so that the Ladder alone orders it."""
    dataset = upload()
    evaluations = [send(enter(dataset, 1)) for _ in range(5)]
    assert make_executor().run((evaluations[0], 0))
    work_together(evaluations[1:])
    results = [read_result(each) for each in evaluations]

    assert sorted(each["submissions"] for each in results) == [1, 2, 3, 4, 5]
    assert [each["has_changed"] for each in results] == [True, False, False, False, False]
    assert {count(each) for each in evaluations} == {1}


def test_exact_a_worker_that_records_twice_counts_once(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer of the database is lost after the commit."""
    dataset = upload()
    evaluation = send(enter(dataset, 1))
    record, calls = EvaluationOutput.record, 0

    def record_and_lose(self: EvaluationOutput, claim: Any) -> bool:
        nonlocal calls
        calls += 1
        is_recorded = record(self, claim)
        if calls == 1:
            raise Overtaken
        return is_recorded

    monkeypatch.setattr(EvaluationOutput, "record", record_and_lose)
    make_executor().run((evaluation, 0))
    with reading() as connection:
        submissions = connection.scalars(sa.select(LADDER.c.submissions)).all()

    assert calls == 2
    assert (submissions, read_result(evaluation)["submissions"]) == ([1], 1)


def test_exact_a_submission_waits_for_an_earlier_one_of_its_data_set(database: str) -> None:
    dataset, other = upload(), upload("other")
    first = send({**enter(dataset, 1), "ladder": {"step": 0.1}})
    second, third = send(enter(dataset, 2)), send(enter(dataset, 3))
    elsewhere = {**enter(other, 1), "columns": {"target": "other"}}
    worker = make_executor()
    for each in (second, third, free := send(elsewhere)):
        worker.run((each, 0))
    assert [look(each).status for each in (second, third, free)] == [
        "running", "running", "succeeded",
    ]  # fmt: skip

    assert worker.run((first, 0))
    cancel.cancel(LOCAL_OWNER_ID, third)  # one that waits can be cancelled
    work_together([second])
    row = look(second)

    assert read_result(first)["submissions"] == 1
    assert row.status == "failed"  # the first one has fixed another rule
    assert row.error is not None
    assert row.error["code"] == "unsupported_combination"


def test_exact_a_submission_does_not_wait_for_one_that_was_cancelled(database: str) -> None:
    dataset = upload()
    first, second = send(enter(dataset, 1)), send(enter(dataset, 2))
    cancel.cancel(LOCAL_OWNER_ID, first)

    assert make_executor().run((second, 0))
    assert read_result(second)["submissions"] == 1


def test_exact_a_cancelled_evaluation_is_no_use(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = send(compare(1))
    settle = settling.settle

    def settle_late(*arguments: Any) -> Any:
        settled = settle(*arguments)
        cancel.cancel(LOCAL_OWNER_ID, evaluation)
        return settled

    monkeypatch.setattr("thetahat_worker.compute.settle", settle_late)
    make_executor().run((evaluation, 0))
    with reading() as connection:
        uses = connection.scalars(sa.select(TEST_SET_USE.c.number)).all()

    assert (look(evaluation).status, uses) == ("cancelled", [])


def test_exact_a_use_that_is_overtaken_is_stored_with_the_next_number(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = send(compare(1)), send(compare(2))
    insert, calls = test_sets.insert, 0

    def insert_late(*arguments: Any) -> None:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise Overtaken
        insert(*arguments)

    monkeypatch.setattr(test_sets, "insert", insert_late)
    make_executor().run((first, 0))
    make_executor().run((second, 0))

    assert (calls, count(first), count(second)) == (3, 1, 2)
