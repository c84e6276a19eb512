from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import SMALL, rng, shifted
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights import Samples
from thetahat.importance_weights.kliep import Kliep, find_best_proportions
from thetahat.values.types import FloatArray

PUBLISHED = {
    1.0: [0.404692, 1.916254, 0.040372, 2.294172, 0.814951, 0.371715, 0.279535, 1.878309],
    0.5: [0.091326, 1.683892, 0.005229, 3.575206, 0.100482, 0.587506, 0.012397, 1.943962],
}
OBJECTIVE = {1.0: 0.7937054497385141, 0.5: 1.543188133087294}


@pytest.mark.outside(
    "scipy's SLSQP at 1e-15 on the programme of ctrl-iwxval util/iw_KLIEP.m (vector iw_kliep)"
)
@pytest.mark.parametrize("width", [1.0, 0.5])
def test_golden_iw_kliep(width: float) -> None:
    estimate = Kliep(width=width).estimate(SMALL, rng())

    assert_allclose(estimate.values, PUBLISHED[width], atol=2e-6)
    assert_allclose(estimate.details["objective"], OBJECTIVE[width], rtol=1e-9)
    assert_allclose(estimate.values.mean(), 1, rtol=1e-12)
    assert estimate.target_values is not None
    assert_allclose(np.log(estimate.target_values).mean(), OBJECTIVE[width], rtol=1e-9)
    assert [c.code for c in estimate.cautions] == []


def kernels(rows: FloatArray, centres: FloatArray, width: float) -> FloatArray:
    return np.array([[np.exp(-sum((a - c) ** 2) / (2 * width**2)) for c in centres] for a in rows])


def test_against_scipy_objective() -> None:
    from scipy import optimize

    minimize: Any = optimize.minimize  # its stubs know one kind of constraint

    samples = shifted(30, 25, seed=1)
    A = kernels(samples.target, samples.target, 0.8)
    b = kernels(samples.source, samples.target, 0.8).mean(axis=0)
    peer = minimize(
        lambda a: -np.log(A @ a).mean(),
        np.full(25, 1 / b.sum()),
        jac=lambda a: -(A / (A @ a)[:, None]).mean(axis=0),
        bounds=[(0, None)] * 25,
        constraints={"type": "eq", "fun": lambda a: a @ b - 1, "jac": lambda _: b},
        method="SLSQP",
        options={"maxiter": 3000, "ftol": 1e-12},
    )

    estimate = float(Kliep(width=0.8).estimate(samples, rng()).details["objective"] or 0)

    assert estimate >= -peer.fun - 1e-9
    assert_allclose(estimate, -peer.fun, atol=1e-5)


@pytest.mark.parametrize(("n", "m", "width"), [(50, 300, 0.14), (50, 300, 1.0), (200, 150, 4.0)])
def test_exact_the_certificate_of_the_maximum(n: int, m: int, width: float) -> None:
    """No centre's ratio to the mixture has a mean above one: Lindsay's condition."""
    samples = shifted(n, m, seed=2)
    method = Kliep(width=width, n_centres=1000)

    estimate = method.estimate(samples, rng())

    A = kernels(samples.target, samples.target, width)
    b = kernels(samples.source, samples.target, width).mean(axis=0)
    there = estimate.target_values
    assert there is not None
    slopes = np.divide(A / there[:, None], b, where=b > 0, out=np.zeros_like(A)).mean(axis=0)
    assert slopes.max() <= 1 + 1e-8
    assert_allclose(estimate.values.mean(), 1, rtol=1e-10)
    assert float(estimate.details["gap"] or 0) <= 1e-9


def test_naive_many_steps_of_expectation_and_maximisation() -> None:
    A = np.random.default_rng(3).gamma(1.0, size=(40, 6))
    x = np.full(6, 1 / 6)
    for _ in range(20_000):
        x = x * (A / (A @ x)[:, None]).mean(axis=0)

    proportions, gap, n_steps = find_best_proportions(A)

    assert_allclose(proportions, x, atol=1e-6)
    assert gap <= 1e-9
    assert n_steps < 20


def test_degenerate_proportions() -> None:
    only, gap, _ = find_best_proportions(np.ones((5, 1)))
    same, _, _ = find_best_proportions(np.ones((5, 3)))
    apart, _, _ = find_best_proportions(np.array([[1e-9, 1.0], [1.0, 1e-9], [1.0, 0.0]]))

    assert_allclose(only, [1.0])
    assert gap == 0
    assert_allclose(same.sum(), 1)
    assert_allclose(apart, [2 / 3, 1 / 3], rtol=1e-6)


def naive_early_stopped(A: FloatArray, b: FloatArray) -> FloatArray:
    """Return the coefficients of the algorithm as the source's table has it."""

    def back(alpha: FloatArray) -> FloatArray:
        alpha = alpha + b * (1 - b @ alpha) / (b @ b)
        alpha = np.where(alpha > 0, alpha, 0)
        return np.asarray(alpha / (b @ alpha))

    alpha = back(np.ones(len(b)))
    score = np.mean(np.log(A @ alpha))
    for power in range(3, -4, -1):
        for _ in range(100):
            trial = back(alpha + 10.0**power * A.T @ (1 / (A @ alpha)))
            if np.mean(np.log(A @ trial)) <= score:
                break
            alpha, score = trial, np.mean(np.log(A @ trial))
    return alpha


@pytest.mark.parametrize("width", [0.5, 1.0, 2.0])
def test_naive_the_published_heuristic(width: float) -> None:
    samples = shifted(40, 60, seed=4)
    method = Kliep(width=width, mode="early_stopped")
    A = kernels(samples.target, samples.target, width)
    K = kernels(samples.source, samples.target, width)

    estimate = method.estimate(samples, rng())

    assert_allclose(estimate.values, K @ naive_early_stopped(A, K.mean(axis=0)), rtol=1e-8)
    assert [c.code for c in estimate.cautions] == ["early_stopped"]
    best = Kliep(width=width).estimate(samples, rng())
    assert float(estimate.details["objective"] or 0) < float(best.details["objective"] or 0)


def test_exact_centres_are_drawn_from_the_target_by_the_generator() -> None:
    samples = shifted(40, 200, seed=5)
    first, other = (Kliep().estimate(samples, np.random.default_rng(s)).values for s in (1, 2))

    assert first.shape == other.shape
    assert not np.allclose(first, other)
    assert Kliep(n_centres=7).estimate(samples, rng()).details["n_centres"] == 7


def test_degenerate_a_tiny_width() -> None:
    """Kernels that vanish as numbers: the optimum is found in logarithms, the other refuses."""
    samples = shifted(20, 30, seed=6)

    estimate = Kliep(width=1e-3).estimate(samples, rng())

    assert_allclose(estimate.values.mean(), 1, rtol=1e-9)
    with pytest.raises(InsufficientData, match="width is too small: the kernels"):
        Kliep(width=1e-3, n_centres=10, mode="early_stopped").estimate(samples, rng())


def test_degenerate_duplicate_rows() -> None:
    samples = shifted(10, 12, seed=7)
    twice = Samples(np.repeat(samples.source, 2, axis=0), np.repeat(samples.target, 3, axis=0))
    single, many = (Kliep(width=0.8).estimate(s, rng()) for s in (samples, twice))

    assert_allclose(many.values[::2], single.values, rtol=1e-5)
    assert_allclose(many.details["objective"], single.details["objective"], rtol=1e-8)


def test_invalid_parameters() -> None:
    with pytest.raises(InvalidParameter, match="must be optimum or early_stopped"):
        Kliep(mode="best")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="n_centres must be at least 1; got 0"):
        Kliep(n_centres=0)
    with pytest.raises(InvalidParameter, match="width must be a finite number above 0"):
        Kliep(width=float("nan"))
