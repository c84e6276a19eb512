"""Wide features rotated to as many coordinates as there are rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.cross_validation import build_rows, run_splits
from thetahat.cross_validation.outcomes import SplitOutcome
from thetahat.cross_validation.row_coordinates import rotate_wide_features
from thetahat.learners.logistic_regression import LogisticRegression
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses.zero_one import ZeroOne
from thetahat.schemes.base import Split
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import Data, build_data
from thetahat.values.types import FloatArray

N, P = 30, 90


def draw_data(offset: float = 0.0, **columns: Any) -> Data:
    rng = np.random.default_rng(5)
    y = np.arange(N) % 3
    X = rng.normal(size=(N, P)) + offset
    X[:, :4] += y[:, None]
    return build_data({f"x{j}": X[:, j] for j in range(P)}, y, "classification", **columns)


def list_splits(data: Data) -> list[Split]:
    return list(KFold(n_folds=5).splits(build_rows(data), 1))


def stack_probabilities(outcomes: Sequence[SplitOutcome]) -> FloatArray:
    return np.concatenate([outcome.probabilities for outcome in outcomes])


def fit_to_features(learner: LogisticRegression, data: Data) -> FloatArray:
    """Return the predictions of ordinary fits to all features."""
    fitted = [
        (
            learner.fit(
                data.features.rows(split.train),
                data.y[split.train],
                weights=None if data.weight is None else data.weight[split.train],
                n_classes=3,
                rng=np.random.default_rng(0),
            ).predict(data.features.rows(split.test))
        )
        for split in list_splits(data)
    ]
    return np.concatenate([predictions.probabilities for predictions in fitted])


@pytest.mark.parametrize(
    ("offset", "intercept", "weights"),
    [(0.0, True, None), (1e4, True, None), (0.0, False, None), (3.0, True, np.arange(N) % 4)],
)
@pytest.mark.parametrize("penalty", [1.0, 1e-3])
def test_naive_fits_to_all_features_agree(
    *, offset: float, intercept: bool, weights: Any, penalty: float
) -> None:
    data = draw_data(offset, weight=weights)
    learner = LogisticRegression(penalty=penalty, intercept=intercept)
    outcomes = run_splits(
        "m", learner, data, list_splits(data), ZeroOne(), 0, keep_predictions=True
    )
    assert_allclose(
        stack_probabilities(outcomes), fit_to_features(learner, data), rtol=1e-7, atol=1e-8
    )


def test_exact_coordinates_keep_all_distances_between_rows() -> None:
    data = draw_data(100.0)
    rotated = rotate_wide_features(LogisticRegression(), data)
    assert len(rotated.features.columns) == N
    assert rotated is rotate_wide_features(LogisticRegression(), data)  # it is computed once
    X, Z = data.features.complete_matrix(), rotated.features.complete_matrix()
    distances = [((A[:, None] - A[None]) ** 2).sum(axis=2) for A in (X, Z)]
    assert_allclose(distances[1], distances[0], rtol=1e-11, atol=1e-11)


def test_degenerate_other_tables_are_left_as_they_are() -> None:
    data = draw_data()
    assert rotate_wide_features(NearestNeighbours(), data) is data
    narrow = build_data(
        {f"x{j}": np.arange(6.0) ** j for j in range(1, 5)}, [0, 1] * 3, "classification"
    )
    assert rotate_wide_features(LogisticRegression(), narrow) is narrow
    X = np.random.default_rng(1).normal(size=(6, 20))
    X[2, 3] = np.nan
    missing = build_data({f"x{j}": X[:, j] for j in range(20)}, [0, 1] * 3, "classification")
    assert rotate_wide_features(LogisticRegression(), missing) is missing
