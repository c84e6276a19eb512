"""Rows that are drawn local in time, as the ozone preset does."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.errors import EvaluationError
from thetahat.tables.data import Data, build_data
from thetahat_replications.presets.importance_ozone.ozone_days import load_days
from thetahat_replications.presets.importance_ozone.preset import ImportanceOzone


@pytest.fixture(name="days", scope="module")
def fixture_days() -> Data:
    rng = np.random.default_rng(6)
    rows = rng.normal(size=(120, 4)) * [1, 10, 100, 1] + [5, 0, 0, 0]
    rows[:, 3] = rows[:, 0] + rng.normal(size=120)
    rows[3, 2] = np.nan
    label = np.where(rng.random(120) < 0.3, "ozone", "normal")
    columns = {f"c{j}": rows[:, j].tolist() for j in range(4)} | {"flat": [1.0] * 120}
    return build_data(columns, label.tolist(), "classification")


@pytest.mark.parametrize("together", [False, True])
def test_exact_ozone_rows_are_local_in_time(days: Data, together: bool) -> None:  # noqa: FBT001
    draws = load_days({"ozone": days}, 1, 2, 10, together=together)
    positive = np.delete(days.y, 3) == 1
    assert_array_equal(draws.labels, np.where(positive, 1, -1))
    # two components of standardised features: uncorrelated, of falling variance
    covariance = np.cov(draws.rows.T)
    assert abs(covariance[0, 1]) < 1e-12
    assert covariance[0, 0] > covariance[1, 1]
    assert not draws.cautions()

    drawn = draws.draw(0.05, np.random.default_rng(1), 10, together=together)

    assert drawn.source.shape == (50, 10 if together else 20, 2)
    assert_array_equal(drawn.target[0], draws.rows)
    place = {row.tobytes(): i for i, row in enumerate(draws.rows)}
    places = np.array([[place[row.tobytes()] for row in rows] for rows in drawn.source])
    assert all(len(set(rows)) == len(rows) for rows in places.tolist())
    if not together:
        assert (drawn.labels.sum(axis=1) == 0).all()
        places = places[:, 10:]  # few of the positive rows are near the start
    assert places.mean() < 40


def test_calibrated_rows_are_drawn_as_one_after_another() -> None:
    """First and second draw of two from three rows, with chances of the normal's heights."""
    rows = np.arange(6.0)[:, None]
    labels = ["a", "b"] * 3
    three = build_data({"x": rows[:, 0].tolist()}, labels, "classification")
    draws = load_days({"ozone": three}, 1, 1, 2, together=False)
    counts = np.zeros(6)
    rng = np.random.default_rng(3)
    for _ in range(40):
        drawn = draws.draw(0.5, rng, 2, together=False).source[:, :2, 0]
        counts += np.bincount(drawn.astype(int).ravel(), minlength=6)
    height = np.exp(-0.5 * (np.array([0, 2, 4]) / 3) ** 2)
    chance = np.zeros(3)
    for i, j in itertools.permutations(range(3), 2):
        p = height[i] / height.sum() * height[j] / (height.sum() - height[i])
        chance[[i, j]] += p
    error = np.sqrt(chance * (1 - chance) / 2000)
    assert (np.abs(counts[[0, 2, 4]] / 2000 - chance) < 5 * error).all()  # 1 in 580 000


def test_limit_components_are_taken_as_they_are(days: Data) -> None:
    draws = load_days({"ozone": days}, 1, 4, 10, together=False)
    centred = draws.rows - draws.rows.mean(axis=0)
    assert_allclose(np.sort(centred.std(axis=0))[-1], 100, rtol=0.3)  # not standardised


def test_invalid_data(days: Data) -> None:
    with pytest.raises(EvaluationError, match="per_class must be 10"):
        ImportanceOzone(per_class=3)
    with pytest.raises(EvaluationError, match="and 80 are to be drawn"):
        ImportanceOzone(n_components=2).plan({"ozone": days}, 1)
    with pytest.raises(EvaluationError, match="The data set has 119 rows, and 130 are to be drawn"):
        ImportanceOzone(n_components=2, per_class=130, together=True).plan({"ozone": days}, 1)
    with pytest.raises(EvaluationError, match="n_components is 10, and only 4 features vary"):
        ImportanceOzone().plan({"ozone": days}, 1)
    numbers = build_data({"x": [1.0, 2.0]}, [1.0, 2.0], "regression")
    with pytest.raises(EvaluationError, match="has 0 classes; this preset needs two"):
        ImportanceOzone().plan({"ozone": numbers}, 1)
