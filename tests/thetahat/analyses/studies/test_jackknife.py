"""Errors by leaving out groups of repetitions."""

from __future__ import annotations

import math

import numpy as np
import pytest

from thetahat.analyses.studies.base import Records
from thetahat.analyses.studies.jackknife import jackknife


def _moments(records: Records) -> dict[str, np.ndarray]:
    x = records["x"]
    return {"mean": x.mean(axis=0), "variance": x.var(axis=0, ddof=1)}


def test_exact_groups_of_one_give_the_error_of_a_mean() -> None:
    x = np.random.default_rng(0).normal(size=(30, 2))
    estimate = jackknife(_moments, {"x": x}, n_groups=15)
    pairs = x.reshape(15, 2, 2).mean(axis=1)
    np.testing.assert_allclose(estimate.values["mean"], x.mean(axis=0), rtol=1e-12)
    # of a mean over equal groups the jackknife is the deviation of the groups' means over root G
    np.testing.assert_allclose(
        estimate.errors["mean"], pairs.std(axis=0, ddof=1) / math.sqrt(15), rtol=1e-10
    )


def test_calibrated_error_of_a_variance() -> None:
    rng = np.random.default_rng(7)
    errors = [
        jackknife(_moments, {"x": rng.normal(size=200)}).errors["variance"] for _ in range(200)
    ]
    # the variance of 200 normal numbers has deviation sqrt(2 / 199)
    deviation = math.sqrt(2 / 199)
    error = np.std(errors, ddof=1) / math.sqrt(200)
    assert abs(np.sqrt(np.mean(np.square(errors))) - deviation) < 5 * error


def test_degenerate_few_repetitions_have_no_error() -> None:
    estimate = jackknife(_moments, {"x": np.array([[1.0], [2.0], [4.0]])})
    assert estimate.values["mean"][0] == pytest.approx(7 / 3)
    number = estimate.get_number("mean", 0)
    assert number.value == pytest.approx(7 / 3)
    assert number.standard_error is None
