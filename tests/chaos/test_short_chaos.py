"""The short form of ``make chaos``; the long one has 2 000 evaluations and 300 faults a set-up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.chaos
@pytest.mark.usefixtures("only_learners_loaded_ahead")
@pytest.mark.parametrize(
    ("setup", "faults"), [("embedded", 4), ("cluster", 4), ("power", 2), ("power_cluster", 1)]
)
def test_exact_no_fault_loses_doubles_or_alters_an_evaluation(setup: str, faults: int) -> None:
    command = [sys.executable, "-m", "tests.chaos", "--setup", setup]
    options = ["--jobs", "20", "--seeds", "2", "--seed", "20261122", "--pause", "0.5"]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [*command, *options, "--faults", str(faults)],
        cwd=ROOT,
        env=alone,  # as `make chaos` starts it
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
