"""Class weights by label, which are codes to scikit-learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from tests.thetahat.pipelines.tables import built, codes, fit_predict, numbers
from thetahat.errors import InvalidParameter, LearnerFailed
from thetahat.pipelines import adapt_to_classes

TRAIN, TEST = np.arange(0, 45), np.arange(45, 60)
LABELS = ("no", "yes")


def _spec(weights: Any, name: str = "LogisticRegression") -> dict[str, Any]:
    return {"name": name, "params": {"class_weight": weights}}


def test_against_sklearn_weights_by_label_are_those_by_code() -> None:
    features = numbers()
    y, X = codes(features), features.matrix()
    learner = adapt_to_classes(built(_spec({"yes": 5, "no": 0.5})), LABELS)
    theirs = LogisticRegression(class_weight={0: 0.5, 1: 5.0}).fit(X[TRAIN], y[TRAIN])
    ours = fit_predict(learner, features, y, TRAIN, TEST)
    np.testing.assert_array_equal(ours.probabilities, theirs.predict_proba(X[TEST]))


def test_exact_a_class_that_is_not_named_weighs_1() -> None:
    learner: Any = adapt_to_classes(built(_spec({"yes": 5})), LABELS)
    assert learner.params["class_weight"] == {0: 1.0, 1: 5.0}
    whole: Any = adapt_to_classes(built(_spec({"3": 2})), (1, 3, 7))
    assert whole.params["class_weight"] == {0: 1.0, 1: 2.0, 2: 1.0}


@pytest.mark.parametrize("yes", ["true", "True"])
def test_exact_booleans_are_named_as_json_or_python_writes_them(yes: str) -> None:
    learner: Any = adapt_to_classes(built(_spec({yes: 5})), (False, True))
    assert learner.params["class_weight"] == {0: 1.0, 1: 5.0}
    with pytest.raises(
        InvalidParameter,
        match="has a weight for 'yes', which is not a class; the classes are false, true",
    ):
        adapt_to_classes(built(_spec({"yes": 5})), (False, True))


def test_exact_steps_before_the_learner_change_nothing_of_it() -> None:
    features = numbers()
    y, X = codes(features), features.matrix()
    spec = {**_spec({"yes": 9}, "RandomForestClassifier"), "prepare": ["standardise"]}
    ours = fit_predict(adapt_to_classes(built(spec), LABELS), features, y, TRAIN, TEST, seed=5)
    drawn = int(np.random.default_rng(5).integers(2**32 - 1))
    mean, spread = X[TRAIN].mean(axis=0), X[TRAIN].std(axis=0)
    theirs = RandomForestClassifier(class_weight={0: 1.0, 1: 9.0}, random_state=drawn)
    theirs.fit((X[TRAIN] - mean) / spread, y[TRAIN])
    assert ours.probabilities is not None
    np.testing.assert_allclose(
        ours.probabilities, theirs.predict_proba((X[TEST] - mean) / spread), atol=1e-12
    )


def test_degenerate_a_weighted_class_that_the_training_part_has_not() -> None:
    features = numbers()
    y = codes(features, 3)
    train = np.flatnonzero(y != 1)
    learner = adapt_to_classes(built(_spec({"b": 4, "c": 2})), ("a", "b", "c"))
    predictions = fit_predict(learner, features, y, train, np.arange(60), n_classes=3)
    assert predictions.probabilities is not None
    assert (predictions.probabilities[:, 1] == 0).all()


def test_exact_what_names_no_labels_is_left_as_it_is() -> None:
    for spec in (_spec("balanced"), "LogisticRegression", "majority"):
        learner = built(spec)
        assert adapt_to_classes(learner, LABELS) is learner


def test_invalid_a_label_that_is_no_class() -> None:
    with pytest.raises(
        InvalidParameter,
        match="has a weight for 'maybe', which is not a class; the classes are no, yes",
    ) as bad:
        adapt_to_classes(built(_spec({"maybe": 2})), LABELS)
    assert bad.value.loc == ("params", "class_weight", "maybe")
    features = numbers()
    with pytest.raises(LearnerFailed, match="not in class_weight"):  # nobody said what they are
        fit_predict(built(_spec({"yes": 2})), features, codes(features), TRAIN, TEST)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ({}, "1 to 10000 classes"),
        ({"yes": -1}, r"at least 0. One is -1"),
        ({"yes": math.inf}, "at least 0. One is inf"),
        ({"yes": True}, "at least 0. One is True"),
        ({"yes": "2"}, "at least 0. One is '2'"),
        ([1, 2], "cannot be a list"),
    ],
)
def test_invalid_weights(weights: Any, words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        built(_spec(weights))


def test_exact_fractions_are_named_as_they_are_written() -> None:
    learner: Any = adapt_to_classes(built(_spec({"2.5": 5})), (0.5, 2.5))

    assert learner.params["class_weight"] == {0: 1.0, 1: 5.0}
