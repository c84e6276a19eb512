"""The short form of ``make drills``, and whether it notices what was lost."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy as sa

from tests.drills.landings import count_lost, read_inventory, unpack
from tests.drills.upgrades import RUN
from tests.service.releases.test_earlier_releases import NEWEST
from tests.service.storage.databases import empty_sqlite
from thetahat_service.storage.unit_of_work import unit_of_work

__all__ = ["empty_sqlite"]

N_QUEUED: Final = 5


@pytest.mark.chaos
@pytest.mark.usefixtures("nothing_loaded_ahead")
@pytest.mark.parametrize("setup", sorted(RUN))
def test_exact_an_upgrade_loses_nothing(tmp_path: Path, setup: str) -> None:
    with closing(RUN[setup](tmp_path)) as drills:
        drill = next(drills)
    assert drill.name == f"upgrade from {NEWEST}"
    assert not drill.has_lost, drill.describe()


def test_exact_what_was_lost_is_counted(empty_sqlite: None, tmp_path: Path) -> None:
    unpack(NEWEST, tmp_path)
    before = read_inventory()
    assert len(before.open) == N_QUEUED
    lost = count_lost(before, read_inventory(), lambda _: True)
    assert lost == {"queued work": N_QUEUED, "results": 0, "data sets": 0, "unreadable": 0}

    gone, altered, hidden, *_ = sorted(before.results)
    with unit_of_work() as connection:
        for statement, identifier in (
            ("DELETE FROM evaluation_result WHERE evaluation_id = :id", gone),
            ("UPDATE evaluation_result SET body = '{}' WHERE evaluation_id = :id", altered),
        ):
            connection.execute(sa.text(statement), {"id": identifier.hex})
    lost = count_lost(before, read_inventory(), lambda address: str(hidden) not in address)
    assert (lost["results"], lost["unreadable"]) == (2, 2)
