from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import fitted, fixed_losses, regression_of
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.learners.mean import MeanLearner
from thetahat.losses.squared import Squared
from thetahat.refit_estimators._extra_fits import RefitTask, join_losses, run_design
from thetahat.refit_estimators.base import RefitLosses
from thetahat.refit_estimators.bccv_percentile import BccvPercentile, CaseDeletionsDesign
from thetahat.schemes._class_draws import RowsToDraw
from thetahat.schemes.base import Rows
from thetahat.values.types import Alternative, IntArray

METHOD = BccvPercentile(n_resamples=30)
TWO = Alternative.TWO_SIDED


class GivenCounts(CaseDeletionsDesign):
    """One resample, (2, 0, 1)."""

    def draw(self, rows: RowsToDraw, seed: int, sample: int) -> tuple[IntArray, int]:
        del seed
        return np.array([2, 0, 1]) if sample else np.ones(rows.n, dtype=np.intp), 0


# By hand on jiang2008's formula, multiplicities (2, 0, 1).
def test_by_hand_copies_count_as_often_as_they_were_drawn() -> None:
    # Leave-one-out losses 1, 2, 6: 3. The resample's cases have .3 (twice) and .9: 1.5/3 = .5.
    losses = tuple(np.array([x]) for x in (1.0, 2.0, 6.0, 0.3, 0.9))
    error, means = GivenCounts(1).means(RefitLosses(rows=Rows(n=3), seed=0, losses=losses))

    assert error == 3.0
    assert_allclose(means, [0.5])


def test_naive_every_case_is_left_out_with_all_its_copies() -> None:
    y = np.random.default_rng(20_261_121).gamma(2, size=12)
    fits = fitted(METHOD.design, regression_of(y), seed=3)
    means = []
    for sample in range(31):
        rows = np.repeat(np.arange(12), METHOD.design.draw(RowsToDraw(12), 3, sample)[0])
        assert len(rows) == 12
        losses = [(y[i] - y[rows[rows != i]].mean()) ** 2 for i in rows]
        means.append(np.mean(losses))
    interval = METHOD.interval(fits, 0.8, TWO)
    moved = BccvPercentile(n_resamples=30, correct_bias=True).interval(fits, 0.8, TWO)

    assert interval is not None
    assert moved is not None
    ends = np.quantile(means[1:], [0.1, 0.9])
    assert_allclose(interval.estimate, np.mean((y - (y.sum() - y) / 11) ** 2), rtol=1e-10)
    assert_allclose([interval.lower or 0, interval.upper or 0], ends, rtol=1e-10)
    off = np.mean(means[1:]) - means[0]
    assert_allclose([moved.lower or 0, moved.upper or 0], ends - off, rtol=1e-10)


def test_limit_a_model_that_learns_nothing_has_the_bootstrap_of_a_mean() -> None:
    # mu_b is then the mean of the resample, whose variance over resamples is V (ddof 0) / n.
    losses = np.random.default_rng(4).normal(size=20) ** 2
    method = BccvPercentile(n_resamples=2000)
    interval = method.interval(fixed_losses(method.design, losses, 1), 0.95, TWO)

    assert interval is not None
    # the standard deviation of 2000 near normal values is known to 1/sqrt(4000)
    error = interval.standard_error or 0.0
    assert abs(error / (losses.std() / math.sqrt(20)) - 1) < 5 / math.sqrt(4000)
    assert_allclose(interval.estimate, losses.mean(), rtol=1e-12)
    assert interval.cautions == ()


def test_exact_a_difference_has_the_difference_of_errors() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 10))
    a = fitted(METHOD.design, regression_of(y, x=x), seed=2)
    b = fixed_losses(METHOD.design, y**2, 2)
    of_pair = METHOD.design.means(a.minus(b))
    of_a, of_b = METHOD.design.means(a), METHOD.design.means(b)

    assert_allclose(of_pair[0], of_a[0] - of_b[0], rtol=1e-10)
    assert_allclose(of_pair[1], of_a[1] - of_b[1], rtol=1e-8, atol=1e-12)


def test_exact_places_without_a_case_make_no_fit() -> None:
    learning = RefitTask("m", MeanLearner(), regression_of(np.arange(9.0)), Squared())
    design = METHOD.design
    empty = 9 + int(np.argmin(design.draw(RowsToDraw(9), 3, 1)[0]))
    parts = [run_design(learning, design, 3, a, a + 1)[0] for a in range(270)]

    assert len(parts[empty]["losses"]) == 0
    assert len(join_losses(learning.data, 3, parts).losses) == sum(
        len(set(np.flatnonzero(design.draw(RowsToDraw(9), 3, b)[0]))) for b in range(30)
    )


def test_exact_every_resample_holds_two_cases() -> None:
    design = CaseDeletionsDesign(200)

    assert min((design.draw(RowsToDraw(3), 1, b)[0] > 0).sum() for b in range(201)) == 2
    assert all(len(split.train) > 0 for split in design.splits(Rows(n=3), 1))


def test_degenerate_equal_losses_build_no_interval() -> None:
    fits = fixed_losses(METHOD.design, np.full(9, 0.3), 1)

    assert METHOD.interval(fits, 0.95, TWO) is None


def test_invalid_parameters_and_data_are_refused() -> None:
    with pytest.raises(InvalidParameter, match="n_resamples must be at least 10; got"):
        BccvPercentile(n_resamples=9)
    with pytest.raises(InsufficientData, match="needs at least 3 rows"):
        METHOD.design.n_splits(Rows(n=2))
