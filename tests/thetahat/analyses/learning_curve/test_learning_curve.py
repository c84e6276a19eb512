from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.learning_curve import Growth, Point, curve_of, grown
from thetahat.analyses.losses import Choices, Chosen
from thetahat.cross_validation import rows_of, run_splits
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.schemes.k_fold import KFold
from thetahat.tables.data import build_data
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import layout_of
from thetahat.values.types import BlockKind, FloatArray


def test_calibrated_the_mean_learner_s_error_is_sigma_squared_times_1_plus_1_over_n() -> None:
    rng, sizes, n_sets = np.random.default_rng(20_261_121), (2, 5, 10, 30), 250
    growth = Growth(sizes=sizes, grow_by="instance")
    scheme, learner, loss = KFold(n_folds=4), LEARNERS["mean"](), LOSSES["squared"]()
    means = np.empty((n_sets, len(sizes)))
    for i in range(n_sets):
        y = 3 + 2 * rng.standard_normal(40)
        data = build_data({"x": np.zeros(40)}, y, "regression")
        rows = rows_of(data)
        for s in range(len(sizes)):
            parts = grown(scheme.splits(rows, i), growth, rows, i, s)
            outcomes = run_splits("mean", learner, data, parts, loss, i)
            means[i, s] = np.concatenate([outcome.losses for outcome in outcomes]).mean()

    error = means.std(axis=0, ddof=1) / np.sqrt(n_sets)
    truth = 4 * (1 + 1 / np.array(sizes))  # sigma = 2
    assert (np.abs(means.mean(axis=0) - truth) < 4.5 * error).all()


def points_of(values: FloatArray, n_train: list[int]) -> list[Point]:
    n = values.shape[1]
    layout = layout_of(BlockKind.RANDOM, np.arange(n) % 10, instance=np.arange(n))
    return [
        Point(label=str(size), losses=BlockLosses(layout, values=row), n_train=np.full(10, size))
        for size, row in zip(n_train, values, strict=True)
    ]


def falling(sizes: list[int], n: int = 200, noise: float = 0.02) -> FloatArray:
    rng = np.random.default_rng(4)
    own = rng.exponential(size=n)
    return np.array([own + 4 / size + noise * rng.standard_normal(n) for size in sizes])


def test_exact_a_curve_that_falls_as_1_over_n_is_found() -> None:
    sizes = [10, 20, 40, 80, 160]
    values = falling(sizes)
    told = curve_of(points_of(values, sizes), 200, Choices(margin=0.1), 1)

    assert_allclose([p["mean"]["pooled"] for p in told["points"]], values.mean(axis=1), rtol=1e-12)
    assert told["figure"]["x"] == sizes
    assert told["figure"]["y"] == [p["mean"]["macro"] for p in told["points"]]
    steps = [step["difference"] for step in told["steps"]]
    assert_allclose(steps, np.diff(values.mean(axis=1)), rtol=1e-9)
    assert all(s["verdict"]["decision"] in {"better", "equivalent"} for s in told["steps"])
    # 4/40 - 4/160 = 0.075 is within the margin of 0.1, 4/20 - 4/160 = 0.175 is not
    assert told["saturation"]["from_size"] == "40"
    assert_allclose(told["saturation"]["test_share"], 0.8)
    law = told["power_law"]
    assert law["c"]["lower"] < 1 < law["c"]["upper"]
    assert law["at_all_rows"]["n"] == 200
    assert len(told["figure"]["law"]["x"]) == 40


def test_exact_every_size_has_the_verdict_of_its_own_difference() -> None:
    told = curve_of(points_of(falling([10, 160]), [10, 160]), 200, Choices(), 1)

    assert told["saturation"]["decision"] == "not_saturated"
    size = told["saturation"]["sizes"][0]
    assert size["difference"] < size["upper"] < size["difference"] + 0.02
    assert told["steps"][0]["from"] == "10"
    assert told["steps"][0]["difference"] == pytest.approx(-size["difference"])
    assert "no_power_law" in [c["code"] for c in told["cautions"]]


def test_exact_named_intervals_are_those_of_points_and_steps() -> None:
    choices = Choices(intervals=(Chosen("n", "normal", INTERVALS["normal"]()),))
    told = curve_of(points_of(falling([10, 160]), [10, 160]), 200, choices, 1)

    assert {i["method"] for point in told["points"] for i in point["intervals"]} == {"n"}
    assert told["steps"][0]["interval"]["method"] == "n"


def test_degenerate_one_point() -> None:
    told = curve_of(points_of(falling([10]), [10]), 200, Choices(), 1)

    assert told["steps"] == []
    assert told["power_law"] is None
    assert told["figure"]["law"] is None
    assert [c["code"] for c in told["cautions"]] == ["no_power_law"]


def test_degenerate_sizes_of_which_two_are_one_on_average() -> None:
    a, b = points_of(falling([10, 11]), [10, 11])  # resamples may have as many different rows
    told = curve_of([a, replace(b, n_train=a.n_train)], 200, Choices(), 1)

    assert "two different sizes" in told["cautions"][-2]["message"]
