"""Storing what came in: together in one transaction what came together.

A transaction and its messages cost as much for thirty evaluations as for three. So a request waits
until the others that the event loop has at hand are checked too; nobody is answered before the
transaction is committed. Alone, a request is stored at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from sqlalchemy.exc import IntegrityError, OperationalError

from service.api.calls import change
from service.jobs.submit import Submission, Submitted, submit, submit_all
from service.process.batched_calls import OfLoop, settle
from service.settings import is_sqlite

MOST_TOGETHER: Final = 100
Waiting = tuple[Submission, "asyncio.Future[Submitted]"]


class Intake:
    """All that is to be stored in one event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Waiting] = []
        self._is_called = False
        self._storing: asyncio.Task[None] | None = None

    async def store(self, submission: Submission) -> Submitted:
        """Store a submission together with what else is waiting; a refusal of it is raised."""
        future: asyncio.Future[Submitted] = self._loop.create_future()
        self._waiting.append((submission, future))
        self._call()
        return await future

    def _call(self) -> None:
        if self._waiting and not self._is_called and self._storing is None:
            self._is_called = True
            self._loop.call_soon(self._begin)

    def _begin(self) -> None:
        """Store here and now where nobody else is writing to SQLite, else in a thread."""
        self._is_called = False
        group, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        if is_sqlite():
            with suppress(OperationalError, IntegrityError):
                _hand_out(group, _together([one for one, _ in group], hurried=True))
                self._call()
                return
        self._storing = self._loop.create_task(self._in_thread(group))

    async def _in_thread(self, group: Sequence[Waiting]) -> None:
        try:
            _hand_out(group, await change(_stored, [one for one, _ in group]))
        finally:
            self._storing = None
            self._call()


def _stored(group: Sequence[Submission]) -> Sequence[Submitted | Exception]:
    """Store a group with patience; where one of it breaks a constraint, each by itself."""
    try:
        return _together(group, hurried=False)
    except OperationalError as error:
        return [error] * len(group)
    except IntegrityError:
        return [_alone(one) for one in group]


def _together(group: Sequence[Submission], *, hurried: bool) -> Sequence[Submitted | Exception]:
    try:
        return submit_all(group, hurried=hurried)
    except (OperationalError, IntegrityError):
        raise
    except Exception as error:  # noqa: BLE001 - raised again where each of them waits
        return [error] * len(group)


def _alone(submission: Submission) -> Submitted | Exception:
    try:
        return submit(submission)
    except Exception as error:  # noqa: BLE001 - raised again where it waits
        return error


def _hand_out(group: Sequence[Waiting], outcomes: Sequence[Submitted | Exception]) -> None:
    settle([future for _, future in group], outcomes)


_INTAKES: Final = OfLoop(Intake)


def intake() -> Intake:
    """Return the running event loop's."""
    return _INTAKES.get()
