"""Storing submissions: those that arrive together are stored in one transaction.

A transaction, its wait for the disk and its messages take as long for thirty evaluations as for
three. So a submission waits until the other requests that the event loop has received are checked
too, and those that come while a transaction waits for the disk are stored by the next one. No
request is answered before the transaction is committed. A single submission is stored at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from sqlalchemy.exc import IntegrityError

from thetahat_service.api.blocking_calls import write_database
from thetahat_service.jobs.submit import Submission, Submitted, submit, submit_all
from thetahat_service.process.batched_calls import PerEventLoop, resolve_futures

BATCH_SIZE: Final = 100
WaitingSubmission = tuple[Submission, "asyncio.Future[Submitted]"]


class SubmissionBatches:
    """The submissions that wait in one event loop to be stored."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: list[WaitingSubmission] = []
        self._is_scheduled = False
        self._storing: asyncio.Task[None] | None = None

    async def store(self, submission: Submission) -> Submitted:
        """Store a submission together with the others that wait, or raise why it cannot be."""
        future: asyncio.Future[Submitted] = self._loop.create_future()
        self._waiting.append((submission, future))
        self._schedule()
        return await future

    def _schedule(self) -> None:
        if self._waiting and not self._is_scheduled and self._storing is None:
            self._is_scheduled = True
            self._loop.call_soon(self._store_batch)

    def _store_batch(self) -> None:
        self._is_scheduled = False
        batch, self._waiting = self._waiting[:BATCH_SIZE], self._waiting[BATCH_SIZE:]
        self._storing = self._loop.create_task(self._store_in_thread(batch))

    async def _store_in_thread(self, batch: Sequence[WaitingSubmission]) -> None:
        try:
            submissions = [submission for submission, _ in batch]
            outcomes = await write_database(_store_with_fallback, submissions)
            resolve_futures([future for _, future in batch], outcomes)
        finally:
            self._storing = None
            self._schedule()


def _store_with_fallback(batch: Sequence[Submission]) -> Sequence[Submitted | Exception]:
    """Store a batch; if one of it breaks a constraint, store each by itself."""
    try:
        return submit_all(batch)
    except IntegrityError:
        return [_store_alone(submission) for submission in batch]
    except Exception as error:  # noqa: BLE001 - raised again in each request
        return [error] * len(batch)


def _store_alone(submission: Submission) -> Submitted | Exception:
    try:
        return submit(submission)
    except Exception as error:  # noqa: BLE001 - raised again in its request
        return error


_BATCHES: Final = PerEventLoop(SubmissionBatches)


async def store_submission(submission: Submission) -> Submitted:
    """Store a submission together with the others that wait, or raise why it cannot be."""
    return await _BATCHES.get().store(submission)
