"""bayle_all_pairs_calibrated: that of bayle_all_pairs, with at most nine degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import sem

import thetahat
from tests.thetahat.naive.loss_matrices import losses_of
from thetahat.intervals.normal import Normal
from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances.bayle_all_pairs import BayleAllPairs
from thetahat.variances.bayle_all_pairs_calibrated import BayleAllPairsCalibrated


def test_by_hand_the_variance_of_three_losses() -> None:
    losses = losses_of([[1], [3], [2]])

    estimate = BayleAllPairsCalibrated().estimate(losses)

    assert_allclose(estimate.value, 2 / 9)  # (1 + 1 + 0) / 3^2
    assert estimate.degrees_of_freedom == 2
    assert estimate.target is Target.THESE_MODELS


def test_against_scipy_standard_error_of_the_mean() -> None:
    values = np.random.default_rng(5).gamma(2.0, size=30)

    estimate = BayleAllPairsCalibrated().estimate(losses_of([[value] for value in values]))

    assert_allclose(np.sqrt(estimate.value), sem(values, ddof=0), rtol=1e-12)


def test_exact_it_is_bayle_all_pairs_with_nine_degrees() -> None:
    losses = losses_of([[value] for value in np.random.default_rng(3).random(40)])

    ours, theirs = BayleAllPairsCalibrated().estimate(losses), BayleAllPairs().estimate(losses)

    assert (ours.value, ours.estimate) == (theirs.value, theirs.estimate)
    assert (ours.degrees_of_freedom, theirs.degrees_of_freedom) == (9, None)


def test_invalid_folds_of_several_instances_have_another_method() -> None:
    layout = losses_of([[1, 2], [3, 4]]).layout

    assert "bayle_within_calibrated" in str(BayleAllPairsCalibrated().inapplicable(layout))


def test_exact_it_is_recommended_over_leave_one_out() -> None:
    rng = np.random.default_rng(4)
    losses = {"a": rng.gamma(0.5, size=60), "b": rng.gamma(0.5, size=60)}

    result = thetahat.evaluate(losses, block=list(range(60)))

    interval = (result.models["a"].recommended or {})[Target.THESE_MODELS]
    assert (interval.method, interval.variance) == (
        "skewness_corrected",
        "bayle_all_pairs_calibrated",
    )
    comparison = thetahat.evaluate(losses, block=list(range(60)), target="these_models")
    assert comparison.comparisons[0].interval is not None
    assert comparison.comparisons[0].interval.variance == "bayle_all_pairs_calibrated"
    assert comparison.comparisons[0].interval.method == "student_t"


@pytest.mark.calibration
def test_calibrated_trained_models_of_least_squares() -> None:
    """With ten features and 60 rows it covers near its level, and the normal interval does not."""
    rng = np.random.default_rng(79)
    n, p = 60, 10
    layout = build_layout(BlockKind.RANDOM, list(range(n)))
    ours: list[bool] = []
    theirs: list[bool] = []
    for _ in range(600):
        X, y = rng.standard_normal((n, p)), rng.standard_normal(n)
        inverse = np.linalg.inv(X.T @ X)
        b, leverage = inverse @ X.T @ y, np.einsum("ij,jk,ik->i", X, inverse, X)
        residuals = (y - X @ b) / (1 - leverage)
        # the coefficients without row i
        without = b - (inverse @ X.T * residuals).T
        risk = 1 + (without**2).sum(axis=1).mean()  # the truth is y = noise of variance 1
        values = BlockLosses(layout, values=residuals**2)
        for interval, variance, covers in (
            (SkewnessCorrected(), BayleAllPairsCalibrated(), ours),
            (Normal(), BayleAllPairs(), theirs),
        ):
            built = interval.build(
                values, variance.info, variance.estimate(values), 0.95, Alternative.TWO_SIDED
            )
            assert built is not None
            assert built.lower is not None
            assert built.upper is not None
            covers.append(built.lower <= risk <= built.upper)

    assert 0.90 < np.mean(ours) < 0.97
    assert np.mean(theirs) < 0.90
