"""bayle_within_calibrated: the variance of bayle_within with at most nine degrees of freedom."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.naive.loss_matrices import losses_of, repeats_of
from thetahat.errors import InsufficientData
from thetahat.intervals.normal import Normal
from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances.bayle_within import BayleWithin
from thetahat.variances.bayle_within_calibrated import BayleWithinCalibrated


@pytest.mark.outside("mlr-org/mlr3inferr, .ci of MeasureCiWaldCV (vector mlr3inferr_wald_holdout)")
def test_golden_its_standard_error_is_that_of_mlr3inferr() -> None:
    values = np.array([0.3, 1.2, 0.1, 0.7, 0.9, 0.2, 1.5, 0.4, 0.6, 0.8, 1.1, 0.05])
    layout = build_layout(BlockKind.RANDOM, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4])

    estimate = BayleWithinCalibrated().estimate(BlockLosses(layout, values=values))

    half = (0.952104652219259 - 0.356228681114074) / 2
    assert_allclose(estimate.value, (half / 1.959963984540054) ** 2, rtol=1e-12)
    assert estimate.degrees_of_freedom == 8  # twelve losses in four folds


def test_exact_it_is_bayle_within_with_nine_degrees() -> None:
    losses = repeats_of(np.random.default_rng(51).random((3, 10, 4)).tolist())

    ours, theirs = BayleWithinCalibrated().estimate(losses), BayleWithin().estimate(losses)

    assert ours.value == theirs.value
    assert ours.estimate == theirs.estimate
    assert (ours.degrees_of_freedom, theirs.degrees_of_freedom) == (9, None)
    assert ours.target is Target.THESE_MODELS


def test_degenerate_folds_of_one_instance_are_refused() -> None:
    once = losses_of([[1], [3], [2]])

    with pytest.raises(InsufficientData):
        BayleWithinCalibrated().estimate(once)


@pytest.mark.calibration
def test_calibrated_trained_models_of_least_squares() -> None:
    """With ten features and 60 rows it covers near its level, and the normal interval does not."""
    rng = np.random.default_rng(78)
    n, p, folds = 60, 10, 10
    layout = build_layout(BlockKind.RANDOM, [i % folds for i in range(n)])
    block = np.arange(n) % folds
    ours: list[bool] = []
    theirs: list[bool] = []
    for _ in range(600):
        X, y = rng.standard_normal((n, p)), rng.standard_normal(n)
        losses, risks = np.empty(n), []
        for k in range(folds):
            test = block == k
            b = np.linalg.lstsq(X[~test], y[~test], rcond=None)[0]
            losses[test] = (y[test] - X[test] @ b) ** 2
            risks.append(1 + b @ b)  # the truth is y = noise of variance 1
        values = BlockLosses(layout, values=losses)
        for interval, variance, covers in (
            (SkewnessCorrected(), BayleWithinCalibrated(), ours),
            (Normal(), BayleWithin(), theirs),
        ):
            built = interval.build(
                values, variance.info, variance.estimate(values), 0.95, Alternative.TWO_SIDED
            )
            assert built is not None
            assert built.lower is not None
            assert built.upper is not None
            covers.append(built.lower <= np.mean(risks) <= built.upper)

    assert 0.91 < np.mean(ours) < 0.97
    assert np.mean(theirs) < 0.90
