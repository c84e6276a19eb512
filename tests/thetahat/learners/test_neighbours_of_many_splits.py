"""Nearest neighbours in many training parts at once, some of which hold rows several times."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.cross_validation.fast_path import build_part
from thetahat.learners.base import OrdinaryFit, Part
from thetahat.learners.fast.neighbours import over_splits as _neighbour_splits
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses.base import Predictions
from thetahat.schemes.base import Split
from thetahat.tables.features import Features

RNG = np.random.default_rng(0)
N = 40
X = RNG.integers(4, size=(N, 3)).astype(float)  # many rows are equally far
Y = RNG.integers(3, size=N)


def parts(*, resampled: bool) -> list[Part]:
    """Half of the rows, or a resample of them, each tested on some others; one part is empty."""
    split_parts = []
    for j in range(12):
        order = np.random.default_rng(j).permutation(N)
        train, test = order[:20], np.sort(order[20 : 21 + j])
        if resampled and j % 2:
            train = np.random.default_rng(j).choice(train, size=20)
        split_parts.append(build_part(Split(0, j, j, np.sort(train), test), N))
    return [*split_parts, build_part(Split(0, 12, 12, np.empty(0, dtype=np.intp), np.arange(3)), N)]


def features(rows: np.ndarray) -> Features:
    return Features(("a", "b", "c"), tuple(np.ascontiguousarray(X[rows].T)))


def over(learner: NearestNeighbours) -> Any:
    return learner.over_splits(features(np.arange(N)), Y, weights=None, n_classes=3)


@pytest.mark.about("learners/nearest_neighbours")
@pytest.mark.parametrize("held", [1, 500, 1_000_000])
@pytest.mark.parametrize("k", [1, 4])
def test_naive_each_part_is_fitted_alone(
    held: int, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_neighbour_splits, "_MAX_ENTRIES", held)
    learner, requested_parts = NearestNeighbours(k=k), parts(resampled=k == 1)

    *predictions, of_nothing = over(learner).predict_all(requested_parts)

    assert isinstance(of_nothing, OrdinaryFit)
    for part, prediction in zip(requested_parts, predictions, strict=False):
        fitted = learner.fit(
            features(part.train), Y[part.train], weights=None, n_classes=3,
            rng=np.random.default_rng(0),
        )  # fmt: skip
        alone = fitted.predict(features(part.test))
        assert isinstance(prediction, Predictions)
        assert_array_equal(prediction.output, alone.output)
        assert_array_equal(np.asarray(prediction.probabilities), np.asarray(alone.probabilities))


@pytest.mark.about("learners/nearest_neighbours")
def test_degenerate_copies_are_several_neighbours_where_several_are_asked_for() -> None:
    *predictions, _ = over(NearestNeighbours(k=2)).predict_all(parts(resampled=True))

    assert [isinstance(prediction, OrdinaryFit) for prediction in predictions] == [False, True] * 6
