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
def evaluate(n, blocks):
    draw = np.random.default_rng(1).gamma
    losses = {m: draw(2.0, size=n) for m in "ab"}
    block = (np.arange(n) * 7 // 3) % 12
    weights = draw(2.0, size=n)
    result = thetahat.evaluate(losses, block=block, blocks=blocks, weights=weights, include="all")
    return thetahat.to_json(result)
"""
CALLS = [(n, blocks) for n in (N_SMALL, N_LARGE) for blocks in ("random", "source")]
LEARNERS_OF_SKLEARN = [
    {"name": "Lasso"},
    {"name": "ridge", "prepare": [{"name": "SelectKBest"}]},
]
ANSWER = f"""
def refuse(learner):
    try:
        thetahat.cross_validate(X, y, {{"a": learner}}, task="regression")
    except thetahat.EvaluationError as error:
        return [error.code, error.loc, str(error)]
answers = {{"evaluations": [evaluate(*call) for call in {CALLS}]}}
answers["refusals"] = [refuse(learner) for learner in {LEARNERS_OF_SKLEARN}]
own = {{"a": {{"name": "ridge"}}, "b": {{"name": "mean"}}}}
answers["best"] = thetahat.cross_validate(X, y, own, task="regression").summary.best_model
from thetahat.numerics.loops import compile_ahead, compiling
compile_ahead.compile_all()
try:
    compiling.compiled(len)
except ModuleNotFoundError as error:
    answers["loop"] = [error.name, str(error)]
json.dump(answers, sys.stdout)
"""


@pytest.fixture(name="answers", scope="module")
def fixture_answers() -> dict[str, Any]:
    """Return what one process without the extras answers: starting each takes half a second."""
    done = subprocess.run(
        [sys.executable, "-c", PREAMBLE + EVALUATE + ANSWER],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def evaluate_with_numba(n: int, blocks: str) -> Any:
    names: dict[str, Any] = {"np": np, "thetahat": thetahat}
    exec(EVALUATE, names)
    return json.loads(json.dumps(names["evaluate"](n, blocks)))


@pytest.mark.parametrize("blocks", ["random", "source"])
def test_exact_small_data_give_the_same_numbers_without_numba(
    blocks: str, answers: dict[str, Any]
) -> None:
    without = answers["evaluations"][CALLS.index((N_SMALL, blocks))]

    assert without == evaluate_with_numba(N_SMALL, blocks)


@pytest.mark.parametrize("blocks", ["random", "source"])
def test_naive_large_data_give_the_same_numbers_up_to_rounding_without_numba(
    blocks: str, answers: dict[str, Any]
) -> None:
    assert uses_loops(N_LARGE * 999, MANY_DRAWS)

    without = answers["evaluations"][CALLS.index((N_LARGE, blocks))]
    assert_close(evaluate_with_numba(N_LARGE, blocks), without)


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
    ("at", "named", "loc"),
    [
        (0, "Lasso", ["learners", "a", "name"]),
        (1, "SelectKBest", ["learners", "a", "prepare", 0, "name"]),
    ],
)
def test_invalid_class_of_scikit_learn_names_the_extra(
    at: int, named: str, loc: list[str | int], answers: dict[str, Any]
) -> None:
    sentence = (
        f"{named} is a class of scikit-learn, which is not installed; install it with "
        "pip install 'thetahat[learners]'."
    )
    assert answers["refusals"][at] == ["invalid_parameter", loc, sentence]


def test_exact_own_learners_need_no_scikit_learn(answers: dict[str, Any]) -> None:
    assert answers["best"] == "a"


def test_invalid_loop_without_numba_names_the_extra(answers: dict[str, Any]) -> None:
    assert answers["loop"] == [
        "numba",
        "numba, which is not installed, compiles this loop: pip install 'thetahat[fast]'",
    ]
