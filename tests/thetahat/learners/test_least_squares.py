from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.fits import predicted
from thetahat.cross_validation import build_rows, run_splits
from thetahat.learners.least_squares import LeastSquares
from thetahat.learners.ridge import Ridge
from thetahat.losses.squared import Squared
from thetahat.schemes import SCHEMES
from thetahat.tables.data import build_data


def test_by_hand_line_through_three_points() -> None:
    # (0, 1), (1, 2), (2, 6): means 1 and 3, slope (2 + 0 + 3)/2 and intercept 3 - 5/2
    said = predicted(LeastSquares(), [[0.0], [1.0], [2.0]], [1, 2, 6], [[0.0], [4.0]])

    assert_allclose(said.output, [0.5, 10.5], rtol=1e-14)


def test_by_hand_line_through_the_origin() -> None:
    # sum xy / sum xx = (2 + 12)/5
    said = predicted(LeastSquares(intercept=False), [[0.0], [1.0], [2.0]], [1, 2, 6], [[5.0]])

    assert_allclose(said.output, [14.0], rtol=1e-14)


@pytest.mark.outside("scikit-learn LinearRegression, run here on its own diabetes data")
@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out"])
def test_against_sklearn_cross_val_predict(scheme: str) -> None:
    from sklearn.datasets import load_diabetes
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import cross_val_predict

    X, y = (part[:150] for part in load_diabetes(return_X_y=True))
    data = build_data({f"x{j}": X[:, j] for j in range(X.shape[1])}, y, "regression")
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 5))

    outcomes = run_splits("m", LeastSquares(), data, splits, Squared(), 5, keep_predictions=True)

    theirs = cross_val_predict(LinearRegression(), X, y, cv=[(s.train, s.test) for s in splits])
    assert all(outcome.fit_reason is None for outcome in outcomes)
    for outcome in outcomes:
        assert outcome.output is not None
        assert_allclose(outcome.output, theirs[outcome.test], rtol=1e-9)


def test_exact_is_ridge_without_a_penalty() -> None:
    rng = np.random.default_rng(20_261_130)
    X, y, w = rng.normal(size=(30, 3)), rng.normal(size=30), rng.exponential(size=30)

    ours = predicted(LeastSquares(), X, y, X, weights=w)

    assert_array_equal(ours.output, predicted(Ridge(penalty=0), X, y, X, weights=w).output)
