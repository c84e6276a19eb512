from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.thetahat.losses.regions import draw_limits, draw_sets, read_vector
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.losses.base import Predictions
from thetahat.losses.interval_score import IntervalScore
from thetahat.losses.pinball import Pinball


@pytest.mark.outside("MAPIE 1.6.0, statsmodels 0.15.0")
def test_golden_mean_score() -> None:
    inputs, expected = read_vector("interval_coverage_of_predictions")
    result = thetahat.evaluate_predictions(
        inputs["y"],
        limits={"m": {"lower": inputs["lower"], "upper": inputs["upper"]}},
        loss=IntervalScore(alpha=inputs["alpha"]),
        blocks="holdout",
    )

    assert_allclose(result.models["m"].mean.pooled, expected["winkler_interval_score"], rtol=1e-9)


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.5])
def test_exact_it_is_the_pinball_losses_of_both_limits(alpha: float) -> None:
    y, predictions = draw_limits(5)
    assert predictions.limits is not None
    pinball = sum(
        Pinball(quantile=quantile).losses(y, Predictions(predictions.limits[:, column]))
        for column, quantile in enumerate((alpha / 2, 1 - alpha / 2))
    )

    scores = IntervalScore(alpha=alpha).losses(y, predictions)

    assert_allclose(scores, 2 / alpha * np.asarray(pinball), rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, math.nan])
def test_invalid_alpha(alpha: float) -> None:
    with pytest.raises(InvalidParameter, match="alpha must lie between 0 and 1") as caught:
        IntervalScore(alpha=alpha)
    assert caught.value.loc == ("alpha",)


def test_invalid_sets() -> None:
    with pytest.raises(UnsupportedCombination, match="needs prediction limits"):
        IntervalScore().losses(*draw_sets(6))
