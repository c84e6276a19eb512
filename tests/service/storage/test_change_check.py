from __future__ import annotations

from contextlib import ExitStack

from tests.service.jobs.evaluations import submit_nap
from thetahat_service.storage import evaluations
from thetahat_service.storage.change_check import watch_for_changes
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.unit_of_work import reading, unit_of_work

MORE_THAN_THE_POOL_HAS = 20


def test_exact_a_commit_of_another_process_is_noticed_once(sqlite: None) -> None:
    with watch_for_changes() as may_have_changed:
        assert [may_have_changed() for _ in range(3)] == [True, False, False]
        submit_nap()
        assert [may_have_changed() for _ in range(2)] == [True, False]
        with unit_of_work():
            pass  # writes nothing
        assert not may_have_changed()
        with reading() as connection:
            assert evaluations.count_unfinished(connection, LOCAL_OWNER_ID) == 1
        assert not may_have_changed()


def test_exact_waiting_requests_hold_no_database_connection(sqlite: None) -> None:
    with ExitStack() as stack:
        asking = [stack.enter_context(watch_for_changes()) for _ in range(MORE_THAN_THE_POOL_HAS)]
        assert all(ask() for ask in asking)
        submit_nap()
        with reading() as connection:
            assert evaluations.count_unfinished(connection, LOCAL_OWNER_ID) == 1
        assert all(ask() for ask in asking)
