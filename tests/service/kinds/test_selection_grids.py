"""Grids of parameters: their candidates, run together, and the curves that come of them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import as_json, output_of, place_of, ran_but, run_kind
from tests.service.kinds.test_selection import BODY, PENALTIES, X, Y
from thetahat.analyses.selection.nested_splits import derive_seed_on_all_rows
from thetahat.errors import EvaluationError
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat_service.kinds.base import AllPartsFailed, Chunks, Job
from thetahat_service.kinds.fitting import engine
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.selection import bundles as _selection_bundles
from thetahat_service.kinds.selection import result as _selection_output
from thetahat_service.kinds.selection.plan import build_plan
from thetahat_service.kinds.selection.request import SelectionRequest
from thetahat_service.outcomes.failure_arrays import encode_failure

RANGE = {"from": 1e-3, "to": 1e6, "count": 200}
GRID = {**BODY, "candidates": {"ridge": {"name": "ridge", "grid": {"penalty": RANGE}}}}


@pytest.mark.outside("sklearn.model_selection.validation_curve on the same splits")
def test_against_sklearn_the_curve_of_200_penalties() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import validation_curve

    result = run_kind(GRID).result
    curve = result["grids"]["ridge"]["parameters"]["penalty"]
    values = np.geomspace(1e-3, 1e6, 200)
    assert_allclose(curve["values"], values, rtol=1e-12)
    cv = [
        (s.train, s.test) for s in KFold(n_folds=3).splits(Rows(n=48), derive_seed_on_all_rows(7))
    ]
    _, scores = validation_curve(
        Ridge(solver="svd"),
        X,
        Y,
        param_name="alpha",
        param_range=values,
        cv=cv,
        scoring="neg_mean_squared_error",
    )

    assert_allclose(curve["mean"], -scores.mean(axis=1), rtol=1e-8)
    assert_allclose(curve["standard_error"], scores.std(axis=1, ddof=1) / np.sqrt(3), rtol=1e-7)
    best = int(np.argmax(scores.mean(axis=1)))
    assert result["chosen"]["name"] == f"ridge[penalty={values[best]:.6g}]"
    assert result["chosen"]["spec"]["params"]["penalty"] == pytest.approx(values[best], rel=1e-12)
    assert result["grids"]["ridge"]["least"] == result["chosen"]["name"]
    assert len(curve["external"]) == result["grids"]["ridge"]["n_candidates"] == 200


def test_exact_a_grid_is_its_candidates_named_one_by_one() -> None:
    values = list(PENALTIES.values())
    grid = {"ridge": {"name": "ridge", "grid": {"penalty": values}}}
    of_grid = run_kind({**BODY, "candidates": grid}).result
    alone = run_kind(BODY).result

    names = dict(zip(of_grid["internal"], PENALTIES, strict=True))
    assert of_grid["bias"] == alone["bias"]
    assert of_grid["models"] == alone["models"]
    assert names[of_grid["chosen"]["name"]] == alone["chosen"]["name"]
    for name, other in names.items():
        assert of_grid["internal"][name] == alone["internal"][other]


def test_exact_run_together_is_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Penalties from one decomposition, numbers of neighbours from one search."""
    label = np.where(Y > 0, "yes", "no").tolist()
    body = {
        **BODY,
        "data": {**BODY["data"], "X": np.round(np.abs(X)).tolist(), "y": label},
        "task": "classification",
        "compare": True,
        "loss": "log",
        "candidates": {
            "near": {"name": "nearest_neighbours", "grid": {"k": [3, 5, 8]}},
            "nb": {"name": "multinomial_naive_bayes", "grid": {"smoothing": [0.5, 1.0, 4.0]}},
        },
    }
    together = run_kind(body)
    with monkeypatch.context() as patched:
        patched.setattr(_selection_bundles, "MOST_LOSSES_TOGETHER", 1)
        alone = run_kind(body, job=1)

    assert together.losses is not None
    assert alone.losses is not None
    names = together.losses.column_names
    for name in (n for n in names if not n.startswith(("prediction:", "chosen:"))):
        values, other = (table.column(name).to_numpy() for table in (together.losses, alone.losses))
        if values.dtype == np.float64:
            assert_allclose(values, other, rtol=1e-8, atol=1e-12)
    chosen = [table.column("chosen:selected") for table in (together.losses, alone.losses)]
    assert chosen[0] == chosen[1]


def test_property_a_grid_of_a_path_is_one_part_and_one_chunk_per_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    both = {"penalty": [0.1, 1, 10], "intercept": [True, False]}
    body = {**BODY, "candidates": {"mean": "mean", "ridge": {"name": "ridge", "grid": both}}}
    request = SelectionRequest.model_validate(body)
    job = Job(uuid4(), "selection", request, 1)
    started = JOB_KINDS["selection"].start(job)

    assert isinstance(started, Chunks)
    assert {chunk.part for chunk in started.chunks} == {"mean", "ridge"}
    # one group of penalties with an intercept, and one without; outside and on all rows
    assert len([chunk for chunk in started.chunks if chunk.part == "ridge"]) == 4
    bundles = build_plan(job).bundles
    assert [[len(g.names) for g in bundle.groups] for bundle in bundles] == [[1], [3], [3]]


def test_exact_the_fits_of_candidates_are_counted_by_grid() -> None:
    steps = {"name": "ridge", "prepare": [{"name": "standardise"}], "grid": {"penalty": [1, 10]}}
    ridge = {"name": "ridge", "grid": {"penalty": [1, 10]}}
    result = run_kind({**BODY, "candidates": {"r": ridge, "s": steps, "mean": "mean"}}).result

    # of each candidate 4 external splits of 3 internal ones and one outside, and 3 on all rows
    assert result["learners"]["r"] == {
        "path": "fast",
        "fast_splits": 2 * 19,
        "plain_splits": 0,
        "reason": None,
    }
    assert result["learners"]["s"]["path"] == "plain"
    assert "learns from each training part" in result["learners"]["s"]["reason"]


def test_property_many_candidates_of_scikit_learn_share_chunks() -> None:
    depths = {"name": "DecisionTreeRegressor", "grid": {"max_depth": list(range(1, 301))}}
    request = SelectionRequest.model_validate({**BODY, "candidates": {"tree": depths}})
    job = Job(uuid4(), "selection", request, 1)
    started = JOB_KINDS["selection"].start(job)

    assert isinstance(started, Chunks)
    assert {chunk.part for chunk in started.chunks} == {"tree"}
    assert len(started.chunks) == 2 * 60  # 60 bundles of 5
    assert sum(chunk.size for chunk in started.chunks) == 300 * (4 * (3 + 1) + 3)


def test_exact_without_external_the_best_of_each_grid_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_selection_output, "MOST_SHOWN", 3)
    ridge = {"name": "ridge", "grid": {"penalty": list(PENALTIES.values())}}
    body = {**BODY, "candidates": {"mean": "mean", "ridge": ridge}, "external": None}
    result = run_kind(body).result

    assert list(result["models"]) == ["mean", result["grids"]["ridge"]["least"]]
    assert len(result["internal"]) == 5
    with_control = run_kind({**body, "control": "ridge[penalty=0.1]"}).result
    assert "control_left_out" in {c["code"] for c in with_control["cautions"]}
    assert len(with_control["comparisons"]) == 1
    assert "best_of_each_grid" in {c["code"] for c in result["cautions"]}


def test_degenerate_a_choice_at_the_edge_of_a_grid_is_a_caution() -> None:
    wide = run_kind(GRID).result
    narrow = {"ridge": {"name": "ridge", "grid": {"penalty": [0.1, 0.2, 0.3]}}}
    short = run_kind({**BODY, "candidates": narrow}).result

    assert "grid_edge" not in {c["code"] for c in wide["cautions"]}
    caution = next(c for c in short["cautions"] if c["code"] == "grid_edge")
    assert caution["message"].startswith(
        "The chosen value of penalty of 'ridge[penalty=0.3]' is at an end"
    )


def test_degenerate_a_grid_whose_candidates_all_fail_is_listed_once() -> None:
    bad = {"name": "KNeighborsRegressor", "grid": {"n_neighbors": [30, 31, 32]}}
    half = {"name": "KNeighborsRegressor", "grid": {"n_neighbors": [3, 33]}}
    result = run_kind({**BODY, "candidates": {"bad": bad, "half": half}}).result

    assert set(result["failures"]) == {"bad", "half[n_neighbors=33]"}
    assert result["failures"]["bad"]["candidates"] == 3
    assert list(result["internal"]) == ["half[n_neighbors=3]"]
    assert list(result["grids"]) == ["half"]
    curve = result["grids"]["half"]["parameters"]["n_neighbors"]
    assert curve["mean"][1] is curve["candidates"][1] is None


def test_degenerate_a_part_that_runs_into_a_limit_takes_its_candidates_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    ridge = {"name": "ridge", "grid": {"penalty": [1, 10]}}
    body = {**BODY, "candidates": {"mean": "mean", "ridge": ridge}, "select_by": "r2"}
    request = SelectionRequest.model_validate(body)
    kind, job = JOB_KINDS["selection"], Job(uuid4(), "selection", request, 1)
    started = kind.start(job)
    assert isinstance(started, Chunks)
    late = encode_failure("time_limit_exceeded", "It ran longer than a second.")
    outputs = ran_but(kind, job, started.chunks, "ridge", late)
    result = as_json(kind.gather(job, outputs))

    failure = result["failures"]["ridge"]
    assert (failure["code"], failure["candidates"]) == ("time_limit_exceeded", 2)
    assert failure["loc"] == ["candidates", "ridge"]
    assert list(result["internal"]) == ["mean"]
    with pytest.raises(AllPartsFailed, match="longer than a second"):
        kind.gather(job, [output_of(chunk, late) for chunk in started.chunks])


@pytest.mark.parametrize(
    ("grid", "loc"),
    [
        ({}, ("candidates", "x", "grid")),
        ({"penalty": 3}, ("candidates", "x", "grid", "penalty")),
        ({"penalty": [1, 2], "no_such": [1]}, ("candidates", "x", "grid", "no_such")),
        ({"penalty": [-1.0]}, ("candidates", "x", "grid", "penalty")),
        ({"PCA__no_such": [1]}, ("candidates", "x", "grid", "PCA__no_such")),
        ({"penalty": {"from": 0, "to": 1, "count": 3}}, ("candidates", "x", "grid", "penalty")),
    ],
)
def test_invalid_grids_are_refused_in_place(grid: Any, loc: tuple[str, ...]) -> None:
    with pytest.raises(EvaluationError) as refused:
        run_kind({**BODY, "candidates": {"x": {"name": "ridge", "prepare": ["PCA"], "grid": grid}}})

    assert place_of(refused.value)[: len(loc)] == loc


def test_invalid_more_candidates_than_can_be_compared() -> None:
    with pytest.raises(
        EvaluationError, match="compare evaluates at most 200 candidates"
    ) as refused:
        run_kind({**GRID, "candidates": {**GRID["candidates"], "m": "mean"}, "compare": True})

    assert place_of(refused.value) == ("compare",)
