from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import Nearest, fitted, regression_of
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.losses import LOSSES
from thetahat.losses.base import Predictions
from thetahat.refit_estimators._bootstrap_632 import Error632Plus, combine_632
from thetahat.refit_estimators._no_information import compute_no_information_error
from thetahat.refit_estimators.bootstrap_632 import Bootstrap632
from thetahat.refit_estimators.bootstrap_632_plus import Bootstrap632Plus
from thetahat.tables.data import build_data

METHOD = Bootstrap632Plus(n_resamples=50)


@pytest.mark.outside("R package inferGE, est_632plus: .2549; efron1997: .5 (vector point632plus)")
def test_golden_the_combination_clips_and_caps() -> None:
    # Packages that neither cut R nor cap the error out of the bag give 0.6852 for the second.
    plain, capped = Error632Plus(0.1, 0.3, 0.5), Error632Plus(0.1, 0.6, 0.5)

    assert_allclose(plain.estimate, 0.2549019607843137, rtol=1e-12)
    assert_allclose(plain.relative_overfitting, 0.5, rtol=1e-12)
    assert_allclose([capped.estimate, capped.weight, capped.relative_overfitting], [0.5, 1, 1])
    assert plain.cautions == ()
    assert [c.code for c in capped.cautions] == ["out_of_bag_above_no_information"]


@pytest.mark.parametrize(
    ("apparent", "out_of_bag", "gamma"),
    [(0.3, 0.2, 0.5), (0.3, 0.3, 0.5), (0.3, 0.4, 0.2), (0.3, 0.4, 0.3)],
)
def test_limit_no_overfitting_is_the_632_estimate(
    apparent: float, out_of_bag: float, gamma: float
) -> None:
    plus = Error632Plus(apparent, out_of_bag, gamma)

    assert plus.relative_overfitting == 0
    assert_allclose(plus.estimate, combine_632(apparent, min(out_of_bag, gamma)), rtol=1e-12)


@given(*[st.floats(0, 10)] * 3)
def test_property_the_weight_lies_between_its_bounds(
    apparent: float, out_of_bag: float, gamma: float
) -> None:
    plus = Error632Plus(apparent, out_of_bag, gamma)

    assert 0 <= plus.relative_overfitting <= 1
    assert 0.632 <= plus.weight <= 1 + 1e-12
    ends = sorted([apparent, min(out_of_bag, gamma)])
    assert ends[0] - 1e-9 <= plus.estimate <= ends[1] + 1e-9


def test_limit_labels_that_are_noise_and_a_model_that_remembers() -> None:
    # gamma = 1/2, no error on the training data: R and w are about 1, and the error about 1/2,
    # where .632 says .316.
    rng = np.random.default_rng(20_261_121)
    y = np.repeat([0, 1], 30)
    plus, plain = [], []
    for rep in range(25):
        data = build_data({"x": rng.normal(size=60)}, y, "classification")
        fits = fitted(METHOD.design, data, Nearest(), loss="zero_one", seed=rep)
        estimate = METHOD.estimate(fits)
        assert estimate.details["no_information"] == 0.5
        assert estimate.details["apparent"] == 0
        plus.append(estimate.estimate)
        plain.append(Bootstrap632(n_resamples=50).estimate(fits).estimate)

    error = np.std(plain, ddof=1) / 5
    assert abs(np.mean(plain) - 0.316) < 5 * error
    # capped at 1/2, so below it: by no more than the spread of the error out of the bag
    assert 0.44 < np.mean(plus) <= 0.5


def test_naive_the_standard_error_is_in_proportion_to_the_estimate() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 30))
    fits = fitted(METHOD.design, regression_of(y, x=x), seed=3)
    for correct_noise in (False, True):
        plus, plain = (
            method(n_resamples=50, correct_noise=correct_noise).estimate(fits)
            for method in (Bootstrap632Plus, Bootstrap632)
        )
        assert_allclose(
            math.sqrt(float(plus.value)) / plus.estimate,
            math.sqrt(float(plain.value)) / plain.estimate,
            rtol=1e-12,
        )


def test_naive_the_no_information_error_is_over_all_pairs() -> None:
    rng = np.random.default_rng(4)
    y, predictions = rng.normal(size=(2, 7))
    classes, codes = rng.integers(3, size=(2, 9))
    probabilities = rng.dirichlet([1, 1, 1], size=9)

    for name in ("squared", "absolute", "huber"):
        loss = LOSSES[name]()
        by_hand = np.mean(
            [
                loss.losses(np.array([a]), Predictions(output=np.array([b])))[0]
                for a in y
                for b in predictions
            ]
        )
        assert_allclose(
            compute_no_information_error(loss, y, Predictions(output=predictions)), by_hand
        )
    by_hand = np.mean([a != b for a in classes for b in codes])
    error = compute_no_information_error(LOSSES["zero_one"](), classes, Predictions(output=codes))
    assert_allclose(error, by_hand)
    by_hand = np.mean([-np.log(p[a]) for a in classes for p in probabilities])
    error = compute_no_information_error(
        LOSSES["log"](), classes, Predictions(output=codes, probabilities=probabilities)
    )
    assert_allclose(error, by_hand)


def test_exact_targets_in_several_pieces_give_the_same_no_information_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    y, predictions = np.random.default_rng(5).normal(size=(2, 50))
    whole = compute_no_information_error(LOSSES["huber"](), y, Predictions(output=predictions))
    monkeypatch.setattr("thetahat.refit_estimators._no_information.NUMBERS_IN_32_MB", 200)
    pieces = compute_no_information_error(
        LOSSES["huber"](), y, Predictions(output=predictions, scores=predictions)
    )

    assert_allclose(pieces, whole, rtol=1e-12)


def test_degenerate_two_rows_are_worth_no_information() -> None:
    # The mean of two rows: apparent error and gamma are both d^2/4, out of the bag it is d^2.
    fits = fitted(METHOD.design, regression_of(np.array([0.0, 2.0])), seed=1)
    estimate = METHOD.estimate(fits)

    assert_allclose(estimate.estimate, 1)
    assert "out_of_bag_above_no_information" in [c.code for c in estimate.cautions]


def test_invalid_a_difference_has_no_information_error() -> None:
    fits = fitted(METHOD.design, regression_of(np.arange(8.0)), seed=1)

    with pytest.raises(UnsupportedCombination, match=r"bootstrap_632 and out_of_bag estimate"):
        METHOD.estimate(fits._replace(no_information=None))
    with pytest.raises(InvalidParameter, match="n_resamples"):
        Bootstrap632Plus(n_resamples=1)
