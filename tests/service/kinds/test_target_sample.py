"""A cross-validation with a sample of another population: risks beside the losses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.service.kinds.run_requests import parquet_file, place_of, run_kind
from tests.service.kinds.shifted_samples import FOLD, SITES, X, Y, Z, ratio_of_normals
from thetahat.errors import EvaluationError
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_service.errors import InvalidRequest
from thetahat_service.kinds.registry import JOB_KINDS

BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": Y.tolist(), "fold": FOLD.tolist(), "source": SITES},
    "task": "classification",
    "learners": {"near": "nearest_mean", "bayes": "gaussian_naive_bayes"},
    "scheme": "predefined",
    "loss": "zero_one",
    "target_sample": {"X": Z.tolist()},
}


@pytest.mark.outside("scipy's normal densities and numpy's covariances")
def test_against_scipy_each_learner_has_its_risks() -> None:
    done = run_kind(BODY)
    result, w = done.result, ratio_of_normals(X)
    assert done.losses is not None
    table = done.losses.to_pydict()
    rows = np.array(table["instance"])
    for name in ("near", "bayes"):
        terms = np.array(table[name]) * w[rows]
        beta = np.cov(terms, w[rows])[0, 1] / w.var(ddof=1)
        controlled = terms - beta * (w[rows] - 1)
        risks = result["models"][name]["risks"]
        assert list(risks) == list(WEIGHTED_RISKS)
        assert_allclose(risks["weighted"]["estimate"], terms.mean(), rtol=1e-9)
        assert_allclose(risks["controlled"]["estimate"], controlled.mean(), rtol=1e-8)
        assert_allclose(risks["controlled"]["variance"], controlled.var(ddof=1) / 30, rtol=1e-8)
    (pair,) = result["comparisons"]
    a, b = (result["models"][name]["risks"] for name in ("near", "bayes"))
    for risk in ("weighted", "controlled", "self_normalised", "truncated"):
        expected = a[risk]["estimate"] - b[risk]["estimate"]
        assert_allclose(pair["risks"][risk]["difference"], expected, atol=1e-12)
    assert_allclose(result["weights"]["values"], w, rtol=1e-9)
    assert (result["weights"]["from"], result["weights"]["in_fits"]) == ("all", False)
    used = [(method["family"], method["name"]) for method in result["methods"]]
    assert ("weights", "gaussian_ratio") in used
    assert ("risks", "controlled") in used


def test_exact_without_a_target_sample_nothing_else_changes() -> None:
    with_, without = run_kind(BODY).result, run_kind({**BODY, "target_sample": None}).result

    assert "weights" not in without
    for name in ("near", "bayes"):
        without_risks = {k: v for k, v in with_["models"][name].items() if k != "risks"}
        assert without_risks == without["models"][name]


def test_exact_each_source_has_its_part_in_random_folds_and_repeats() -> None:
    risks = run_kind(BODY).result["models"]["near"]["risks"]
    repeated = {"name": "repeated_k_fold", "params": {"n_folds": 3, "n_repeats": 2}}
    again = run_kind({**BODY, "scheme": repeated}).result["models"]["near"]["risks"]
    of_sources = {**BODY, "scheme": "leave_one_source_out"}
    by_block = run_kind(of_sources).result["models"]["near"]["risks"]

    for risks_of_run in (risks, again, by_block):
        for risk in risks_of_run.values():
            parts = risk["by_source"]
            assert {(part["source"], part["n"]) for part in parts} == {
                ("a", 17),
                ("b", 12),
                ("c", 1),
            }
            mean = sum(part["n"] * part["estimate"] for part in parts) / 30
            assert_allclose(mean, risk["estimate"], rtol=1e-9)
    data = {key: value for key, value in BODY["data"].items() if key != "source"}
    assert (
        "by_source"
        not in run_kind({**BODY, "data": data}).result["models"]["near"]["risks"]["weighted"]
    )


def test_exact_weighted_fits_are_those_of_a_weight_column() -> None:
    w = ratio_of_normals(X)
    data = {**BODY["data"], "weight": w.tolist()}
    fitted = run_kind({**BODY, "weighted_fit": True}).result
    by_column = run_kind({**BODY, "data": data, "target_sample": None}).result
    with_given_weights = run_kind({**BODY, "data": data, "weights": "given"}).result
    both = run_kind({**BODY, "data": data, "weighted_fit": True, "weights": "given"}).result
    twice = run_kind({**BODY, "data": data, "weighted_fit": True}).result
    squared = {**BODY["data"], "weight": (w**2).tolist()}
    of_squares = run_kind({**BODY, "data": squared, "target_sample": None}).result

    for name in ("near", "bayes"):
        means = [
            result["models"][name]["mean"]["macro"]
            for result in (fitted, with_given_weights, both, by_column)
        ]
        assert_allclose(means, np.full(4, means[0]), rtol=1e-12)
        assert twice["models"][name]["mean"] == of_squares["models"][name]["mean"]
    assert (
        with_given_weights["models"]["near"]["risks"]["weighted"]
        == both["models"]["near"]["risks"]["weighted"]
    )
    assert fitted["weights"]["in_fits"] is True
    assert with_given_weights["weights"]["in_fits"] is True


def test_exact_weights_use_only_the_features_of_the_target_sample() -> None:
    words = ["x", "y"] * 15
    data = {
        **BODY["data"],
        "X": [[*row, word] for row, word in zip(X.tolist(), words, strict=True)],
    }
    learner = {"name": "nearest_mean", "prepare": [{"name": "one_hot"}]}
    target = {"X": Z.tolist(), "features": ["x0", "x1"]}
    body = {**BODY, "data": data, "learners": {"m": learner}, "target_sample": target}

    result = run_kind(body).result
    assert_allclose(result["weights"]["values"], ratio_of_normals(X), rtol=1e-9)
    with pytest.raises(
        EvaluationError, match=r"numeric features without missing values.*'x2'"
    ) as caught:
        run_kind({**body, "target_sample": {"X": [[1.0, 2.0, 3.0]] * 5}})
    assert caught.value.loc == ("target_sample",)


def test_exact_stored_data_sets(tmp_path: Path) -> None:
    data = parquet_file(tmp_path, {"a": X[:, 0], "b": X[:, 1], "y": Y, "fold": FOLD, "site": SITES})
    target = parquet_file(tmp_path, {"b": Z[:, 1], "a": Z[:, 0]})
    body = {key: value for key, value in BODY.items() if key != "data"} | {
        "dataset": str(data.id),
        "columns": {"target": "y", "fold": "fold", "source": "site"},
        "target_sample": {"dataset": str(target.id)},
    }
    result, inline = run_kind(body, [data, target]).result, run_kind(BODY).result

    assert_allclose(result["weights"]["values"], inline["weights"]["values"], rtol=1e-9)
    request = JOB_KINDS["cross_validation"].request.model_validate(body)
    assert request.list_dataset_ids() == (data.id, target.id)


def test_exact_risks_by_name() -> None:
    risks = ["weighted", {"name": "truncated", "params": {"cut": 0.5}, "as": "cut"}]
    result = run_kind({**BODY, "risks": risks, "weights": "ulsif"}).result

    assert list(result["models"]["near"]["risks"]) == ["weighted", "cut"]
    assert list(result["comparisons"][0]["risks"]) == ["weighted", "cut"]
    assert result["weights"]["method"] == "ulsif"


@pytest.mark.parametrize(
    ("change", "place", "match"),
    [
        (
            {"target_sample": None, "weights": "ulsif"},
            ("weights",),
            "weights needs a target_sample",
        ),
        ({"target_sample": None, "weighted_fit": True}, ("weighted_fit",), "target_sample"),
        ({"target_sample": None, "risks": ["weighted"]}, ("risks",), "target_sample"),
        ({"target_sample": {}}, ("target_sample",), "either X or a dataset"),
        ({"target_sample": {"X": [[1.0], [2.0]]}}, ("target_sample",), "2 features and the target"),
        (
            {"target_sample": {"X": [[1.0], [2.0]], "features": ["x7"]}},
            ("target_sample", "features"),
            "feature 'x7', which the data do not have",
        ),
        ({"weights": "kmm"}, ("weights", "name"), "not one of the importance weights"),
        ({"weights": {"name": "ulsif", "as": "u"}}, ("weights", "as"), "needs no key"),
        ({"risks": ["all"]}, ("risks", 0, "name"), "not one of the weighted risks"),
        ({"weights": "given"}, ("data", "weight"), "weight of each row"),
        (
            {"weights": "given", "data": {**BODY["data"], "weight": [1.0] * 29 + [1e200]}},
            ("data", "weight", 29),
            "at most 1e",
        ),
        (
            {"data": {**BODY["data"], "X": [[0.0, x] for x in X[:, 0].tolist()]}},
            ("data", "X"),
            "covariance is singular",
        ),
        ({"target_sample": {"X": Z[:2].tolist()}}, ("target_sample",), "at least 3 rows"),
        (
            {
                "weights": {"name": "logistic", "params": {"penalty": 0}},
                "target_sample": {"X": (Z + 100).tolist()},
            },
            ("weights", "params", "penalty"),
            "has no optimum",
        ),
        (
            {"learners": {"n": "KNeighborsClassifier"}, "weighted_fit": True},
            ("learners", "n"),
            "cannot use weights",
        ),
    ],
)
def test_invalid_requests(change: dict[str, Any], place: tuple[Any, ...], match: str) -> None:
    with pytest.raises((EvaluationError, InvalidRequest), match=match) as caught:
        run_kind({**BODY, **change})
    assert place_of(caught.value) == place
