"""What holds for every learner of the registry."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.fits import predicted, table
from thetahat.learners import LEARNERS
from thetahat.references import REFERENCES

EVERY = pytest.mark.parametrize("name", LEARNERS)
RNG = np.random.default_rng(20_261_125)
X = RNG.poisson(3.0, size=(40, 3)).astype(np.float64)
CODES = np.arange(40) % 3
VALUES = RNG.normal(size=40)
WEIGHTS = RNG.exponential(size=40)


def task_of(name: str) -> tuple[np.ndarray, int]:
    return (CODES, 3) if "classification" in LEARNERS[name].tasks else (VALUES, 0)


@EVERY
def test_property_codes_or_values_and_whole_probabilities(name: str) -> None:
    y, n_classes = task_of(name)

    predictions = predicted(LEARNERS[name](), X, y, X, n_classes=n_classes + 1 if n_classes else 0)

    assert predictions.output.shape == (40,)
    assert np.isfinite(predictions.output).all()
    if n_classes:
        assert predictions.output.dtype == np.intp
        assert predictions.probabilities is not None
        assert predictions.probabilities.shape == (40, 4)
        assert_allclose(predictions.probabilities.sum(axis=1), np.ones(40), rtol=1e-12)
        assert_array_equal(predictions.probabilities[:, 3], np.zeros(40))  # a class never seen
        assert_array_equal(predictions.probabilities.argmax(axis=1), predictions.output)
    else:
        assert predictions.output.dtype == np.float64


@EVERY
def test_property_order_of_training_rows_does_not_matter(name: str) -> None:
    y, n_classes = task_of(name)
    order = np.random.default_rng(3).permutation(40)
    # Of rows equally far from another the first are its neighbours, so let none be equally far.
    rows = X + RNG.normal(size=X.shape) if name == "nearest_neighbours" else X

    first = predicted(LEARNERS[name](), rows, y, X, weights=WEIGHTS, n_classes=n_classes)
    second = predicted(
        LEARNERS[name](), rows[order], y[order], X, weights=WEIGHTS[order], n_classes=n_classes
    )

    assert_allclose(second.output, first.output, rtol=1e-10)


@EVERY
def test_property_an_instance_is_predicted_alone_as_among_others(name: str) -> None:
    y, n_classes = task_of(name)

    among = predicted(LEARNERS[name](), X, y, X, n_classes=n_classes).output
    alone = [predicted(LEARNERS[name](), X, y, X[i : i + 1], n_classes=n_classes) for i in range(5)]

    assert_allclose([predictions.output[0] for predictions in alone], among[:5], rtol=1e-12)


@EVERY
def test_property_unit_weights_are_no_weights(name: str) -> None:
    y, n_classes = task_of(name)

    without = predicted(LEARNERS[name](), X, y, X, n_classes=n_classes)
    with_ones = predicted(LEARNERS[name](), X, y, X, weights=np.ones(40), n_classes=n_classes)

    assert_array_equal(without.output, with_ones.output)


@EVERY
def test_property_weights_change_the_predictions(name: str) -> None:
    y, n_classes = task_of(name)
    weights = np.where(np.arange(40) < 20, 1.0, 50.0)

    without = predicted(LEARNERS[name](), X, y, X, n_classes=n_classes)
    weighted = predicted(LEARNERS[name](), X, y, X, weights=weights, n_classes=n_classes)

    ours, other = (
        each.output if each.probabilities is None else each.probabilities
        for each in (weighted, without)
    )
    assert np.abs(ours - other).max() > 1e-6, f"fit of {name} does not use the weights"


@EVERY
def test_property_leaves_its_input_alone(name: str) -> None:
    y, n_classes = task_of(name)
    features, target, weights = table(X), y.copy(), WEIGHTS.copy()
    for array in (*features.columns, target, weights):
        array.setflags(write=False)

    fitted = LEARNERS[name]().fit(
        features, target, weights=weights, n_classes=n_classes, rng=np.random.default_rng(0)
    )
    fitted.predict(features)


@EVERY
def test_property_is_described(name: str) -> None:
    learner = LEARNERS[name]

    assert learner.info.title
    assert learner.info.summary.endswith(".")
    assert learner.info.assumptions.endswith(".")
    assert learner.info.errs.endswith(".")
    assert learner.info.formula
    assert learner.info.references
    assert set(learner.info.references) <= set(REFERENCES)
    assert learner.tasks <= {"classification", "regression"}
    assert getattr(learner, "takes_weights", False), (
        "A learner of the library has takes_weights = True, and its fit uses the weights."
    )
