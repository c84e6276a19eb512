"""The fitted model of the three discriminant learners and its decision rule."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from thetahat.losses.base import Predictions
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray

Priors = Literal["shares", "equal"]
Shape = Literal["full", "diagonal", "spherical"]


@dataclass(frozen=True, slots=True, eq=False)
class Discriminant:
    """A fitted discriminant: normal classes with a common covariance matrix."""

    centre: FloatArray
    """(p,) a point that rows are taken from."""
    transform: FloatArray
    """(p, q) or, for its diagonal, (p,): after it the covariance matrix is the unit matrix."""
    means: FloatArray
    """(C', q) transformed means of the classes that are present."""
    present: IntArray
    """(C',) their codes, ascending."""
    log_prior: FloatArray
    """(C',)."""
    n_classes: int
    """C, all classes of the data."""
    is_sharp: bool = False
    """Whether nothing varies within a class: the nearest mean has probability 1, and classes with
    equally near means share it by their priors."""

    def predict(self, features: Features) -> Predictions:
        """Return class codes, probabilities and log odds; of equal posteriors the lowest wins."""
        rows = features.complete_matrix() - self.centre
        joint = log_joint(transformed(rows, self.transform), self.means)
        if not self.is_sharp:
            return posterior(joint + self.log_prior, self.present, self.n_classes)
        is_nearest = joint == joint.max(axis=1, keepdims=True)
        joint = np.where(is_nearest, self.log_prior, -np.inf)
        with np.errstate(invalid="ignore"):  # infinite log odds are no decision values
            return replace(posterior(joint, self.present, self.n_classes), scores=None)


def transformed(rows: FloatArray, transform: FloatArray) -> FloatArray:
    """Return (n, q) whitened rows, whose covariance matrix is the identity."""
    return np.asarray(rows * transform if transform.ndim == 1 else rows @ transform)


def log_joint(rows: FloatArray, means: FloatArray) -> FloatArray:
    """Return (n, C') log joint densities of whitened rows, up to a constant per row."""
    return np.asarray(rows @ means.T - 0.5 * np.einsum("ij,ij->i", means, means))


def posterior(joint: FloatArray, present: IntArray, n_classes: int) -> Predictions:
    """Return class codes, probabilities and log odds from (n, C') log joint densities."""
    # Class by class: numpy takes sums and maxima down columns far faster than along short rows.
    by_class = np.ascontiguousarray(joint.T)
    return compute_posterior(by_class, find_most_likely(by_class), present, n_classes)


@dataclass(frozen=True, slots=True, eq=False)
class MostLikely:
    """The most likely class of each row; of equal ones the first."""

    best: FloatArray
    """(n,) its log joint density."""
    ahead: FloatArray
    """(n,) by how much that is more than the next."""
    place: IntArray
    """(n,) which it is."""


def find_most_likely(by_class: FloatArray) -> MostLikely:
    """Find the most likely class from (C', n) log joint densities, class by class."""
    n_classes, n = by_class.shape
    if n_classes == 1:
        return MostLikely(by_class[0].copy(), np.full(n, np.inf), np.zeros(n, dtype=np.intp))
    first, other = by_class[:2]
    best, second = np.maximum(first, other), np.minimum(first, other)
    place = (other > first).astype(np.intp)
    for at, of_class in enumerate(by_class[2:], start=2):
        np.copyto(place, at, where=of_class > best)
        np.maximum(second, np.minimum(best, of_class), out=second)
        np.maximum(best, of_class, out=best)
    return MostLikely(best, best - second, place)


def compute_posterior(
    by_class: FloatArray, lead: MostLikely, present: IntArray, n_classes: int
) -> Predictions:
    """Return class codes, probabilities and log odds from (C', n) log joint densities."""
    shares = np.exp(by_class - lead.best)
    shares /= shares.sum(axis=0)
    if len(present) == n_classes:
        scores = by_class[1] - by_class[0] if n_classes == 2 else None
        return Predictions(lead.place, probabilities=np.ascontiguousarray(shares.T), scores=scores)
    probabilities = np.zeros((by_class.shape[1], n_classes))
    probabilities[:, present] = shares.T
    return Predictions(present[lead.place], probabilities=probabilities)


def gap(joint: FloatArray) -> FloatArray:
    """Return the (n,) margin between the two largest of (n, C') log densities."""
    return find_most_likely(np.ascontiguousarray(joint.T)).ahead


def log_priors(totals: FloatArray, priors: Priors) -> FloatArray:
    """Return the (C',) log priors: class shares, or equal ones."""
    if priors == "equal":
        return np.full(len(totals), -np.log(len(totals)))
    return np.asarray(np.log(totals / totals.sum()))
