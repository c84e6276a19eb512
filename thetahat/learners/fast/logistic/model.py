"""Standardised rows for solving a logistic regression, and the fitted model."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from thetahat.cautions import Caution
from thetahat.learners.fast.logistic.newton import softmax
from thetahat.learners.fast.ridge.rows import is_rounding, weighted_mean
from thetahat.losses.base import Predictions
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """Rows for the solver: an intercept column and features scaled to about unit spread."""

    Z: FloatArray
    """(n, q) the rows; with an intercept the first column is 1."""
    penalties: FloatArray
    """(q,) of each coefficient; 0 for the intercept."""
    centre: FloatArray
    """(p,) values that are subtracted from the features."""
    directions: FloatArray | None
    """(p, r) directions onto which they are projected if there are more features than rows."""
    scale: FloatArray
    """(p,) or (r,) factors that they are then multiplied with; 0 for a constant column."""
    intercept: bool
    """Whether there is one."""

    def rows(self, X: FloatArray) -> FloatArray:
        """Return (m, q) other rows on the same scale."""
        Z = X - self.centre
        if self.directions is not None:
            Z = Z @ self.directions
        Z = Z * self.scale
        return _prepend_ones(Z, intercept=self.intercept)


def standardise_rows(
    X: FloatArray, w: FloatArray, *, penalty: float, intercept: bool, rotate: bool
) -> Standardised:
    """Return (n, p) rows centred and scaled for the solver.

    The optimum is the same: the intercept is free, and the penalty is rescaled. With as many
    features as rows the optimum lies in the span of the rows, whose directions replace the
    features if ``rotate``: it costs a singular value decomposition and makes factors smaller.
    """
    centre = weighted_mean(X, w) if intercept else np.zeros(X.shape[1])
    if rotate and X.shape[1] >= len(X):
        turned, directions, scale = _rotate_to_rows(X - centre, w, centre)
        Z = _prepend_ones(turned * scale, intercept=intercept)
    else:
        directions = None
        Z, centre, scale = _scale_columns(X, w, centre, intercept=intercept)
    rows = Standardised(Z, np.empty(0), centre, directions, scale, intercept)
    return replace(rows, penalties=build_penalties(rows, penalty))


def build_penalties(rows: Standardised, penalty: float) -> FloatArray:
    """Return the (q,) penalty of each coefficient; that of a constant column keeps it at 0."""
    varies = rows.scale > 0
    of_features = np.where(varies, penalty * rows.scale**2, 1.0)
    return np.concatenate([[0.0], of_features]) if rows.intercept else of_features


def _rotate_to_rows(
    Z: FloatArray, w: FloatArray, centre: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return centred rows as (n, r) coordinates, their (p, r) directions and (r,) scales."""
    weighted = Z * np.sqrt(w)[:, None]
    weighted[:, is_rounding(weighted, centre, w)] = 0.0
    _, lengths, Vt = np.linalg.svd(weighted, full_matrices=False)
    varies = lengths > np.finfo(np.float64).eps * Z.shape[1] * lengths.max(initial=0.0)
    return Z @ Vt[varies].T, Vt[varies].T, np.sqrt(w.sum()) / lengths[varies]


def _scale_columns(
    X: FloatArray, w: FloatArray, centre: FloatArray, *, intercept: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return (n, q) scaled rows, their (p,) centre and (p,) scale."""
    n, is_weighted = len(X), bool((w != 1).any())
    Z = np.empty((n, X.shape[1] + intercept))
    Z[:, :intercept] = 1.0
    features = Z[:, int(intercept) :]
    np.subtract(X, centre, out=features)
    weighted = features * np.sqrt(w)[:, None] if is_weighted else features
    lengths = np.sqrt(np.einsum("ij,ij->j", weighted, weighted))
    varies = (lengths > 0) & ~is_rounding(weighted, centre, w)
    scale = np.zeros(len(lengths))
    scale[varies] = np.sqrt(w.sum()) / lengths[varies]
    features *= scale
    if intercept and _is_drawn_far(features, is_weighted=is_weighted):
        # A few rows may shift the mean so far that the others would lose digits about it.
        centre = np.median(X, axis=0)
        np.subtract(X, centre, out=features)
        features *= scale
    return Z, centre, scale


def _is_drawn_far(features: FloatArray, *, is_weighted: bool) -> bool:
    """Whether a few rows dominate the spread of a column, judged by its fourth moment."""
    n = len(features)
    largest = max(float(features.max(initial=0.0)), -float(features.min(initial=0.0))) ** 2
    if not is_weighted and 10 * largest <= n:  # the fourth moment is at most the largest square
        return False
    return bool(10 * np.square(features**2).mean(axis=0).max(initial=0.0) > n)


def _prepend_ones(Z: FloatArray, *, intercept: bool) -> FloatArray:
    return np.column_stack([np.ones(len(Z)), Z]) if intercept else Z


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """A fitted classifier with linear logits."""

    rows: Standardised
    """The scaling of rows to the units of the coefficients."""
    coefficients: FloatArray
    """(q, K) in those units; one column for two classes."""
    present: IntArray
    """(C',) codes of the classes that the training part has, ascending."""
    n_classes: int
    """C, all classes of the data."""
    cautions: tuple[Caution, ...] = ()
    """A caution if the optimum was not reached."""

    def predict(self, features: Features) -> Predictions:
        """Return class codes and probabilities, and the logit if there are two classes."""
        logits = self.rows.rows(features.complete_matrix()) @ self.coefficients
        return build_predictions(logits, self.present, self.n_classes)


def build_predictions(logits: FloatArray, present: IntArray, n_classes: int) -> Predictions:
    """Return predictions from (n, K) logits.

    Of equal probabilities the lowest code is predicted.
    """
    shares = softmax(logits)
    if shares.shape[1] == 1:
        best = (logits[:, 0] > 0).astype(np.intp)
        shares = np.column_stack([softmax(-logits)[:, 0], shares[:, 0]])
    else:
        best = np.argmax(logits, axis=1)
    probabilities = np.zeros((len(logits), n_classes))
    probabilities[:, present] = shares
    scores = logits[:, 0].copy() if n_classes == 2 else None
    return Predictions(present[best], probabilities=probabilities, scores=scores)


def encode_target(y: np.ndarray, present: IntArray) -> FloatArray:
    """Return the (n, K) indicator matrix of the classes; for two classes, one column."""
    codes = present[1:] if len(present) == 2 else present
    return np.asarray(y[:, None] == codes, dtype=np.float64)
