"""Reading evaluations: on PostgreSQL, one query for all who ask at the same moment.

A query of one row costs a thread's turn, a connection's turn and a way to the server and back; a
query of thirty rows costs little more. While one is under way, those who come wait for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from service.api.calls import change
from service.jobs import read
from service.process.batched_calls import OfLoop, settle
from service.settings import is_sqlite
from service.storage.evaluations import EvaluationRow

MOST_TOGETHER: Final = 200
MOST_UNDER_WAY: Final = 2

Key = tuple[UUID, UUID]  # of the owner and of the evaluation
Waiting = tuple[Key, "asyncio.Future[EvaluationRow]"]


class Lookups:
    """All who ask in one event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Waiting] = []
        self._under_way: set[asyncio.Task[None]] = set()

    async def get(self, key: Key) -> EvaluationRow:
        """Return an owner's evaluation; ``ResourceNotFound`` when there is none of that id."""
        future: asyncio.Future[EvaluationRow] = self._loop.create_future()
        self._waiting.append((key, future))
        self._begin()
        return await future

    def _begin(self) -> None:
        if self._waiting and len(self._under_way) < MOST_UNDER_WAY:
            task = self._loop.create_task(self._look())
            self._under_way.add(task)
            task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._under_way.discard(task)
        self._begin()

    async def _look(self) -> None:
        group, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        if not group:  # the task before has taken all
            return
        found: Sequence[EvaluationRow | Exception]
        try:
            found = await change(read.get_some, [key for key, _ in group])
        except Exception as error:  # noqa: BLE001 - raised again where each of them waits
            found = [error] * len(group)
        settle([future for _, future in group], found)


_LOOKUPS: Final = OfLoop(Lookups)


async def look_up(owner_id: UUID, evaluation_id: UUID) -> EvaluationRow:
    """Return an owner's evaluation; ``ResourceNotFound`` when there is none of that id."""
    if is_sqlite():
        return read.get(owner_id, evaluation_id)
    return await _LOOKUPS.get().get((owner_id, evaluation_id))
