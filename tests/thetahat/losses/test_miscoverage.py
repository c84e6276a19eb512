from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import thetahat
from tests.thetahat.losses.regions import draw_limits, draw_sets, read_vector
from thetahat.errors import UnsupportedCombination
from thetahat.losses.base import Predictions
from thetahat.losses.miscoverage import Miscoverage


@pytest.mark.outside("MAPIE 1.6.0, statsmodels 0.15.0")
def test_golden_coverage_of_limits_by_group() -> None:
    inputs, expected = read_vector("interval_coverage_of_predictions")
    result = thetahat.evaluate_predictions(
        inputs["y"],
        limits={"m": {"lower": inputs["lower"], "upper": inputs["upper"]}},
        loss="miscoverage",
        blocks="holdout",
        groups={"g": inputs["group"]},
    ).to_dict()
    model = result["models"]["m"]
    interval = model["recommended"]["these_models"]

    assert_allclose(1 - model["mean"]["pooled"], expected["coverage"], rtol=1e-9)
    assert interval["method"] == "wilson"
    ends = [1 - interval["upper"], 1 - interval["lower"]]
    assert_allclose(ends, expected["coverage_wilson_95"], rtol=1e-9)
    by_group = {item["group"]["g"]: 1 - item["mean"] for item in model["groups"]["g"]["items"]}
    assert by_group == pytest.approx(expected["coverage_by_group"], rel=1e-9)
    inside = np.argsort(np.subtract(inputs["upper"], inputs["lower"]), kind="stable")
    losses = Miscoverage().losses(
        np.array(inputs["y"]),
        Predictions(np.zeros(100), limits=np.column_stack([inputs["lower"], inputs["upper"]])),
    )
    by_width = [1 - losses[part].mean() for part in np.array_split(inside, 3)]
    assert_allclose(by_width, expected["size_stratified_coverage_3_bins"], rtol=1e-9)


@pytest.mark.outside("MAPIE 1.6.0, statsmodels 0.15.0")
def test_golden_coverage_of_sets_by_group_and_size() -> None:
    inputs, expected = read_vector("sets_coverage")
    sets = [[code for code, is_in in enumerate(row) if is_in] for row in inputs["sets"]]
    result = thetahat.evaluate_predictions(
        inputs["y"],
        sets={"m": sets},
        blocks="holdout",
        groups={"g": inputs["group"], "size": [len(each) for each in sets]},
    ).to_dict()
    model = result["models"]["m"]
    by_size = [1 - item["mean"] for item in model["groups"]["size"]["items"]]

    assert_allclose(1 - model["mean"]["pooled"], expected["coverage"], rtol=1e-9)
    assert_allclose(by_size, expected["size_stratified_coverage"], rtol=1e-9, atol=1e-12)
    by_group = {item["group"]["g"]: 1 - item["mean"] for item in model["groups"]["g"]["items"]}
    assert by_group == pytest.approx(expected["coverage_by_group"], rel=1e-9)
    empty = next(each for each in result["cautions"] if each["code"] == "empty_sets")
    assert f"{expected['empty_sets']} empty prediction sets" in empty["message"]


def test_naive_row_by_row() -> None:
    y, of_sets = draw_sets(1)
    assert of_sets.sets is not None
    missed = [code not in np.flatnonzero(row) for code, row in zip(y, of_sets.sets, strict=True)]
    assert_array_equal(Miscoverage().losses(y, of_sets), missed)

    y, of_limits = draw_limits(2)
    assert of_limits.limits is not None
    missed = [not low <= v <= high for v, (low, high) in zip(y, of_limits.limits, strict=True)]
    assert_array_equal(Miscoverage().losses(y, of_limits), missed)


def test_limit_ends_cover_and_empty_sets_do_not() -> None:
    y, limits = np.array([0.0, 1.0]), np.array([[0.0, 1.0], [0.0, 1.0]])
    assert Miscoverage().losses(y, Predictions(y, limits=limits)).tolist() == [0, 0]
    sets = np.zeros((2, 3), dtype=bool)
    assert Miscoverage().losses(np.array([0, 2]), Predictions(y, sets=sets)).tolist() == [1, 1]


def test_invalid_without_sets_and_limits() -> None:
    with pytest.raises(UnsupportedCombination, match="needs prediction sets or limits"):
        Miscoverage().losses(np.zeros(2), Predictions(np.zeros(2)))
