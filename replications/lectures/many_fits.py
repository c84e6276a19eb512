"""One classifier fitted on many training parts of one sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from replications.lectures.classifiers import TITLES, said
from thetahat.errors import InvalidParameter
from thetahat.generators._size import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.values.types import FloatArray, IntArray

NEAREST: Final = "nearest_mean"
FRESH: Final = 1000
"""Rows that stand for the population in the error of a fitted classifier."""


def check_classifier(name: str) -> None:
    """Refuse a classifier that these studies do not have."""
    if name not in TITLES:
        raise InvalidParameter(
            f"classifier is {name!r}; it must be one of {', '.join(TITLES)}",
            loc=("classifier",),
            value=name,
        )


def wrong_of(  # noqa: PLR0913 - a sample, its training parts and the rows asked about
    name: str,
    parts: np.ndarray,
    X: FloatArray,
    y: IntArray,
    of: FloatArray,
    of_y: IntArray,
    rng: np.random.Generator,
) -> np.ndarray:
    """(F, m) whether what is fitted on each of (F, n) training parts errs on (m, p) rows.

    A training part is True where a row is in it, and has rows of both classes.
    """
    if name == NEAREST:
        return np.asarray(_nearest_means(parts, X, y, of) != of_y)
    fitted = [said(name, X[part], y[part], of, rng) for part in parts]
    return np.asarray(np.stack(fitted) != of_y)


def _nearest_means(parts: np.ndarray, X: FloatArray, y: IntArray, of: FloatArray) -> np.ndarray:
    """(F, m) whether the mean of class 1 is the nearer one; of equal ones class 0 is taken."""
    centre = X.mean(axis=0)
    about, asked = X - centre, of - centre
    means = []
    for c in (0, 1):
        members = (parts & (y == c)).astype(np.float64)
        means.append(members @ about / members.sum(axis=1, keepdims=True))
    half = ((means[1] ** 2) - (means[0] ** 2)).sum(axis=1) / 2
    return np.asarray((means[1] - means[0]) @ asked.T > half[:, None])


def has_both(parts: np.ndarray, y: IntArray) -> np.ndarray:
    """(F,) whether a training part has rows of both classes."""
    ones = (parts & (y == 1)).sum(axis=1)
    return np.asarray((ones > 0) & (ones < parts.sum(axis=1)))


@dataclass(frozen=True, slots=True, eq=False)
class GaussianSample:
    """A sample of two normal classes, and fresh rows of the same."""

    X: FloatArray
    y: IntArray
    fresh: FloatArray
    fresh_y: IntArray

    @classmethod
    def draw(cls, generator: TwoClassGaussian, n: int, rng: np.random.Generator) -> GaussianSample:
        """Draw n rows that have two of each class at least, and fresh ones."""
        while True:
            data = generator.draw_sources(1, rng).draw(DrawSize(n=n + FRESH), rng)
            X, y = data.features.matrix(), np.asarray(data.y, dtype=np.intp)
            if np.bincount(y[:n], minlength=2).min() >= 2:
                return cls(X[:n], y[:n], X[n:], y[n:])

    @property
    def n(self) -> int:
        """Rows of the sample."""
        return len(self.y)

    def wrong(self, name: str, parts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """(F, n) 0/1 loss on the sample's rows of what is fitted on each part."""
        return wrong_of(name, parts, self.X, self.y, self.X, self.y, rng)

    def true_errors(self, name: str, parts: np.ndarray, rng: np.random.Generator) -> FloatArray:
        """(F,) error on fresh rows of what is fitted on each part."""
        wrong = wrong_of(name, parts, self.X, self.y, self.fresh, self.fresh_y, rng)
        return np.asarray(wrong.mean(axis=1))
