from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import thetahat
from tests.thetahat.losses.regions import draw_limits, draw_sets, read_vector
from thetahat.losses.size import Size


@pytest.mark.outside("MAPIE 1.6.0, statsmodels 0.15.0")
def test_golden_mean_width_and_mean_size() -> None:
    inputs, expected = read_vector("interval_coverage_of_predictions")
    limits = {"m": {"lower": inputs["lower"], "upper": inputs["upper"]}}
    of_limits = thetahat.evaluate_predictions(
        inputs["y"], limits=limits, loss="size", blocks="holdout"
    )
    assert_allclose(of_limits.models["m"].mean.pooled, expected["mean_width"], rtol=1e-9)

    inputs, expected = read_vector("sets_coverage")
    sets = [[code for code, is_in in enumerate(row) if is_in] for row in inputs["sets"]]
    of_sets = thetahat.evaluate_predictions(
        inputs["y"], sets={"m": sets}, loss="size", blocks="holdout"
    )
    assert_allclose(of_sets.models["m"].mean.pooled, expected["mean_size"], rtol=1e-9)


def test_naive_row_by_row() -> None:
    y, of_sets = draw_sets(3)
    assert of_sets.sets is not None
    assert_array_equal(Size().losses(y, of_sets), [len(np.flatnonzero(s)) for s in of_sets.sets])
    y, of_limits = draw_limits(4)
    assert of_limits.limits is not None
    widths = [high - low for low, high in of_limits.limits]
    assert_allclose(Size().losses(y, of_limits), widths, rtol=1e-14)
