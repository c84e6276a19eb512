"""Waiting for a change: one look at the database for all who wait in this process."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from service.process.batched_calls import OfLoop
from service.settings import is_sqlite
from service.states import FINISHED
from service.storage import evaluations
from service.storage.changes import changes
from service.storage.unit_of_work import reading

FIRST_PAUSE_S = 0.003
FIRST_SQLITE_PAUSE_S = 0.001  # where most looks are a question of some microseconds
LONGEST_PAUSE_S = 0.25
GROWTH = 0.04  # the pause is so much of the age of whoever came last
SQLITE_GROWTH = 0.02


@dataclass(eq=False)
class _Waiter:
    evaluation_id: UUID
    version: int | None  # None waits for the end
    seen: asyncio.Future[bool]
    since: float = field(default_factory=time.monotonic)
    is_new: bool = True  # nobody has looked for it yet

    def is_met(self, found: tuple[int, str] | None) -> bool:
        """Tell whether what was found ends the waiting; a deleted evaluation does."""
        if found is None:
            return True
        version, status = found
        return status in FINISHED or (self.version is not None and version > self.version)


class Watcher:
    """All who wait in one event loop."""

    def __init__(self) -> None:
        self._waiters: set[_Waiter] = set()
        self._task: asyncio.Task[None] | None = None

    async def wait(self, evaluation_id: UUID, version: int | None, timeout_s: float) -> bool:
        """Wait for a version above the given one, or for the end; False when time is up."""
        waiter = _Waiter(evaluation_id, version, asyncio.get_running_loop().create_future())
        self._waiters.add(waiter)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            return await asyncio.wait_for(waiter.seen, timeout_s)
        except TimeoutError:
            return False
        finally:
            self._waiters.discard(waiter)

    async def _look(self) -> None:
        try:
            with changes() as may_have_changed:
                while self._waiters:
                    if may_have_changed() or any(waiter.is_new for waiter in self._waiters):
                        await self._look_once()
                    await asyncio.sleep(self._pause())
        except Exception as error:  # noqa: BLE001 - handed to those who wait
            self._fail(error)

    async def _look_once(self) -> None:
        """Look for all who wait now; whoever comes meanwhile is looked for the next time."""
        looking = list(self._waiters)
        ids = list({waiter.evaluation_id for waiter in looking})
        # A look at SQLite takes less than handing it to a thread.
        found = _versions(ids) if is_sqlite() else await asyncio.to_thread(_versions, ids)
        for waiter in looking:
            waiter.is_new = False
            if waiter.is_met(found.get(waiter.evaluation_id)):
                self._waiters.discard(waiter)
                if not waiter.seen.done():
                    waiter.seen.set_result(True)

    def _fail(self, error: Exception) -> None:
        for waiter in self._waiters:
            if not waiter.seen.done():
                waiter.seen.set_exception(error)
        self._waiters.clear()

    def _pause(self) -> float:
        now = time.monotonic()
        age = min((now - waiter.since for waiter in self._waiters), default=0.0)
        first, growth = FIRST_PAUSE_S, GROWTH
        if is_sqlite():
            first, growth = FIRST_SQLITE_PAUSE_S, SQLITE_GROWTH
        return min(max(first, growth * age), LONGEST_PAUSE_S)


def _versions(ids: list[UUID]) -> dict[UUID, tuple[int, str]]:
    with reading() as connection:
        return evaluations.versions(connection, ids)


_WATCHERS: Final = OfLoop(Watcher)


async def wait_for_change(evaluation_id: UUID, version: int, timeout_s: float) -> bool:
    """Wait until the version is above the given one or the evaluation has ended or is gone.

    False when nothing changed in that time. Ask for the owner's right to see it first.
    """
    return await _WATCHERS.get().wait(evaluation_id, version, timeout_s)


async def wait_for_end(evaluation_id: UUID, timeout_s: float) -> bool:
    """Wait until the evaluation has ended or is gone; False when it has not in that time."""
    return await _WATCHERS.get().wait(evaluation_id, None, timeout_s)
