"""Data that are easy and data that are not, for learners that predict all splits at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

Problem = Callable[[np.random.Generator], tuple[FloatArray, FloatArray | None]]


def _plain(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.normal(size=(41, 5)), None


def _weighted(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    weights = rng.exponential(size=41)
    weights[::7] = 0
    return rng.normal(size=(41, 4)), weights


def _far(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.normal(size=(41, 4)) + 1e6, None


def _of_all_units(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.normal(size=(41, 4)) * [1e-4, 1.0, 1e3, 1e6] + [0.0, 1e3, 0.0, 1e7], None


def _collinear(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    X = rng.normal(size=(41, 4))
    X[:, 3] = X[:, 0] - 2 * X[:, 1]
    return X, None


def _nearly_collinear(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    X = rng.normal(size=(41, 4))
    X[:, 3] = X[:, 0] + 1e-5 * X[:, 3]
    return X, None


def _constant(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    X = rng.normal(size=(41, 4))
    X[:, 1] = 0.1
    return X, None


def _constant_but_once(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    """A column that does not vary in most training parts."""
    X = rng.normal(size=(41, 4))
    X[:, 1] = 12345.6789
    X[17, 1] = 3.0
    return X, None


def _wide(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.normal(size=(25, 60)), None


def _wide_and_weighted(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    weights = rng.exponential(size=25)
    weights[3] = 0
    return rng.normal(size=(25, 60)) + 100, weights


def _square(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.normal(size=(21, 20)), None


def _tiny(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.normal(size=(6, 2)), None


def _outlier(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    X = rng.normal(size=(41, 3))
    X[11] = 1e9
    return X, None


def _tied(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    return rng.integers(0, 3, size=(41, 3)).astype(np.float64), None


def _two_columns_only(rng: np.random.Generator) -> tuple[FloatArray, FloatArray | None]:
    X = rng.normal(size=(41, 3))
    X[:, 1:] = 7.0
    return X, None


PROBLEMS: Final[dict[str, Problem]] = {
    make.__name__.strip("_"): make
    for make in (
        _plain,
        _weighted,
        _far,
        _of_all_units,
        _collinear,
        _nearly_collinear,
        _constant,
        _constant_but_once,
        _wide,
        _wide_and_weighted,
        _square,
        _tiny,
        _outlier,
        _tied,
        _two_columns_only,
    )
}


def problem(name: str, task: str) -> Data:
    """Return the data of that name, with a source for each row."""
    rng = np.random.default_rng(20_261_201)
    X, weights = PROBLEMS[name](rng)
    n = len(X)
    # From standardised columns, so that no unit of a feature is the unit of the target.
    spread = X.std(axis=0)
    signal = ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0))[:, :3].sum(axis=1)
    y = signal + rng.normal(size=n) + 5
    if task == "classification":
        y = np.digitize(y, np.quantile(y, [1 / 3, 2 / 3]))
    return build_data(
        {f"x{j}": X[:, j] for j in range(X.shape[1])},
        y,
        task,
        source=[f"s{i}" for i in np.arange(n) * 4 // n],
        weight=weights,
    )
