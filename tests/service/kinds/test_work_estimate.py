"""Evaluations whose fits would take too long are refused, with the estimate and the setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.service.storage.databases import Setting, setting
from thetahat.errors import InvalidParameter
from thetahat.pipelines import build as build_learner
from thetahat.pipelines import read_learner_spec
from thetahat_service.kinds.fitting.work_estimate import estimate_fit_seconds
from thetahat_service.kinds.registry import JOB_KINDS

__all__ = ["setting"]

X = np.random.default_rng(1).normal(size=(40, 3)).round(3).tolist()
DATA = {"X": X, "y": [0, 1] * 20}


def forest(n_trees: int) -> dict[str, Any]:
    return {"name": "RandomForestClassifier", "params": {"n_estimators": n_trees}}


def body(
    kind: str, n_learners: int, n_trees: int, learner: dict[str, Any] | None = None
) -> dict[str, Any]:
    learners = {f"m{i}": learner or forest(n_trees) for i in range(n_learners)}
    form = {"kind": kind, "data": DATA, "loss": "zero_one", "task": "classification"}
    if kind == "selection":
        return {**form, "external": "nested", "candidates": learners}
    sizes = {"sizes": [10, 20]} if kind == "learning_curve" else {}
    return {**form, **sizes, "scheme": "k_fold", "learners": learners}


def check(request: dict[str, Any]) -> None:
    kind = JOB_KINDS[request["kind"]]
    kind.check(kind.request.model_validate(request), {})


@pytest.mark.parametrize("kind", ["cross_validation", "selection", "learning_curve"])
def test_invalid_more_trees_than_the_limit(kind: str) -> None:
    with pytest.raises(InvalidParameter, match=r"1 h \(THETAHAT_MAX_WORK_S\)") as refused:
        check(body(kind, 200, 2000))

    assert refused.value.loc == ("candidates" if kind == "selection" else "learners",)
    check(body(kind, 3, 100))


def test_limit_the_setting_moves_the_limit(setting: Setting) -> None:
    setting(max_work_s=1)
    with pytest.raises(InvalidParameter, match=r"limit of 0.000278 h"):
        check(body("cross_validation", 3, 100))

    setting(max_work_s=1e9)
    check(body("cross_validation", 200, 2000))


NETWORK = {"hidden_layer_sizes": [2000, 2000], "max_iter": 100_000}
ITERATIVE = [
    ("MLPClassifier", NETWORK, {**NETWORK, "max_iter": 20}),
    ("HistGradientBoostingClassifier", {"max_iter": 100_000}, {"max_iter": 100}),
    ("GradientBoostingClassifier", {"n_estimators": 2000}, {"n_estimators": 100}),
]


@pytest.mark.parametrize(("name", "long", "short"), ITERATIVE)
def test_invalid_more_iterations_than_the_limit(
    name: str, long: dict[str, Any], short: dict[str, Any]
) -> None:
    with pytest.raises(InvalidParameter, match="iterations or splits"):
        check(body("cross_validation", 200, 0, {"name": name, "params": long}))

    check(body("cross_validation", 3, 0, {"name": name, "params": short}))


def test_by_hand_seconds_of_a_network_and_of_a_linear_model() -> None:
    def seconds(name: str, **params: Any) -> float:
        learner = build_learner(
            read_learner_spec({"name": name, "params": params}), "classification"
        )
        return estimate_fit_seconds(learner, 1000, 20)

    # 20 * 100 + 100 * 1 weights, 1000 rows, 300 iterations; 20 weights, 5000 iterations
    network = seconds("MLPClassifier", hidden_layer_sizes=[100], max_iter=300)
    assert network == pytest.approx(1e-3 + 1e-9 * 2100 * 1000 * 300)
    linear = seconds("LogisticRegression", max_iter=5000)
    assert linear == pytest.approx(1e-3 + 1e-9 * 20 * 1000 * 5000)
    # an unlimited number of iterations is not estimated
    assert seconds("SVC", max_iter=-1) < 0.01
