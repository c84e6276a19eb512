from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.losses.base import Predictions
from thetahat.losses.hinge import Hinge


def losses(y: list[int], values: list[float]) -> np.ndarray:
    return Hinge().losses(np.array(y), Predictions(np.array(y), scores=np.array(values)))


@pytest.mark.outside("the documented example of scikit-learn's hinge_loss: 0.30")
def test_golden_documented_example() -> None:
    # decision values of its LinearSVC; 0, 0 and 1 - 0.09
    assert_allclose(losses([0, 1, 1], [-2.18, 2.36, 0.09]), [0, 0, 0.91], rtol=1e-14)
    assert round(float(losses([0, 1, 1], [-2.18, 2.36, 0.09]).mean()), 2) == 0.30


def test_against_sklearn_hinge_loss() -> None:
    from sklearn.metrics import hinge_loss

    rng = np.random.default_rng(71)
    y, values = rng.integers(0, 2, 100), rng.normal(size=100)

    mean = losses(y.tolist(), values.tolist()).mean()
    assert mean == pytest.approx(hinge_loss(2 * y - 1, values), rel=1e-12)


def test_exact_it_is_never_below_the_zero_one_loss() -> None:
    rng = np.random.default_rng(72)
    y, values = rng.integers(0, 2, 100), rng.normal(size=100)

    assert (losses(y.tolist(), values.tolist()) >= ((values > 0) != (y == 1))).all()


def test_degenerate_on_the_border_and_on_the_margin() -> None:
    assert losses([0, 1, 0, 1], [0.0, 0.0, -1.0, 1.0]).tolist() == [1, 1, 0, 0]
