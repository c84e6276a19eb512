from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InvalidParameter
from thetahat.losses.absolute import Absolute
from thetahat.losses.base import Predictions
from thetahat.losses.pinball import Pinball


@pytest.mark.outside("the documented examples of scikit-learn's mean_pinball_loss")
@pytest.mark.parametrize(
    ("quantile", "values", "mean"),
    [
        (0.1, [0, 2, 3], 0.1 / 3),
        (0.1, [1, 2, 4], 0.3),
        (0.9, [0, 2, 3], 0.3),
        (0.9, [1, 2, 4], 0.1 / 3),
    ],
)
def test_golden_documented_examples(quantile: float, values: list[float], mean: float) -> None:
    losses = Pinball(quantile=quantile).losses(
        np.array([1.0, 2.0, 3.0]), Predictions(np.array(values, dtype=np.float64))
    )

    assert losses.mean() == pytest.approx(mean, rel=1e-12)


def test_against_sklearn_mean_pinball_loss() -> None:
    from sklearn.metrics import mean_pinball_loss

    y, predictions = np.random.default_rng(81).normal(size=(2, 100))

    losses = Pinball(quantile=0.3).losses(y, Predictions(predictions))
    assert losses.mean() == pytest.approx(mean_pinball_loss(y, predictions, alpha=0.3), rel=1e-12)


def test_limit_at_a_half_it_is_half_the_absolute_loss() -> None:
    y, predictions = np.random.default_rng(82).normal(size=(2, 100))
    half = Absolute().losses(y, Predictions(predictions)) / 2

    assert_allclose(Pinball().losses(y, Predictions(predictions)), half, rtol=1e-14)


def test_exact_the_quantile_loses_least() -> None:
    """Of all constants at the data, the 0.3 quantile of 11 values (the fourth) is the best."""
    y = np.sort(np.random.default_rng(83).normal(size=11))
    mean = [Pinball(quantile=0.3).losses(y, Predictions(np.full(11, c))).mean() for c in y]

    assert int(np.argmin(mean)) == 3


@pytest.mark.parametrize("quantile", [0.0, 1.0, -0.1, math.nan])
def test_invalid_quantile(quantile: float) -> None:
    with pytest.raises(InvalidParameter, match="quantile must lie between 0 and 1") as caught:
        Pinball(quantile=quantile)
    assert caught.value.loc == ("quantile",)
