"""One learner fails; what is asked of all of them fits those that are left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import run_kind
from thetahat.errors import EvaluationError
from thetahat_service.jobs import partial

RNG = np.random.default_rng(20_261_123)
X = RNG.normal(size=(40, 2))
BODY: dict[str, Any] = {
    "kind": "cross_validation",
    "data": {"X": X.tolist(), "y": np.where(X[:, 0] > 0, "yes", "no").tolist()},
    "task": "classification",
    "learners": {
        "nb": "gaussian_naive_bayes",
        "signed": "MultinomialNB",  # fails: there are values below 0
        "majority": "majority",
    },
    "scheme": {"name": "k_fold", "params": {"n_folds": 4}},
}


def _codes(result: dict[str, Any]) -> set[str]:
    return {caution["code"] for caution in result["cautions"]}


def test_exact_the_others_are_evaluated_as_if_it_had_not_been_asked_for() -> None:
    alone = {name: BODY["learners"][name] for name in ("nb", "majority")}
    fewer, others = run_kind(BODY).result, run_kind({**BODY, "learners": alone}).result

    assert fewer["models"] == others["models"]
    assert fewer["comparisons"] == others["comparisons"]
    assert fewer["failures"]["signed"]["code"] == "learner_failed"
    assert fewer["failures"]["signed"]["loc"] == ["learners", "signed"]
    assert "learner_left_out" in _codes(fewer)
    assert others["failures"] == {}


def test_exact_a_control_that_fails_leaves_every_pair() -> None:
    result = run_kind({**BODY, "control": "signed"}).result

    assert [(pair["a"], pair["b"]) for pair in result["comparisons"]] == [("nb", "majority")]
    assert "control_left_out" in _codes(result)
    kept = run_kind({**BODY, "control": "majority"}).result
    assert "control_left_out" not in _codes(kept)


def test_exact_a_named_test_of_three_models_is_dropped_if_two_are_left() -> None:
    result = run_kind({**BODY, "tests": ["nadeau_bengio_t", "friedman"]}).result

    let_go = [entry for entry in result["not_applicable"] if entry["name"] == "friedman"]
    assert len(let_go) == 1
    assert "2" in let_go[0]["reason"]
    assert set(result["comparisons"][0]["tests"]) == {"nadeau_bengio_t"}
    assert result["omnibus"] == {}


def test_exact_a_test_that_fits_those_that_are_left_is_made() -> None:
    learners = {**BODY["learners"], "tree": {"name": "DecisionTreeClassifier"}}
    result = run_kind({**BODY, "learners": learners, "tests": ["friedman"]}).result

    assert set(result["omnibus"]) == {"friedman"}


def test_degenerate_without_a_learner_left_the_first_failure_counts() -> None:
    body = {**BODY, "learners": {"signed": "MultinomialNB", "again": "MultinomialNB"}}
    with pytest.raises(EvaluationError, match="'signed', repeat 0, block 0: MultinomialNB"):
        run_kind(body)


def test_exact_class_weights_are_by_label_whether_data_are_known_or_not() -> None:
    weighted = {"name": "LogisticRegression", "params": {"class_weight": {"yes": 9}}}
    learners = {"plain": "LogisticRegression", "weighted": weighted, "nb": "gaussian_naive_bayes"}
    result = run_kind({**BODY, "learners": learners})
    assert result.losses is not None
    cautions = {
        name: np.mean([label == "yes" for label in result.losses[f"prediction:{name}"].to_pylist()])
        for name in ("plain", "weighted")
    }
    assert cautions["weighted"] > cautions["plain"]
    wrong = {"name": "LogisticRegression", "params": {"class_weight": {"maybe": 9}}}
    with pytest.raises(EvaluationError, match="a weight for 'maybe'") as refusal:
        run_kind({**BODY, "learners": {"wrong": wrong}})
    assert refusal.value.loc == ("learners", "wrong", "params", "class_weight", "maybe")


@pytest.mark.parametrize("name", ["", "a" * 121, "a\0b"])
def test_invalid_names_that_no_database_keeps(name: str) -> None:
    with pytest.raises(EvaluationError, match="1 to 120 characters, and no NUL") as refusal:
        run_kind({**BODY, "learners": {name: "majority"}})
    assert refusal.value.loc == ("learners", name)


def test_exact_ended_learners_are_complete_or_failed() -> None:
    learners = partial.IncludedLearners(complete=("nb",), failed=("signed",), to_come=("forest",))

    assert partial.AvailableChunks(learners, (1,)).ended_parts == ("nb", "signed")
