from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from thetahat.errors import EvaluationError
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.cross_validation import kind as cross_validation
from thetahat_service.kinds.fitting import engine

RNG = np.random.default_rng(20_261_121)
X = RNG.normal(size=(60, 3))
SITE = np.repeat(["oslo", "rome", "lima", "bonn"], [10, 20, 12, 18])
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=60)
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": Y.tolist(), "source": SITE.tolist()},
    "task": "regression",
    "learners": {"ridge": {"name": "ridge", "params": {"penalty": 2.0}}, "mean": "mean"},
    "scheme": "leave_one_source_out",
}
LABELS = np.where(Y > 0, "yes", "no").tolist()
CLASSIFY: dict[str, Any] = {
    **BODY,
    "data": {"X": X.tolist(), "y": LABELS},
    "task": "classification",
    "learners": {"nb": "gaussian_naive_bayes", "majority": "majority"},
    "scheme": {"name": "stratified_k_fold", "params": {"n_folds": 5}},
}


def test_against_sklearn_leave_one_group_out() -> None:
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict

    result = run_kind(BODY)
    predictions = cross_val_predict(Ridge(alpha=2.0), X, Y, groups=SITE, cv=LeaveOneGroupOut())
    losses = (predictions - Y) ** 2
    by_site = [losses[site == SITE].mean() for site in ("bonn", "lima", "oslo", "rome")]

    means = dict(
        zip(
            result.result["block_labels"],
            result.result["models"]["ridge"]["mean"]["blocks"],
            strict=True,
        )
    )
    assert_allclose([means[s] for s in ("bonn", "lima", "oslo", "rome")], by_site, rtol=1e-10)
    assert_allclose(result.result["models"]["ridge"]["mean"]["pooled"], losses.mean(), rtol=1e-10)
    table = result.losses
    assert table is not None
    back = np.empty(60)
    back[np.array(table["instance"])] = np.array(table["ridge"])
    assert_allclose(back, losses, rtol=1e-8)


def test_exact_the_number_of_chunks_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = {"name": "RandomForestRegressor", "params": {"n_estimators": 5}}
    body = {**BODY, "learners": {**BODY["learners"], "forest": forest}}
    results = []
    for most in (3, 8, 64):
        monkeypatch.setattr(engine, "MOST_CHUNKS", most)
        results.append(run_kind(body, job=most))

    assert results[0].result == results[1].result == results[2].result
    assert results[0].losses == results[1].losses == results[2].losses


FAST = {
    "regression": ["ridge", "least_squares", "nearest_neighbours"],
    "classification": [
        "linear_discriminant",
        "diagonal_discriminant",
        "nearest_mean",
        "gaussian_naive_bayes",
        "nearest_neighbours",
    ],
}


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "leave_one_source_out"])
@pytest.mark.parametrize("task", FAST)
def test_exact_learners_that_go_over_all_rows_once_change_no_bit(
    task: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = BODY if task == "regression" else CLASSIFY
    body = {**body, "learners": {name: name for name in FAST[task]}, "scheme": scheme}
    body["data"] = {**body["data"], "source": SITE.tolist()}
    monkeypatch.setattr(engine, "WORTH_A_CHUNK", 1)
    monkeypatch.setattr(engine, "SMALL", 0)
    results = []
    for parts in (1, 2, 4):
        monkeypatch.setattr(engine, "MOST_CHUNKS", parts * len(FAST[task]))
        results.append(run_kind(body, job=parts))

    assert results[0].result == results[1].result == results[2].result
    assert results[0].losses == results[1].losses == results[2].losses
    paths = results[0].result["learners"]
    assert {path["path"] for path in paths.values()} == {"fast"}


def test_exact_the_result_says_which_path_was_taken() -> None:
    scaled = {"name": "ridge", "prepare": [{"name": "standardise"}]}
    result = run_kind({**BODY, "learners": {"fast": "ridge", "scaled": scaled}}).result

    assert result["learners"]["fast"]["path"] == "fast"
    assert result["learners"]["fast"]["reason"] is None
    assert result["learners"]["scaled"]["path"] == "plain"
    assert "a preparation step learns" in result["learners"]["scaled"]["reason"]


def test_exact_one_unit_and_many_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(BODY)
    monkeypatch.setattr(engine, "WORTH_A_CHUNK", 1)
    monkeypatch.setattr(engine, "SMALL", 0)
    cut = run_kind(BODY, job=1)

    assert whole.result == cut.result


def test_exact_a_stored_data_set_and_inline_data_agree(tmp_path: Path) -> None:
    columns = {f"x{j}": X[:, j] for j in range(3)} | {"y": Y, "site": SITE}
    file = parquet_file(tmp_path, columns)
    stored = {k: v for k, v in BODY.items() if k != "data"} | {
        "dataset": str(file.id),
        "columns": {"target": "y", "source": "site"},
    }

    inline, from_file = run_kind(BODY), run_kind(stored, [file])

    assert inline.result["models"] == from_file.result["models"]


def test_exact_predictions_come_back_as_labels() -> None:
    table = run_kind(CLASSIFY).losses

    assert table is not None
    predictions, lost = np.array(table["prediction:nb"]), np.array(table["nb"])
    truth = np.array(LABELS)[np.array(table["instance"])]
    assert_array_equal(lost, (predictions != truth).astype(float))


def test_degenerate_a_learner_that_fails_leaves_the_others() -> None:
    # multinomial naive Bayes refuses negative features
    body = {**CLASSIFY, "learners": {**CLASSIFY["learners"], "bad": "multinomial_naive_bayes"}}
    result = run_kind(body).result

    assert list(result["models"]) == ["nb", "majority"]
    assert "takes counts" in result["failures"]["bad"]["message"]
    (caution,) = [c["message"] for c in result["cautions"] if c["code"] == "learner_left_out"]
    assert caution.startswith("Learner 'bad', repeat 0, block 0")
    assert caution.count("'bad'") == 1
    assert caution.endswith(". The learner is left out.")


@pytest.mark.parametrize("encoder", ["OneHotEncoder", "OrdinalEncoder"])
@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"c": ["a", "b"] * 7 + ["rare", "b"]}, "the category 'rare' in column 'c'"),
        ({"x": ["u"] * 16, "c": ["a"] * 15 + ["z"]}, "the category 'z' in column 'c'"),
        ({"c": ["", *["a", "b", "c"] * 5]}, "the category '' in column 'c'"),
        ({"c": ["A", *["a"] * 15], "d": ["k", "l"] * 8}, "the category 'A' in column 'c'"),
        ({"c": [None, *["a", "b", "c"] * 5]}, "missing values in column 'c'"),
    ],
)
def test_invalid_categories_that_a_training_part_lacks_are_named_with_advice(
    encoder: str, columns: dict[str, list[str | None]], said: str
) -> None:
    names = list(columns)
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    body = {
        "kind": "cross_validation",
        "data": {"X": rows, "features": names, "y": [0, 0, 1, 1] * 4},
        "task": "classification",
        "learners": {
            "m": {"name": "LogisticRegression", "prepare": [encoder]},
            "base": "majority",
            "ours": {"name": "LogisticRegression", "prepare": ["one_hot"]},
        },
        "scheme": "leave_one_out",
    }
    result = run_kind(body).result

    assert list(result["models"]) == ["base", "ours"]
    message = result["failures"]["m"]["message"]
    assert f"{encoder}: a test part has {said}, which the training part does not have." in message
    assert "step one_hot" in message
    assert "Found unknown" not in message

    params = {
        "OneHotEncoder": {"handle_unknown": "ignore"},
        "OrdinalEncoder": {"handle_unknown": "use_encoded_value", "unknown_value": -1},
    }[encoder]
    if "missing" not in said or encoder == "OneHotEncoder":
        step = {"name": encoder, "params": params}
        learners = {"m": {"name": "LogisticRegression", "prepare": [step]}}
        assert "m" in run_kind({**body, "learners": learners}).result["models"]


def test_invalid_a_category_that_our_own_step_refuses_has_the_same_words() -> None:
    step = {"name": "one_hot", "params": {"unknown": "error"}}
    body = {
        "kind": "cross_validation",
        "data": {"X": [["a"], ["b"]] * 9 + [["rare"], [None]], "features": ["c"], "y": [0, 1] * 10},
        "task": "classification",
        "learners": {"m": {"name": "nearest_mean", "prepare": [step]}, "base": "majority"},
        "scheme": "leave_one_out",
    }
    message = run_kind(body).result["failures"]["m"]["message"]

    assert message.endswith(
        "one_hot: a test part has the category 'rare' in column 'c', which the training part does "
        'not have. With "unknown": "ignore", the default, such rows have 0 in all columns of it.'
    )


def test_degenerate_when_all_learners_fail_the_job_does() -> None:
    with pytest.raises(EvaluationError, match=r"Learner 'bad', repeat 0, block 0.*takes counts"):
        run_kind({**CLASSIFY, "learners": {"bad": "multinomial_naive_bayes"}})


def test_degenerate_a_training_part_of_one_class_names_the_split() -> None:
    site = ["a"] * 30 + ["b"] * 30
    label = ["yes"] * 30 + ["no"] * 30
    data = {"X": X.tolist(), "y": label, "source": site}
    body = {**CLASSIFY, "data": data, "scheme": "leave_one_source_out"}

    with pytest.raises(EvaluationError, match=r"repeat 0, block 0 \(source 'a'\)"):
        run_kind({**body, "learners": {"lr": "LogisticRegression"}})


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        (
            {"scheme": {"name": "k_fold", "params": {"n_folds": 61}}},
            ("scheme", "params", "n_folds"),
        ),
        ({"scheme": {"name": "k_fold", "params": {"n_folds": 1}}}, ("scheme", "params", "n_folds")),
        ({"scheme": "no_such"}, ("scheme", "name")),
        ({"scheme": "predefined"}, ("data", "fold")),
        ({"loss": "zero_one"}, ("loss",)),
        ({"learners": {"x": "no_such"}}, ("learners", "x", "name")),
        ({"learners": {"x": "majority"}}, ("learners", "x", "name")),
        (
            {"learners": {"x": {"name": "ridge", "params": {"penalty": -1}}}},
            ("learners", "x", "params", "penalty"),
        ),
        (
            {"learners": {"x": {"name": "Ridge", "params": {"alpha": "much"}}}},
            ("learners", "x", "params", "alpha"),
        ),
        ({"variances": ["theta_5"]}, ("variances", 0)),
        ({"data": {**BODY["data"], "y": [*Y[:-1].tolist(), None]}}, ("data", "y", 59)),
        ({"data": {**BODY["data"], "y": Y[:-1].tolist()}}, None),
        ({"data": {**BODY["data"], "source": ["a"] * 60}}, ("data", "source")),
        ({"metrics": ["gini"]}, ("metrics", 0, "name")),
    ],
)
def test_invalid_requests_are_refused_at_the_door(
    change: dict[str, Any], loc: tuple[Any, ...] | None
) -> None:
    kind = cross_validation.KIND
    request = kind.request.model_validate({**BODY, **change})

    with pytest.raises((EvaluationError, InvalidRequest)) as caught:
        kind.check(request, {})
    if loc is not None:
        assert place_of(caught.value) == loc


def test_exact_unit_names_the_sources_of_learners() -> None:
    rng = np.random.default_rng(20_261_122)
    X = rng.normal(size=(24, 2))
    body = {
        "kind": "cross_validation",
        "data": {
            "X": X.tolist(),
            "y": (X[:, 0] + rng.normal(size=24)).tolist(),
            "source": [i // 6 for i in range(24)],
        },
        "task": "regression",
        "learners": {"ridge": "ridge", "mean": "mean"},
        "scheme": "leave_one_source_out",
        "unit": "school",
    }

    result = run_kind(body).result

    assert result["unit"] == {"singular": "school", "plural": "schools"}
    assert result["comparisons"][0]["verdict"]["reason"].startswith("For a new school")
