from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import Fixed, fitted, fixed_losses, regression_of
from thetahat.distributions import compute_upper_quantile
from thetahat.errors import InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.learners.ridge import Ridge
from thetahat.refit_estimators.base import RefitLosses
from thetahat.refit_estimators.bates_nested_cv import BatesNestedCv, Variant
from thetahat.schemes.base import Rows
from thetahat.values.types import Alternative, Target

# mtcars, its first 24 cars: weight, horsepower, miles per gallon
WT = [2.62, 2.875, 2.32, 3.215, 3.44, 3.46, 3.57, 3.19, 3.15, 3.44, 3.44, 4.07, 3.73, 3.78, 5.25]
WT += [5.424, 5.345, 2.2, 1.615, 1.835, 2.465, 3.52, 3.435, 3.84]
HP = [110, 110, 93, 110, 175, 105, 245, 62, 95, 123, 123, 180, 180, 180, 205, 215, 230, 66, 52, 65]
HP += [97, 150, 150, 245]
MPG = [21, 21, 22.8, 21.4, 18.7, 18.1, 14.3, 24.4, 22.8, 19.2, 17.8, 16.4, 17.3, 15.2, 10.4, 10.4]
MPG += [14.7, 32.4, 30.4, 33.9, 21.5, 15.5, 15.2, 13.3]
X, Y = np.column_stack([np.ones(24), WT, np.array(HP) / 100]), np.array(MPG)
FOLDS = [
    [3, 4, 4, 3, 4, 1, 4, 4, 3, 1, 2, 4, 1, 3, 1, 3, 2, 3, 1, 2, 2, 2, 2, 1],
    [4, 3, 1, 3, 4, 1, 2, 3, 3, 2, 4, 2, 2, 4, 4, 1, 2, 3, 2, 1, 1, 1, 4, 3],
]
PLAIN_FOLDS = [1, 3, 3, 1, 1, 3, 2, 3, 4, 4, 2, 4, 2, 3, 4, 1, 4, 2, 4, 3, 1, 2, 1, 2]
OF_CARS = "stephenbates19/nestedcv R/core.R and mlr3inferr MeasureCiNestedCV.R, run in R 4.2.2"


def least_squares_losses(train: np.ndarray, test: np.ndarray) -> np.ndarray:
    coefficients = np.linalg.lstsq(X[train], Y[train], rcond=None)[0]
    return np.asarray((Y[test] - X[test] @ coefficients) ** 2)


def get_outer_and_inner() -> tuple[list[list[np.ndarray]], list[list[list[np.ndarray]]]]:
    """Losses of least squares on the very folds of the two packages' run."""
    outer, inner = [], []
    for fold in map(np.array, FOLDS):
        outer.append([least_squares_losses(fold != f, fold == f) for f in range(1, 5)])
        inner.append(
            [
                [
                    least_squares_losses((fold != f) & (fold != g), fold == g)
                    for g in range(1, 5)
                    if g != f
                ]
                for f in range(1, 5)
            ]
        )
    return outer, inner


@pytest.mark.outside(OF_CARS)
def test_golden_nestedcv_on_24_cars() -> None:
    # vector bates_nested_cv
    outer, inner = get_outer_and_inner()
    fold = np.array(PLAIN_FOLDS)
    plain = np.concatenate([least_squares_losses(fold != f, fold == f) for f in range(1, 5)])
    method = BatesNestedCv(n_folds=4, n_repeats=2, variant="nestedcv")

    estimate = method.estimate_from_losses(outer, inner, float(plain.mean()))

    assert_allclose(plain.mean(), 9.252517534361573, rtol=1e-10)
    assert_allclose(estimate.estimate, 9.164859366325883, rtol=1e-9)
    assert_allclose(estimate.details["estimate_before_correction"], 9.500452274539276, rtol=1e-9)
    assert_allclose(estimate.details["bias"], 0.33559290821339227, rtol=1e-8)
    # theirs is over sd / sqrt(n), as ours
    assert_allclose(estimate.details["inflation"], 1.4302281046406804, rtol=1e-9)
    reach = compute_upper_quantile(0.05, None) * math.sqrt(float(estimate.value))
    assert_allclose(estimate.estimate - reach, 2.4044614215924316, rtol=1e-8)
    assert_allclose(estimate.estimate + reach, 15.925257311059335, rtol=1e-9)


@pytest.mark.outside(OF_CARS)
@pytest.mark.parametrize(
    ("correct_bias", "level", "triplet"),
    [
        (True, 0.90, [7.97182670391178, 1.21142875917833, 14.73222464864524]),
        (True, 0.95, [7.971826703911785, -0.0836843006714139, 16.027337708494983]),
        (False, 0.95, [8.481368560787615, 0.425857556204416, 16.536879565370814]),
    ],
)
def test_golden_mlr3inferr_on_24_cars(
    correct_bias: bool,  # noqa: FBT001 - pytest passes it by name
    level: float,
    triplet: list[float],
) -> None:
    method = BatesNestedCv(n_folds=4, n_repeats=2, correct_bias=correct_bias)
    estimate = method.estimate_from_losses(*get_outer_and_inner())
    reach = compute_upper_quantile((1 - level) / 2, None) * math.sqrt(float(estimate.value))

    assert_allclose(
        [estimate.estimate, estimate.estimate - reach, estimate.estimate + reach],
        triplet,
        rtol=1e-8,
    )


@pytest.mark.parametrize("variant", ["mlr3inferr", "nestedcv"])
def test_naive_the_fits_of_the_design_are_those_of_plain_loops(variant: Variant) -> None:
    rng = np.random.default_rng(20_261_121)
    x = rng.normal(size=23)
    y = 2 * x + rng.normal(size=23)
    data = regression_of(y, x=x)
    method = BatesNestedCv(n_folds=4, n_repeats=2, variant=variant)
    fits = fitted(method.design, data, Ridge(penalty=1e-9), seed=5)

    def loss(train: np.ndarray, test: np.ndarray) -> np.ndarray:
        slope, intercept = np.polyfit(x[train], y[train], 1)
        return np.asarray((y[test] - intercept - slope * x[test]) ** 2)

    outer, inner = [], []
    for r in range(2):
        fold = method.design.folds(23, 5, r)
        assert sorted(np.bincount(fold)) == [5, 6, 6, 6]
        outer.append([loss(fold != f, fold == f) for f in range(4)])
        inner.append(
            [
                [loss((fold != f) & (fold != g), fold == g) for g in range(4) if g != f]
                for f in range(4)
            ]
        )
    fold = method.design.folds(23, 5, 2)
    plain = np.mean(np.concatenate([loss(fold != f, fold == f) for f in range(4)]))
    by_hand = method.estimate_from_losses(
        outer, inner, float(plain) if variant == "nestedcv" else None
    )
    estimate = method.estimate(fits)

    # the ridge's penalty of 1e-9 moves the ninth digit
    assert_allclose(estimate.estimate, by_hand.estimate, rtol=1e-7)
    assert_allclose(estimate.value, by_hand.value, rtol=1e-7)
    assert estimate.target is Target.THESE_MODELS


def test_limit_a_model_that_learns_nothing_has_the_naive_variance_on_average() -> None:
    # Losses of a fixed model do not depend on the folds. Over all partitions the mean of a^2 is
    # S^2/m K/(K-1), for a fold of m = n/K is a sample without replacement; that of b is S^2/m; so
    # the MSE is S^2/n K/(K-1) on average, and rescaled by (K-1)/K the naive variance.
    y = np.random.default_rng(3).normal(size=30)
    method = BatesNestedCv(n_folds=5, n_repeats=1)
    mse, estimates = [], []
    for seed in range(300):
        estimate = method.estimate(fixed_losses(method.design, y**2, seed))
        mse.append(float(estimate.details["mean_squared_error"]))
        estimates.append(estimate.estimate)

    assert_allclose(estimates, (y**2).mean(), rtol=1e-12)
    error = np.std(mse, ddof=1) / math.sqrt(len(mse))
    assert abs(np.mean(mse) - (y**2).var(ddof=1) / 30 * 5 / 4) < 4 * error


def test_exact_without_its_correction_nestedcv_has_the_inner_mean() -> None:
    outer, inner = get_outer_and_inner()
    method = BatesNestedCv(n_folds=4, n_repeats=2, variant="nestedcv", correct_bias=False)
    estimate = method.estimate_from_losses(outer, inner)

    # what the package calls raw_mean
    assert_allclose(estimate.estimate, 9.500452274539276, rtol=1e-9)
    assert estimate.details["bias"] == 0
    assert method.design.n_plain == 0


def test_exact_the_interval_is_normal_around_the_corrected_estimate() -> None:
    y = np.random.default_rng(4).normal(size=30)
    method = BatesNestedCv(n_folds=3, n_repeats=4)
    fits = fitted(method.design, regression_of(y), seed=2)
    interval, two = method.estimate(fits), method.interval(fits, 0.9, Alternative.TWO_SIDED)
    less = method.interval(fits, 0.95, Alternative.LESS)

    assert two is not None
    assert less is not None
    reach = 1.6448536269514722 * math.sqrt(float(interval.value))  # 95 % point of the normal
    ends = np.array([two.lower, two.upper, less.upper], dtype=np.float64)
    assert_allclose(ends, interval.estimate + np.array([-reach, reach, reach]), rtol=1e-12)
    assert less.lower is None
    assert "few_repeats" in [c.code for c in two.cautions]


def test_exact_differences_are_estimated_from_differences() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 40))
    data = regression_of(y, x=x)
    method = BatesNestedCv(n_folds=4, n_repeats=2)
    a, b = (fitted(method.design, data, LEARNERS[name](), seed=9) for name in ("ridge", "mean"))
    estimate = method.estimate(a.minus(b))

    assert_allclose(
        estimate.estimate, method.estimate(a).estimate - method.estimate(b).estimate, rtol=1e-10
    )
    assert a.minus(b).is_difference


def test_degenerate_equal_losses_give_zero_and_no_interval() -> None:
    method = BatesNestedCv(n_folds=3, n_repeats=1)
    fits = fitted(method.design, regression_of(np.ones(9)), Fixed(), seed=1)
    estimate = method.estimate(fits)

    assert (estimate.value, estimate.usable) == (0.0, False)
    assert "zero_variance" in [c.code for c in estimate.cautions]
    assert method.interval(fits, 0.95, Alternative.TWO_SIDED) is None


def test_degenerate_a_standard_error_at_its_bounds_has_a_caution() -> None:
    # fold means that are all equal: a = 0, so the MSE is negative and the lower bound holds
    flat = [np.array([0.0, 1.0])] * 3
    low = BatesNestedCv(n_folds=3, n_repeats=1).estimate_from_losses([flat], [[flat[:2]] * 3])
    # fold means far apart and no spread inside: the upper one
    far = [np.full(2, 0.0), np.full(2, 0.0), np.full(2, 9.0)]
    inner = [[e for g, e in enumerate(far) if g != f] for f in range(3)]
    high = BatesNestedCv(n_folds=3, n_repeats=1).estimate_from_losses([far], [inner])

    assert "lower bound" in low.cautions[0].message
    assert_allclose(low.details["inflation"], 1)
    assert "upper bound" in high.cautions[0].message
    assert_allclose(high.details["inflation"], math.sqrt(3))


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"n_folds": 2}, "n_folds must be at least 3"),
        ({"n_repeats": 0}, "n_repeats must be at least 1; got"),
        ({"variant": "bates"}, "variant must be mlr3inferr or nestedcv"),
    ],
)
def test_invalid_parameters_are_refused(params: dict[str, int | str], match: str) -> None:
    with pytest.raises(InvalidParameter, match=match):
        BatesNestedCv(**params)  # type: ignore[arg-type] # they are of the right types


def test_calibrated_it_covers_the_error_of_the_fitted_model() -> None:
    # Least squares with 15 features on 60 rows: training on 36 costs a third more than on 60.
    rng = np.random.default_rng(20_261_121)
    n, p, reps = 60, 15, 120
    method = BatesNestedCv(n_folds=5, n_repeats=10)
    covered, off_by, uncorrected = 0, [], []
    for rep in range(reps):
        x, noise = np.column_stack([np.ones(n), rng.normal(size=(n, p))]), rng.normal(size=n)
        y = x.sum(axis=1) + noise
        rows = Rows(n=n)
        losses = []
        for split in method.design.splits(rows, rep):
            gram = x[split.train].T @ x[split.train]
            beta = np.linalg.solve(gram, x[split.train].T @ y[split.train])
            losses.append((y[split.test] - x[split.test] @ beta) ** 2)
        estimate = method.estimate(RefitLosses(rows=rows, seed=rep, losses=tuple(losses)))
        off = np.linalg.lstsq(x, y, rcond=None)[0] - 1
        off_by.append(estimate.estimate - (1 + off @ off))
        uncorrected.append(float(estimate.details["bias"]))
        covered += abs(off_by[-1]) <= 1.645 * math.sqrt(float(estimate.value))
    # at least 90 %, with four Monte-Carlo errors of room below
    assert covered / reps > 0.9 - 4 * math.sqrt(0.9 * 0.1 / reps)
    # the correction takes most of the bias off: a rule of thumb, so not all of it
    assert abs(np.mean(off_by)) < 0.3 * np.mean(uncorrected)
    assert np.mean(uncorrected) > 0.2
