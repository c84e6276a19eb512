"""What no fast path can do is said, and left to the fit of each split."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from tests.thetahat.learners.fits import table
from thetahat.learners import LEARNERS
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.ridge import Ridge
from thetahat.tables.features import Features
from thetahat.tables.sparse import SparseColumns
from thetahat.values.types import FloatArray

DENSE = [
    "ridge",
    "least_squares",
    "linear_discriminant",
    "diagonal_discriminant",
    "nearest_mean",
    "gaussian_naive_bayes",
    "nearest_neighbours",
    "logistic_regression",
]
RNG = np.random.default_rng(20_261_218)
X = RNG.normal(size=(30, 2))
CODES = np.arange(30) % 3


def find_reason(name: str, rows: FloatArray, weights: FloatArray | None, part: Part) -> str:
    """Return why a split is fitted."""
    learner = LEARNERS[name]()
    is_class = "classification" in learner.tasks
    y = CODES if is_class else CODES.astype(np.float64)
    shared = learner.over_splits(  # type: ignore[attr-defined] # those of DENSE have it
        table(rows), y, weights=weights, n_classes=3 if is_class else 0
    )
    predictions = shared if isinstance(shared, OrdinaryFit) else shared.predict(part)
    assert isinstance(predictions, OrdinaryFit)
    return predictions.reason


def without(left_out: np.ndarray) -> Part:
    return Part(np.setdiff1d(np.arange(30), left_out), left_out, left_out)


@pytest.mark.parametrize("name", DENSE)
def test_degenerate_a_missing_value(name: str) -> None:
    rows = X.copy()
    rows[4, 1] = np.nan

    assert "Column 'x1' has no value in row 4" in find_reason(
        name, rows, None, without(np.arange(3))
    )


@pytest.mark.parametrize("name", DENSE)
def test_degenerate_no_row_has_weight(name: str) -> None:
    assert find_reason(name, X, np.zeros(30), without(np.arange(3)))


@pytest.mark.parametrize("name", DENSE)
def test_degenerate_the_training_part_has_no_weight(name: str) -> None:
    weights = np.zeros(30)
    weights[:9] = 1.0

    assert find_reason(name, X, weights, without(np.arange(9)))


@pytest.mark.parametrize("name", DENSE[2:-2])
def test_degenerate_hardly_any_weight_of_a_class_stays(name: str) -> None:
    weights = np.ones(30)
    weights[:3] = 1e12

    assert "hardly any weight" in find_reason(name, X, weights, without(np.arange(3)))


@pytest.mark.parametrize("intercept", [True, False])
def test_degenerate_as_many_columns_as_rows(*, intercept: bool) -> None:
    wide = np.repeat(RNG.normal(size=(3, 8)), 2, axis=0)
    weights = np.array([1.0, 1, 1, 1, 0, 0])
    y = np.arange(6.0)

    nearly_free = Ridge(penalty=1e-300, intercept=intercept)
    singular = nearly_free.over_splits(table(wide), y, weights=None, n_classes=0)
    empty = Ridge(intercept=intercept).over_splits(table(wide), y, weights=weights, n_classes=0)

    first_columns, rest = np.arange(4), np.arange(4, 6)
    assert not isinstance(singular, OrdinaryFit)
    assert not isinstance(empty, OrdinaryFit)
    assert isinstance(singular.predict(Part(first_columns, rest, rest)), OrdinaryFit)
    assert isinstance(empty.predict(Part(rest, first_columns, first_columns)), OrdinaryFit)


def test_degenerate_columns_with_squares_beyond_all_scale_are_complete() -> None:
    features = table(np.full((3, 2), 1e300))
    sparse = Features((), (), wide=(SparseColumns("w", csr_array(np.eye(2)), ("a", "b")),))

    assert_array_equal(features.complete_columns(), np.full((2, 3), 1e300))
    assert_array_equal(sparse.complete_columns(), np.eye(2))
