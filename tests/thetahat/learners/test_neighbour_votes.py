"""Votes of the first few neighbours, counted once for several numbers of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.learners.nearest_neighbours import Voters

NUMBERS = [1, 4, 2, 9]


def test_by_hand_votes() -> None:
    voters = Voters(np.array([0, 1, 1, 2]), np.ones(4), 3, by_distance=False)

    first, three = voters.votes(np.array([[3, 1, 2]]), np.zeros((1, 3)), [1, 3])

    assert (first.output.tolist(), three.output.tolist()) == ([2], [1])
    assert first.probabilities is not None
    assert three.probabilities is not None
    assert first.probabilities.tolist() == [[0, 0, 1]]
    assert three.probabilities.tolist() == [[0, 2 / 3, 1 / 3]]


@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("weights", ["one", "broken"])
@pytest.mark.parametrize("by_distance", [False, True])
def test_exact_each_number_says_what_it_says_alone(
    n_classes: int, weights: str, *, by_distance: bool
) -> None:
    rng = np.random.default_rng(20_261_123)
    y = rng.integers(0, n_classes, 30) if n_classes else rng.normal(size=30)
    w = np.ones(30) if weights == "one" else rng.exponential(size=30)
    voters = Voters(y, w, n_classes, by_distance)
    rows, squares = rng.integers(0, 30, (11, 6)), np.sort(rng.exponential(size=(11, 6)))

    votes = voters.votes(rows, squares, NUMBERS)

    for k, predictions in zip(NUMBERS, votes, strict=True):
        wanted = voters.vote(rows[:, :k], squares[:, :k])
        assert_array_equal(predictions.output, wanted.output)
        assert (predictions.probabilities is None) == (n_classes == 0)
        if predictions.probabilities is not None and wanted.probabilities is not None:
            assert_array_equal(predictions.probabilities, wanted.probabilities)
