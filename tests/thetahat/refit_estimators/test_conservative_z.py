from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import fitted, fixed_losses, regression_of
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.refit_estimators.base import RefitLosses
from thetahat.refit_estimators.conservative_z import ConservativeZ
from thetahat.schemes.base import Rows
from thetahat.values.types import Target


# By hand on nadeau2003's formula.
def test_by_hand_two_cuts_of_one_subsample() -> None:
    # Halves .2 and .4, then .3 and .1: (.04 + .04) / (2 x 2) = .02. All data: .5.
    method = ConservativeZ(n_halvings=2, n_subsamples=1)
    losses = tuple(np.array([x, x]) for x in (0.5, 0.2, 0.4, 0.3, 0.1))
    estimate = method.estimate(RefitLosses(rows=Rows(n=20), seed=0, losses=losses))

    assert_allclose([estimate.estimate, float(estimate.value)], [0.5, 0.02])
    assert (estimate.target, estimate.degrees_of_freedom) == (Target.THESE_SOURCES, None)
    assert [c.code for c in estimate.cautions] == ["few_halvings"]


def test_naive_the_subsamples_are_of_disjoint_halves() -> None:
    method = ConservativeZ(n_halvings=3, n_subsamples=4, test_size=0.2)
    rng = np.random.default_rng(1)
    y = rng.normal(size=21)
    rows = Rows(n=21)
    splits = list(method.design.splits(rows, 6))
    n_test = 5  # the least whole number that is a fifth of 21 or more

    assert len(splits) == method.design.n_splits(rows) == 4 * 7
    assert method.design.n_tests(rows) == 28 * n_test
    assert {(len(s.train), len(s.test)) for s in splits[:4]} == {(16, n_test)}
    assert {(len(s.train), len(s.test)) for s in splits[4:]} == {(5, n_test)}
    for cut in range(3):
        first, second = (splits[4 + 8 * cut + 4 * h :][:4] for h in range(2))
        sides = [{int(i) for s in side for i in (*s.train, *s.test)} for side in (first, second)]
        assert [len(side) for side in sides] == [10, 10]
        assert not sides[0] & sides[1]

    means = [np.mean((y[s.test] - y[s.train].mean()) ** 2) for s in splits]
    by_part = [np.mean(means[4 * i : 4 * i + 4]) for i in range(7)]
    squares = sum((by_part[i] - by_part[i + 1]) ** 2 for i in (1, 3, 5))
    estimate = method.estimate(fitted(method.design, regression_of(y), seed=6))

    assert_allclose(
        [estimate.estimate, float(estimate.value)], [by_part[0], squares / 6], rtol=1e-10
    )


def test_exact_a_stretch_of_the_splits_is_that_of_all() -> None:
    design, rows = ConservativeZ(n_halvings=2, n_subsamples=3).design, Rows(n=30)
    every, stretch = list(design.splits(rows, 5)), list(design.splits(rows, 5, start=4, stop=11))

    for a, b in zip(every[4:11], stretch, strict=True):
        assert (a.repeat, a.block) == (b.repeat, b.block)
        assert np.array_equal(a.test, b.test)
        assert np.array_equal(a.train, b.train)


def test_calibrated_it_is_twice_the_variance_of_a_model_that_learns_nothing() -> None:
    # With S^2 the variance (ddof 1) of n fixed losses and h = n/2, the half means differ by
    # 4 S^2/n in mean square, and each subsampled mean adds S^2 (1/n2 - 1/h) / J: over all cuts
    # the estimate is 2 S^2/n + S^2 (1/n2 - 1/h)/J on average; S^2/n would be the truth.
    losses = np.random.default_rng(2).gamma(2, size=40)
    method = ConservativeZ(n_halvings=10, n_subsamples=20, test_size=4)
    estimate = [
        float(method.estimate(fixed_losses(method.design, losses, seed)).value)
        for seed in range(40)
    ]
    S2 = losses.var(ddof=1)
    expected = 2 * S2 / 40 + S2 * (1 / 4 - 1 / 20) / 20

    error = np.std(estimate, ddof=1) / math.sqrt(len(estimate))
    assert abs(np.mean(estimate) - expected) < 4 * error
    assert np.mean(estimate) > S2 / 40 + 4 * error


def test_degenerate_equal_losses_give_zero() -> None:
    method = ConservativeZ()
    estimate = method.estimate(fixed_losses(method.design, np.full(30, 0.1), 1))

    assert (estimate.value, estimate.usable) == (0.0, False)
    assert [c.code for c in estimate.cautions] == ["zero_variance"]


def test_invalid_parameters_and_data_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_halvings must be at least 1"):
        ConservativeZ(n_halvings=0)
    with pytest.raises(InvalidParameter, match="n_subsamples must be at least 1"):
        ConservativeZ(n_subsamples=0)
    with pytest.raises(InvalidParameter, match="test_size"):
        ConservativeZ(test_size=0.0)
    with pytest.raises(InsufficientData, match="leaves no training rows in half of 10"):
        ConservativeZ(test_size=0.5).design.n_splits(Rows(n=10))
    with pytest.raises(InsufficientData, match="needs at least 4 rows"):
        ConservativeZ().design.n_splits(Rows(n=3))
