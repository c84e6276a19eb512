"""The library where scikit-learn and numba are not installed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.architecture.sources import ROOT
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.numerics.thresholds import MANY_DRAWS

PREAMBLE = """
import sys
for name in ("sklearn", "numba", "llvmlite", "joblib", "threadpoolctl"):
    sys.modules[name] = None  # its import raises ModuleNotFoundError
import json
import numpy as np
import thetahat
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 2))
y = X[:, 0] + rng.normal(size=60)
"""

N_SMALL, N_LARGE = 600, 60_000
"""Rows of a model: of the larger data resamples take loops."""

EVALUATE = """
draw = np.random.default_rng(1).gamma
losses = {m: draw(2.0, size=N) for m in "ab"}
block = (np.arange(N) * 7 // 3) % 12
weights = draw(2.0, size=N)
result = thetahat.evaluate(losses, block=block, blocks=BLOCKS, weights=weights, include="all")
told = thetahat.to_json(result)
"""


def run_without_extras(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def evaluate_both_ways(n: int, blocks: str) -> tuple[Any, Any]:
    script = EVALUATE.replace("N)", f"{n})").replace("BLOCKS", repr(blocks))
    names: dict[str, Any] = {"np": np, "thetahat": thetahat}
    exec(script, names)
    without = run_without_extras(script + "json.dump(told, sys.stdout)")
    return json.loads(json.dumps(names["told"])), json.loads(without)


@pytest.mark.parametrize("blocks", ["random", "source"])
def test_exact_small_data_give_the_same_numbers_without_numba(blocks: str) -> None:
    with_numba, without = evaluate_both_ways(N_SMALL, blocks)

    assert without == with_numba


@pytest.mark.parametrize("blocks", ["random", "source"])
def test_naive_large_data_give_the_same_numbers_up_to_rounding_without_numba(blocks: str) -> None:
    assert uses_loops(N_LARGE * 999, MANY_DRAWS)

    assert_close(*evaluate_both_ways(N_LARGE, blocks))


def assert_close(value: Any, other: Any) -> None:
    assert type(value) is type(other)
    if isinstance(value, dict):
        assert value.keys() == other.keys()
        for key in value:
            assert_close(value[key], other[key])
    elif isinstance(value, list):
        for pair in zip(value, other, strict=True):
            assert_close(*pair)
    elif isinstance(value, float):
        assert_allclose(value, other, rtol=1e-9, atol=1e-15)
    else:
        assert value == other


@pytest.mark.parametrize(
    ("learner", "named", "loc"),
    [
        ({"name": "Lasso"}, "Lasso", ("learners", "a", "name")),
        (
            {"name": "ridge", "prepare": [{"name": "SelectKBest"}]},
            "SelectKBest",
            ("learners", "a", "prepare", 0, "name"),
        ),
    ],
)
def test_invalid_class_of_scikit_learn_names_the_extra(
    learner: dict[str, object], named: str, loc: tuple[str | int, ...]
) -> None:
    refusal = run_without_extras(
        "try:\n"
        f"    thetahat.cross_validate(X, y, {{'a': {learner!r}}}, task='regression')\n"
        "except thetahat.EvaluationError as error:\n"
        "    print(error.code, error.loc, error, sep='|')\n"
    )

    sentence = (
        f"{named} is a class of scikit-learn, which is not installed; install it with "
        "pip install 'thetahat[learners]'."
    )
    assert refusal.split("|") == ["invalid_parameter", str(loc), sentence]


def test_exact_own_learners_need_no_scikit_learn() -> None:
    learners = {"a": {"name": "ridge"}, "b": {"name": "mean"}}
    best = run_without_extras(
        f"result = thetahat.cross_validate(X, y, {learners!r}, task='regression')\n"
        "print(result.summary.best_model)"
    )

    assert best == "a"


def test_invalid_loop_without_numba_names_the_extra() -> None:
    refusal = run_without_extras(
        "from thetahat.numerics.loops import compile_ahead, compiling\n"
        "compile_ahead.compile_all()\n"
        "try:\n"
        "    compiling.compiled(len)\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error.name, error, sep='|')\n"
    )

    assert refusal == (
        "numba|numba, which is not installed, compiles this loop: pip install 'thetahat[fast]'"
    )
