from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive.auc_power import area_for, level_for
from thetahat.errors import InvalidParameter
from thetahat.metrics._auc_power import compute_needed_positives, estimate_power
from thetahat.metrics.roc_auc import RocAuc

S100B = 0.7313685636856369
PROC = "R package pROC, tests/testthat/test-power.roc.test.R"


@pytest.mark.outside(PROC)
@pytest.mark.about("metrics/roc_auc")
def test_golden_power_numbers_and_level() -> None:
    # vector auc_power_pROC
    assert_allclose(estimate_power(41, 72, 0.73, 0.95), 0.9897453, atol=5e-8)
    positives = compute_needed_positives(0.95, S100B, 0.95, 1.7)
    assert positives is not None
    assert_allclose([positives, 1.7 * positives], [29.29764, 49.806], rtol=1e-6)
    assert_allclose(1 - level_for(0.95, 41, 72, 0.73), 0.009238584, atol=5e-9)


@pytest.mark.outside(PROC)
@pytest.mark.about("metrics/roc_auc")
def test_golden_area() -> None:
    # pROC solves for it with uniroot at its default tolerance, 1.2e-4: ours is the exact root
    # vector auc_power_pROC
    assert_allclose(area_for(0.95, 41, 72, 0.95), 0.6961054, atol=1e-5)
    assert_allclose(estimate_power(41, 72, 0.6961054, 0.95), 0.95, atol=2e-5)


@pytest.mark.about("metrics/roc_auc")
@pytest.mark.parametrize("area", [0.55, 0.7, 0.95])
@pytest.mark.parametrize("ratio", [0.2, 1.0, 9.0])
def test_exact_the_directions_undo_each_other(area: float, ratio: float) -> None:
    positives = compute_needed_positives(0.8, area, 0.9, ratio)
    assert positives is not None

    assert_allclose(estimate_power(positives, positives * ratio, area, 0.9), 0.8, rtol=1e-9)
    assert_allclose(level_for(0.8, positives, positives * ratio, area), 0.9, rtol=1e-9)
    assert_allclose(area_for(0.8, positives, positives * ratio, 0.9), area, rtol=1e-9)
    mirrored = compute_needed_positives(0.8, 1 - area, 0.9, ratio)
    assert mirrored is not None
    assert_allclose(mirrored, positives, rtol=1e-9)


@pytest.mark.calibration
@pytest.mark.about("metrics/roc_auc")
def test_calibrated_power_of_binormal_scores() -> None:
    """DeLong's test of one half rejects about as often as the formula says."""
    rng, positives, negatives, area, repetitions = np.random.default_rng(8), 60, 90, 0.65, 4000
    shift = math.sqrt(2) * 0.3853204664  # Phi(shift / sqrt 2) = 0.65
    x = rng.normal(shift, 1, (repetitions, positives))
    y = rng.normal(0, 1, (repetitions, negatives))
    wins = np.array([(a[:, None] > b).mean() for a, b in zip(x, y, strict=True)])
    at_chance = math.sqrt(0.0792 * (1 + positives / negatives) / positives)

    rejected = float((np.abs(wins - 0.5) / at_chance > 1.959964).mean())

    error = math.sqrt(0.25 / repetitions)
    # the formula's own rounded constants and the normal approximation are worth a percent or two
    assert abs(rejected - estimate_power(positives, negatives, area, 0.95)) < 4 * error + 0.02


@pytest.mark.about("metrics/roc_auc")
def test_exact_the_metric_says_what_it_takes() -> None:
    strata = np.repeat([0, 1], [72, 41])

    power = RocAuc().details(strata, 0.73, 0.95, 0.8)["against_chance"]

    assert (power["positives"], power["negatives"]) == (41, 72)
    assert_allclose(power["power"], 0.9897453, atol=5e-8)
    needed = compute_needed_positives(0.8, 0.73, 0.95, 72 / 41)
    assert needed is not None
    assert power["positives_needed"] == math.ceil(needed)
    assert power["negatives_needed"] == math.ceil(needed * 72 / 41)


@pytest.mark.about("metrics/roc_auc")
def test_degenerate_areas() -> None:
    strata = np.repeat([0, 1], 10)

    assert compute_needed_positives(0.8, 0.5, 0.95, 1.0) is None
    assert RocAuc().details(strata, 0.5, 0.95, 0.8)["against_chance"]["positives_needed"] is None
    for area in (0.0, 1.0, float("nan")):
        assert RocAuc().details(strata, area, 0.95, 0.8)["against_chance"]["power"] is None
    assert RocAuc().details(None, 0.7, 0.95, 0.8) == {}
    assert compute_needed_positives(1e-9, 0.7, 0.95, 1.0) == 0.0


@pytest.mark.about("metrics/roc_auc")
def test_invalid_questions() -> None:
    with pytest.raises(InvalidParameter, match="area"):
        estimate_power(10, 10, 1.0, 0.95)
    with pytest.raises(InvalidParameter, match="level"):
        estimate_power(10, 10, 0.7, 1.0)
    with pytest.raises(InvalidParameter, match="positives"):
        estimate_power(0, 10, 0.7, 0.95)
    with pytest.raises(InvalidParameter, match="power"):
        compute_needed_positives(1.0, 0.7, 0.95, 1.0)
    with pytest.raises(InvalidParameter, match="ratio"):
        compute_needed_positives(0.8, 0.7, 0.95, 0.0)
