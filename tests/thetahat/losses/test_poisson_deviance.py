from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InvalidParameter
from thetahat.losses.base import Predictions
from thetahat.losses.poisson_deviance import PoissonDeviance


@pytest.mark.outside("the documented example of scikit-learn's mean_poisson_deviance: 1.4260")
def test_golden_documented_example() -> None:
    losses = PoissonDeviance().losses(
        np.array([2.0, 0.0, 1.0, 4.0]), Predictions(np.array([0.5, 0.5, 2.0, 2.0]))
    )

    assert round(float(losses.mean()), 4) == 1.4260
    assert losses[1] == 1.0  # 0 log 0 is 0


def test_against_sklearn_mean_poisson_deviance() -> None:
    from sklearn.metrics import mean_poisson_deviance

    rng = np.random.default_rng(93)
    y, predictions = rng.poisson(1.5, 200), rng.gamma(2.0, size=200)

    losses = PoissonDeviance().losses(y, Predictions(predictions))
    assert losses.mean() == pytest.approx(mean_poisson_deviance(y, predictions), rel=1e-12)


def test_exact_twice_the_loss_of_log_likelihood() -> None:
    from scipy.stats import poisson

    y, predictions = np.arange(8.0), np.linspace(0.3, 5, 8)
    itself = poisson.logpmf(y, np.maximum(y, 1e-300))

    losses = PoissonDeviance().losses(y, Predictions(predictions))
    assert_allclose(losses, 2 * (itself - poisson.logpmf(y, predictions)), rtol=1e-10, atol=1e-12)


def test_degenerate_rounding_never_makes_it_negative() -> None:
    y = np.random.default_rng(94).gamma(2.0, size=2000)

    losses = PoissonDeviance().losses(y, Predictions(y * (1 + 1e-16)))

    assert (losses >= 0).all()
    assert losses.max() < 1e-14


def test_invalid_target_and_prediction() -> None:
    with pytest.raises(
        InvalidParameter, match=r"a target must be 0 or more .* one is -1"
    ) as caught:
        PoissonDeviance().losses(np.array([1.0, -1.0]), Predictions(np.ones(2)))
    assert (caught.value.loc, caught.value.value) == (("y", 1), -1.0)
    with pytest.raises(InvalidParameter, match="a prediction must be above 0") as caught:
        PoissonDeviance().losses(np.ones(3), Predictions(np.array([1.0, 2.0, 0.0])))
    assert (caught.value.loc, caught.value.value) == (("predictions", 2), 0.0)
