"""Five repeats of two folds, from the data to the tests that need them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import fdtrc, stdtr

from tests.service.kinds.run_requests import parquet_file, run_kind
from thetahat.errors import EvaluationError
from thetahat_service.kinds.cross_validation import kind as cross_validation

RNG = np.random.default_rng(20_261_121)
X = RNG.normal(size=(61, 3))
Y = X @ [1.0, -2.0, 0.5] + RNG.normal(size=61)
LABELS = np.where(Y > 0, "yes", "no").tolist()
TESTS = ["five_by_two_t", "five_by_two_f", "bouckaert_frank_t", "bayesian_correlated_t"]
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": Y.tolist()},
    "task": "regression",
    "learners": {"ridge": {"name": "ridge", "params": {"penalty": 2.0}}, "mean": "mean"},
    "scheme": "five_by_two",
    "variances": ["dietterich_5x2", "bouckaert_frank"],
    "tests": TESTS,
    "margin": 0.25,
}


def test_naive_the_tests_follow_from_the_losses() -> None:
    done = run_kind(BODY)
    assert done.losses is not None
    table = {name: np.asarray(done.losses[name]) for name in ("ridge", "mean", "block", "repeat")}
    lost = table["ridge"] - table["mean"]
    p = np.array(
        [
            [lost[(table["repeat"] == r) & (table["block"] == k)].mean() for k in range(2)]
            for r in range(5)
        ]
    )
    s2 = ((p - p.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    (comparison,) = done.result["comparisons"]
    tests, variances = comparison["tests"], comparison["variances"]

    t, f = p[0, 0] / np.sqrt(s2.mean()), (p**2).sum() / (2 * s2.sum())
    assert_allclose(tests["five_by_two_t"]["statistic"], t, rtol=1e-9)
    assert_allclose(tests["five_by_two_t"]["p_value"], 2 * stdtr(5, -abs(t)), rtol=1e-9)
    assert_allclose(tests["five_by_two_f"]["statistic"], f, rtol=1e-9)
    assert_allclose(tests["five_by_two_f"]["p_value"], fdtrc(10, 5, f), rtol=1e-9)
    assert tests["five_by_two_f"]["degrees_of_freedom"] == [10, 5]
    assert_allclose(variances["dietterich_5x2"]["estimate"], p[0, 0], rtol=1e-9)
    assert variances["dietterich_5x2"]["mean"] == "first_split"
    # 61 rows: the halves of 31 and 30 are trained on once each, so that the sizes sum alike
    s2_all = p.var(ddof=1)
    assert_allclose(variances["bouckaert_frank"]["value"], (1 / 10 + 1) * s2_all, rtol=1e-9)
    assert_allclose(
        tests["bouckaert_frank_t"]["statistic"], p.mean() / np.sqrt(1.1 * s2_all), rtol=1e-9
    )
    posterior = tests["bayesian_correlated_t"]
    assert posterior["rope"] == 0.25  # the margin
    assert posterior["p_value"] is posterior["p_value_adjusted"] is None
    scale = np.sqrt(1.1 * s2_all)
    assert_allclose(posterior["p_left"], stdtr(9, (-0.25 - p.mean()) / scale), rtol=1e-8)


def test_exact_three_models_adjust_what_has_a_p_value() -> None:
    learners = {**BODY["learners"], "heavy": {"name": "ridge", "params": {"penalty": 200.0}}}
    comparisons = run_kind({**BODY, "learners": learners}).result["comparisons"]

    for comparison in comparisons:
        assert comparison["tests"]["five_by_two_t"]["p_value_adjusted"] is not None
        assert comparison["tests"]["bayesian_correlated_t"]["p_value_adjusted"] is None


def test_exact_stratified_halves_of_a_stored_data_set(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, {f"x{j}": X[:, j] for j in range(3)} | {"y": LABELS})
    kept = {k: v for k, v in BODY.items() if k not in {"data", "margin"}}
    scheme = {"name": "five_by_two", "params": {"stratified": True}}
    body = kept | {
        "dataset": str(file.id),
        "columns": {"target": "y"},
        "task": "classification",
        "learners": {"nb": "gaussian_naive_bayes", "majority": "majority"},
        "scheme": scheme,
    }

    result = run_kind(body, [file])

    assert result.losses is not None
    test_of = np.array(result.losses["block"]), np.array(result.losses["repeat"])
    said_yes = np.array(LABELS)[np.array(result.losses["instance"])] == "yes"
    for repeat in range(5):
        counts = [said_yes[(test_of[0] == k) & (test_of[1] == repeat)].sum() for k in range(2)]
        assert abs(counts[0] - counts[1]) <= 1


@pytest.mark.parametrize("test", ["five_by_two_t", "five_by_two_f"])
def test_invalid_another_scheme_is_refused_by_name(test: str) -> None:
    other = {"name": "repeated_k_fold", "params": {"n_folds": 2, "n_repeats": 6}}
    body = {**BODY, "scheme": other, "tests": [test], "variances": None}
    kind = cross_validation.KIND
    request = kind.request.model_validate({k: v for k, v in body.items() if v is not None})

    with pytest.raises(EvaluationError, match=r"5 repeats of 2 folds \(scheme five_by_two\)"):
        kind.check(request, {})


@pytest.mark.outside("mlxtend test_combined_ftest_5x2cv.py: p 0.47, all digits from 0.25.0")
def test_golden_split_scores_of_five_repeats_of_two() -> None:
    # differences of accuracies in halves of 75, as counts
    counts = [0, 0, 3, -2, 1, 2, 1, 2, 1, 5]
    body = {
        "kind": "losses",
        "blocks": "random",
        "better": "lower",
        "split_scores": {"tree": [c / 75 for c in counts], "lr": [0.0] * 10},
        "n_train": 75,
        "n_test": 75,
        "repeats": 5,
        "tests": ["five_by_two_f"],
    }

    (comparison,) = run_kind(body).result["comparisons"]

    assert_allclose(comparison["tests"]["five_by_two_f"]["p_value"], 0.4704629478124442, rtol=1e-9)
