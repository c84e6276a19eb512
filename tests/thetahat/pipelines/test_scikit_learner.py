"""The adapter: classes that are absent, weights, streams, failures and warnings."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.svm import SVC

from tests.thetahat.pipelines.tables import built, codes, fit_predict, numbers
from thetahat.cautions import Caution
from thetahat.errors import (
    InsufficientData,
    InvalidParameter,
    LearnerFailed,
    UnsupportedCombination,
)
from thetahat.pipelines.allowed_classes import CLASSIFIERS
from thetahat.pipelines.constraints import build_params_schema
from thetahat.pipelines.estimator_learner import FittedEstimator
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.pipelines.third_party_calls import catch_failures

TRAIN, TEST = np.arange(0, 45), np.arange(45, 60)


@pytest.mark.parametrize("name", ["LogisticRegression", "GaussianNB", "RandomForestClassifier"])
def test_exact_a_class_that_the_training_part_lacks_has_probability_zero(name: str) -> None:
    features = numbers()
    y = codes(features, 3)
    train = np.flatnonzero(y != 1)
    test = np.arange(60)
    full = fit_predict(built(name), features, y, train, test, n_classes=3)
    assert full.probabilities is not None
    assert full.probabilities.shape == (60, 3)
    assert (full.probabilities[:, 1] == 0).all()
    assert set(full.output) <= {0, 2}
    assert full.scores is None
    assert full.classes == (0, 1, 2)
    two = fit_predict(built(name), features, (y == 2).astype(np.intp), train, test)
    np.testing.assert_array_equal(two.probabilities, full.probabilities[:, [0, 2]])


def test_exact_scores_are_the_decision_values_of_class_one() -> None:
    features = numbers()
    y = codes(features)
    X = features.matrix()
    ours = fit_predict(built("SVC"), features, y, TRAIN, TEST)
    np.testing.assert_array_equal(
        ours.scores, SVC().fit(X[TRAIN], y[TRAIN]).decision_function(X[TEST])
    )
    assert ours.scores is not None
    np.testing.assert_array_equal(ours.output, (ours.scores > 0).astype(int))


@pytest.mark.parametrize("name", ["GaussianNB", "RandomForestClassifier", "DummyClassifier"])
def test_degenerate_one_class_in_the_training_part_where_the_learner_copes(name: str) -> None:
    features = numbers()
    y = np.ones(60, dtype=np.intp)
    predictions = fit_predict(built(name), features, y, TRAIN, TEST)
    assert predictions.probabilities is not None
    assert predictions.probabilities.tolist() == [[0.0, 1.0]] * 15
    assert predictions.scores is None


@pytest.mark.parametrize(
    "name",
    [
        "LogisticRegression",
        "SVC",
        # these take one class at the fit and would fail when they predict
        "HistGradientBoostingClassifier",
        "LinearDiscriminantAnalysis",
        "MLPClassifier",
    ],
)
def test_invalid_one_class_in_the_training_part_where_the_learner_needs_two(name: str) -> None:
    with pytest.raises(InsufficientData, match=f"one class only, and {name} needs two"):
        built(name).fit(
            numbers(),
            np.zeros(60, dtype=np.intp),
            weights=None,
            rng=np.random.default_rng(0),
            n_classes=2,
        )


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_property_one_class_is_refused_at_the_fit_or_predicted(name: str) -> None:
    y = np.ones(60, dtype=np.intp)
    try:
        predictions = fit_predict(built(name), numbers(), y, TRAIN, TEST, n_classes=3)
    except InsufficientData as refusal:
        assert "one class only" in refusal.message  # noqa: PT017 - one of two right answers
        return
    assert predictions.output.tolist() == [1] * 15
    if predictions.probabilities is not None:
        assert predictions.probabilities.tolist() == [[0.0, 1.0, 0.0]] * 15


def test_exact_weights_reach_the_estimator() -> None:
    features = numbers()
    y = codes(features)
    weights = np.random.default_rng(3).uniform(0.1, 3.0, size=60)
    X = features.matrix()
    for prepare in ([], ["MinMaxScaler"]):
        learner = built({"name": "LogisticRegression", "prepare": prepare})
        assert learner.takes_weights
        fitted = learner.fit(
            features, y, weights=weights, rng=np.random.default_rng(0), n_classes=2
        )
        Z = X if not prepare else (X - X.min(axis=0)) / np.ptp(X, axis=0)
        theirs = LogisticRegression().fit(Z, y, sample_weight=weights)
        probabilities = fitted.predict(features).probabilities
        assert probabilities is not None
        # the scaled features differ in the last bits, which the solver's tolerance of 1e-4 bounds
        np.testing.assert_allclose(probabilities, theirs.predict_proba(Z), rtol=1e-4)


def test_invalid_weights_for_a_learner_that_takes_none() -> None:
    learner = built("KNeighborsClassifier")
    assert not learner.takes_weights
    with pytest.raises(UnsupportedCombination, match="KNeighborsClassifier takes no weights"):
        learner.fit(
            numbers(),
            codes(numbers()),
            weights=np.ones(60),
            rng=np.random.default_rng(0),
            n_classes=2,
        )


@pytest.mark.parametrize(
    ("wire", "probabilities"),
    [
        ("LogisticRegression", True),
        ("SVC", False),
        ({"name": "SVC", "params": {"probability": True}}, True),
        ("SGDClassifier", False),
        ({"name": "SGDClassifier", "params": {"loss": "log_loss"}}, True),
        ("LinearSVC", False),
    ],
)
def test_exact_whether_probabilities_come_is_known_before_the_fit(
    wire: Any,
    probabilities: bool,  # noqa: FBT001 - a parametrised expectation
) -> None:
    learner = built(wire)
    assert isinstance(learner, ScikitLearner)
    assert learner.gives_probabilities is probabilities
    predictions = fit_predict(learner, numbers(), codes(numbers()), TRAIN, TEST)
    assert (predictions.probabilities is not None) is probabilities


def test_exact_the_random_state_comes_from_the_stream_unless_the_request_fixes_it() -> None:
    features = numbers()
    y = codes(features)

    def probabilities(params: dict[str, Any], seed: int) -> np.ndarray:
        wire = {"name": "ExtraTreesClassifier", "params": {"n_estimators": 4, **params}}
        predictions = fit_predict(built(wire), features, y, TRAIN, TEST, seed=seed)
        assert predictions.probabilities is not None
        return predictions.probabilities

    np.random.seed(0)  # noqa: NPY002 - the global state must not matter
    first = probabilities({}, 1)
    np.random.seed(1)  # noqa: NPY002 - as above
    np.testing.assert_array_equal(probabilities({}, 1), first)
    np.testing.assert_array_equal(probabilities({"random_state": None}, 1), first)
    assert (probabilities({}, 2) != first).any()
    np.testing.assert_array_equal(
        probabilities({"random_state": 9}, 1), probabilities({"random_state": 9}, 2)
    )


def test_exact_a_random_state_that_is_the_class_s_default_is_kept() -> None:
    """``Perceptron`` has the default 0, and a state that is left out is drawn all the same."""
    features = numbers()
    y = codes(features)
    learner = built({"name": "Perceptron", "params": {"random_state": 0}})
    predictions = fit_predict(learner, features, y, TRAIN, TEST, seed=5)
    theirs = Perceptron(random_state=0).fit(features.matrix()[TRAIN], y[TRAIN])

    np.testing.assert_array_equal(
        predictions.scores, theirs.decision_function(features.matrix()[TEST])
    )
    schemas = [build_params_schema(c)["properties"] for c in (Perceptron, RandomForestClassifier)]
    assert schemas[0]["random_state"] == schemas[1]["random_state"]


def test_invalid_a_learner_that_raises_says_why_without_a_trace() -> None:
    features = numbers()
    negative = features.with_columns(features.names, tuple(-c for c in features.columns))
    with pytest.raises(LearnerFailed, match="MultinomialNB: Negative values") as failure:
        fit_predict(built("MultinomialNB"), negative, codes(features), TRAIN, TEST)
    assert "\n" not in failure.value.message


def test_exact_a_fit_that_does_not_converge_carries_a_caution() -> None:
    learner = built({"name": "MLPClassifier", "params": {"max_iter": 1}})
    fitted = learner.fit(
        numbers(), codes(numbers()), weights=None, rng=np.random.default_rng(0), n_classes=2
    )
    assert isinstance(fitted, FittedEstimator)
    assert [caution.code for caution in fitted.cautions] == ["not_converged"]
    assert fitted.cautions[0].message.startswith("MLPClassifier: Stochastic Optimizer")


def test_exact_guarded_code_tells_warnings_apart() -> None:
    cautions: list[Caution] = []
    with catch_failures("Thing", cautions):
        warnings.warn("odd   data\nhere\n\nmore", UserWarning, stacklevel=1)
        warnings.warn("odd data here", UserWarning, stacklevel=1)
        warnings.warn("will be renamed", FutureWarning, stacklevel=1)
    assert cautions == [Caution("learner_warning", "Thing: odd data here")]


def test_exact_guarded_code_lets_refusals_limits_and_lack_of_memory_pass() -> None:
    class TimeLimit(BaseException):
        pass

    class Own(Exception):
        """A package's own error, of no known kind."""

    with pytest.raises(LearnerFailed, match=r"^Thing: no such bed$"), catch_failures("Thing", []):
        raise Own("no such bed")
    for error in (InvalidParameter("no"), TimeLimit(), MemoryError()):
        with pytest.raises(type(error)), catch_failures("Thing", []):
            raise error
    with pytest.raises(LearnerFailed, match=r"^Thing: KeyError$"), catch_failures("Thing", []):
        raise KeyError
    with pytest.raises(LearnerFailed) as failure, catch_failures("Thing", []):
        raise ValueError("x" * 2000)
    assert len(failure.value.message) == len("Thing: ") + 500


def test_exact_a_reviewed_learner_says_what_it_is() -> None:
    learner = built("LogisticRegression")
    assert (learner.info.name, learner.info.title) == ("LogisticRegression", "Logistic regression")
    assert learner.tasks == {"classification"}
