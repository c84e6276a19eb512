"""The four classifiers of the lecture's table, with genes chosen inside each training part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.learners import LEARNERS
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.learners.base import Learner

OWN: Final[Mapping[str, str]] = MappingProxyType(
    {"lda": "linear_discriminant", "dda": "diagonal_discriminant", "nn": "nearest_neighbours"}
)
TITLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "lda": "linear discriminant",
        "dda": "diagonal discriminant",
        "nn": "nearest neighbour",
        "cart": "classification tree",
        "nearest_mean": "nearest mean",
    }
)
TREE: Final = "cart"
"""scikit-learn's tree at its defaults: grown until its leaves are pure, never pruned."""


def own_learner(name: str) -> Learner:
    """Return one of the product's learners at the setting of these studies."""
    method = LEARNERS[OWN.get(name, name)]
    parameters = {"k": 1} if name == "nn" else {}
    learner: Learner = method(**parameters)
    return learner


def said(
    name: str, X: FloatArray, y: IntArray, of: FloatArray, rng: np.random.Generator
) -> IntArray:
    """(m,) classes that a classifier fitted on (n, p) rows gives to (m, p) others."""
    if name == TREE:
        return _said_by_tree(X, y, of, int(rng.integers(2**31)))
    fitted = own_learner(name).fit(_table(X), y, weights=None, n_classes=2, rng=rng)
    return np.asarray(fitted.predict(_table(of)).output, dtype=np.intp)


def _said_by_tree(X: FloatArray, y: IntArray, of: FloatArray, seed: int) -> IntArray:
    """(m,) classes of a tree, whose checks of its input would take longer than its growing."""
    from sklearn import config_context  # noqa: PLC0415 - seconds to import
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415 - likewise

    # a tree takes its columns in four bytes, whoever rounds them
    few, asked = (np.ascontiguousarray(rows, dtype=np.float32) for rows in (X, of))
    tree = DecisionTreeClassifier(random_state=seed)
    with config_context(skip_parameter_validation=True):
        fitted = tree.fit(few, y, check_input=False)
        return np.asarray(fitted.predict(asked, check_input=False), dtype=np.intp)


def _table(X: FloatArray) -> Features:
    return Features(tuple(f"x{j}" for j in range(X.shape[1])), tuple(np.ascontiguousarray(X.T)))


@dataclass(frozen=True, slots=True, eq=False)
class GeneSums:
    """Sums by class of many columns, from which those of left-out rows are taken.

    Parameters
    ----------
    X : ndarray of float
        (n, p) about their means, so that taking sums away costs no digits.
    y : ndarray of int
        (n,) class, 0 or 1.
    sums, squares : ndarray of float
        (2, p) by class.
    """

    X: FloatArray
    y: IntArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, X: FloatArray, y: IntArray) -> GeneSums:
        """Sum all rows."""
        centred = X - X.mean(axis=0)
        by_class = [centred[y == c] for c in (0, 1)]
        return cls(
            centred,
            y,
            np.stack([rows.sum(axis=0) for rows in by_class]),
            np.stack([(rows**2).sum(axis=0) for rows in by_class]),
        )

    def best(self, counts: FloatArray, n_best: int) -> IntArray:
        """(n_best,) columns of the largest two-sample t, in the columns' order.

        ``counts`` is (n,) how often each row is in the training part; equal t take the first.
        """
        n = np.array([counts[self.y == c].sum() for c in (0, 1)])
        off = 1.0 - counts
        away = np.flatnonzero(off)
        sums, squares = self.sums.copy(), self.squares.copy()
        for c in (0, 1):
            rows = away[self.y[away] == c]
            few = self.X[rows]
            sums[c] -= off[rows] @ few
            squares[c] -= off[rows] @ few**2
        means = sums / n[:, None]
        within = np.maximum(squares - n[:, None] * means**2, 0).sum(axis=0)
        # a column without spread within the classes tells nothing that a t could measure
        spread = np.where(within > 0, within, np.inf)
        t2 = (means[1] - means[0]) ** 2 / spread
        return largest(t2, n_best)


def largest(values: FloatArray, n: int) -> IntArray:
    """(n,) places of the largest values, ascending; of equal ones the first are taken."""
    least = np.partition(values, len(values) - n)[len(values) - n]
    above = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)[: n - len(above)]
    return np.sort(np.concatenate([above, equal]))
