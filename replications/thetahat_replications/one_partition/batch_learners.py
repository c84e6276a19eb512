"""Out-of-fold predictions of many samples at once, in closed form where there is one.

Rows are independent, so fold k is the k-th run of n / K consecutive rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from scipy.special import expit
from sklearn.base import RegressorMixin
from sklearn.ensemble import ExtraTreesRegressor, GradientBoostingRegressor
from sklearn.linear_model import ElasticNet, Lasso
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from thetahat.values.types import FloatArray

Predictor: TypeAlias = Callable[[FloatArray, FloatArray, int], FloatArray]
"""Takes (R, n, p) features, (R, n) targets and the number of folds; returns (R, n) predictions: of
a numeric target its value, of a class the probability of class 1."""

_NEWTON_STEPS: Final = 8


def predict_mean(
    x: FloatArray,  # noqa: ARG001 - as the other learners
    y: FloatArray,
    n_folds: int,
) -> FloatArray:
    """Return the mean target of the training part, of classes the share of class 1."""
    n = y.shape[1]
    sums = y.reshape(len(y), n_folds, -1).sum(axis=2)
    means = (sums.sum(axis=1, keepdims=True) - sums) / (n - n // n_folds)
    return np.repeat(means, n // n_folds, axis=1)


def predict_ridge(x: FloatArray, y: FloatArray, n_folds: int, penalty: float) -> FloatArray:
    """Return the predictions of ridge regression with an intercept that has no penalty."""
    z, zf, yf = _split_folds(x, y, n_folds)
    gram = zf.swapaxes(2, 3) @ zf
    products = np.einsum("rkmi,rkm->rki", zf, yf)
    gram = gram.sum(axis=1, keepdims=True) - gram
    products = products.sum(axis=1, keepdims=True) - products
    diagonal = np.full(z.shape[2], penalty)
    diagonal[0] = 0.0
    coefficients = np.linalg.solve(gram + np.diag(diagonal), products[..., None])[..., 0]
    return np.asarray(np.einsum("rkmi,rki->rkm", zf, coefficients).reshape(y.shape))


def predict_kernel_ridge(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return the predictions of ridge regression in a Gaussian kernel, around the mean target."""
    n, p = x.shape[1:]
    squares = (x**2).sum(axis=2)
    distances = squares[:, :, None] + squares[:, None, :] - 2 * x @ x.swapaxes(1, 2)
    kernel = np.exp(-distances / p)
    means = predict_mean(x, y, n_folds)
    predicted = np.empty(y.shape)
    size = n // n_folds
    for start in range(0, n, size):
        rows = np.delete(np.arange(n), slice(start, start + size))
        test = slice(start, start + size)
        gram = kernel[:, rows[:, None], rows] + np.eye(len(rows))
        mean = means[:, start, None]
        weights = np.linalg.solve(gram, (y[:, rows] - mean)[..., None])
        predicted[:, test] = mean + (kernel[:, test, rows] @ weights)[..., 0]
    return predicted


def predict_discriminant(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return the probabilities of linear discriminant analysis."""
    _, zf, yf = _split_folds(x, y, n_folds)
    xf = zf[..., 1:]
    scatter = _leave_out(xf.swapaxes(2, 3) @ xf)
    sums_1 = _leave_out(np.einsum("rkmi,rkm->rki", xf, yf))
    sums_0 = _leave_out(np.einsum("rkmi,rkm->rki", xf, 1 - yf))
    n_1 = np.maximum(_leave_out(yf.sum(axis=2)), 1e-9)[..., None]
    n_0 = np.maximum(_leave_out((1 - yf).sum(axis=2)), 1e-9)[..., None]
    mean_1, mean_0 = sums_1 / n_1, sums_0 / n_0
    for n_of, mean in ((n_1, mean_1), (n_0, mean_0)):
        scatter = scatter - n_of[..., None] * mean[..., :, None] * mean[..., None, :]
    covariance = scatter / (n_1 + n_0)[..., None]
    direction = np.linalg.solve(covariance, (mean_1 - mean_0)[..., None])[..., 0]
    middle = np.einsum("rki,rki->rk", direction, (mean_1 + mean_0) / 2)
    offset = np.log(n_1[..., 0] / n_0[..., 0]) - middle
    return np.asarray(
        expit(np.einsum("rkmi,rki->rkm", xf, direction) + offset[..., None]).reshape(y.shape)
    )


def predict_logistic(x: FloatArray, y: FloatArray, n_folds: int, penalty: float) -> FloatArray:
    """Return the probabilities of logistic regression, by Newton steps."""
    z, zf, _ = _split_folds(x, y, n_folds)
    r, n, q = z.shape
    trains = 1.0 - np.repeat(np.eye(n_folds), n // n_folds, axis=1)  # (K, n)
    squares = (z[..., :, None] * z[..., None, :]).reshape(r, n, q * q)
    diagonal = np.full(q, penalty)
    diagonal[0] = 1e-6
    coefficients = np.zeros((r, n_folds, q))
    for _ in range(_NEWTON_STEPS):
        rates = expit(coefficients @ z.swapaxes(1, 2))
        slope = ((y[:, None] - rates) * trains) @ z - diagonal * coefficients
        weights = rates * (1 - rates) * trains
        curvature = (weights @ squares).reshape(r, n_folds, q, q) + np.diag(diagonal)
        coefficients = coefficients + np.linalg.solve(curvature, slope[..., None])[..., 0]
    return np.asarray(expit(np.einsum("rkmi,rki->rkm", zf, coefficients)).reshape(y.shape))


def predict_neighbours(x: FloatArray, y: FloatArray, n_folds: int, k: int) -> FloatArray:
    """Return the mean target of the k nearest rows of the training part."""
    r, n = y.shape
    squares = (x**2).sum(axis=2)
    distances = squares[:, :, None] + squares[:, None, :] - 2 * x @ x.swapaxes(1, 2)
    fold = np.repeat(np.arange(n_folds), n // n_folds)
    distances[:, fold[:, None] == fold] = np.inf
    nearest = np.argpartition(distances, k - 1, axis=2)[..., :k]
    targets = np.take_along_axis(y[:, None, :], nearest.reshape(r, 1, n * k), axis=2)
    return np.asarray(targets.reshape(r, n, k).mean(axis=2))


def predict_median(
    x: FloatArray,  # noqa: ARG001 - as the other learners
    y: FloatArray,
    n_folds: int,
) -> FloatArray:
    """Return the median target of the training part."""
    size = y.shape[1] // n_folds
    predicted = np.empty(y.shape)
    for start in range(0, y.shape[1], size):
        test = slice(start, start + size)
        predicted[:, test] = np.median(np.delete(y, test, axis=1), axis=1, keepdims=True)
    return predicted


def predict_best_feature(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return a line in the feature that correlates most with the target in the training part."""
    n = y.shape[1]
    size = n // n_folds
    predicted = np.empty(y.shape)
    for start in range(0, n, size):
        test = slice(start, start + size)
        train_x, train_y = np.delete(x, test, axis=1), np.delete(y, test, axis=1)
        means_x, means_y = train_x.mean(axis=1), train_y.mean(axis=1)
        centred = train_x - means_x[:, None]
        products = np.einsum("rni,rn->ri", centred, train_y - means_y[:, None])
        squares = np.maximum((centred**2).sum(axis=1), 1e-12)
        best = np.argmax(products**2 / squares, axis=1)[:, None]
        slope = np.take_along_axis(products / squares, best, axis=1)
        middle = np.take_along_axis(means_x, best, axis=1)
        feature = np.take_along_axis(x[:, test], best[:, :, None], axis=2)[..., 0]
        predicted[:, test] = means_y[:, None] + slope * (feature - middle)
    return predicted


def predict_random_features(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return the predictions of ridge regression on 20 waves along random directions."""
    rng = np.random.default_rng(1)
    directions = rng.standard_normal((x.shape[2], 20)) / np.sqrt(x.shape[2]) * 2
    return predict_ridge(np.cos(x @ directions + rng.uniform(0, 6, 20)), y, n_folds, penalty=0.1)


def predict_nearest_mean(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return probabilities from the distances to the means of both classes."""
    _, zf, yf = _split_folds(x, y, n_folds)
    xf = zf[..., 1:]
    squares = []
    for weights in (1 - yf, yf):
        counts = np.maximum(_leave_out(weights.sum(axis=2)), 1e-9)[..., None]
        means = _leave_out(np.einsum("rkmi,rkm->rki", xf, weights)) / counts
        squares.append(((xf - means[:, :, None]) ** 2).sum(axis=3))
    return np.asarray(expit((squares[0] - squares[1]) / 2).reshape(y.shape))


def predict_kernel_mean(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return the mean target of the training part with weights by a Gaussian kernel."""
    r, n, p = x.shape
    squares = (x**2).sum(axis=2)
    distances = squares[:, :, None] + squares[:, None, :] - 2 * x @ x.swapaxes(1, 2)
    fold = np.repeat(np.arange(n_folds), n // n_folds)
    distances[:, fold[:, None] == fold] = np.inf
    nearest = distances.min(axis=2, keepdims=True)  # its weight is 1, however far all others are
    weights = np.exp((nearest - distances) * 4 / p)
    return np.asarray((weights @ y[..., None])[..., 0] / weights.sum(axis=2)).reshape(r, n)


def predict_products(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return the predictions of ridge regression on all features, their squares and products."""
    first, second = np.triu_indices(x.shape[2])
    features = np.concatenate([x, x[..., first] * x[..., second]], axis=2)
    return predict_ridge(features, y, n_folds, penalty=1.0)


def predict_tree(  # noqa: PLR0913 - the data and three settings of the tree
    x: FloatArray,
    y: FloatArray,
    n_folds: int,
    least_rows: int,
    *,
    of_classes: bool,
    depth: int | None = None,
) -> FloatArray:
    """Return the predictions of a tree with a least number of rows in its leaves."""
    r, n = y.shape
    size = n // n_folds
    kind = DecisionTreeClassifier if of_classes else DecisionTreeRegressor
    predicted = np.empty((r, n))
    features = x.astype(np.float32)
    for i in range(r):
        for start in range(0, n, size):
            test = slice(start, start + size)
            rows = np.delete(np.arange(n), test)
            tree = kind(min_samples_leaf=least_rows, max_depth=depth, random_state=0)
            tree.fit(features[i, rows], y[i, rows], check_input=False)
            values = tree.tree_.predict(features[i, test])
            if of_classes:
                shares = values / values.sum(axis=1, keepdims=True)
                only = tree.classes_[0]
                predicted[i, test] = shares[:, 1] if shares.shape[1] == 2 else only
            else:
                predicted[i, test] = values[:, 0]
    return predicted


def predict_naive_bayes(x: FloatArray, y: FloatArray, n_folds: int) -> FloatArray:
    """Return the probabilities of naive Bayes with normal features.

    A class without rows in the training part has the probability 0, one row no spread of its own:
    the variances have a hundredth of the overall ones added.
    """
    _, zf, yf = _split_folds(x, y, n_folds)
    xf = zf[..., 1:]
    floor = 0.01 * x.var(axis=1)[:, None]
    scores = []
    for weights in (1 - yf, yf):
        counts = np.maximum(_leave_out(weights.sum(axis=2)), 1e-9)[..., None]
        means = _leave_out(np.einsum("rkmi,rkm->rki", xf, weights)) / counts
        squares = _leave_out(np.einsum("rkmi,rkm->rki", xf**2, weights)) / counts
        variances = np.maximum(squares - means**2, 0.0) + floor
        distances = (xf - means[:, :, None]) ** 2 / variances[:, :, None]
        constant = np.log(counts[..., 0]) - np.log(variances).sum(axis=2) / 2
        scores.append(constant[..., None] - distances.sum(axis=3) / 2)
    return np.asarray(expit(scores[1] - scores[0]).reshape(y.shape))


def predict_with(
    x: FloatArray, y: FloatArray, n_folds: int, build: Callable[[], RegressorMixin]
) -> FloatArray:
    """Return the predictions of a regression of scikit-learn, fitted fold by fold."""
    r, n = y.shape
    size = n // n_folds
    predicted = np.empty((r, n))
    for i in range(r):
        for start in range(0, n, size):
            test = slice(start, start + size)
            rows = np.delete(np.arange(n), test)
            predicted[i, test] = build().fit(x[i, rows], y[i, rows]).predict(x[i, test])
    return predicted


def _split_folds(
    x: FloatArray, y: FloatArray, n_folds: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the features after a one, the same by fold, and the targets by fold."""
    r, n, p = x.shape
    z = np.concatenate([np.ones((r, n, 1)), x], axis=2)
    return z, z.reshape(r, n_folds, -1, p + 1), y.reshape(r, n_folds, -1)


def _leave_out(sums: FloatArray) -> FloatArray:
    """Return the sums over the training parts from the (R, K, ...) sums over folds."""
    left: FloatArray = sums.sum(axis=1, keepdims=True) - sums
    return left


LEARNERS: Final[dict[str, Predictor]] = {
    "mean": predict_mean,
    "discriminant": predict_discriminant,
    "logistic": partial(predict_logistic, penalty=1.0),
    "least squares": partial(predict_ridge, penalty=1e-8),
    "ridge 1": partial(predict_ridge, penalty=1.0),
    "ridge 3": partial(predict_ridge, penalty=3.0),
    "ridge 10": partial(predict_ridge, penalty=10.0),
    "ridge 20": partial(predict_ridge, penalty=20.0),
    "ridge 50": partial(predict_ridge, penalty=50.0),
    "1 neighbour": partial(predict_neighbours, k=1),
    "3 neighbours": partial(predict_neighbours, k=3),
    "5 neighbours": partial(predict_neighbours, k=5),
    "7 neighbours": partial(predict_neighbours, k=7),
    "15 neighbours": partial(predict_neighbours, k=15),
    "class tree, leaves of 1": partial(predict_tree, least_rows=1, of_classes=True),
    "class tree, leaves of 5": partial(predict_tree, least_rows=5, of_classes=True),
    "tree, leaves of 1": partial(predict_tree, least_rows=1, of_classes=False),
    "tree, leaves of 2": partial(predict_tree, least_rows=2, of_classes=False),
    "tree, leaves of 10": partial(predict_tree, least_rows=10, of_classes=False),
    "class tree, depth 3": partial(predict_tree, least_rows=1, of_classes=True, depth=3),
    "tree, depth 3": partial(predict_tree, least_rows=1, of_classes=False, depth=3),
    "naive Bayes": predict_naive_bayes,
    "kernel ridge": predict_kernel_ridge,
    "kernel mean": predict_kernel_mean,
    "products": predict_products,
    "logistic 0.1": partial(predict_logistic, penalty=0.1),
    "ridge 0.3": partial(predict_ridge, penalty=0.3),
    "2 neighbours": partial(predict_neighbours, k=2),
    "11 neighbours": partial(predict_neighbours, k=11),
    "class stump": partial(predict_tree, least_rows=1, of_classes=True, depth=1),
    "tree, depth 2": partial(predict_tree, least_rows=1, of_classes=False, depth=2),
    "median": predict_median,
    "best feature": predict_best_feature,
    "random features": predict_random_features,
    "nearest mean": predict_nearest_mean,
    "ridge 5": partial(predict_ridge, penalty=5.0),
    "logistic 5": partial(predict_logistic, penalty=5.0),
    "4 neighbours": partial(predict_neighbours, k=4),
    "9 neighbours": partial(predict_neighbours, k=9),
    "class tree, leaves of 3": partial(predict_tree, least_rows=3, of_classes=True),
    "tree, leaves of 4": partial(predict_tree, least_rows=4, of_classes=False),
    "stump": partial(predict_tree, least_rows=1, of_classes=False, depth=1),
    "elastic net": partial(predict_with, build=partial(ElasticNet, alpha=0.1)),
    "ten trees": partial(
        predict_with,
        build=partial(ExtraTreesRegressor, n_estimators=10, min_samples_leaf=2, random_state=0),
    ),
    "lasso": partial(predict_with, build=partial(Lasso, alpha=0.1)),
    "boosting": partial(
        predict_with,
        build=partial(
            GradientBoostingRegressor,
            n_estimators=15,
            max_depth=2,
            learning_rate=0.3,
            random_state=0,
        ),
    ),
}
"""The learners of the study by name."""
