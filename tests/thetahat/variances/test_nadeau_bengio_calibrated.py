from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t

from tests.thetahat.naive.loss_matrices import losses_of, repeats_of
from thetahat.errors import InsufficientData
from thetahat.intervals.student_t import StudentT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_score_layout
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.variances.nadeau_bengio import NadeauBengio
from thetahat.variances.nadeau_bengio_calibrated import NadeauBengioCalibrated


@pytest.mark.outside("baycomp tests/test_single.py: x - y of two runs, var 32/3 (1/4 + 1), df 3")
def test_golden_two_runs_of_two_folds() -> None:
    layout = build_score_layout(BlockKind.RANDOM, np.full(4, 10.0), np.full(4, 10.0), None, 2)
    losses = BlockLosses(layout, scores=np.array([4 - 5, 2 - 7, 6 - 3, 4 - 5.0]))

    estimate = NadeauBengioCalibrated().estimate(losses)

    assert_allclose(estimate.value, 32 / 3 * (1 / 4 + 1), rtol=1e-12)
    assert estimate.degrees_of_freedom == 3  # fewer than seven stay as they are


def test_exact_it_is_nadeau_bengio_with_seven_degrees() -> None:
    losses = repeats_of(np.random.default_rng(51).random((3, 10, 4)).tolist())

    ours, theirs = NadeauBengioCalibrated().estimate(losses), NadeauBengio().estimate(losses)

    assert ours.value == theirs.value
    assert (ours.degrees_of_freedom, theirs.degrees_of_freedom) == (7, 29)
    assert ours.target is Target.THESE_SOURCES
    interval = StudentT().build(
        losses, NadeauBengioCalibrated.info, ours, 0.95, Alternative.TWO_SIDED
    )
    assert interval is not None
    assert isinstance(ours.value, float)
    half = t.ppf(0.975, 7) * ours.value**0.5
    assert interval.lower == pytest.approx(ours.estimate - half, rel=1e-12)
    assert interval.upper == pytest.approx(ours.estimate + half, rel=1e-12)


def test_invalid_one_partition_is_refused() -> None:
    once = losses_of([[1, 2], [3, 4]])

    assert NadeauBengioCalibrated().inapplicable(once.layout) == (
        "nadeau_bengio_calibrated needs at least two repeats of the folds, and there is one"
    )
    with pytest.raises(InsufficientData, match="two repeats of the folds"):
        NadeauBengioCalibrated().estimate(once)


@pytest.mark.calibration
def test_calibrated_over_five_times_ten_folds() -> None:
    """Nearest neighbours on 60 rows: seven degrees cover more often than J - 1, and near .95."""
    rng = np.random.default_rng(77)
    n, repetitions = 60, 250
    estimates, errors, fresh = [], [], []
    for _ in range(repetitions):
        x, y = rng.standard_normal((n, 3)), rng.integers(0, 2, n)
        x[:, 0] += 1.2 * y
        distances = ((x[:, None] - x[None]) ** 2).sum(axis=2)
        np.fill_diagonal(distances, np.inf)
        means = []
        for _ in range(5):
            order = rng.permutation(n)
            for part in np.split(order, 10):
                train = np.setdiff1d(order, part)
                nearest = train[distances[np.ix_(part, train)].argmin(axis=1)]
                means.append((y[nearest] != y[part]).mean())
        s2 = np.var(means, ddof=1) * (1 / 50 + 1 / 9)
        estimates.append(np.mean(means))
        errors.append(s2**0.5)
        u, v = rng.standard_normal((400, 3)), rng.integers(0, 2, 400)
        u[:, 0] += 1.2 * v
        near = ((u[:, None] - x[None, : n - 6]) ** 2).sum(axis=2).argmin(axis=1)
        fresh.append((y[near] != v).mean())
    distance = np.abs(np.array(estimates) - np.mean(fresh)) / errors
    covered = {df: float((distance <= t.ppf(0.975, df)).mean()) for df in (7, 49)}

    assert covered[7] > covered[49]
    assert 0.9 <= covered[7] <= 0.985
