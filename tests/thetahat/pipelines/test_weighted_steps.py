"""Steps that learn with the weights of the instances, where they are asked to."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.preprocessing import KBinsDiscretizer, SplineTransformer, StandardScaler

from tests.thetahat.pipelines.tables import built, numbers, values
from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed_classes import TRANSFORMERS, WEIGHTED, load_class
from thetahat.pipelines.steps.standardise import Standardise
from thetahat.tables.features import Features

TRAIN, TEST = np.arange(0, 45), np.arange(45, 60)
WEIGHTS = np.random.default_rng(4).uniform(0.1, 3.0, size=60)


def _predicted(step: Any) -> np.ndarray:
    features = numbers()
    learner = built({"name": "Ridge", "prepare": [step]}, "regression")
    fitted = learner.fit(
        features.rows(TRAIN),
        values(features)[TRAIN],
        weights=WEIGHTS[TRAIN],
        rng=np.random.default_rng(0),
        n_classes=0,
    )
    return np.asarray(fitted.predict(features.rows(TEST)).output)


@pytest.mark.parametrize(
    ("name", "params", "theirs"),
    [
        ("StandardScaler", {}, StandardScaler()),
        ("standardise", {}, StandardScaler()),
        ("standardise", {"centre": False}, StandardScaler(with_mean=False)),
        ("SplineTransformer", {"knots": "quantile"}, SplineTransformer(knots="quantile")),
        (
            "KBinsDiscretizer",
            {"encode": "onehot-dense", "quantile_method": "averaged_inverted_cdf"},
            KBinsDiscretizer(
                encode="onehot-dense",
                quantile_method="averaged_inverted_cdf",
                subsample=200_000,
                random_state=0,
            ),
        ),
    ],
)
def test_against_sklearn_weighted_steps(name: str, params: dict[str, Any], theirs: Any) -> None:
    features = numbers()
    X, y, w = features.matrix(), values(features), WEIGHTS[TRAIN]
    for weighted, weighting in ((True, {"sample_weight": w}), (False, {})):
        step = {"name": name, "params": params, "weighted": weighted}
        theirs.fit(X[TRAIN], **weighting)
        ridge = Ridge().fit(theirs.transform(X[TRAIN]), y[TRAIN], sample_weight=w)
        expected = ridge.predict(theirs.transform(X[TEST]))
        np.testing.assert_allclose(_predicted(step), expected, rtol=1e-9)


def test_exact_those_that_take_weights_are_those_of_scikit_learn() -> None:
    takes = {
        n
        for n in TRANSFORMERS
        if "sample_weight" in inspect.signature(load_class(n).fit).parameters
    }
    assert takes == WEIGHTED


@pytest.mark.parametrize("name", ["pca", "PCA"])
def test_invalid_a_step_that_learns_without_weights(name: str) -> None:
    step = {"name": name, "weighted": True}
    with pytest.raises(InvalidParameter, match=rf"{name} cannot use weights") as refusal:
        built({"name": "Ridge", "prepare": [step]}, "regression")
    assert refusal.value.loc == ("prepare", 0, "weighted")


def test_invalid_weighted_is_true_or_false() -> None:
    with pytest.raises(InvalidParameter, match="weighted must be true or false"):
        built({"name": "Ridge", "prepare": [{"name": "PCA", "weighted": 1}]}, "regression")


@pytest.mark.outside("scikit-learn's StandardScaler with sample_weight, run here")
def test_against_sklearn_standardised_with_weights() -> None:
    # weights 1, 3, 0 and a gap: mean (0 + 3 x 4) / 4 = 3, variance (9 + 3 x 1) / 4 = 3
    features = Features(
        ("x", "flat", "gone"),
        (
            np.array([0.0, 4.0, 100.0, np.nan]),
            np.array([7.0, 7.0, 1.0, 7.0]),
            np.array([np.nan, np.nan, 5.0, np.nan]),
        ),
    )
    weights = np.array([1.0, 3.0, 0.0, 2.0])

    fitted_step, made = Standardise().fit_transform(
        features, np.zeros(4), task="regression", rng=np.random.default_rng(0), weights=weights
    )

    np.testing.assert_allclose(fitted_step.centre, [3.0, 7.0, 0.0], rtol=1e-15)
    np.testing.assert_allclose(fitted_step.scale, [np.sqrt(3), 1.0, 1.0], rtol=1e-15)
    np.testing.assert_allclose(
        made.columns[0], np.array([-3.0, 1.0, 97.0, np.nan]) / np.sqrt(3), rtol=1e-15
    )
    theirs = StandardScaler().fit(features.columns[0][:3, None], sample_weight=weights[:3])
    np.testing.assert_allclose([theirs.mean_[0], theirs.var_[0]], [3.0, 3.0], rtol=1e-14)


def test_exact_weight_two_is_the_row_twice() -> None:
    features, times = numbers(), np.random.default_rng(5).integers(0, 3, 60)
    fit_transform: dict[str, Any] = {"task": "regression", "rng": np.random.default_rng(0)}
    weighted, _ = Standardise().fit_transform(
        features, times, **fit_transform, weights=times.astype(float)
    )
    repeated, _ = Standardise().fit_transform(
        features.rows(np.repeat(np.arange(60), times)), times, **fit_transform
    )

    np.testing.assert_allclose(weighted.centre, repeated.centre, rtol=1e-13)
    np.testing.assert_allclose(weighted.scale, repeated.scale, rtol=1e-13)
