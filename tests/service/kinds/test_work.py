"""Evaluations whose fits would take too long are refused, with the estimate and the setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from service.kinds.registry import JOB_KINDS
from tests.service.storage.databases import Setting, setting
from thetahat.errors import InvalidParameter

__all__ = ["setting"]

X = np.random.default_rng(1).normal(size=(40, 3)).round(3).tolist()
DATA = {"X": X, "y": [0, 1] * 20}


def forest(n_trees: int) -> dict[str, Any]:
    return {"name": "RandomForestClassifier", "params": {"n_estimators": n_trees}}


def body(kind: str, n_learners: int, n_trees: int) -> dict[str, Any]:
    learners = {f"m{i}": forest(n_trees) for i in range(n_learners)}
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
