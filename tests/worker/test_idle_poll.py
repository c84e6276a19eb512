"""Work without messages, in the main thread of a process that waits for one."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest

from tests.service.jobs.evaluations import LONGEST_S, look, make_executor, submit_nap
from thetahat_worker import idle_poll
from thetahat_worker.idle_poll import IdlePoll

REPLACED = 7


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_poll, "PAUSE_S", 0.1)


@contextmanager
def polling() -> Iterator[IdlePoll]:
    executor = make_executor()
    executor.start()
    poll = IdlePoll(executor, REPLACED)
    poll.start()
    try:
        yield poll
    finally:
        poll.stop()
        executor.stop()


def wait_in_main_thread(seconds: float, evaluation_id: UUID | None = None) -> None:
    """Wait as a worker does for its next message, until an evaluation has succeeded."""
    assert threading.current_thread() is threading.main_thread()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.05)
        if evaluation_id is not None and look(evaluation_id).status == "succeeded":
            return


@pytest.mark.usefixtures("database")
def test_exact_queued_work_is_found_without_a_message() -> None:
    with polling():
        for evaluation_id in (submit_nap(seed=3), submit_nap(n_chunks=4, seed=3)):
            wait_in_main_thread(LONGEST_S, evaluation_id)
            assert look(evaluation_id).status == "succeeded"


@pytest.mark.usefixtures("sqlite")
def test_exact_a_process_that_starts_looks_for_work_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(idle_poll, "PAUSE_S", 2 * LONGEST_S)
    evaluation_id = submit_nap()
    with polling():
        wait_in_main_thread(LONGEST_S, evaluation_id)
    assert look(evaluation_id).status == "succeeded"


@pytest.mark.usefixtures("sqlite")
def test_exact_no_work_is_begun_while_a_message_is_handled() -> None:
    with polling() as poll:
        with poll.handle_message():
            evaluation_id = submit_nap()
            wait_in_main_thread(0.5)
            assert look(evaluation_id).status == "queued"
        wait_in_main_thread(LONGEST_S, evaluation_id)
    assert look(evaluation_id).status == "succeeded"


@pytest.mark.usefixtures("sqlite")
def test_exact_a_process_with_an_error_of_the_program_ends() -> None:
    submit_nap(fault="crash")
    with polling(), pytest.raises(SystemExit) as end:
        wait_in_main_thread(LONGEST_S)
    assert end.value.code == REPLACED
