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
from thetahat.pipelines.reviewed import TRANSFORMERS, WEIGHTED, load

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
        n for n in TRANSFORMERS if "sample_weight" in inspect.signature(load(n).fit).parameters
    }
    assert takes == WEIGHTED


@pytest.mark.parametrize("name", ["standardise", "PCA"])
def test_invalid_a_step_that_learns_without_weights(name: str) -> None:
    step = {"name": name, "weighted": True}
    with pytest.raises(InvalidParameter, match=rf"{name} learns without weights") as refusal:
        built({"name": "Ridge", "prepare": [step]}, "regression")
    assert refusal.value.loc == ("prepare", 0, "weighted")


def test_invalid_weighted_is_true_or_false() -> None:
    with pytest.raises(InvalidParameter, match="weighted must be true or false"):
        built({"name": "Ridge", "prepare": [{"name": "PCA", "weighted": 1}]}, "regression")
