from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.learning_curve.curves import SizeLosses, build_curve
from thetahat.analyses.learning_curve.growth import Growth, grow_splits
from thetahat.analyses.learning_curve.result import SaturationDecision
from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.cross_validation import build_rows, run_splits
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import build_data
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray


def test_calibrated_the_mean_learner_s_error_is_sigma_squared_times_1_plus_1_over_n() -> None:
    rng, sizes, n_sets = np.random.default_rng(20_261_121), (2, 5, 10, 30), 250
    growth = Growth(sizes=sizes, grow_by="instance")
    scheme, learner, loss = KFold(n_folds=4), LEARNERS["mean"](), LOSSES["squared"]()
    means = np.empty((n_sets, len(sizes)))
    for i in range(n_sets):
        y = 3 + 2 * rng.standard_normal(40)
        data = build_data({"x": np.zeros(40)}, y, "regression")
        rows = build_rows(data)
        for s in range(len(sizes)):
            parts = grow_splits(scheme.splits(rows, i), growth, rows, i, s)
            outcomes = run_splits("mean", learner, data, parts, loss, i)
            means[i, s] = np.concatenate([outcome.losses for outcome in outcomes]).mean()

    error = means.std(axis=0, ddof=1) / np.sqrt(n_sets)
    truth = 4 * (1 + 1 / np.array(sizes))  # sigma = 2
    assert (np.abs(means.mean(axis=0) - truth) < 4.5 * error).all()


def size_losses(values: FloatArray, n_train: list[int]) -> list[SizeLosses]:
    n = values.shape[1]
    layout = build_layout(BlockKind.RANDOM, np.arange(n) % 10, instance=np.arange(n))
    return [
        SizeLosses(
            label=str(size), losses=BlockLosses(layout, values=row), n_train=np.full(10, size)
        )
        for size, row in zip(n_train, values, strict=True)
    ]


def falling(sizes: list[int], n: int = 200, noise: float = 0.02) -> FloatArray:
    rng = np.random.default_rng(4)
    own = rng.exponential(size=n)
    return np.array([own + 4 / size + noise * rng.standard_normal(n) for size in sizes])


def test_exact_a_curve_that_falls_as_1_over_n_is_found() -> None:
    sizes = [10, 20, 40, 80, 160]
    values = falling(sizes)
    curve = build_curve(size_losses(values, sizes), 200, Choices(margin=0.1), 1)

    means = [point.model.mean for point in curve.points]
    assert_allclose([mean.pooled for mean in means], values.mean(axis=1), rtol=1e-12)
    assert curve.figure.x == tuple(sizes)
    assert curve.figure.y == tuple(mean.macro for mean in means)
    steps = [step.difference for step in curve.steps]
    assert_allclose(steps, np.diff(values.mean(axis=1)), rtol=1e-9)
    assert all(step.verdict.decision in {"better", "equivalent"} for step in curve.steps)
    # 4/40 - 4/160 = 0.075 is within the margin of 0.1, 4/20 - 4/160 = 0.175 is not
    assert curve.saturation.from_size == "40"
    assert curve.saturation.test_share == pytest.approx(0.8)
    law = curve.power_law
    assert law is not None
    assert law.c.lower < 1 < law.c.upper
    assert law.at_all_rows.n == 200
    assert curve.figure.law is not None
    assert len(curve.figure.law.x) == len(curve.figure.law.y) == 40


def test_exact_every_size_has_the_verdict_of_its_own_difference() -> None:
    curve = build_curve(size_losses(falling([10, 160]), [10, 160]), 200, Choices(), 1)

    assert curve.saturation.decision is SaturationDecision.NOT_SATURATED
    size = curve.saturation.sizes[0]
    assert size.upper is not None
    assert size.difference < size.upper < size.difference + 0.02
    assert curve.steps[0].smaller == "10"
    assert curve.steps[0].difference == pytest.approx(-size.difference)
    assert "no_power_law" in [caution.code for caution in curve.cautions]


def test_exact_named_intervals_are_those_of_points_and_steps() -> None:
    choices = Choices(intervals=(ChosenMethod("n", "normal", INTERVALS["normal"]()),))
    curve = build_curve(size_losses(falling([10, 160]), [10, 160]), 200, choices, 1)

    methods = {
        interval.method for point in curve.points for interval in point.model.intervals or ()
    }
    assert methods == {"n"}
    assert curve.steps[0].interval is not None
    assert curve.steps[0].interval.method == "n"


def test_degenerate_one_point() -> None:
    curve = build_curve(size_losses(falling([10]), [10]), 200, Choices(), 1)

    assert curve.steps == ()
    assert curve.power_law is None
    assert curve.figure.law is None
    assert [caution.code for caution in curve.cautions] == ["no_power_law"]


def test_degenerate_two_sizes_may_be_equal_on_average() -> None:
    a, b = size_losses(falling([10, 11]), [10, 11])  # resamples may have as many different rows
    curve = build_curve([a, replace(b, n_train=a.n_train)], 200, Choices(), 1)

    assert "two different sizes" in curve.cautions[-2].message
