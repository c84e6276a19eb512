from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.learners.against import both
from tests.thetahat.learners.fits import predicted, probabilities, table
from tests.thetahat.learners.problems import PROBLEMS, problem
from thetahat.cross_validation import build_rows, run_splits
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.logistic.model import LogisticModel
from thetahat.learners.fast.logistic.newton import Objective, minimise
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes import SCHEMES
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

HAND = pytest.mark.outside("hand arithmetic in the comment")


def fitted(learner: LogisticRegression, X: Any, y: Any, **more: Any) -> LogisticModel:
    codes = np.asarray(y, dtype=np.intp)
    weights = more.get("weights")
    return learner.fit(
        table(X),
        codes,
        weights=None if weights is None else np.asarray(weights, dtype=np.float64),
        n_classes=int(codes.max()) + 1,
        rng=np.random.default_rng(0),
    )


def slopes_of(model: LogisticModel) -> FloatArray:
    """(p, K) coefficients on the scale of the features."""
    inner = model.coefficients[1:] if model.rows.intercept else model.coefficients
    scaled = inner * model.rows.scale[:, None]
    turned = model.rows.directions
    return np.asarray(scaled if turned is None else turned @ scaled)


def intercepts_of(model: LogisticModel) -> FloatArray:
    """(K,) intercepts on the scale of the features."""
    slopes = slopes_of(model)
    level = model.coefficients[0] if model.rows.intercept else np.zeros(slopes.shape[1])
    return np.asarray(level - model.rows.centre @ slopes)


@HAND
def test_by_hand_two_points() -> None:
    # f(b) = 2 log(1 + e^-b) + penalty b^2 / 2 is least where 2 / (1 + e^b) = penalty b;
    # at b = log 3 the left side is 1/2, and p(1) = 3/4
    learner = LogisticRegression(penalty=0.5 / np.log(3), intercept=False)

    model = fitted(learner, [[1.0], [-1.0]], [1, 0])
    predictions = model.predict(table([[1.0], [-1.0], [2.0]]))

    assert_allclose(slopes_of(model), [[np.log(3)]], rtol=1e-14)
    assert_allclose(probabilities(predictions)[:, 1], [0.75, 0.25, 0.9], rtol=1e-13)
    assert predictions.scores is not None
    assert_allclose(predictions.scores, [np.log(3), -np.log(3), 2 * np.log(3)], rtol=1e-13)
    assert_array_equal(predictions.output, [1, 0, 1])


@HAND
def test_by_hand_three_points() -> None:
    # by symmetry class k has logit 2a/3 at its own corner and -a/3 at the others, where
    # 1 - e^a / (e^a + 2) = penalty 2a/3; at a = log 2 both shares are 1/2
    learner = LogisticRegression(penalty=0.75 / np.log(2), intercept=False)

    predictions = predicted(learner, np.eye(3), [0, 1, 2], np.eye(3), n_classes=3)

    assert_allclose(probabilities(predictions), 0.25 + 0.25 * np.eye(3), rtol=1e-13)
    assert predictions.scores is None


@HAND
def test_by_hand_a_constant_feature_leaves_the_shares() -> None:
    # only the intercept is left, and it is not penalised: 1 of 4 by weight, 3 of 5 and so on
    two = predicted(LogisticRegression(), np.ones((4, 1)), [0, 1, 1, 1], [[9.0]], n_classes=2)
    three = predicted(
        LogisticRegression(), np.ones((4, 1)), [0, 1, 2, 2], [[9.0]], weights=[1, 3, 0.5, 0.5],
        n_classes=3,
    )  # fmt: skip

    assert_allclose(probabilities(two), [[0.25, 0.75]], rtol=1e-14)
    assert_allclose(probabilities(three), [[0.2, 0.6, 0.2]], rtol=1e-13)


@pytest.mark.outside("scikit-learn LogisticRegression, run here on its own data")
@pytest.mark.parametrize(("name", "weighted"), [("breast_cancer", True), ("iris", False)])
def test_against_sklearn_coefficients(name: str, weighted: bool) -> None:  # noqa: FBT001 - a case
    from sklearn import datasets
    from sklearn.linear_model import LogisticRegression as Theirs

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0) + 2
    weights = np.random.default_rng(20_261_230).exponential(size=len(y)) if weighted else None
    theirs = Theirs(C=0.5, solver="newton-cholesky", tol=1e-12).fit(X, y, sample_weight=weights)

    model = fitted(LogisticRegression(penalty=2.0), X, y, weights=weights)

    assert_allclose(slopes_of(model).T, theirs.coef_, rtol=1e-6, atol=1e-9)
    # Of three classes theirs may be shifted alike, ours sum to 0.
    assert_allclose(
        intercepts_of(model) - intercepts_of(model)[0], theirs.intercept_ - theirs.intercept_[0],
        rtol=1e-6, atol=1e-9,
    )  # fmt: skip


@pytest.mark.outside("scikit-learn LogisticRegression, run here on its own data")
@pytest.mark.parametrize("name", ["breast_cancer", "wine"])
def test_against_sklearn_cross_val_predict(name: str) -> None:
    from sklearn import datasets
    from sklearn.linear_model import LogisticRegression as Theirs

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    theirs = Theirs(C=1.0, solver="newton-cholesky", tol=1e-12)

    ours, wanted = both(LogisticRegression(), theirs, X, y, "k_fold")

    assert_allclose(ours, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.outside("scikit-learn LogisticRegression, run here on data made for it")
def test_against_sklearn_leaving_one_out() -> None:
    from sklearn.linear_model import LogisticRegression as Theirs

    rng = np.random.default_rng(20_261_231)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(np.intp)
    theirs = Theirs(solver="newton-cholesky", tol=1e-12)

    ours, wanted = both(LogisticRegression(), theirs, X, y, "leave_one_out")

    assert_allclose(ours, wanted, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_exact_nothing_goes_down_from_the_optimum(n_classes: int, *, intercept: bool) -> None:
    rng = np.random.default_rng(20_261_232)
    X, y = rng.normal(size=(50, 4)) + 1, rng.integers(0, n_classes, 50)
    w, penalty = rng.exponential(size=50), 0.3
    model = fitted(LogisticRegression(penalty=penalty, intercept=intercept), X, y, weights=w)
    shares = probabilities(model.predict(table(X)))
    truth = np.eye(n_classes)[y]
    wrong = (shares - truth)[:, 1:] if n_classes == 2 else shares - truth

    # the derivatives, written out
    assert_allclose(X.T @ (w[:, None] * wrong) + penalty * slopes_of(model), 0, atol=1e-11)
    if intercept:
        assert_allclose(w @ wrong, 0, atol=1e-11)
    else:
        assert_array_equal(intercepts_of(model), np.zeros(slopes_of(model).shape[1]))


def test_exact_weight_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(20_261_233)
    X, y, w = rng.normal(size=(20, 3)), np.arange(20) % 3, rng.integers(1, 4, 20)

    weighted = predicted(LogisticRegression(), X, y, X, weights=w, n_classes=3)
    twice = predicted(
        LogisticRegression(), np.repeat(X, w, axis=0), np.repeat(y, w), X, n_classes=3
    )

    assert_allclose(probabilities(weighted), probabilities(twice), rtol=1e-10)


def test_exact_more_features_than_rows_are_turned_without_loss() -> None:
    rng = np.random.default_rng(20_261_234)
    X, y, at = rng.normal(size=(12, 5)), np.arange(12) % 2, rng.normal(size=(4, 5))
    # the same distances in 30 dimensions, where the rows are fewer than the features
    turn = np.linalg.qr(rng.normal(size=(30, 5)))[0].T

    few = fitted(LogisticRegression(), X, y)
    many = fitted(LogisticRegression(), X @ turn, y)

    assert_allclose(
        probabilities(many.predict(table(at @ turn))), probabilities(few.predict(table(at)))
    )
    assert_allclose(slopes_of(many), turn.T @ slopes_of(few), atol=1e-12)


def test_limit_far_from_zero() -> None:
    rng = np.random.default_rng(20_261_235)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2

    near = predicted(LogisticRegression(), X, y, X, n_classes=2)
    far = predicted(LogisticRegression(), X + 2.0**24, y, X + 2.0**24, n_classes=2)

    # adding 2^24 leaves 28 binary digits behind the point: 4e-9
    assert_allclose(probabilities(far), probabilities(near), atol=1e-7)


def test_degenerate_separated_classes_have_an_optimum_with_a_penalty() -> None:
    model = fitted(LogisticRegression(penalty=1e-8), [[0.0], [1], [2], [3]], [0, 0, 1, 1])

    predictions = probabilities(model.predict(table([[1.0], [1.5], [2.0]])))

    assert model.cautions == ()
    assert predictions[0, 1] < 1e-6
    assert_allclose(predictions[1, 1], 0.5, atol=1e-6)


def test_degenerate_an_optimum_that_is_lost_in_rounding_is_reported() -> None:
    X, _ = PROBLEMS["outlier"](np.random.default_rng(1))
    model = fitted(LogisticRegression(penalty=1e-300), X * 1e100, np.arange(41) % 3)

    assert [caution.code for caution in model.cautions] == ["not_converged"]


def test_degenerate_an_absent_class_has_no_probability() -> None:
    X = [[0.0], [1.0], [5.0], [6.0]]

    predictions = predicted(LogisticRegression(), X, [0, 0, 2, 2], [[0.0], [6.0]], n_classes=4)

    assert_array_equal(predictions.output, [0, 2])
    assert_array_equal(probabilities(predictions)[:, [1, 3]], np.zeros((2, 2)))


def test_invalid_one_class() -> None:
    with pytest.raises(InsufficientData, match="has 1 class"):
        predicted(LogisticRegression(), [[0.0], [1.0]], [0, 0], [[0.0]], n_classes=2)


@pytest.mark.parametrize("penalty", [0.0, -1.0, float("nan"), float("inf")])
def test_invalid_penalty(penalty: float) -> None:
    with pytest.raises(InvalidParameter, match="penalty must be a finite number above 0"):
        LogisticRegression(penalty=penalty)


def in_two(name: str) -> Data:
    """Return a problem with its classes 1 and 2 in one."""
    data = problem(name, "classification")
    return build_data(
        dict(zip(data.features.names, data.features.columns, strict=True)),
        np.minimum(data.y, 1),
        "classification",
        source=data.source,
        weight=data.weight,
    )


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "bootstrap", "leave_one_source_out"])
@pytest.mark.parametrize("name", PROBLEMS)
def test_naive_fits_of_two_classes_say_the_same(name: str, scheme: str) -> None:
    data = in_two(name)
    learner = LogisticRegression(penalty=0.1)
    splits = list(SCHEMES[scheme]().splits(build_rows(data), 3)) if name != "tiny" else []
    done = run_splits("m", learner, data, splits, ZeroOne(), 0, keep_predictions=True)
    for split, predictions in zip(splits[::3], done[::3], strict=True):
        wanted = learner.fit(
            data.features.rows(split.train),
            data.y[split.train],
            weights=None if data.weight is None else data.weight[split.train],
            n_classes=2,
            rng=np.random.default_rng(0),
        ).predict(data.features.rows(split.test))
        assert_array_equal(predictions.output, wanted.output)
        assert predictions.probabilities is not None
        assert_allclose(predictions.probabilities, probabilities(wanted), rtol=1e-8, atol=1e-8)
        if predictions.fit_reason is None:
            assert predictions.scores is not None
            assert wanted.scores is not None
            assert_allclose(predictions.scores, wanted.scores, rtol=1e-8, atol=1e-8)


def why_fitted(X: FloatArray, y: np.ndarray, part: Part, penalty: float = 1.0, **more: Any) -> str:
    shared = LogisticRegression(penalty=penalty).over_splits(
        table(X), y, weights=more.get("weights"), n_classes=int(y.max()) + 1
    )
    predictions = shared if isinstance(shared, OrdinaryFit) else shared.predict(part)
    assert isinstance(predictions, OrdinaryFit)
    return predictions.reason


def test_degenerate_why_a_split_is_fitted() -> None:
    rng = np.random.default_rng(20_261_236)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    first, rest = np.arange(3), np.arange(3, 30)
    part = Part(rest, first, first)
    evens = np.arange(0, 30, 2)
    mirrored = np.concatenate([X, -X]), np.concatenate([y, 1 - y])
    at_middle = np.vstack([mirrored[0], np.zeros((1, 2))]), np.append(mirrored[1], 1)
    last = np.array([60])
    outlier, _ = PROBLEMS["outlier"](rng)
    far = X.copy()
    far[:3] *= 1e13

    assert "weights of the training part are zero" in why_fitted(X, y, part, weights=np.zeros(30))
    assert "has not all classes" in why_fitted(X, y, part, weights=(y == 1) * 1.0)
    assert "has not all classes" in why_fitted(X, y, Part(evens, evens + 1, evens + 1))
    assert "too flat in a direction" in why_fitted(X, (X[:, 0] > 0) * 1, part, penalty=1e-9)
    assert "not reached" in why_fitted(
        outlier[:30] * 1e100, np.arange(30) % 3, part, penalty=1e-300
    )
    assert "equally likely" in why_fitted(*at_middle, Part(np.arange(60), last, last))
    assert why_fitted(far, y, part)


def test_degenerate_shares_that_are_all_0_or_1_leave_no_curvature() -> None:
    Z, target = np.array([[1.0], [1.0]]), np.array([[0.0], [1.0]])
    start = np.array([[1e6]])
    optimum, length = minimise(Objective(Z, target, np.ones(2), np.zeros(1)), start)

    assert_array_equal(optimum, start)
    assert length == np.inf
