from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.analyses.selection.nested_splits import derive_seed_on_all_rows, split_training_part
from thetahat.errors import EvaluationError
from thetahat.schemes.base import Rows
from thetahat.schemes.k_fold import KFold
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.base import Chunks, Job
from thetahat_service.kinds.fitting import engine
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.selection import schemes as _selection_schemes
from thetahat_service.kinds.selection.request import SelectionRequest

RNG = np.random.default_rng(20_261_121)
X = RNG.normal(size=(48, 6))
SITE = np.repeat(["oslo", "rome", "lima", "bonn"], [10, 14, 12, 12])
Y = X[:, 0] + 2 * RNG.normal(size=48)
PENALTIES = {"weak": 0.1, "some": 10.0, "much": 40.0, "strong": 300.0}
FOUR_FOLDS = {"name": "k_fold", "params": {"n_folds": 4}}
BODY: dict[str, Any] = {
    "kind": "selection",
    "data": {"X": X.tolist(), "y": Y.tolist(), "source": SITE.tolist()},
    "task": "regression",
    "candidates": {
        name: {"name": "ridge", "params": {"penalty": penalty}}
        for name, penalty in PENALTIES.items()
    },
    "internal": {"name": "k_fold", "params": {"n_folds": 3}},
    "external": FOUR_FOLDS,
}


def test_by_hand_a_nested_selection_worked() -> None:
    nearest = {"name": "nearest_neighbours", "params": {"k": 1}}
    body = {
        "kind": "selection",
        "data": {
            "X": [[0], [1], [10], [11], [20], [21]],
            "y": [0, 0, 6, 6, 0, 6],
            "fold": ["b", "b", "c", "c", "a", "a"],
        },
        "task": "regression",
        "candidates": {"nearest": nearest, "mean": "mean"},
        "internal": "leave_one_out",
        "external": "predefined",
        "compare": True,
    }
    result = run_kind(body).result

    # without b: y 6 6 0 6. Nearest, each left out in turn: 0 0 36 36, 18 on average; the mean of
    # the other three is 4 4 6 4: 4 4 36 4, 12. The mean wins; it says 4.5 outside: 20.25 twice
    # without c: y 0 0 0 6. Nearest 0 0 36 36: 18; mean 2 2 2 0: 4 4 4 36: 12. It says 1.5: 20.25
    # without a: y 0 0 6 6. Nearest 0; mean 4 4 2 2: 16. Nearest says 6 6 for 0 6: 36 0: 18
    splits = {split["block"]: split for split in result["external"]["splits"]}
    assert {b: s["winner"] for b, s in splits.items()} == {
        "b": "mean",
        "c": "mean",
        "a": "nearest",
    }
    assert {b: s["internal"] for b, s in splits.items()} == {"b": 12, "c": 12, "a": 0}
    assert {b: s["external"] for b, s in splits.items()} == {"b": 20.25, "c": 20.25, "a": 18}
    assert result["external"]["wins"] == {"nearest": 1, "mean": 2}
    assert_allclose(result["models"]["selected"]["mean"]["macro"], 19.5)
    # nearest is wrong by 6 twice without b and c, once without a: gaps 18 18 18; the mean says 3
    # without a: 9 twice, and so gaps 8.25 8.25 -7
    assert_allclose(result["bias"]["estimate"], 19.5 - 8)
    assert_allclose(result["bias"]["without_choice"], 18 / 3 + (8.25 + 8.25 - 7) / 3 * 2 / 3)
    assert_allclose(
        result["bias"]["of_choice"],
        result["bias"]["estimate"] - result["bias"]["without_choice"],
    )
    # on all rows: nearest 0 0 0 0 36 36: 12; the mean of five is 18/5 for 0 and 12/5 for 6: 12.96
    assert result["chosen"]["name"] == "nearest"
    assert_allclose(result["internal"]["nearest"]["mean"], 12)
    assert_allclose(result["internal"]["mean"]["mean"], 12.96)
    assert result["chosen"]["spec"]["params"] == {"k": 1}


@pytest.mark.outside("sklearn.model_selection.GridSearchCV inside the same external splits")
def test_against_sklearn_nested_grid_search() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    def search(splits: list[Any], rows: np.ndarray) -> Any:
        place = {row: i for i, row in enumerate(rows.tolist())}
        cv = [([place[r] for r in s.train], [place[r] for r in s.test]) for s in splits]
        grid = {"alpha": list(PENALTIES.values())}
        best = GridSearchCV(Ridge(), grid, cv=cv, scoring="neg_mean_squared_error")
        return best.fit(X[rows], Y[rows])

    result = run_kind(BODY).result
    rows, inner = Rows(n=48), KFold(n_folds=3)
    names = list(PENALTIES)
    external_splits = result["external"]["splits"]
    for split, external in zip(KFold(n_folds=4).splits(rows, 7), external_splits, strict=True):
        best = search(list(split_training_part(inner, rows, split, 7)), split.train)
        assert external["winner"] == names[best.best_index_]
        assert_allclose(external["internal"], -best.best_score_, rtol=1e-9)
        errors = (best.predict(X[split.test]) - Y[split.test]) ** 2
        assert_allclose(external["external"], errors.mean(), rtol=1e-9)
    best = search(list(inner.splits(rows, derive_seed_on_all_rows(7))), np.arange(48))
    assert result["chosen"]["name"] == names[best.best_index_]
    assert_allclose(
        [result["internal"][name]["mean"] for name in names],
        -best.cv_results_["mean_test_score"],
        rtol=1e-9,
    )
    sd = best.cv_results_["std_test_score"]  # ddof 0
    assert_allclose(
        [result["internal"][name]["standard_error"] for name in names], sd / np.sqrt(2), rtol=1e-9
    )


def test_exact_candidates_beside_it_are_a_cross_validation() -> None:
    result = run_kind({**BODY, "compare": True, "control": "selected"}).result
    plain = {k: v for k, v in BODY.items() if k not in {"candidates", "internal", "external"}}
    whole = {"kind": "cross_validation", "learners": BODY["candidates"], "scheme": FOUR_FOLDS}
    crossed = run_kind(plain | whole).result

    assert list(result["models"]) == ["selected", *PENALTIES]
    for name in PENALTIES:
        blocks, other = (of["models"][name]["mean"]["blocks"] for of in (result, crossed))
        # all penalties come from one decomposition here, and each from its own there
        assert_allclose(blocks, other, rtol=1e-10)
    assert {pair["b"] for pair in result["comparisons"]} == {"selected"}
    by_split = result["external"]["candidates"]
    for at, split in enumerate(result["external"]["splits"]):
        assert split["external"] == by_split[split["winner"]]["external"][at]
        assert split["internal"] == min(c["internal"][at] for c in by_split.values())


def test_exact_the_gap_is_external_minus_internal() -> None:
    result = run_kind(BODY).result
    splits = result["external"]["splits"]
    gaps = [split["external"] - split["internal"] for split in splits]

    assert_allclose(result["bias"]["estimate"], np.mean(gaps), rtol=1e-12)
    assert result["bias"]["interval"]["target"] == "these_sources"
    assert result["bias"]["interval"]["recommended"]
    caution = next(c for c in result["cautions"] if c["code"] == "internal_is_optimistic")
    assert "part due to choosing is" in caution["message"]


def test_gh_14_the_gap_has_its_interval_where_models_have_no_parts() -> None:
    small = run_kind({**BODY, "include": []}).result

    assert "intervals" not in small["models"]["selected"]
    assert small["bias"] == run_kind(BODY).result["bias"]


def test_exact_without_external_the_internal_losses_are_evaluated() -> None:
    body = {k: v for k, v in BODY.items() if k != "external"}
    result = run_kind(body).result

    assert list(result["models"]) == list(PENALTIES)
    assert result["external"] is None
    assert result["bias"]["estimate"] is None
    for name in PENALTIES:
        macro = result["models"][name]["mean"]["macro"]
        assert_allclose(macro, result["internal"][name]["mean"], rtol=1e-12)
    splits = np.array([result["internal"][name]["splits"] for name in PENALTIES])
    chosen = splits[list(PENALTIES).index(result["chosen"]["name"])]
    assert_allclose(result["bias"]["of_minima"], (chosen - splits.min(axis=0)).mean())
    caution = next(c for c in result["cautions"] if c["code"] == "internal_is_optimistic")
    assert "Name an external scheme to estimate" in caution["message"]


def test_exact_three_way_chooses_once_and_looks_at_the_test_rows_once() -> None:
    body = {k: v for k, v in BODY.items() if k not in {"external", "internal"}}
    result = run_kind({**body, "external": "three_way"}).result

    (split,) = result["external"]["splits"]
    assert (split["n_train"], split["n_test"]) == (36, 12)
    assert result["chosen"]["name"] == split["winner"]
    assert result["chosen"]["chosen_on"] == "the training and validation rows"
    assert result["bias"]["of_choice"] is None
    internal = {name: estimate["mean"] for name, estimate in result["internal"].items()}
    assert internal[split["winner"]] == min(internal.values()) == split["internal"]
    assert result["models"]["selected"]["n"] == 12


def test_exact_nested_is_the_two_schemes_by_name() -> None:
    body = {k: v for k, v in BODY.items() if k != "internal"}
    scheme = {"name": "nested", "params": {"n_folds": 4, "n_internal_folds": 3}}
    result, whole = run_kind({**body, "external": scheme}).result, run_kind(BODY).result

    for field in ("models", "external", "chosen", "internal", "bias"):
        assert result[field] == whole[field]


def test_exact_the_number_of_chunks_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = {"name": "DecisionTreeRegressor", "params": {"max_features": 1}}
    body = {**BODY, "candidates": {"tree": tree, **BODY["candidates"]}}
    results = []
    for most in (1, 10, 64):
        monkeypatch.setattr(engine, "MOST_CHUNKS", most)
        results.append(run_kind(body, job=most))

    assert results[0].result == results[1].result == results[2].result
    assert results[0].losses == results[1].losses == results[2].losses


def test_exact_one_unit_and_many_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(BODY)
    monkeypatch.setattr(engine, "SMALL", 0)

    assert run_kind(BODY, job=1).result == whole.result


def test_exact_sources_from_a_stored_data_set(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {f"x{j}": X[:, j] for j in range(6)} | {"y": Y, "site": SITE})
    schemes = {"internal": "leave_one_source_out", "external": "leave_one_source_out"}
    stored = {k: v for k, v in BODY.items() if k != "data"} | schemes
    stored |= {"dataset": str(file.id), "columns": {"target": "y", "source": "site"}}
    result, inline = run_kind(stored, [file]).result, run_kind({**BODY, **schemes}).result

    for field in ("models", "external", "chosen", "bias"):
        assert result[field] == inline[field]
    assert result["bias"]["interval"]["target"] == "new_source"
    assert {s["block"] for s in result["external"]["splits"]} == set(SITE.tolist())


def test_degenerate_equal_candidates_are_tied() -> None:
    ridge = BODY["candidates"]["some"]
    result = run_kind({**BODY, "candidates": {"a": ridge, "b": ridge}}).result

    assert result["chosen"]["tied"] == ["b"]
    assert result["external"]["wins"] == {"a": 4, "b": 0}
    assert {"tied", "tied_inside"} <= {c["code"] for c in result["cautions"]}


def test_degenerate_one_candidate_is_no_choice() -> None:
    result = run_kind({**BODY, "candidates": {"a": "mean"}}).result

    assert result["bias"]["of_choice"] == 0
    assert "internal_is_optimistic" not in {c["code"] for c in result["cautions"]}


def test_degenerate_a_candidate_that_fails_leaves_the_others() -> None:
    bad = {"name": "KNeighborsRegressor", "params": {"n_neighbors": 30}}
    result = run_kind({**BODY, "candidates": {"bad": bad, **BODY["candidates"]}}).result

    assert "Inside the training part of repeat 0, block 0: " in result["failures"]["bad"]["message"]
    assert list(result["internal"]) == list(PENALTIES)
    assert "candidate_left_out" in [c["code"] for c in result["cautions"]]
    with pytest.raises(EvaluationError, match="Inside the training part"):
        run_kind({**BODY, "candidates": {"bad": bad}})
    two = {**BODY, "candidates": {"bad": bad, "mean": "mean"}, "compare": True, "control": "bad"}
    left = run_kind(two).result
    assert list(left["models"]) == ["selected", "mean"]
    assert "control_left_out" in [c["code"] for c in left["cautions"]]


def test_degenerate_warnings_of_internal_fits_are_cautions() -> None:
    slow = {"name": "MLPRegressor", "params": {"max_iter": 1, "hidden_layer_sizes": [2]}}
    result = run_kind({**BODY, "candidates": {"slow": slow}}).result

    assert any("Inside a training part: " in c["message"] for c in result["cautions"])


def test_exact_one_standard_error_takes_an_earlier_one() -> None:
    result = run_kind({**BODY, "rule": "one_standard_error"}).result
    internal, least = result["internal"], result["chosen"]["least"]
    reach = internal[least]["mean"] + internal[least]["standard_error"]

    assert result["chosen"]["name"] == next(n for n in PENALTIES if internal[n]["mean"] <= reach)


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"internal": None}, ("internal",)),
        ({"internal": "nested"}, ("internal",)),
        ({"external": "nested"}, ("internal",)),
        ({"external": "bootstrap"}, ("external",)),
        (
            {"external": {"name": "k_fold", "params": {"n_folds": 49}}},
            ("external", "params", "n_folds"),
        ),
        (
            {"internal": {"name": "k_fold", "params": {"n_folds": 37}}},
            ("internal", "params", "n_folds"),
        ),
        ({"internal": "predefined"}, ("data", "fold")),
        ({"candidates": {"selected": "mean"}}, ("candidates", "selected")),
        ({"candidates": {"x": "majority"}}, ("candidates", "x")),
        ({"candidates": {"x": "no_such"}}, ("candidates", "x", "name")),
        ({"control": "weak"}, ("control",)),
        ({"variances": ["out_of_bag"]}, ("variances", 0)),
        ({"loss": "zero_one"}, ("loss",)),
        ({"internal": "leave_p_out"}, ("external",)),
    ],
)
def test_invalid_is_refused_in_place(
    change: dict[str, Any], loc: tuple[str | int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_selection_schemes, "MOST_FITS", 3000)
    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind({**BODY, **change})

    assert place_of(refused.value)[: len(loc)] == loc


def test_invalid_three_way_sizes_are_refused_in_place() -> None:
    scheme = {"name": "three_way", "params": {"validation_size": 40, "test_size": 40}}
    with pytest.raises(EvaluationError, match="leave none of 48") as refused:
        run_kind({**BODY, "internal": None, "external": scheme})

    assert place_of(refused.value) == ("external", "params", "validation_size")


def test_invalid_too_many_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_selection_schemes, "MOST_KEPT", 383)
    # 4 candidates x (48 external + 48 on all rows)
    with pytest.raises(EvaluationError, match="need 384 losses to be kept"):
        run_kind(BODY)


def test_property_parts_are_candidates_and_their_sizes_are_all_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    others = {"mean": "mean", "tree": "DecisionTreeRegressor"}
    body = {**BODY, "candidates": {**BODY["candidates"], **others}}
    request = SelectionRequest.model_validate(body)
    started = JOB_KINDS["selection"].start(Job(uuid4(), "selection", request, 1))

    assert isinstance(started, Chunks)
    # those that differ in their penalty alone are run together
    assert {chunk.part for chunk in started.chunks} == {"weak and 3 more", "mean", "tree"}
    # by candidate: 4 external splits of 3 internal ones and one fit outside, and 3 on all rows
    assert sum(chunk.size for chunk in started.chunks) == 6 * (4 * (3 + 1) + 3)
