"""Waiting for changes of evaluations: one query for all requests that wait in this process.

The pauses between queries grow with the time for which the newest request waits. A request for the
next change of an evaluation that is computed counts from the start of the evaluation: a client that
asks again after each of many changes does not begin with the shortest pauses each time.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from thetahat_service.process.batched_calls import PerEventLoop
from thetahat_service.settings import is_sqlite
from thetahat_service.states import FINISHED
from thetahat_service.storage import evaluations
from thetahat_service.storage.change_check import watch_for_changes
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.unit_of_work import reading

FIRST_PAUSE_S = 0.003
FIRST_SQLITE_PAUSE_S = 0.001  # most checks take microseconds
LONGEST_PAUSE_S = 0.25
GROWTH = 0.04  # the pause as a fraction of the time for which the newest request waits
SQLITE_GROWTH = 0.02


@dataclass(eq=False)
class _Waiter:
    evaluation_id: UUID
    version: int | None  # None: wait for the end
    future: asyncio.Future[bool]
    since: float  # by the monotonic clock
    is_new: bool = True  # not checked yet

    def is_over(self, state: tuple[int, str] | None) -> bool:
        """Return whether this version and status end the wait; deletion ends it too."""
        if state is None:
            return True
        version, status = state
        return status in FINISHED or (self.version is not None and version > self.version)


class ChangeWatcher:
    """The requests that wait for a change in one event loop."""

    def __init__(self) -> None:
        self._waiters: set[_Waiter] = set()
        self._task: asyncio.Task[None] | None = None

    async def wait(
        self, evaluation_id: UUID, version: int | None, timeout_s: float, waited_s: float = 0.0
    ) -> bool:
        """Wait for a higher version, or for the end; False after the timeout."""
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        waiter = _Waiter(evaluation_id, version, future, time.monotonic() - waited_s)
        self._waiters.add(waiter)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._poll())
        try:
            return await asyncio.wait_for(waiter.future, timeout_s)
        except TimeoutError:
            return False
        finally:
            self._waiters.discard(waiter)

    async def _poll(self) -> None:
        """Check for changes, with pauses between the checks, until no request waits."""
        try:
            with watch_for_changes() as may_have_changed:
                while self._waiters:
                    if may_have_changed() or any(waiter.is_new for waiter in self._waiters):
                        await self._check_once()
                    await asyncio.sleep(self._compute_pause())
        except Exception as error:  # noqa: BLE001 - it is raised in each waiting request
            self._pass_on_error(error)

    async def _check_once(self) -> None:
        """Check for all requests that wait now; those that come meanwhile are checked next time."""
        waiters = list(self._waiters)
        ids = list({waiter.evaluation_id for waiter in waiters})
        # A query of SQLite takes less time than handing it to a thread.
        states = (
            _read_versions(ids) if is_sqlite() else await asyncio.to_thread(_read_versions, ids)
        )
        for waiter in waiters:
            waiter.is_new = False
            if waiter.is_over(states.get(waiter.evaluation_id)):
                self._waiters.discard(waiter)
                if not waiter.future.done():
                    waiter.future.set_result(True)

    def _pass_on_error(self, error: Exception) -> None:
        """Raise an error in each waiting request, and forget the requests."""
        for waiter in self._waiters:
            if not waiter.future.done():
                waiter.future.set_exception(error)
        self._waiters.clear()

    def _compute_pause(self) -> float:
        """Return the pause before the next check."""
        now = time.monotonic()
        age = min((now - waiter.since for waiter in self._waiters), default=0.0)
        first, growth = FIRST_PAUSE_S, GROWTH
        if is_sqlite():
            first, growth = FIRST_SQLITE_PAUSE_S, SQLITE_GROWTH
        return min(max(first, growth * age), LONGEST_PAUSE_S)


def _read_versions(ids: list[UUID]) -> dict[UUID, tuple[int, str]]:
    with reading() as connection:
        return evaluations.list_versions(connection, ids)


_WATCHERS: Final = PerEventLoop(ChangeWatcher)


async def wait_for_change(row: EvaluationRow, timeout_s: float) -> bool:
    """Wait until the evaluation has a higher version, has ended or was deleted.

    False after the timeout. The caller checks that the owner may see the evaluation.
    """
    begin = row.started_at or row.created_at
    waited_s = max(0.0, (datetime.now(UTC) - begin).total_seconds())
    return await _WATCHERS.get().wait(row.id, row.version, timeout_s, waited_s)


async def wait_for_end(evaluation_id: UUID, timeout_s: float) -> bool:
    """Wait until the evaluation has ended or was deleted; False after the timeout."""
    return await _WATCHERS.get().wait(evaluation_id, None, timeout_s)
