"""Chunks whose files are cut, changed or gone before they are gathered: computed again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import orjson
import pytest

from tests.service.jobs.evaluations import look, make_executor, submit_nap, unit, units
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read
from thetahat_service.settings import get_settings
from thetahat_service.storage.open_files import open_file_store
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.units import UnitKey
from thetahat_worker.executor import UnitExecutor


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)


def empty(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES = [cut, flip, empty, Path.unlink]


def run_chunks(evaluation_id: UUID, worker: UnitExecutor) -> list[Path]:
    """Run the start and all chunks, and return the files of the chunks."""
    for number in range(4):
        assert worker.run((evaluation_id, number))
    folder = open_file_store().build_path(f"chunks/{evaluation_id}")
    return sorted(folder.iterdir())


def run_open(evaluation_id: UUID, worker: UnitExecutor) -> list[UnitKey]:
    """Run the queued units and return them."""
    keys = [(evaluation_id, u.number) for u in units(evaluation_id) if u.state == "queued"]
    for key in keys:
        assert worker.run(key)
    return keys


@pytest.mark.parametrize("damage", DAMAGES)
def test_exact_a_damaged_chunk_is_computed_again(
    database: str, damage: Callable[[Path], None]
) -> None:
    evaluation_id, worker = submit_nap(n_chunks=3, seed=5), make_executor()
    first, _, third = run_chunks(evaluation_id, worker)
    damage(first)
    damage(third)

    assert worker.run((evaluation_id, 4))  # the gathering finds the damage
    row = look(evaluation_id)
    assert (row.status, row.progress_done, row.progress_total) == ("running", 2, 6)
    assert run_open(evaluation_id, worker) == [(evaluation_id, 1), (evaluation_id, 3)]
    assert run_open(evaluation_id, worker) == [(evaluation_id, 4)]
    row = look(evaluation_id)
    assert (row.status, row.progress_done) == ("succeeded", 6)
    result = orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))
    assert result["draws"] == expected_draws(5, 3)


def test_exact_after_the_last_attempt_the_evaluation_fails_with_the_reason(sqlite: None) -> None:
    evaluation_id, worker = submit_nap(n_chunks=3, seed=5), make_executor()
    run_chunks(evaluation_id, worker)
    for _ in range(get_settings().max_attempts):
        assert look(evaluation_id).status == "running"
        output_file = unit(evaluation_id, 2).output_file
        open_file_store().delete(output_file)
        run_open(evaluation_id, worker)  # the gathering
        run_open(evaluation_id, worker)  # the chunk
    row = look(evaluation_id)
    assert row.status == "failed"
    assert row.error is not None
    assert row.error["code"] == "damaged_file"
    assert "1 stored file is lost or damaged, after 3 attempts" in row.error["detail"]
