from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.learners.fits import predicted, table
from tests.thetahat.learners.problems import PROBLEMS
from thetahat.cross_validation.fast_path import build_part
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.ridge.penalty_path import RidgePath
from thetahat.learners.ridge import Ridge
from thetahat.schemes.base import Rows, Split
from thetahat.schemes.bootstrap import BootstrapScheme
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.leave_one_out import LeaveOneOut
from thetahat.values.types import FloatArray

PENALTIES = np.array([1e-6, 0.1, 1.0, 100.0])


def predict(path: RidgePath, part: Part) -> FloatArray:
    """Return the (n_test, L) predictions of a test part."""
    predictions, usable = path.predict(part)
    assert usable.all()
    return predictions.output.reshape(len(path.penalties), -1).T


def leave_each_row_out(path: RidgePath) -> tuple[FloatArray, np.ndarray]:
    """Return (n, L) leave-one-out predictions, and whether they may be used."""
    predictions, usable = path.each_left_out(np.arange(len(path.y)))
    return predictions.output.reshape(len(path.penalties), -1).T, usable.T


def diabetes() -> tuple[FloatArray, FloatArray]:
    from sklearn.datasets import load_diabetes

    X, y = load_diabetes(return_X_y=True)
    return X * 20 + 3, y


@pytest.mark.outside("scikit-learn RidgeCV, run here on its own diabetes data")
@pytest.mark.about("learners/ridge")
def test_against_sklearn_ridge_cv_leaving_one_out() -> None:
    from sklearn.linear_model import RidgeCV

    X, y = diabetes()
    theirs = RidgeCV(PENALTIES, store_cv_results=True, scoring=None).fit(X, y)

    predictions, usable = leave_each_row_out(RidgePath(X.T, y, np.ones(len(y)), PENALTIES))

    assert usable.all()
    assert_allclose((predictions - y[:, None]) ** 2, theirs.cv_results_, rtol=1e-8, atol=1e-6)


@pytest.mark.outside("scikit-learn GridSearchCV over Ridge, run here on its own diabetes data")
@pytest.mark.about("learners/ridge")
def test_against_sklearn_grid_search() -> None:
    from sklearn.linear_model import Ridge as Theirs
    from sklearn.model_selection import GridSearchCV

    X, y = diabetes()
    splits = list(KFold(n_folds=7).splits(Rows(n=len(y)), 5))
    cv = [(split.train, split.test) for split in splits]
    grid = {"alpha": PENALTIES.tolist()}
    theirs = GridSearchCV(Theirs(solver="svd"), grid, scoring="neg_mean_squared_error", cv=cv)
    theirs.fit(X, y)

    path = RidgePath(X.T, y, np.ones(len(y)), PENALTIES)
    parts = [build_part(split, len(y)) for split in splits]
    means = [((predict(path, part).T - y[part.test]) ** 2).mean(axis=1) for part in parts]

    assert_allclose(np.mean(means, axis=0), -theirs.cv_results_["mean_test_score"], rtol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", PROBLEMS)
def test_naive_one_fit_per_penalty(name: str, *, intercept: bool) -> None:
    X, weights = PROBLEMS[name](np.random.default_rng(20_261_214))
    n = len(X)
    y = np.random.default_rng(20_261_215).normal(size=n) + 3
    path = RidgePath(
        X.T, y, np.ones(len(y)) if weights is None else weights, PENALTIES[1:], intercept=intercept
    )
    alone, usable = leave_each_row_out(path)
    assert usable.all() or name != "plain"
    splits = [
        *KFold(n_folds=3).splits(Rows(n=n), 1),
        *BootstrapScheme(n_resamples=2).splits(Rows(n=n), 1),
        *LeaveOneOut().splits(Rows(n=n), 1, stop=18),
    ]

    for split in splits:
        predictions = predict(path, build_part(split, n))

        for at, penalty in enumerate(PENALTIES[1:]):
            wanted = predicted(
                Ridge(penalty=float(penalty), intercept=intercept),
                X[split.train],
                y[split.train],
                X[split.test],
                weights=None if weights is None else weights[split.train],
            ).output
            assert_allclose(predictions[:, at], wanted, rtol=1e-8, atol=1e-8)
            if len(split.test) == 1 and len(split.train) == n - 1 and usable[split.test[0], at]:
                assert_allclose(alone[split.test, at], wanted, rtol=1e-7, atol=1e-7)


def test_degenerate_no_penalty_and_dependent_columns() -> None:
    X, _ = PROBLEMS["collinear"](np.random.default_rng(20_261_216))
    y = np.arange(41.0)
    part = build_part(next(KFold(n_folds=3).splits(Rows(n=41), 1)), 41)

    predictions = predict(RidgePath(X.T, y, np.ones(len(y)), np.zeros(1)), part)

    wanted = predicted(Ridge(penalty=0), X[part.train], y[part.train], X[part.test]).output
    assert_allclose(predictions[:, 0], wanted, rtol=1e-9)


def test_degenerate_a_target_that_does_not_vary() -> None:
    X, _ = PROBLEMS["plain"](np.random.default_rng(20_261_237))
    y = np.where(np.arange(41) == 0, 9.0, 2.0)
    without_it = build_part(Split(0, 0, 0, np.arange(1, 41), np.arange(1)), 41)

    predictions = predict(RidgePath(X.T, y, np.ones(len(y)), PENALTIES), without_it)

    assert_allclose(predictions, np.full((1, 4), 2.0), rtol=1e-12)


def test_degenerate_no_weight_at_all() -> None:
    path = Ridge().over_path(
        (1.0, 2.0), table(np.ones((3, 1))), np.arange(3.0), weights=np.zeros(3), n_classes=0
    )

    assert isinstance(path, OrdinaryFit)


@pytest.mark.parametrize("weighted", [False, True])
def test_naive_rows_turned_to_their_directions_keep_the_digits(
    weighted: bool,  # noqa: FBT001 - a case
) -> None:
    rng = np.random.default_rng(20_270_121)
    X = rng.normal(size=(60, 1)) + rng.normal(size=(60, 4)) * np.array([1, 0.1, 2e-4, 1e-4])
    y = rng.normal(size=60)
    w = rng.uniform(0.5, 2, size=60) if weighted else None
    path = RidgePath(X.T, y, np.ones(60) if w is None else w, np.array([0.0, 1e-9, 1.0]))
    products = np.linalg.eigvalsh(path.rows.all.xx)
    assert 1e8 < products[-1] / products[0] < 1e10  # neither products alone nor reflections

    predictions, usable = leave_each_row_out(path)

    assert usable.all()
    for row in range(0, 60, 7):
        train = np.delete(np.arange(60), row)
        for at, penalty in enumerate((0.0, 1e-9, 1.0)):
            wanted = predicted(
                Ridge(penalty=penalty), X[train], y[train], X[[row]],
                weights=None if w is None else w[train],
            ).output  # fmt: skip
            assert_allclose(predictions[row, at], wanted[0], rtol=1e-8, atol=1e-8)
