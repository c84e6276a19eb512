from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import shifted
from thetahat.importance_weights.kliep import MAX_STEPS_PER_SIZE, STEP_SIZES, fit_early_stopped
from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray
from thetahat_replications.loops.likelihood_ascent import ascend


def kernels(m: int, L: int, width: float, seed: int) -> tuple[FloatArray, FloatArray]:
    samples = shifted(20, m, seed=seed)
    A, K = (
        np.exp(-((rows[:, None] - samples.target[:L]) ** 2).sum(axis=-1) / (2 * width**2))
        for rows in (samples.target, samples.source)
    )
    return A, K.mean(axis=0)


def climbed(kind: str, A: FloatArray, b: FloatArray) -> tuple[FloatArray, float, int]:
    climb: Any = compiled(ascend) if kind == "compiled" else ascend
    alpha = np.empty(len(b))
    best, n_steps = climb(A, b, np.array(STEP_SIZES), MAX_STEPS_PER_SIZE, alpha)
    return alpha, best, n_steps


@pytest.mark.parametrize(
    ("kind", "m", "L", "count"), [("compiled", 263, 40, 40), ("plain", 18, 6, 3)]
)
def test_exact_the_points_of_early_stopped(kind: str, m: int, L: int, count: int) -> None:
    """As many steps as the plain one takes: no comparison went the other way."""
    steps = set()
    for seed in range(count):
        A, b = kernels(m, L, (0.3, 0.6, 1.2)[seed % 3], seed)
        alpha, best, n_steps = climbed(kind, A, b)
        expected = fit_early_stopped(A, b)
        assert n_steps == expected[2]
        assert_allclose(alpha, expected[0], rtol=1e-10, atol=1e-12 * expected[0].max())
        assert_allclose(best, expected[1], rtol=1e-12)
        steps.add(n_steps)
    assert len(steps) >= 3


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_property_the_scale_of_a_row_is_nothing(kind: str) -> None:
    """Ratios whose products have no place among numbers get a logarithm each."""
    A, b = kernels(19, 5, 1.0, 7)
    alpha, best, n_steps = climbed(kind, A, b)
    scales = np.full(19, 1e-100)
    scales[:7], scales[7] = 1e100, 1e-290

    with np.errstate(over="ignore"):
        scaled, moved, as_many = climbed(kind, scales[:, None] * A, b)

    assert as_many == n_steps
    assert_allclose(scaled, alpha, rtol=1e-10)
    assert_allclose(moved, best + np.log(scales).mean(), rtol=1e-12)


# By hand: the source's mean weight of one fixes a single coefficient.
@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_by_hand_one_centre(kind: str) -> None:
    alpha, best, n_steps = climbed(kind, np.full((3, 1), 0.5), np.array([0.25]))

    assert_allclose(alpha, [4.0])
    assert_allclose(best, np.log(2.0))  # of 0.5 times 4, in each row
    assert n_steps >= len(STEP_SIZES)  # whether an equal objective is better is up to rounding


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_degenerate_a_start_without_weight(kind: str) -> None:
    # the constraint takes the first coefficient below 0: 1 - 0.9 * 1.7 / 1.35
    for m in (7, 8):
        A, b = np.eye(7)[np.arange(m) % 7], np.array([0.9, *[0.3] * 6])
        _, best, n_steps = climbed(kind, A, b)

        assert (best, n_steps) == (-np.inf, 0)
        assert fit_early_stopped(A, b)[1:] == (-np.inf, 0)
