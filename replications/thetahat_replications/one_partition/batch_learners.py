"""Out-of-fold predictions of many samples at once, in closed form where there is one.

Rows are independent, so fold k is the k-th run of n / K consecutive rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from scipy.special import expit
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


def predict_tree(
    x: FloatArray, y: FloatArray, n_folds: int, least_rows: int, *, of_classes: bool
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
            tree = kind(min_samples_leaf=least_rows, random_state=0)
            tree.fit(features[i, rows], y[i, rows], check_input=False)
            values = tree.tree_.predict(features[i, test])
            if of_classes:
                shares = values / values.sum(axis=1, keepdims=True)
                only = tree.classes_[0]
                predicted[i, test] = shares[:, 1] if shares.shape[1] == 2 else only
            else:
                predicted[i, test] = values[:, 0]
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
    "ridge 20": partial(predict_ridge, penalty=20.0),
    "ridge 50": partial(predict_ridge, penalty=50.0),
    "1 neighbour": partial(predict_neighbours, k=1),
    "3 neighbours": partial(predict_neighbours, k=3),
    "7 neighbours": partial(predict_neighbours, k=7),
    "15 neighbours": partial(predict_neighbours, k=15),
    "class tree, leaves of 1": partial(predict_tree, least_rows=1, of_classes=True),
    "class tree, leaves of 5": partial(predict_tree, least_rows=5, of_classes=True),
    "tree, leaves of 2": partial(predict_tree, least_rows=2, of_classes=False),
    "tree, leaves of 10": partial(predict_tree, least_rows=10, of_classes=False),
}
"""The learners of the study by name."""
