"""Logistic regression over many splits gives what a fit to each training part gives."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.fits import table
from thetahat.cross_validation import Outcomes, as_outcomes, build_rows, run_splits
from thetahat.learners._training_parts import take_rows
from thetahat.learners.base import OrdinaryFit
from thetahat.learners.fast.logistic.all_rows_optimum import find_optimum
from thetahat.learners.fast.logistic.newton import Objective, minimise
from thetahat.learners.fast.logistic.over_splits import NOT_CONVERGED
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.losses.base import Predictions
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.tables.data import Data, build_data

PENALTIES = (1.0, 1e-3, 100.0)


def outcomes(data: Data, scheme: str, params: dict[str, Any], penalty: float) -> Outcomes:
    splits = SCHEMES[scheme](**params).splits(build_rows(data), 3)
    learner = LogisticRegression(penalty=penalty)
    return as_outcomes(run_splits("m", learner, data, splits, ZeroOne(), 0, keep_predictions=True))


def many(n_classes: int, n: int = 90) -> Data:
    rng = np.random.default_rng(20_270_101)
    X = rng.normal(size=(n, 3)) + 2
    y = np.digitize(X[:, 0] + rng.normal(size=n), np.linspace(1, 3, n_classes + 1)[1:-1])
    return build_data({f"x{j}": X[:, j] for j in range(3)}, y, "classification")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_naive_fits_of_the_training_parts_say_the_same(n_classes: int) -> None:
    data = many(n_classes)
    X = data.features.complete_matrix()

    for scheme, params in (("k_fold", {"n_folds": 6}), ("leave_one_out", {})):
        for penalty in PENALTIES:
            fast = outcomes(data, scheme, params, penalty)
            assert not fast.fit_reason
            for outcome in list(fast)[:6]:
                train = np.setdiff1d(np.arange(len(X)), outcome.test)
                fitted = LogisticRegression(penalty=penalty).fit(
                    data.features.rows(train),
                    data.y[train],
                    weights=None,
                    n_classes=n_classes,
                    rng=np.random.default_rng(0),
                )
                wanted = fitted.predict(data.features.rows(outcome.test)).probabilities
                assert wanted is not None
                assert_allclose(np.asarray(outcome.probabilities), wanted, rtol=0, atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_exact_what_a_split_says_does_not_depend_on_the_others(n_classes: int) -> None:
    data = many(n_classes)
    params: dict[str, Any] = {"n_folds": 7, "n_repeats": 3}
    made, rows = SCHEMES["repeated_k_fold"](**params), build_rows(data)

    def bits(edges: list[int]) -> list[bytes]:
        predictions = []
        for start, stop in itertools.pairwise(edges):
            splits = made.splits(rows, 5, start=start, stop=stop)
            done = run_splits(
                "m", LogisticRegression(), data, splits, ZeroOne(), 0, keep_predictions=True
            )
            predictions += [np.asarray(outcome.probabilities).tobytes() for outcome in done]
        return predictions

    whole = bits([0, 21])
    assert bits([0, 4, 15, 21]) == whole
    assert bits([*range(22)]) == whole


def test_exact_newtons_steps_from_nothing_come_to_the_same_optimum() -> None:
    rng = np.random.default_rng(20_270_102)
    for n_classes in (2, 3):
        Z = np.column_stack([np.ones(400), rng.normal(size=(400, 4))])
        y = rng.integers(0, n_classes, size=400)
        target = np.eye(n_classes)[y] if n_classes > 2 else y[:, None].astype(float)
        for penalties in (np.array([0.0, 1, 1, 1, 1]), np.ones(5)):
            objective = Objective(Z, target, rng.uniform(0.5, 2, size=400), penalties)

            optimum = find_optimum(objective)

            wanted, _ = minimise(objective, np.zeros((5, target.shape[1])))
            assert optimum is not None
            assert_allclose(optimum.coefficients, wanted, rtol=0, atol=1e-11)


def test_degenerate_where_no_optimum_of_all_rows_is_found() -> None:
    rng = np.random.default_rng(20_270_103)
    X = rng.normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(np.intp)

    learner = LogisticRegression(penalty=1e-300)
    splits = learner.over_splits(table(X), y, weights=None, n_classes=2)

    assert splits is NOT_CONVERGED


def test_degenerate_no_weight_and_one_class() -> None:
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 0, 1, 0, 1])

    def reason(y: np.ndarray, w: np.ndarray | None) -> str:
        fits = LogisticRegression().over_splits(table(X), y, weights=w, n_classes=2)
        assert isinstance(fits, OrdinaryFit)
        return fits.reason

    assert "All weights of the training part are zero" in reason(y, np.zeros(6))
    assert reason(np.zeros(6, dtype=np.intp), None) == "the training part has not all classes"


def test_exact_a_stretch_of_the_predictions() -> None:
    predictions = Predictions(np.arange(5), np.arange(10.0).reshape(5, 2), None)

    part = take_rows(predictions, slice(1, 3))

    assert part.output.tolist() == [1, 2]
    assert_array_equal(part.probabilities, [[2, 3], [4, 5]])
    assert part.scores is None
    assert take_rows(Predictions(np.arange(5)), slice(0, 1)).probabilities is None
