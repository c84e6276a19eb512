"""Reading evaluations; on PostgreSQL one query answers all requests that wait at the same time.

A query of one row takes a turn of a thread and of a connection and a round trip to the server; a
query of thirty rows takes little more. While queries run, new requests wait for the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from thetahat_service.api.blocking_calls import write_database
from thetahat_service.jobs import read
from thetahat_service.process.batched_calls import PerEventLoop, resolve_futures
from thetahat_service.settings import is_sqlite
from thetahat_service.storage.evaluations import EvaluationRow

BATCH_SIZE: Final = 200
MAX_QUERIES: Final = 2

OwnedId = tuple[UUID, UUID]
"""Ids of the owner and of the evaluation."""
WaitingRead = tuple[OwnedId, "asyncio.Future[EvaluationRow]"]


class BatchedReads:
    """The reads that wait in one event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[WaitingRead] = []
        self._queries: set[asyncio.Task[None]] = set()

    async def get(self, key: OwnedId) -> EvaluationRow:
        """Return an owner's evaluation, or raise ``ResourceNotFound``."""
        future: asyncio.Future[EvaluationRow] = self._loop.create_future()
        self._waiting.append((key, future))
        self._start_query()
        return await future

    def _start_query(self) -> None:
        if self._waiting and len(self._queries) < MAX_QUERIES:
            task = self._loop.create_task(self._query())
            self._queries.add(task)
            task.add_done_callback(self._finish_query)

    def _finish_query(self, task: asyncio.Task[None]) -> None:
        self._queries.discard(task)
        self._start_query()

    async def _query(self) -> None:
        batch, self._waiting = self._waiting[:BATCH_SIZE], self._waiting[BATCH_SIZE:]
        if not batch:  # the query before has read all of them
            return
        rows: Sequence[EvaluationRow | Exception]
        try:
            rows = await write_database(read.get_many, [key for key, _ in batch])
        except Exception as error:  # noqa: BLE001 - raised again in each request
            rows = [error] * len(batch)
        resolve_futures([future for _, future in batch], rows)


_BATCHED_READS: Final = PerEventLoop(BatchedReads)


async def read_evaluation(owner_id: UUID, evaluation_id: UUID) -> EvaluationRow:
    """Return an owner's evaluation, or raise ``ResourceNotFound``."""
    if is_sqlite():
        return read.get(owner_id, evaluation_id)
    return await _BATCHED_READS.get().get((owner_id, evaluation_id))
