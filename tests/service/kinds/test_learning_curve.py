from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.analyses.learning_curve.growth import Growth, grow_splits
from thetahat.errors import EvaluationError
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.base import Chunks, Job
from thetahat_service.kinds.fitting import engine
from thetahat_service.kinds.learning_curve.request import LearningCurveRequest
from thetahat_service.kinds.registry import JOB_KINDS

RNG = np.random.default_rng(20_261_121)
X = RNG.normal(size=(60, 3))
SITE = np.repeat(["oslo", "rome", "lima", "bonn"], [10, 20, 12, 18])
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=60)
SIZES = [5, 10, 20, 0.7, 1]
BODY: dict[str, Any] = {
    "kind": "learning_curve",
    "data": {"X": X.tolist(), "y": Y.tolist(), "source": SITE.tolist()},
    "task": "regression",
    "learners": {"ridge": {"name": "ridge", "params": {"penalty": 2.0}}, "mean": "mean"},
    "scheme": {"name": "k_fold", "params": {"n_folds": 5}},
    "sizes": SIZES,
}


@pytest.mark.outside("sklearn.model_selection.learning_curve on the same splits")
def test_against_sklearn_learning_curve() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import learning_curve as sklearn_curve

    rows = Rows(n=60)
    growth = Growth(sizes=(5, 10, 20, 33), grow_by="instance")
    splits = []
    for split in KFold(n_folds=5).splits(rows, 7):
        parts = [next(grow_splits([split], growth, rows, 7, s)).train for s in range(4)]
        added = [np.setdiff1d(b, a) for a, b in pairwise([parts[0][:0], *parts])]
        splits.append((np.concatenate(added), split.test))
    _, _, scores = sklearn_curve(
        Ridge(alpha=2.0),
        X,
        Y,
        train_sizes=[5, 10, 20, 33],
        cv=splits,
        scoring="neg_mean_squared_error",
    )

    result = run_kind({**BODY, "sizes": [5, 10, 20, 0.7]}).result
    points = result["curves"]["ridge"]["points"]
    assert [p["n_train"]["largest"] for p in points] == [5, 10, 20, 33]
    assert_allclose([p["mean"]["blocks"] for p in points], -scores, rtol=1e-9)


def test_exact_the_whole_training_part_is_a_cross_validation() -> None:
    result = run_kind(BODY).result
    plain = {k: v for k, v in BODY.items() if k != "sizes"} | {"kind": "cross_validation"}
    whole = run_kind(plain).result

    assert result["sizes"] == ["5", "10", "20", "0.7", "1"]
    assert result["models"] == whole["models"]
    assert result["comparisons"] == whole["comparisons"]
    last = result["curves"]["ridge"]["points"][-1]
    assert last["mean"] == whole["models"]["ridge"]["mean"]


def test_exact_the_number_of_chunks_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = {"name": "RandomForestRegressor", "params": {"n_estimators": 3}}
    body = {**BODY, "learners": {**BODY["learners"], "forest": forest}, "sizes": [10, 1]}
    results = []
    for most in (1, 30, 64):
        monkeypatch.setattr(engine, "MOST_CHUNKS", most)
        results.append(run_kind(body, job=most))

    assert results[0].result == results[1].result == results[2].result
    assert results[0].losses == results[1].losses == results[2].losses


def test_exact_one_unit_and_many_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(BODY)
    monkeypatch.setattr(engine, "SMALL", 0)

    assert run_kind(BODY, job=1).result == whole.result


def test_exact_a_stored_data_set_and_inline_data_agree(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {f"x{j}": X[:, j] for j in range(3)} | {"y": Y, "site": SITE})
    columns = {"target": "y", "source": "site"}
    stored = {k: v for k, v in BODY.items() if k != "data"}
    stored |= {"dataset": str(file.id), "columns": columns}

    assert run_kind(stored, [file]).result["curves"] == run_kind(BODY).result["curves"]


def test_exact_sources_are_added_whole_where_blocks_are_sources() -> None:
    result = run_kind({**BODY, "scheme": "leave_one_source_out", "sizes": [2, 3]}).result

    assert result["grow_by"] == "source"
    (two, three) = result["curves"]["ridge"]["points"]
    # 60 rows without the largest, and without the smallest, source
    assert three["n_train"] == {"mean": 45.0, "smallest": 40, "largest": 50}
    assert two["n_train"]["largest"] <= 38
    assert any(i["target"] == "new_source" for i in two["intervals"])


def test_degenerate_a_size_that_fails_leaves_the_others() -> None:
    neighbours = {"name": "KNeighborsRegressor", "params": {"n_neighbors": 15}}
    result = run_kind({**BODY, "learners": {"knn": neighbours, "mean": "mean"}}).result

    assert list(result["failures"]["knn"]) == ["5", "10"]
    assert [p["size"] for p in result["curves"]["knn"]["points"]] == ["20", "0.7", "1"]
    assert [p["size"] for p in result["curves"]["mean"]["points"]] == result["sizes"]
    assert "size_left_out" in [c["code"] for c in result["cautions"]]


def test_degenerate_when_nothing_is_left_the_job_fails() -> None:
    neighbours = {"name": "KNeighborsRegressor", "params": {"n_neighbors": 55}}
    with pytest.raises(EvaluationError, match="Learner 'knn', repeat 0, block 0"):
        run_kind({**BODY, "learners": {"knn": neighbours}})
    two = {**BODY, "learners": {"knn": neighbours, "mean": "mean"}, "control": "knn"}
    left = run_kind(two).result
    assert list(left["models"]) == list(left["curves"]) == ["mean"]
    assert "control_left_out" in [c["code"] for c in left["cautions"]]


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"sizes": [0.5, 0.5]}, ("sizes", 1)),
        ({"sizes": [5, 49]}, ("sizes", 1)),
        ({"sizes": [0]}, ("sizes", 0)),
        ({"sizes": []}, ("sizes",)),
        ({"grow_by": "source", "sizes": [5]}, ("sizes", 0)),
        ({"stratified": True}, ("stratified",)),
        ({"grow_by": "time"}, ("grow_by",)),
        ({"variances": ["out_of_bag"]}, ("variances", 0)),
        ({"scheme": {"name": "repeated_k_fold", "params": {"n_repeats": 2000}}}, ("sizes",)),
        ({"scheme": "no_such"}, ("scheme", "name")),
    ],
)
def test_invalid_is_refused_in_place(change: dict[str, Any], loc: tuple[str | int, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind({**BODY, **change})

    assert place_of(refused.value) == loc


def test_invalid_too_many_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thetahat_service.kinds.learning_curve.plan.MOST_LOSSES", 599)
    with pytest.raises(EvaluationError, match="would have 600 losses"):
        run_kind(BODY)


def test_invalid_sizes_of_a_stored_data_set_are_refused_at_once(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {"x": X[:, 0], "y": Y})
    stored = {k: v for k, v in BODY.items() if k != "data"} | {"sizes": [49]}
    with pytest.raises(
        EvaluationError, match=r"49 is larger than the training part of .*, which has 48"
    ):
        run_kind({**stored, "dataset": str(file.id), "columns": {"target": "y"}}, [file])


def test_property_parts_are_a_learner_at_a_size_and_have_short_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    body = {**BODY, "learners": {"x" * 120: "mean", "y": "mean"}, "sizes": [0.5, 1]}
    request = LearningCurveRequest.model_validate(body)
    started = JOB_KINDS["learning_curve"].start(Job(uuid4(), "learning_curve", request, 1))

    assert isinstance(started, Chunks)
    assert list(dict.fromkeys(c.part for c in started.chunks)) == [
        "0 @ 0.5",
        "0 @ 1",
        "y @ 0.5",
        "y @ 1",
    ]
