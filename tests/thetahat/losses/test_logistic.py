from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.losses.base import Predictions
from thetahat.losses.log import Log
from thetahat.losses.logistic import LogisticLoss


def losses(y: np.ndarray, values: np.ndarray) -> np.ndarray:
    return LogisticLoss().losses(y, Predictions(y, scores=values))


@pytest.mark.outside("the documented example of scikit-learn's log_loss: 0.21616")
def test_golden_documented_example() -> None:
    spam = np.array([0.9, 0.1, 0.2, 0.65])  # of spam, ham, ham, spam

    values = losses(np.array([1, 0, 0, 1]), np.log(spam / (1 - spam)))

    assert round(float(values.mean()), 5) == 0.21616


def test_exact_it_is_log_of_the_probability() -> None:
    rng = np.random.default_rng(73)
    y, values = rng.integers(0, 2, 200), rng.normal(scale=4, size=200)
    second = 1 / (1 + np.exp(-values))
    probabilities = np.column_stack([1 - second, second])

    by_log = Log().losses(y, Predictions(y, probabilities=probabilities))

    assert_allclose(losses(y, values), by_log, rtol=1e-10)  # 1 - p loses digits near 1


def test_exact_no_evidence_loses_ln_two() -> None:
    assert losses(np.array([0, 1]), np.zeros(2)).tolist() == [math.log(2)] * 2


def test_limit_far_values_neither_overflow_nor_vanish() -> None:
    values = losses(np.array([1, 0, 1]), np.array([-1e300, 800.0, 700.0]))

    assert values[:2].tolist() == [1e300, 800.0]
    assert values[2] == pytest.approx(math.exp(-700), rel=1e-12)
