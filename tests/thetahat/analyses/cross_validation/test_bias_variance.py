from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.cross_validation.bias_variance import BiasVariance, split_bias_and_variance
from thetahat.analyses.cross_validation.entry_points import cross_validate
from thetahat.cross_validation import SplitOutcome
from thetahat.losses import LOSSES
from thetahat.schemes.bootstrap import BootstrapScheme
from thetahat.schemes.complete_subsampling import CompleteSubsampling
from thetahat.schemes.five_by_two import FiveByTwo
from thetahat.schemes.k_fold import KFold
from thetahat.schemes.leave_p_out import LeavePOut
from thetahat.schemes.random_subsampling import RandomSubsampling
from thetahat.schemes.repeated_k_fold import RepeatedKFold
from thetahat.schemes.stratified_repeated_k_fold import StratifiedRepeatedKFold
from thetahat.tables.data import Data, build_data


def outcome(test: list[int], output: Any, losses: Any) -> SplitOutcome:
    return SplitOutcome(
        repeat=0,
        block=0,
        label=0,
        n_train=1,
        test=np.array(test),
        losses=np.asarray(losses, dtype=np.float64),
        output=np.asarray(output),
    )


def split(data: Data, loss: str, *outcomes: SplitOutcome) -> BiasVariance | None:
    parts = split_bias_and_variance(data, LOSSES[loss](), {"m": outcomes})
    return None if parts is None else parts["m"]


def test_by_hand_squared_loss() -> None:
    data = build_data({"x": [0, 0, 0]}, [1.0, 5.0, 9.0], "regression")
    # row 0: 1, 3 and 5: losses 0, 4, 16, variance 4, mean loss 20/3; row 1: 4 and 4, 1 and 0
    parts = split(
        data,
        "squared",
        outcome([0, 1], [1.0, 4.0], [0, 1]),
        outcome([0, 1], [3.0, 4.0], [4, 1]),
        outcome([0, 2], [5.0, 0.0], [16, 81]),
    )

    assert parts is not None
    assert (parts.n_instances, parts.fewest_fits) == (2, 2)
    assert_allclose(parts.expected_loss, (20 / 3 + 1) / 2)
    assert_allclose(parts.variance, (4 + 0) / 2)
    assert_allclose(parts.bias_squared, (20 / 3 - 4 + 1) / 2)


def test_by_hand_zero_one_loss() -> None:
    data = build_data({"x": [0, 0]}, ["a", "b"], "classification")
    # row 0 is a: a, b, b: loss 2/3, variance 1/2 (1 - 1/9 - 4/9) 3/2 = 1/3; row 1 is b: b, b, b
    codes = ([0, 1], [1, 1], [1, 1])
    parts = split(data, "zero_one", *(outcome([0, 1], c, [c[0] != 0, c[1] != 1]) for c in codes))

    assert parts is not None
    assert_allclose((parts.expected_loss, parts.variance), (1 / 3, 1 / 6))
    assert_allclose(parts.bias_squared, 1 / 6)


@pytest.mark.parametrize("n_fits", [2, 5])
def test_calibrated_unbiased_for_any_number_of_fits(n_fits: int) -> None:
    """Predictions N(truth + 2, 3^2): 4 and 9, to 4.5 Monte-Carlo errors."""
    rng, n = np.random.default_rng(20_261_123), 40_000
    y = rng.normal(size=n)
    data = build_data({"x": np.zeros(n)}, y, "regression")
    fits = [y + 2 + 3 * rng.normal(size=n) for _ in range(n_fits)]
    rows = list(range(n))
    parts = split(data, "squared", *(outcome(rows, f, (f - y) ** 2) for f in fits))

    assert parts is not None
    # the variance of a normal sample's variance is 2 sigma^4 / (J - 1)
    assert abs(parts.variance - 9) < 4.5 * math.sqrt(2 * 81 / (n_fits - 1) / n)
    # of (mean - y)^2 - V / J: (2 s^4 + 16 s^2) with s^2 = 9 / J, and that of V / J
    s2 = 9 / n_fits
    error = math.sqrt((2 * s2**2 + 16 * s2 + 2 * 81 / (n_fits - 1) / n_fits**2) / n)
    assert abs(parts.bias_squared - 4) < 4.5 * error


def test_degenerate_one_fit_or_another_loss() -> None:
    data = build_data({"x": [0, 0]}, [1.0, 5.0], "regression")
    fits = [outcome([0, 1], [1.0, 4.0], [0, 1])]

    assert split(data, "squared", *fits) is None
    assert split(data, "absolute", *fits, *fits) is None


def test_exact_parts_of_a_cross_validation() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(24, 2)), rng.normal(size=24)

    def evaluate(scheme: Any) -> Any:
        return cross_validate(x, y, {"ridge": "ridge"}, task="regression", scheme=scheme)

    result = evaluate(RepeatedKFold(n_folds=4, n_repeats=3))
    parts = result.bias_variance["ridge"]

    assert (parts.n_instances, parts.fewest_fits) == (24, 3)
    assert_allclose(parts.expected_loss, parts.bias_squared + parts.variance)
    assert 0 < parts.variance < parts.expected_loss
    assert evaluate(KFold(n_folds=4)).bias_variance is None


@pytest.mark.parametrize(
    ("scheme", "fewest"),
    [
        (RepeatedKFold(n_folds=4, n_repeats=3), 3),
        (FiveByTwo(), 5),
        (BootstrapScheme(n_resamples=60), 2),
        (LeavePOut(p=2), 9),
        (CompleteSubsampling(test_size=3), 36),
        (RandomSubsampling(n_draws=40, test_size=0.5), 2),
        (StratifiedRepeatedKFold(n_folds=2, n_repeats=3), 3),
    ],
    ids=lambda scheme: getattr(getattr(scheme, "info", None), "name", None),
)
def test_exact_every_scheme_that_predicts_a_row_several_times(scheme: Any, fewest: int) -> None:
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(10, 2)), np.array(["a", "b"] * 5)
    result = cross_validate(x, y, {"m": "majority"}, task="classification", scheme=scheme)
    assert result.bias_variance is not None
    parts = result.bias_variance["m"]

    assert parts.n_instances == 10
    assert parts.fewest_fits >= fewest
    assert_allclose(parts.expected_loss, parts.bias_squared + parts.variance)


@pytest.mark.parametrize("scheme", ["k_fold", "leave_one_out", "holdout", "three_way"])
def test_exact_no_scheme_that_predicts_each_row_once(scheme: str) -> None:
    x, y = np.arange(20.0).reshape(10, 2), np.array(["a", "b"] * 5)
    result = cross_validate(x, y, {"m": "majority"}, task="classification", scheme=scheme)

    assert result.bias_variance is None
