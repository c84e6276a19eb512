"""The Newey-West variance with many lags and the small-sample form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.thetahat.variances.test_times import losses_of
from thetahat.errors import InvalidParameter
from thetahat.numerics.long_run_variance import (
    choose_long_lags,
    compute_small_sample_form,
    make_bartlett_weights,
)
from thetahat.variances.iid import Iid
from thetahat.variances.newey_west import NeweyWest
from thetahat.variances.newey_west_small_sample import NeweyWestSmallSample
from thetahat_replications.edges.neighbouring_rows import draw_autoregression

pytestmark = pytest.mark.about("variances/newey_west_small_sample")


@pytest.mark.parametrize(("n", "lags"), [(10, 0), (10, 4), (57, 9), (7, 6)])
def test_naive_the_form_is_that_of_the_matrix(n: int, lags: int) -> None:
    weights = make_bartlett_weights(lags)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    w = np.concatenate([[1.0], weights, np.zeros(n)])[distance]
    centre = np.eye(n) - 1 / n
    a = centre @ w @ centre

    share, degrees = compute_small_sample_form(n, weights)
    assert share == pytest.approx(np.trace(a) / n)
    assert degrees == pytest.approx(np.trace(a) ** 2 / np.trace(a @ a))


def test_exact_without_lags_it_is_that_of_independent_rows() -> None:
    losses = losses_of(np.random.default_rng(1).normal(size=50))
    estimate = NeweyWestSmallSample(lag=0).estimate(losses)

    assert estimate.value == pytest.approx(Iid().estimate(losses).value)
    assert estimate.degrees_of_freedom == pytest.approx(49)


def test_hand_it_has_the_lags_of_the_source_and_divides_by_the_share() -> None:
    losses = losses_of(draw_autoregression(np.random.default_rng(2), 100, 0.5))
    estimate = NeweyWestSmallSample().estimate(losses)

    assert estimate.details["lag"] == 12  # 1.3 x 10, less 1
    share = compute_small_sample_form(100, make_bartlett_weights(12))[0]
    assert estimate.value == pytest.approx(NeweyWest(lag=12).estimate(losses).value / share)


@pytest.mark.outside("Kiefer and Vogelsang 2005, polynomial of the 97.5 % point for Bartlett")
@pytest.mark.parametrize("n", [100, 200, 400, 1000])
def test_golden_its_reach_is_that_of_fixed_b(n: int) -> None:
    lags = choose_long_lags(n)
    share, degrees = compute_small_sample_form(n, make_bartlett_weights(lags))
    b = (lags + 1) / n
    expected = 1.9600 + 2.9694 * b + 0.4160 * b**2 - 0.5324 * b**3

    assert stats.t.ppf(0.975, degrees) / share**0.5 == pytest.approx(expected, rel=0.01)


def test_exact_equal_losses_have_no_variance() -> None:
    estimate = NeweyWestSmallSample().estimate(losses_of(np.ones(20)))

    assert (estimate.value, estimate.usable) == (0, False)


@pytest.mark.calibration
def test_calibrated_its_t_intervals_cover_where_those_of_newey_west_do_not() -> None:
    """Correlation .5 over 100 times: .932 and .884 in the kept table (2000 samples each)."""
    rng, n, repetitions = np.random.default_rng(5), 100, 1000
    covers = np.zeros(2)
    for _ in range(repetitions):
        losses = losses_of(draw_autoregression(rng, n, 0.5))
        methods: tuple[NeweyWestSmallSample | NeweyWest, ...] = NeweyWestSmallSample(), NeweyWest()
        for place, method in enumerate(methods):
            estimate = method.estimate(losses)
            reach = stats.t.ppf(0.975, estimate.degrees_of_freedom or np.inf) * estimate.value**0.5
            covers[place] += abs(losses.rows.mean()) <= reach
    assert 0.91 < covers[0] / repetitions < 0.955  # the error is .008
    assert covers[0] > covers[1] + 0.03 * repetitions


def test_refuses_a_negative_lag() -> None:
    with pytest.raises(InvalidParameter, match="lag"):
        NeweyWestSmallSample(lag=-1)
