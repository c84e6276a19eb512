from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import Nearest, fitted, fixed_losses, regression_of
from thetahat.errors import InvalidParameter
from thetahat.refit_estimators._bootstrap_632 import combine_632
from thetahat.refit_estimators._resamples import ResamplesDesign, compute_out_of_bag_errors
from thetahat.refit_estimators.base import RefitLosses
from thetahat.refit_estimators.bootstrap_632 import Bootstrap632
from thetahat.schemes._class_draws import RowsToDraw
from thetahat.schemes.base import Rows
from thetahat.values.types import Target

METHOD = Bootstrap632(n_resamples=60)


@pytest.mark.outside(
    "formula of efron1983 evaluated by others: .2264 and .416 (vector point632plus)"
)
def test_golden_the_combination() -> None:
    assert_allclose([combine_632(0.1, 0.3), combine_632(0.1, 0.6)], [0.2264, 0.416], rtol=1e-12)


def test_naive_the_estimate_and_its_standard_error() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 20))
    fits = fitted(METHOD.design, regression_of(y, x=x), seed=4)
    out = compute_out_of_bag_errors(ResamplesDesign(60), fits)
    apparent = np.mean((y - y.mean()) ** 2)

    estimate = METHOD.estimate(fits)

    assert_allclose(estimate.estimate, 0.368 * apparent + 0.632 * out.by_instance, rtol=1e-12)
    ratio = estimate.estimate / out.by_instance
    assert_allclose(estimate.value, out.variance(without_noise=False) * ratio**2, rtol=1e-12)
    assert (estimate.target, estimate.usable) == (Target.THESE_SOURCES, True)
    assert_allclose(estimate.details["apparent"], apparent, rtol=1e-12)


def as_difference(fits: RefitLosses) -> RefitLosses:
    """The difference from a model without any loss."""
    return RefitLosses(rows=fits.rows, seed=fits.seed, losses=fits.losses)


def test_limit_both_standard_errors_agree_where_the_data_are_remembered() -> None:
    # The apparent error is 0 for every instance: .632 of everything, however it is said.
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(2, 25))
    fits = fitted(METHOD.design, regression_of(y, x=x), Nearest(), seed=4)
    of_model, draw_difference_replicates = (
        METHOD.estimate(fits),
        METHOD.estimate(as_difference(fits)),
    )

    assert_allclose(draw_difference_replicates.value, of_model.value, rtol=1e-12)
    assert_allclose(of_model.estimate, 0.632 * of_model.details["out_of_bag"], rtol=1e-12)


def test_limit_both_standard_errors_agree_where_nothing_is_learnt() -> None:
    # D_i is (e_i - e)/n but for the noise of 4000 resamples, and so is the apparent part.
    y = np.random.default_rng(3).normal(size=15)
    method = Bootstrap632(n_resamples=4000)
    fits = fixed_losses(method.design, y**2, 4)
    of_model = fits._replace(no_information=(None,) * len(fits.losses))
    naive = (y**2).std() / math.sqrt(15)

    for estimate in (method.estimate(of_model), method.estimate(fits)):
        # D_i has a noise of about 1/sqrt(.368 B) of itself: a tenth of that is seen
        assert_allclose(math.sqrt(float(estimate.value)), naive, rtol=0.05)
        assert_allclose(estimate.estimate, (y**2).mean(), rtol=1e-12)


def test_exact_the_noise_of_resamples_is_taken_off_in_proportion() -> None:
    x, y = np.random.default_rng(8).normal(size=(2, 20))
    fits = fitted(METHOD.design, regression_of(y, x=x), Nearest(), seed=4)
    out = compute_out_of_bag_errors(ResamplesDesign(60), fits)
    corrected = Bootstrap632(n_resamples=60, correct_noise=True)

    # .632 of everything: the apparent errors are 0
    for losses in (fits, as_difference(fits)):
        estimate = corrected.estimate(losses)
        assert_allclose(estimate.value, 0.632**2 * out.variance(without_noise=True), rtol=1e-12)
        assert "few_resamples" not in [c.code for c in estimate.cautions]
        assert METHOD.estimate(losses).value > float(estimate.value)


def test_exact_the_estimate_of_a_difference_is_the_difference_of_estimates() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 30))
    data = regression_of(y, x=x)
    a, b = (fitted(METHOD.design, data, model, seed=6) for model in (Nearest(), None))
    difference = METHOD.estimate(a.minus(b))

    assert_allclose(difference.estimate, METHOD.estimate(a).estimate - METHOD.estimate(b).estimate)
    # the same difference the other way round has the same error
    assert_allclose(METHOD.estimate(b.minus(a)).value, difference.value, rtol=1e-12)


def test_degenerate_no_loss_at_all_has_no_variance() -> None:
    fits = fitted(METHOD.design, regression_of(np.ones(8)), seed=1)
    estimate = METHOD.estimate(fits)

    assert (estimate.estimate, estimate.value, estimate.usable) == (0.0, 0.0, False)
    assert estimate.cautions[0].code == "zero_variance"


def test_degenerate_differences_that_do_not_vary_have_no_variance() -> None:
    y = np.random.default_rng(7).normal(size=9)
    fits = fixed_losses(METHOD.design, y**2, 1)
    by_one = RefitLosses(rows=fits.rows, seed=1, losses=tuple(part - 0.1 for part in fits.losses))

    assert METHOD.estimate(fits.minus(by_one)).value == 0.0


def test_invalid_too_few_resamples_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_resamples must be at least 2; got"):
        Bootstrap632(n_resamples=0)


def test_calibrated_the_error_of_a_difference_is_not_too_small() -> None:
    # The slope through the origin against the mean, on 15 rows of y = x + noise.
    rng = np.random.default_rng(20_261_121)
    method, n, reps = Bootstrap632(n_resamples=60), 15, 60
    estimates, variances = [], []
    for rep in range(reps):
        x = rng.normal(size=n)
        y = x + rng.normal(size=n)
        counts = [np.ones(n), *(method.design.draw(RowsToDraw(n), rep, b)[0] for b in range(1, 61))]
        losses = []
        for w in counts:
            slope, mean = (w * x) @ y / ((w * x) @ x), w @ y / n
            losses.append((y - slope * x) ** 2 - (y - mean) ** 2)
        estimate = method.estimate(RefitLosses(rows=Rows(n=n), seed=rep, losses=tuple(losses)))
        estimates.append(estimate.estimate)
        variances.append(float(estimate.value))
    truth = np.var(estimates, ddof=1)

    # the variance of 60 draws is itself known to about a fifth of itself
    assert np.mean(variances) > truth * (1 - 2 * 0.2)
    assert np.mean(variances) < truth * 2.5
