from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import fitted, fixed_losses, regression_of
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.ridge import Ridge
from thetahat.refit_estimators._resamples import ResamplesDesign, compute_out_of_bag_errors
from thetahat.refit_estimators.base import RefitLosses
from thetahat.refit_estimators.out_of_bag import OutOfBagEstimate
from thetahat.schemes._class_draws import RowsToDraw
from thetahat.schemes.base import Rows
from thetahat.values.types import IntArray, MeanKind, Target


@dataclass(frozen=True)
class GivenBags(ResamplesDesign):
    """Resamples that a test has written down."""

    bags: tuple[tuple[int, ...], ...] = ()

    def draw(self, rows: RowsToDraw, seed: int, resample: int) -> tuple[IntArray, int]:
        del rows, seed
        return np.array(self.bags[resample - 1]), 0


def bags_and_losses(
    bags: list[list[int]], losses: list[list[float]]
) -> tuple[GivenBags, RefitLosses]:
    """The first row of losses are those of the fit to all data."""
    design = GivenBags(len(bags), tuple(tuple(bag) for bag in bags))
    rows = Rows(n=len(bags[0]))
    return design, RefitLosses(rows=rows, seed=0, losses=tuple(np.array(row) for row in losses))


# By hand on efron1997's formulas.
def test_by_hand_two_resamples_of_three_rows() -> None:
    # Bags (0, 0, 1) and (1, 2, 2): row 2 is out of the first with loss .6, row 0 out of the second
    # with .2. E = .4. q = (.2/3, -.2/3); N - Nbar of row 0 is (1, -1), so its sum is .4/3, and
    # D_0 = 2.5 (-.2)/3 + .4/3 = -1/30; D_2 = 1/30. The variance is 3/2 * 2/900 = 1/300.
    design, fits = bags_and_losses([[2, 1, 0], [0, 1, 2]], [[9, 9, 9], [9, 9, 0.6], [0.2, 9, 9]])

    out = compute_out_of_bag_errors(design, fits)

    assert_allclose(out.by_instance, 0.4)
    assert_allclose(out.influence, [-1 / 30, 0, 1 / 30], atol=1e-16)
    assert_allclose(out.variance(without_noise=False), 1 / 300)
    assert out.n_used == 2


# By hand on the lecture's and on efron1997's average.
def test_by_hand_the_two_averages_of_three_resamples() -> None:
    # By instance: row 0 has (.2 + .4)/2 = .3 and row 2 has (.6 + 1)/2 = .8: .55. By resample:
    # .6, .2 and (.4 + 1)/2 = .7: their mean is .5.
    design, fits = bags_and_losses(
        [[2, 1, 0], [0, 1, 2], [0, 3, 0]],
        [[9, 9, 9], [9, 9, 0.6], [0.2, 9, 9], [0.4, 9, 1.0]],
    )

    out = compute_out_of_bag_errors(design, fits)

    assert_allclose([out.by_instance, out.by_split], [0.55, 0.5])


def test_naive_the_influence_is_that_of_the_printed_formula() -> None:
    rng = np.random.default_rng(20_261_121)
    x, y = rng.normal(size=(2, 12))
    design = ResamplesDesign(40)
    fits = fitted(design, regression_of(y, x=x), Ridge(penalty=1.0), seed=3)
    out = compute_out_of_bag_errors(design, fits)

    n, B = 12, 40
    N = [[int(design.draw(RowsToDraw(n), 3, b)[0][i]) for b in range(1, B + 1)] for i in range(n)]
    L = [[float(fits.losses[b][i]) for b in range(1, B + 1)] for i in range(n)]
    E = [
        sum(L[i][b] for b in range(B) if N[i][b] == 0) / sum(N[i][b] == 0 for b in range(B))
        for i in range(n)
    ]
    mean = sum(E) / n
    q = [sum(L[i][b] - mean for i in range(n) if N[i][b] == 0) / n for b in range(B)]
    D = [
        (2 + 1 / (n - 1)) * (E[i] - mean) / n
        + sum((N[i][b] - sum(N[i]) / B) * q[b] for b in range(B))
        / sum(N[i][b] == 0 for b in range(B))
        for i in range(n)
    ]

    assert_allclose(out.by_instance, mean, rtol=1e-12)
    assert_allclose(out.influence, D, rtol=1e-10)
    squares = sum(d * d for d in D)
    assert_allclose(out.variance(without_noise=False), squares, rtol=1e-10)

    # each D_i is the mean over resamples of these, and its noise their variance over B
    noise = 0.0
    for i in range(n):
        out_share = sum(k == 0 for k in N[i]) / B
        parts = [
            (
                (2 + 1 / (n - 1)) * (L[i][b] - E[i]) / n * (N[i][b] == 0)
                + (N[i][b] - sum(N[i]) / B) * q[b]
            )
            / out_share
            for b in range(B)
        ]
        noise += float(np.var(parts, ddof=1)) / B
    assert_allclose(out.noise, noise, rtol=1e-10)
    assert_allclose(out.variance(without_noise=True), squares - noise, rtol=1e-9)


def test_limit_the_mean_of_others_has_a_closed_form() -> None:
    # Out of the bag, i is predicted by the mean of n draws from the others: with infinitely many
    # resamples E_i = (y_i - mean of others)^2 + variance of others (ddof 0) / n.
    y = np.random.default_rng(8).gamma(2, size=15)
    n = len(y)
    others = [np.delete(y, i) for i in range(n)]
    expected = np.mean([(y[i] - o.mean()) ** 2 + o.var() / n for i, o in enumerate(others)])
    estimate = [
        OutOfBagEstimate(n_resamples=100)
        .estimate(fitted(ResamplesDesign(100), regression_of(y), seed=seed))
        .estimate
        for seed in range(20)
    ]

    error = np.std(estimate, ddof=1) / math.sqrt(len(estimate))
    # an instance's own average is a ratio, whose bias of some hundredths of a percent is less
    assert abs(np.mean(estimate) - expected) < 4 * error


def test_limit_a_model_that_learns_nothing_has_the_influence_of_a_mean() -> None:
    losses = np.random.default_rng(9).normal(size=10) ** 2
    D = [
        compute_out_of_bag_errors(
            ResamplesDesign(200), fixed_losses(ResamplesDesign(200), losses, s)
        )
        for s in range(16)
    ]
    influence = np.array([d.influence for d in D])

    error = influence.std(axis=0, ddof=1) / 4
    assert np.all(np.abs(influence.mean(axis=0) - (losses - losses.mean()) / 10) < 5 * error)
    assert_allclose([d.by_instance for d in D], losses.mean(), rtol=1e-12)


def test_calibrated_without_noise_few_resamples_give_the_variance_of_a_mean() -> None:
    # Of a model that learns nothing, with V (ddof 0) the variance of its losses: V / n.
    losses = np.random.default_rng(11).normal(size=20) ** 2
    design = ResamplesDesign(60)
    outs = [compute_out_of_bag_errors(design, fixed_losses(design, losses, s)) for s in range(80)]
    raw = [out.variance(without_noise=False) for out in outs if out.n_used == 20]
    corrected = [out.variance(without_noise=True) for out in outs if out.n_used == 20]

    error = np.std(corrected, ddof=1) / math.sqrt(len(corrected))
    assert abs(np.mean(corrected) - losses.var() / 20) < 4 * error
    assert np.mean(raw) > losses.var() / 20 + 10 * error


def test_degenerate_a_variance_below_zero_has_a_caution() -> None:
    losses = np.random.default_rng(11).normal(size=20) ** 2
    method = OutOfBagEstimate(n_resamples=10, correct_noise=True)
    every = [method.estimate(fixed_losses(method.design, losses, seed)) for seed in range(60)]
    below = [estimate for estimate in every if float(estimate.value) < 0]

    assert below
    for estimate in below:
        assert not estimate.usable
        assert estimate.cautions[0].code == "negative_variance"


def test_exact_a_number_added_to_all_losses_changes_no_variance() -> None:
    y = np.random.default_rng(10).normal(size=20)
    design = ResamplesDesign(30)
    fits = fitted(design, regression_of(y), seed=1)
    shifted = RefitLosses(rows=fits.rows, seed=1, losses=tuple(part + 50 for part in fits.losses))

    a, b = compute_out_of_bag_errors(design, fits), compute_out_of_bag_errors(design, shifted)

    assert_allclose(b.by_instance, a.by_instance + 50)
    for without in (False, True):  # digits go with the 50
        assert_allclose(
            b.variance(without_noise=without), a.variance(without_noise=without), rtol=1e-8
        )


def test_exact_two_rows_have_one_error_out_of_the_bag() -> None:
    # A resample of two rows that leaves one out holds the other twice, and the mean is that one.
    estimate = OutOfBagEstimate(n_resamples=20).estimate(
        fitted(ResamplesDesign(20), regression_of(np.array([1.0, 4.0])), seed=2)
    )

    assert estimate.estimate == 9.0
    assert (estimate.value, estimate.usable) == (0.0, False)
    assert [c.code for c in estimate.cautions] == ["zero_variance", "few_resamples"]


def test_exact_every_resample_leaves_something_out() -> None:
    design = ResamplesDesign(300)
    rows = Rows(n=2)
    splits = list(design.splits(rows, 5))

    assert len(splits) == design.n_splits(rows) == 301
    assert all(split.train[0] == split.train[1] for split in splits[1:])
    assert {int(split.train[0]) for split in splits[1:]} == {0, 1}


def test_exact_a_stretch_of_the_splits_is_that_of_all() -> None:
    design, rows = ResamplesDesign(9), Rows(n=7)
    every = list(design.splits(rows, 5))
    stretch = list(design.splits(rows, 5, start=4, stop=7))

    assert [s.block for s in stretch] == [4, 5, 6]
    for a, b in zip(every[4:7], stretch, strict=True):
        assert np.array_equal(a.train, b.train)
    assert sum(len(s.test) for s in every) == design.n_tests(rows)


def test_degenerate_an_instance_that_is_never_out_is_left_out() -> None:
    design, fits = bags_and_losses([[2, 1, 0], [0, 1, 2]], [[9, 9, 9], [9, 9, 0.6], [0.2, 9, 9]])

    @dataclass(frozen=True, slots=True, kw_only=True)
    class OnGivenBags(OutOfBagEstimate):
        @property
        def design(self) -> GivenBags:
            return design

    estimate = OnGivenBags(n_resamples=2).estimate(fits)
    by_split = OnGivenBags(n_resamples=2, average="split").estimate(fits)

    assert [c.code for c in estimate.cautions] == ["few_resamples", "never_out_of_bag"]
    assert "1 of 3 instances" in estimate.cautions[1].message
    assert (estimate.target, estimate.mean) == (Target.THESE_SOURCES, MeanKind.POOLED)
    assert by_split.mean is MeanKind.MACRO
    assert "standard_error_of_instances" in [c.code for c in by_split.cautions]


def test_invalid_parameters_and_data_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_resamples must be at least 2; got"):
        OutOfBagEstimate(n_resamples=1)
    with pytest.raises(InvalidParameter, match="average must be instance or split"):
        OutOfBagEstimate(average="pooled")  # type: ignore[arg-type] # what is tested
    with pytest.raises(InsufficientData, match="needs at least 2 rows"):
        ResamplesDesign(5).n_splits(Rows(n=1))
