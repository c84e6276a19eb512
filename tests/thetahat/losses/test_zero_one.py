from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.errors import InvalidParameter
from thetahat.losses.base import Predictions
from thetahat.losses.zero_one import ZeroOne


# By hand: the second and the fourth are wrong.
def test_by_hand_one_for_each_wrong_class() -> None:
    predictions = Predictions(np.array([0, 2, 1, 1]))

    assert_array_equal(ZeroOne().losses(np.array([0, 1, 1, 0]), predictions), [0.0, 1.0, 0.0, 1.0])


def test_exact_labels_that_are_words() -> None:
    predictions = Predictions(np.array(["dvd", "book"], dtype=object))

    assert_array_equal(
        ZeroOne().losses(np.array(["dvd", "dvd"], dtype=object), predictions), [0.0, 1.0]
    )


@pytest.mark.outside("scikit-learn zero_one_loss, run here")
def test_against_sklearn_zero_one_loss() -> None:
    from sklearn.metrics import zero_one_loss

    rng = np.random.default_rng(20_261_101)
    y, predictions = rng.integers(0, 4, (2, 500))

    losses = ZeroOne().losses(y, Predictions(predictions))

    assert losses.mean() == pytest.approx(zero_one_loss(y, predictions), rel=1e-12)


def test_invalid_predictions_of_another_length() -> None:
    with pytest.raises(InvalidParameter, match="Expected 2 predictions, got an array of shape"):
        ZeroOne().losses(np.array([0, 1]), Predictions(np.array([0, 1, 1])))


def test_exact_the_mean_is_what_is_off_the_diagonal() -> None:
    y, predictions = np.random.default_rng(20_261_108).integers(0, 4, (2, 500))
    table = np.zeros((4, 4))
    np.add.at(table, (y, predictions), 1)

    losses = ZeroOne().losses(y, Predictions(predictions))

    assert losses.sum() == table.sum() - np.trace(table)
