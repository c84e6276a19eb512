"""Faults in real worker processes: of the process itself, and of what it depends on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.service.jobs.evaluations import look, submit_nap, unit, units, wait_for
from tests.service.storage.databases import Setting
from tests.service.supervisor.processes import serving, wait_until
from tests.worker.sleeping_kind import expected_draws
from thetahat_service.jobs import read
from thetahat_service.jobs.cancel import cancel
from thetahat_service.storage.owners import LOCAL_OWNER_ID

pytestmark = [pytest.mark.chaos, pytest.mark.usefixtures("empty_sqlite")]

SLOW_MODULE = """
import pathlib
import time

from slow_package import part

folder = pathlib.Path(__file__).parent
(folder / "begun").touch()
while not (folder / "cancelled").exists():
    time.sleep(0.01)
until = time.monotonic() + 1.5  # the worker looks each second whether it is still wanted
while time.monotonic() < until:
    time.sleep(0.01)
value = part.value
"""


def _draws(evaluation_id: object) -> object:
    return orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))["draws"]  # type: ignore[arg-type]


def test_exact_a_poisoned_process_makes_way_for_another(tmp_path: Path) -> None:
    """Both its own evaluation and all later ones are computed, by the process that follows it."""
    with serving(tmp_path, tmp_path / "log", workers=1):
        first = submit_nap(fault="poison", marker=str(tmp_path / "poisoned"), seed=1)
        later = [submit_nap(fault="need_modules", seed=seed) for seed in (2, 3, 4)]
        for seed, evaluation_id in enumerate([first, *later], start=1):
            wait_for(evaluation_id, "succeeded", "failed")
            assert look(evaluation_id).error is None
            assert _draws(evaluation_id) == expected_draws(seed, 1)[0]
    assert unit(first).attempt == 2
    log = (tmp_path / "log").read_text()
    assert log.count("worker.replaced") == 1
    assert "WorkerLostError" not in log


def test_exact_a_cancelled_first_import_spoils_no_later_evaluation(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "slow_package"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "part.py").write_text("value = 1\n")
    (package / "slow.py").write_text(SLOW_MODULE)
    with serving(tmp_path, tmp_path / "log", workers=1):
        first = submit_nap(fault="import_slowly", marker=str(package.parent))
        wait_until((package / "begun").exists)
        cancel(LOCAL_OWNER_ID, first)
        (package / "cancelled").touch()
        second = submit_nap(fault="import_slowly", marker=str(package.parent), seed=5)
        wait_for(second, "succeeded", "failed")
        assert look(second).error is None
        assert look(first).status == "cancelled"
    assert unit(second).attempt == 1
    assert "worker.replaced" not in (tmp_path / "log").read_text()


@pytest.mark.usefixtures("nothing_loaded_ahead")
def test_exact_a_store_that_is_away_for_seconds_only_delays(
    tmp_path: Path, setting: Setting
) -> None:
    """No evaluation fails, no learner is missing, and the numbers are the same."""
    setting(sweep_s=0.2)
    folder, away, hold = tmp_path / "files", tmp_path / "files.away", tmp_path / "hold"
    hold.touch()
    parts: dict[str, Any] = {"parts": ["a", "b", "c"], "n_chunks": 12, "seed": 5, "hold": str(hold)}
    with serving(tmp_path, tmp_path / "log", workers=2):
        evaluations = [submit_nap(**parts) for _ in range(3)]
        wait_until(lambda: any(look(each).progress_done for each in evaluations))
        folder.rename(away)
        hold.unlink()
        wait_until(
            lambda: any(row.unavailable_since for each in evaluations for row in units(each))
        )
        away.rename(folder)
        draws = expected_draws(5, 12)
        for evaluation_id in evaluations:
            wait_for(evaluation_id, "succeeded", "failed")
            assert look(evaluation_id).error is None
            result = orjson.loads(read.get_result(LOCAL_OWNER_ID, evaluation_id))
            assert result["parts"] == {"a": draws[::3], "b": draws[1::3], "c": draws[2::3]}
