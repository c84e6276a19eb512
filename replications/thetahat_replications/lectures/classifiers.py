"""The classifiers of the lecture, and the choice of genes within each training part."""

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

LEARNER_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"lda": "linear_discriminant", "dda": "diagonal_discriminant", "nn": "nearest_neighbours"}
)
"""Names of the classifiers in ``thetahat.learners`` that differ from those used here."""
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
"""scikit-learn's tree with default parameters: grown until its leaves are pure, never pruned."""


def build_learner(name: str) -> Learner:
    """Return a learner of ``thetahat`` with the parameters of these presets."""
    method = LEARNERS[LEARNER_NAMES.get(name, name)]
    parameters = {"k": 1} if name == "nn" else {}
    learner: Learner = method(**parameters)
    return learner


def fit_and_predict(
    name: str, X: FloatArray, y: IntArray, tested: FloatArray, rng: np.random.Generator
) -> IntArray:
    """Return the (m,) predicted classes of (m, p) rows by a classifier fitted on (n, p) rows."""
    if name == TREE:
        return _fit_tree_and_predict(X, y, tested, int(rng.integers(2**31)))
    fitted = build_learner(name).fit(_build_features(X), y, weights=None, n_classes=2, rng=rng)
    return np.asarray(fitted.predict(_build_features(tested)).output, dtype=np.intp)


def _fit_tree_and_predict(X: FloatArray, y: IntArray, tested: FloatArray, seed: int) -> IntArray:
    """Return a tree's predictions, without input checks that take longer than growing the tree."""
    from sklearn import config_context  # noqa: PLC0415 - seconds to import
    from sklearn.tree import DecisionTreeClassifier  # noqa: PLC0415 - likewise

    # scikit-learn's trees use single precision, whether we or it round the columns
    X32, tested32 = (np.ascontiguousarray(rows, dtype=np.float32) for rows in (X, tested))
    tree = DecisionTreeClassifier(random_state=seed)
    with config_context(skip_parameter_validation=True):
        fitted = tree.fit(X32, y, check_input=False)
        return np.asarray(fitted.predict(tested32, check_input=False), dtype=np.intp)


def _build_features(X: FloatArray) -> Features:
    return Features(tuple(f"x{j}" for j in range(X.shape[1])), tuple(np.ascontiguousarray(X.T)))


@dataclass(frozen=True, slots=True, eq=False)
class GeneSums:
    """Sums of many columns by class; the sums of left-out rows can be subtracted from them."""

    X: FloatArray
    """(n, p) centred columns, so that subtracting sums loses no digits."""
    y: IntArray
    """(n,) class, 0 or 1."""
    sums: FloatArray
    squares: FloatArray
    """(2, p) sums and sums of squares by class."""

    @classmethod
    def from_rows(cls, X: FloatArray, y: IntArray) -> GeneSums:
        """Return the sums over all rows."""
        centred = X - X.mean(axis=0)
        by_class = [centred[y == c] for c in (0, 1)]
        return cls(
            centred,
            y,
            np.stack([rows.sum(axis=0) for rows in by_class]),
            np.stack([(rows**2).sum(axis=0) for rows in by_class]),
        )

    def choose_genes(self, counts: FloatArray, n_genes: int) -> IntArray:
        """Return the (n_genes,) columns with the largest absolute two-sample t, in column order.

        ``counts`` is (n,) how often each row is in the training part; of equal t the first columns
        are taken.
        """
        n = np.array([counts[self.y == c].sum() for c in (0, 1)])
        removed = 1.0 - counts
        changed = np.flatnonzero(removed)
        sums, squares = self.sums.copy(), self.squares.copy()
        for c in (0, 1):
            rows = changed[self.y[changed] == c]
            values = self.X[rows]
            sums[c] -= removed[rows] @ values
            squares[c] -= removed[rows] @ values**2
        means = sums / n[:, None]
        within = np.maximum(squares - n[:, None] * means**2, 0).sum(axis=0)
        # t is not defined for a column without spread within the classes: it comes last
        spread = np.where(within > 0, within, np.inf)
        t_squared = (means[1] - means[0]) ** 2 / spread
        return find_largest(t_squared, n_genes)


def find_largest(values: FloatArray, n: int) -> IntArray:
    """Return the (n,) ascending positions of the largest values; of equal ones the first."""
    least = np.partition(values, len(values) - n)[len(values) - n]
    above = np.flatnonzero(values > least)
    equal = np.flatnonzero(values == least)[: n - len(above)]
    return np.sort(np.concatenate([above, equal]))
