"""Submissions that arrive together are stored together, and each has its own outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest

from tests.service.api.conftest import Key
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import SleepRequest
from thetahat_service.api import submission_batches
from thetahat_service.errors import IdempotencyMismatch, InvalidRequest, TooManyJobs
from thetahat_service.jobs import read
from thetahat_service.jobs.submit import Submission, Submitted, prepare_submission, submit_all
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.storage.evaluations import Filters
from thetahat_service.storage.owners import LOCAL_OWNER_ID


def nap(key: str | None = None, fingerprint: str = "", *, gone: bool = False) -> Submission:
    missing = DatasetFile(uuid4(), "ab" * 32, "text/csv", 1, [], {})
    data = {missing.id: missing} if gone else {}
    return prepare_submission(LOCAL_OWNER_ID, SleepRequest(kind="sleeping"), data, key, fingerprint)


def store(*submissions: Submission) -> Sequence[Submitted | BaseException]:
    async def together() -> Sequence[Submitted | BaseException]:
        each = (submission_batches.store_submission(submission) for submission in submissions)
        return await asyncio.gather(*each, return_exceptions=True)

    return asyncio.run(together())


def stored() -> set[object]:
    return {row.id for row in read.list_evaluations(LOCAL_OWNER_ID, Filters(), None, 100)[0]}


def test_exact_what_comes_together_is_one_transaction(
    monkeypatch: pytest.MonkeyPatch, sent: list[Key]
) -> None:
    groups = []

    def counted(group: Sequence[Submission]) -> object:
        groups.append(len(group))
        return submit_all(group)

    monkeypatch.setattr(submission_batches, "submit_all", counted)
    monkeypatch.setattr(submission_batches, "BATCH_SIZE", 4)
    outcomes = store(*(nap() for _ in range(6)))

    identifiers = [outcome.evaluation_id for outcome in outcomes if isinstance(outcome, Submitted)]
    assert groups == [4, 2]
    assert sent == [(identifier, 0) for identifier in identifiers]
    assert stored() == set(identifiers)
    assert len(identifiers) == 6


def test_exact_a_clash_refuses_one_alone() -> None:
    good, bad, other = store(nap(), nap(gone=True), nap())

    assert isinstance(bad, InvalidRequest)
    assert isinstance(good, Submitted)
    assert isinstance(other, Submitted)
    assert stored() == {good.evaluation_id, other.evaluation_id}


def test_exact_one_key_in_one_group_makes_one_evaluation() -> None:
    first, again, mismatch = store(nap("k", "f"), nap("k", "f"), nap("k", "g"))

    assert isinstance(first, Submitted)
    assert isinstance(again, Submitted)
    assert first.evaluation_id == again.evaluation_id
    assert (first.replayed, again.replayed) == (False, True)
    assert isinstance(mismatch, IdempotencyMismatch)
    assert stored() == {first.evaluation_id}


def test_exact_the_limit_holds_within_a_group(setting: Setting) -> None:
    setting(max_unfinished=3)
    outcomes = store(*(nap() for _ in range(5)))

    assert [isinstance(outcome, TooManyJobs) for outcome in outcomes] == [False] * 3 + [True] * 2
    assert len(stored()) == 3


def test_exact_a_fault_is_raised_in_every_waiting_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(submission_batches, "submit_all", fail)

    assert [type(outcome) for outcome in store(nap(), nap())] == [RuntimeError, RuntimeError]
