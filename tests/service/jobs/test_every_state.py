"""Whatever happens in whatever order, every evaluation comes to an end, with the right numbers."""

from __future__ import annotations

import random
from uuid import UUID, uuid4

import orjson
import pytest
import sqlalchemy as sa

from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.storage.databases import Setting
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.broker import queue
from thetahat_service.jobs import read, sweep
from thetahat_service.jobs.cancel import cancel
from thetahat_service.settings import get_settings
from thetahat_service.storage import unit_queue
from thetahat_service.storage import units as unit_table
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import EVALUATION, UNIT
from thetahat_service.storage.unit_of_work import reading, unit_of_work

N_CHUNKS = 4
STEPS = 60


@pytest.mark.parametrize("seed", range(4))
def test_property_every_state_has_a_bounded_exit(
    database: str, setting: Setting, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    setting(max_attempts=100)
    monkeypatch.setattr(queue, "enqueue", _lose)
    monkeypatch.setattr(queue, "count_messages", lambda: 0)
    dice, worker = random.Random(seed), make_executor()
    made = [submit_nap(n_chunks=n, seed=7) for n in (0, N_CHUNKS, N_CHUNKS, N_CHUNKS)]
    for _ in range(STEPS):
        key = dice.choice(made), dice.randrange(N_CHUNKS + 2)
        event = dice.choice(("work", "work", "lose", "expire", "sweep"))
        if event == "work":
            worker.run(key)
        elif event == "lose":
            with unit_of_work() as connection:
                unit_table.claim(connection, key, uuid4(), 30.0)
        elif event == "expire":
            _expire(key[0])
        else:
            sweep.sweep(uuid4(), get_settings())
    cancel(LOCAL_OWNER_ID, made[-1])
    _bring_to_an_end(worker)
    assert [look(i).status for i in made] == ["succeeded"] * 3 + ["cancelled"]
    for evaluation_id, n_chunks in zip(made[1:3], (N_CHUNKS, N_CHUNKS), strict=True):
        result = orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))
        assert result["draws"] == expected_draws(7, n_chunks)
        assert look(evaluation_id).progress_done == 2 * n_chunks


def _lose(*_: object) -> bool:
    """Every message is lost."""
    return False


def _expire(evaluation_id: UUID | None) -> None:
    chosen = sa.true() if evaluation_id is None else UNIT.c.evaluation_id == evaluation_id
    with unit_of_work() as connection:
        connection.execute(
            sa.update(UNIT).where(chosen, UNIT.c.state == "running").values(lease_until=1.0)
        )
        connection.execute(sa.update(UNIT).where(chosen).values(not_before=0.0))


def _bring_to_an_end(worker: object) -> None:
    """A live worker and a sweeper: each round moves every unfinished evaluation on."""
    holder = uuid4()
    for _ in range(N_CHUNKS + 4):
        sweep.release_duty(holder)
        _expire(None)
        with unit_of_work() as connection:
            connection.execute(sa.text("UPDATE lease SET until = 0"))
        sweep.sweep(holder, get_settings())
        _expire(None)
        with reading() as connection:
            line = [unit.key for unit in unit_queue.list_claimable(connection, 100)]
        for key in line:
            worker.run(key)  # type: ignore[attr-defined]
    with reading() as connection:
        unfinished = connection.scalars(
            sa.select(EVALUATION.c.status).where(EVALUATION.c.status.in_(["queued", "running"]))
        ).all()
    assert unfinished == []
