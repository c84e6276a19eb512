"""Requests that wait at the same time are answered by one query, each with its evaluation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest

from tests.service.jobs.evaluations import submit_nap
from thetahat_service.api import batched_reads
from thetahat_service.errors import ResourceNotFound
from thetahat_service.jobs import read
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.owners import LOCAL_OWNER_ID

Key = tuple[UUID, UUID]


def look(*keys: Key) -> Sequence[EvaluationRow | BaseException]:
    async def together() -> Sequence[EvaluationRow | BaseException]:
        reads = batched_reads.BatchedReads()
        return await asyncio.gather(*(reads.get(key) for key in keys), return_exceptions=True)

    return asyncio.run(together())


def test_naive_the_answers_are_those_of_one_query_each() -> None:
    ids = [submit_nap(), submit_nap(name="x", labels={"a": "1", "b": "2"})]

    assert look(*((LOCAL_OWNER_ID, i) for i in ids)) == [read.get(LOCAL_OWNER_ID, i) for i in ids]


def test_exact_resources_of_another_or_no_owner_are_not_found() -> None:
    mine = submit_nap()
    rows = look((LOCAL_OWNER_ID, mine), (uuid4(), mine), (LOCAL_OWNER_ID, uuid4()))

    assert [type(row) for row in rows] == [EvaluationRow, ResourceNotFound, ResourceNotFound]


def test_exact_one_query_answers_all_who_came_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = []

    def counted(keys: Sequence[Key]) -> Sequence[EvaluationRow | ResourceNotFound]:
        groups.append(len(keys))
        return get_many(keys)

    get_many = read.get_many
    monkeypatch.setattr(read, "get_many", counted)
    mine = submit_nap()
    assert len(look(*[(LOCAL_OWNER_ID, mine)] * 20)) == 20
    assert len(groups) <= 3
    assert sum(groups) == 20


def test_exact_a_fault_is_raised_in_every_waiting_request(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(read, "get_many", fail)
    rows = look((LOCAL_OWNER_ID, uuid4()), (LOCAL_OWNER_ID, uuid4()))

    assert [type(row) for row in rows] == [RuntimeError, RuntimeError]
