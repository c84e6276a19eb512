"""Samples of two normal classes, and a classifier fitted on many training parts of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.generators import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.lectures.classifiers import TITLES, fit_and_predict

NEAREST_MEAN: Final = "nearest_mean"
N_FRESH: Final = 1000
"""Fresh rows on which the true error of a fitted classifier is computed."""


def check_classifier(name: str) -> None:
    """Raise ``InvalidParameter`` for a classifier that these presets do not have."""
    if name not in TITLES:
        raise InvalidParameter(
            f"classifier is {name!r}. It must be one of {', '.join(TITLES)}.",
            loc=("classifier",),
            value=name,
        )


def find_errors(  # noqa: PLR0913 - a sample, its training parts and the rows to predict
    name: str,
    parts: np.ndarray,
    X: FloatArray,
    y: IntArray,
    tested: FloatArray,
    tested_y: IntArray,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return (F, m) whether the model of each training part errs on each of (m, p) rows.

    The (F, n) training parts are True for their rows. The model of a part with rows of one class
    only predicts that class.
    """
    if name == NEAREST_MEAN:
        return np.asarray(_predict_nearest_mean(parts, X, y, tested) != tested_y)
    usable = has_both_classes(parts, y)
    predicted = [
        fit_and_predict(name, X[part], y[part], tested, rng)
        if can_fit
        else np.full(len(tested), y[part][0])
        for part, can_fit in zip(parts, usable, strict=True)
    ]
    return np.asarray(np.stack(predicted) != tested_y)


def _predict_nearest_mean(
    parts: np.ndarray, X: FloatArray, y: IntArray, tested: FloatArray
) -> np.ndarray:
    """Return (F, m) whether the mean of class 1 is nearer; of equal distances class 0 wins.

    Without rows of one class the other wins everywhere.
    """
    centre = X.mean(axis=0)
    centred, centred_tested = X - centre, tested - centre
    means = []
    for c in (0, 1):
        members = (parts & (y == c)).astype(np.float64)
        means.append(members @ centred / np.maximum(members.sum(axis=1, keepdims=True), 1))
    half = ((means[1] ** 2) - (means[0] ** 2)).sum(axis=1) / 2
    is_nearer = (means[1] - means[0]) @ centred_tested.T > half[:, None]
    lacking = ~has_both_classes(parts, y)
    is_nearer[lacking] = (parts[lacking] & (y == 1)).any(axis=1)[:, None]
    return np.asarray(is_nearer)


def has_both_classes(parts: np.ndarray, y: IntArray) -> np.ndarray:
    """Return (F,) whether each training part has rows of both classes."""
    n_positive = (parts & (y == 1)).sum(axis=1)
    return np.asarray((n_positive > 0) & (n_positive < parts.sum(axis=1)))


@dataclass(frozen=True, slots=True, eq=False)
class GaussianSample:
    """A sample of two normal classes, and fresh rows of the same population."""

    X: FloatArray
    y: IntArray
    fresh: FloatArray
    fresh_y: IntArray

    @classmethod
    def draw(cls, generator: TwoClassGaussian, n: int, rng: np.random.Generator) -> GaussianSample:
        """Draw n rows and fresh rows, all independently, whatever their classes.

        Drawing again until a sample has rows of each class would make the classes of test rows
        depend on those of training rows, and a split would not be unbiased for what it fitted.
        """
        data = generator.draw_sources(1, rng).draw(DrawSize(n=n + N_FRESH), rng)
        X, y = data.features.matrix(), np.asarray(data.y, dtype=np.intp)
        return cls(X[:n], y[:n], X[n:], y[n:])

    @property
    def n(self) -> int:
        """Rows of the sample."""
        return len(self.y)

    def errors(self, name: str, parts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the (F, n) 0/1 losses on the sample's rows of the model of each part."""
        return find_errors(name, parts, self.X, self.y, self.X, self.y, rng)

    def test_errors(self, name: str, parts: np.ndarray, rng: np.random.Generator) -> FloatArray:
        """Return the (F,) error rates on the sample's rows that are not in each part."""
        errors = self.errors(name, parts, rng)
        return np.asarray((errors & ~parts).sum(axis=1) / (~parts).sum(axis=1))

    def true_errors(self, name: str, parts: np.ndarray, rng: np.random.Generator) -> FloatArray:
        """Return the (F,) error rates on fresh rows of the model of each part."""
        errors = find_errors(name, parts, self.X, self.y, self.fresh, self.fresh_y, rng)
        return np.asarray(errors.mean(axis=1))
