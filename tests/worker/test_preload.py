"""Modules are imported and loops are compiled between units of work, never beside one."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from thetahat_worker import preload


def test_exact_modules_and_loops_are_loaded_only_while_there_is_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[bool] = []

    def one_by_one() -> Iterator[None]:
        for _ in range(3):
            held.append(preload.BUSY.locked())
            yield

    monkeypatch.setattr(gc, "freeze", lambda: held.append(preload.BUSY.locked()))

    preload.load_one_by_one(one_by_one())

    assert held == [True] * 4
    assert not preload.BUSY.locked()


def test_exact_nothing_is_loaded_between_units_that_follow_one_another() -> None:
    taken: list[float] = []

    def one_by_one() -> Iterator[None]:
        for _ in range(9):
            taken.append(time.monotonic())
            yield

    loading = threading.Thread(target=preload.load_one_by_one, args=(one_by_one(),))
    loading.start()  # and no unit has come yet
    for _ in range(10):
        with preload.BUSY:
            time.sleep(0.05)
        time.sleep(0.01)
    n_between = len(taken)
    loading.join(10)

    assert n_between == 0
    assert len(taken) == 9


LEARNERS_IMPORT_NOTHING_MORE = """
import sys

import numpy as np

from thetahat_worker.preload import import_learners

assert not any(name.startswith("sklearn.") for name in sys.modules)
list(import_learners())
before = set(sys.modules)
from thetahat.pipelines.allowed_classes import load_class

rng = np.random.default_rng(5)
X, y = rng.normal(size=(40, 3)), np.tile([0, 1], 20)
for name in ("RandomForestClassifier", "LogisticRegression", "MLPClassifier", "StandardScaler"):
    load_class(name)().fit(X, y)
later = sorted(name for name in set(sys.modules) - before if name.startswith("sklearn"))
assert not later, later
"""


def test_exact_after_the_preparation_no_learner_imports_scikit_learn() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LEARNERS_IMPORT_NOTHING_MORE],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
