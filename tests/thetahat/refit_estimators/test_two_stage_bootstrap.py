from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import fitted, fixed_losses, regression_of
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.learners.ridge import Ridge
from thetahat.refit_estimators._bootstrap_632 import Error632Plus
from thetahat.refit_estimators.two_stage_bootstrap import TwoStageBootstrap, TwoStageDesign
from thetahat.schemes.base import Rows
from thetahat.values.types import Alternative

METHOD = TwoStageBootstrap(n_outer=30, n_inner=4)
TWO = Alternative.TWO_SIDED


# By hand: three rows, copies of a row count as often as they stand.
def test_by_hand_one_sample_of_three_rows() -> None:
    # One inner resample of the data: whatever it leaves out has loss 2, apparent losses are 1,
    # gamma is 3: R = (2 - 1)/(3 - 1) = .5, w = .632/(1 - .184) = .7745, and 1 + w.
    design = TwoStageDesign(0, 1)
    rows = Rows(n=3)
    _, inner = design.splits(rows, 0)
    losses = (np.ones(3), np.full(len(inner.test), 2.0))
    fits = fixed_losses(design, np.ones(3), 0)._replace(losses=losses, no_information=(3.0, None))

    assert_allclose(design.estimates(fits)[0].estimate, 1 + 0.632 / (1 - 0.368 * 0.5), rtol=1e-12)


def test_naive_the_632_plus_error_of_every_sample() -> None:
    rng = np.random.default_rng(20_261_121)
    x = rng.normal(size=14)
    y = 2 * x + rng.normal(size=14)
    fits = fitted(METHOD.design, regression_of(y, x=x), Ridge(penalty=1e-9), seed=3)

    def fit(rows: np.ndarray) -> np.ndarray:
        """Predictions for all rows of the least-squares line through some."""
        slope, intercept = np.polyfit(x[rows], y[rows], 1)
        return np.asarray(intercept + slope * x)

    splits = list(METHOD.design.splits(fits.rows, 3))
    estimates = []
    for stage in range(31):
        whole, *inner = splits[5 * stage : 5 * stage + 5]
        predictions = fit(whole.train)
        gamma = np.mean([(y[i] - predictions[j]) ** 2 for i in whole.train for j in whole.train])
        apparent = np.mean((y - predictions)[whole.train] ** 2)
        by_copy = []
        for row in whole.train:
            losses = [(y[row] - fit(s.train)[row]) ** 2 for s in inner if row in s.test]
            by_copy += [np.mean(losses)] if losses else []
        estimates.append(
            Error632Plus(float(apparent), float(np.mean(by_copy)), float(gamma)).estimate
        )
    interval = METHOD.interval(fits, 0.8, TWO)

    assert interval is not None
    # the ridge's penalty of 1e-9 moves the ninth digit
    assert_allclose(interval.estimate, estimates[0], rtol=1e-6)
    assert_allclose(
        [interval.lower or 0, interval.upper or 0],
        np.quantile(estimates[1:], [0.1, 0.9]),
        rtol=1e-6,
    )
    assert {"coverage_disagrees", "few_resamples"} <= {c.code for c in interval.cautions}


def test_exact_nothing_that_was_learnt_is_tested_on() -> None:
    design, rows = TwoStageDesign(20, 5), Rows(n=3)
    splits = list(design.splits(rows, 7))

    assert len(splits) == design.n_splits(rows) == 21 * 6
    assert sum(len(s.test) for s in splits) <= design.n_tests(rows)
    for at in range(0, len(splits), 6):
        whole, *inner = splits[at : at + 6]
        assert np.array_equal(whole.train, whole.test)
        assert len(set(whole.train.tolist())) >= 2
        for split in inner:
            trained_on = set(split.train.tolist())
            assert sorted(i for i in whole.train if i not in trained_on) == split.test.tolist()
            assert len(split.test) > 0
            assert len(split.train) == 3


def test_exact_a_stretch_of_the_splits_is_that_of_all() -> None:
    design, rows = TwoStageDesign(4, 3), Rows(n=9)
    every, stretch = list(design.splits(rows, 7)), list(design.splits(rows, 7, start=2, stop=11))

    for a, b in zip(every[2:11], stretch, strict=True):
        assert (a.label, a.repeat) == (b.label, b.repeat)
        assert np.array_equal(a.train, b.train)
        assert np.array_equal(a.test, b.test)


def test_degenerate_equal_targets_have_no_interval() -> None:
    fits = fitted(METHOD.design, regression_of(np.ones(8)), seed=1)

    assert METHOD.interval(fits, 0.95, TWO) is None


def test_invalid_parameters_and_differences_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_outer must be at least 10"):
        TwoStageBootstrap(n_outer=9)
    with pytest.raises(InvalidParameter, match="n_inner must be at least 1; got"):
        TwoStageBootstrap(n_inner=0)
    with pytest.raises(UnsupportedCombination, match="difference"):
        METHOD.interval(fixed_losses(METHOD.design, np.arange(6.0), 1), 0.95, TWO)
