"""The fit and the fast path that the three discriminant learners share."""

from __future__ import annotations

from functools import partial
from typing import ClassVar, Final

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.learners._training_parts import check_two_classes, class_weights, read_weights
from thetahat.learners.base import FastLearner, OrdinaryFit, OverSplits
from thetahat.learners.fast.discriminants.class_means import (
    Discriminant,
    Priors,
    Shape,
    log_priors,
    transformed,
)
from thetahat.learners.fast.discriminants.class_rows import class_rows
from thetahat.learners.fast.discriminants.decorrelated import DecorrelatedSplits
from thetahat.learners.fast.discriminants.over_splits import VarianceSplits
from thetahat.learners.fast.ridge.rows import is_rounding
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray

SINGULAR: Final = OrdinaryFit("there are at least as many features as rows")

_ROUNDING: Final = 8 * float(np.finfo(np.float64).eps)


class DiscriminantLearner(FastLearner):
    """A classifier for normal classes with a common covariance matrix of some shape."""

    __slots__ = ()
    shape: ClassVar[Shape]
    priors: Priors
    tasks: ClassVar[frozenset[str]] = frozenset({"classification"})
    gives_scores: ClassVar[bool] = True

    def fit(
        self,
        features: Features,
        y: np.ndarray,
        *,
        weights: FloatArray | None,
        n_classes: int,
        rng: np.random.Generator,
    ) -> Discriminant:
        """Compute class means and the within-class covariance matrix."""
        del rng
        X = features.complete_matrix()
        w = read_weights(weights, len(y))
        totals = class_weights(y, w, n_classes)
        check_two_classes(totals)
        present = np.flatnonzero(totals)
        centre = np.average(X, axis=0, weights=w)
        within = X - centre
        means = np.empty((len(present), X.shape[1]))
        for at, code in enumerate(present):
            of_class = y == code
            means[at] = np.average(within[of_class], axis=0, weights=w[of_class])
            within[of_class] -= means[at]
        seen = np.isin(y, present)
        root = np.sqrt(w[seen])
        within = within[seen] * root[:, None]
        within[:, is_rounding(within, np.abs(X).max(axis=0), w[seen])] = 0.0
        transform, is_sharp = _transform(within / np.sqrt(totals.sum()), self.shape)
        if is_sharp:  # means that differ by rounding alone are equally near
            means[:, np.ptp(means, axis=0) <= _ROUNDING * np.abs(X).max(axis=0)] = 0.0
        return Discriminant(
            centre=centre,
            transform=transform,
            means=transformed(means, transform),
            present=present,
            log_prior=log_priors(totals[present], self.priors),
            n_classes=n_classes,
            is_sharp=is_sharp,
        )

    def prepare_splits(
        self, features: Features, y: np.ndarray, w: FloatArray, n_classes: int
    ) -> OverSplits | OrdinaryFit:
        """Compute the within-class sums of squares or products of all rows."""
        columns = features.complete_columns()
        make_rows = partial(class_rows, columns, y, w, n_classes)
        if self.shape != "full":
            return VarianceSplits(make_rows, self.priors, self.shape)
        return DecorrelatedSplits(make_rows, self.priors) if len(columns) < len(y) else SINGULAR


def _transform(within: FloatArray, shape: Shape) -> tuple[FloatArray, bool]:
    """Return the whitening matrix of the within-class covariance of (n, p) centred rows.

    Also return whether nothing varies within the classes, so that it is the identity.
    """
    lengths = np.linalg.norm(within, axis=0)
    if shape == "spherical":
        total, p = float(lengths @ lengths), len(lengths)
        return (np.full(p, np.sqrt(p / total)), False) if total > 0 else (np.ones(p), True)
    if not lengths.any():
        raise InsufficientData(
            "No feature varies within the classes of the training part, so there is no spread to "
            "measure distances by. Use fewer folds, or the learner 'nearest_mean'.",
            loc=("columns", "features"),
        )
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    if shape == "diagonal":
        return scale, False
    within *= scale
    directions, s = find_directions(within)
    # Below this a direction is rounding; in it nothing varies within the classes.
    kept = s > np.finfo(np.float64).eps * max(within.shape) * s.max(initial=0.0)
    return np.asarray(scale[:, None] * directions[:, kept] / s[kept]), False


def find_directions(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the (p, k) right singular vectors and (k,) singular values of (n, p) rows.

    The longer side is reduced by reflections first, which takes half the time of a decomposition
    or less where one side is twice as long.
    """
    n, p = rows.shape
    if n > p:
        _, s, Vt = np.linalg.svd(np.linalg.qr(rows, mode="r"), full_matrices=False)
        return Vt.T, s
    if p < 2 * n:
        _, s, Vt = np.linalg.svd(rows, full_matrices=False)
        return Vt.T, s
    basis, triangle = np.linalg.qr(rows.T)
    _, s, Vt = np.linalg.svd(triangle.T)
    return basis @ Vt.T, s
