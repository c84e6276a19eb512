from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import fitted, fixed_losses, regression_of
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.ridge import Ridge
from thetahat.refit_estimators.austern_zhou import AusternZhou, ReplacementsDesign
from thetahat.schemes.base import Rows


# By hand on austern2020's formula, n = 4, K = 2.
def test_by_hand_four_fixed_losses() -> None:
    # Two of the losses 0, 1, 3, 7 are at work; each replacement moves their mean by half of its
    # own difference. The sum of squares is ((a - a')^2 + (b - b')^2) / 4, for the pairs drawn.
    losses = np.array([0.0, 1.0, 3.0, 7.0])
    estimate = AusternZhou(n_folds=2).estimate(fixed_losses(ReplacementsDesign(2, 1), losses, 3))
    # (0,1)(3,7): (1 + 16)/4, (0,3)(1,7): (9 + 36)/4, (0,7)(1,3): (49 + 4)/4
    by_hand = np.array([17 / 4, 45 / 4, 53 / 4]) / 4

    assert np.abs(by_hand - float(estimate.value)).min() < 1e-12
    assert estimate.estimate == 2.75


@pytest.mark.parametrize("n_repeats", [1, 3])
def test_naive_replacing_one_row_at_a_time(n_repeats: int) -> None:
    rng = np.random.default_rng(20_261_121)
    n, K, m = 17, 3, 8
    x = rng.normal(size=n)
    y = x + rng.normal(size=n)
    method = AusternZhou(n_folds=K, n_repeats=n_repeats)
    fits = fitted(method.design, regression_of(y, x=x), Ridge(penalty=1e-9), seed=4)

    def error(rows: np.ndarray, fold: np.ndarray) -> float:
        total = 0.0
        for f in range(K):
            train, test = rows[fold != f], rows[fold == f]
            slope, intercept = np.polyfit(x[train], y[train], 1)
            total += ((y[test] - intercept - slope * x[test]) ** 2).sum()
        return total / len(rows)

    base, others = method.design._draw_halves(n, 4)
    folds = [method.design._draw_folds(n, 4, r) for r in range(n_repeats)]
    R = np.mean([error(base, half) for _, half in folds])
    R_i = []
    for i in range(m):
        changed = base.copy()
        changed[i] = others[i]
        R_i.append(np.mean([error(changed, half) for _, half in folds]))
    estimate = method.estimate(fits)
    published = AusternZhou(n_folds=K, n_repeats=n_repeats, form="published").estimate(fits)

    assert len(fits.losses) == n_repeats * (2 * K + m * (K - 1))
    assert sum(len(part) for part in fits.losses) == method.design.n_tests(Rows(n=n))
    assert not set(base.tolist()) & set(others.tolist())
    # the ridge's penalty of 1e-9 moves the ninth digit
    assert_allclose(estimate.details["error_of_half"], R, rtol=1e-7)
    assert_allclose(estimate.value, ((R - np.array(R_i)) ** 2).sum() / 4, rtol=1e-6)
    assert_allclose(
        estimate.estimate, np.mean([error(np.arange(n), a) for a, _ in folds]), rtol=1e-7
    )
    assert_allclose(published.value, 2 * float(estimate.value), rtol=1e-12)


def test_calibrated_fixed_losses_have_the_variance_of_their_mean() -> None:
    # Over all draws of the halves, (e_i - e_i')^2 is 2 S^2 on average: S^2/n, exactly.
    losses = np.random.default_rng(5).gamma(2, size=24)
    method = AusternZhou(n_folds=3)
    estimate = [
        float(method.estimate(fixed_losses(method.design, losses, seed)).value)
        for seed in range(300)
    ]

    error = np.std(estimate, ddof=1) / np.sqrt(len(estimate))
    assert abs(np.mean(estimate) - losses.var(ddof=1) / 24) < 4 * error


def test_exact_a_stretch_of_the_splits_is_that_of_all() -> None:
    design, rows = ReplacementsDesign(3, 2), Rows(n=13)
    every, stretch = list(design.splits(rows, 5)), list(design.splits(rows, 5, start=2, stop=25))

    assert len(every) == design.n_splits(rows) == 2 * (6 + 6 * 2)
    for a, b in zip(every[2:25], stretch, strict=True):
        assert np.array_equal(a.test, b.test)
        assert np.array_equal(a.train, b.train)


def test_degenerate_equal_losses_give_zero() -> None:
    estimate = AusternZhou().estimate(fixed_losses(AusternZhou().design, np.full(22, 0.1), 1))

    assert (estimate.value, estimate.usable) == (0.0, False)
    assert [c.code for c in estimate.cautions] == ["zero_variance"]


def test_invalid_parameters_and_data_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_folds must be at least 2"):
        AusternZhou(n_folds=1)
    with pytest.raises(InvalidParameter, match="n_repeats must be at least 1; got"):
        AusternZhou(n_repeats=0)
    with pytest.raises(InvalidParameter, match="form must be corrected or published"):
        AusternZhou(form="both")  # type: ignore[arg-type] # what is tested
    with pytest.raises(InsufficientData, match="needs at least 10 rows"):
        AusternZhou().design.n_splits(Rows(n=9))
