from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import rng, shifted
from thetahat.importance_weights import Samples
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray
from thetahat_replications.batches import (
    estimate_kernel_mean_matching_weights,
    estimate_weights_one_by_one,
    kernel_mean_matching,
)
from thetahat_replications.loops import kernel_means


def stacked(count: int, n: int = 30, m: int = 80, p: int = 2) -> tuple[FloatArray, FloatArray]:
    drawn = [shifted(n, m, p, seed=seed) for seed in range(count)]
    return np.stack([s.source for s in drawn]), np.stack([s.target for s in drawn])


def loops_of(function: Any, kind: str) -> Any:
    return compiled(function) if kind == "compiled" else function


@pytest.mark.parametrize("p", [1, 2, 5])
def test_exact_as_one_by_one(monkeypatch: pytest.MonkeyPatch, p: int) -> None:
    source, target = stacked(12, p=p)
    source[3, 1] = source[3, 0]  # equal rows: the loops give up, and any split of their weight is
    left: list[int] = []
    plain = estimate_weights_one_by_one

    def counting(method: Any, x: FloatArray, z: FloatArray, draws: Any) -> FloatArray:
        left.append(len(x))
        return plain(method, x, z, draws)

    monkeypatch.setattr(kernel_mean_matching, "estimate_weights_one_by_one", counting)
    weights = estimate_kernel_mean_matching_weights(source, target, rng())

    assert 1 <= left[0] <= (12 if p == 1 else 6)  # in one dimension kernels nearly coincide
    assert_allclose(
        weights, estimate_weights_one_by_one(KernelMeanMatching(), source, target, rng()), atol=1e-6
    )


@pytest.mark.parametrize("method", [KernelMeanMatching(tolerance=0.0), KernelMeanMatching(bound=2)])
def test_exact_where_a_bound_binds(method: KernelMeanMatching) -> None:
    source, target = stacked(6)

    weights = estimate_kernel_mean_matching_weights(source, target, rng(), method)

    assert_allclose(weights, estimate_weights_one_by_one(method, source, target, rng()), atol=1e-6)
    assert weights.max() <= method.bound
    if method.tolerance == 0:
        assert_allclose(weights.mean(axis=1), 1, rtol=1e-8)


def test_exact_what_the_loops_do_not_know_is_done_by_the_method() -> None:
    source, target = stacked(3)
    wide = KernelMeanMatching(width=1.0)
    expected = estimate_weights_one_by_one(wide, source, target, rng())

    assert_allclose(
        estimate_kernel_mean_matching_weights(source, target, rng(), wide), expected, rtol=1e-12
    )
    few = target[:, :4]
    expected = estimate_weights_one_by_one(KernelMeanMatching(), source, few, rng())
    assert_allclose(estimate_kernel_mean_matching_weights(source, few, rng()), expected, rtol=1e-12)
    shared = estimate_weights_one_by_one(KernelMeanMatching(), source, target[:1], rng())
    assert_allclose(
        estimate_kernel_mean_matching_weights(source, target[:1], rng()), shared, atol=1e-6
    )


def test_degenerate_data_sets_that_are_refused() -> None:
    source, target = stacked(3)
    source[1], target[1] = 0, 0  # no width
    source[2] += 1e6  # no kernel reaches

    weights = estimate_kernel_mean_matching_weights(source, target, rng())

    assert np.isfinite(weights[0]).all()
    assert np.isnan(weights[1]).all()
    assert_allclose(
        weights, estimate_weights_one_by_one(KernelMeanMatching(), source, target, rng()), atol=1e-6
    )


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_exact_nearest_squares(kind: str) -> None:
    samples = shifted(7, 23, 3)
    squares = np.empty((7, 23))

    best = loops_of(kernel_means.fill_nearest_squares, kind)(
        samples.source, samples.target, squares
    )

    expected = ((samples.source[:, None] - samples.target) ** 2).sum(axis=-1)
    assert_allclose(squares, expected, rtol=1e-13)
    assert_allclose(np.sort(best, axis=1), np.sort(expected, axis=1)[:, :5], rtol=1e-13)


@pytest.mark.parametrize("kind", ["compiled", "plain"])
def test_exact_exchanges_end_at_the_optimum_or_give_up(kind: str) -> None:
    exchange = loops_of(kernel_means.exchange, kind)
    ended = 0
    for seed in range(20):
        draws = np.random.default_rng(seed)
        A = draws.normal(size=(12 if seed % 4 else 5, 10))  # every fourth is singular
        K, q, w = A.T @ A, draws.normal(size=10), np.zeros(10)
        grows = exchange(K, q, 1e-9, w)
        if grows >= 0:
            ended += 1
            gradient = K @ w - q
            assert w.min() >= 0
            assert gradient.min() >= -1e-8
            assert abs(gradient[w > 0]).max(initial=0) <= 1e-8
            free = np.ix_(w > 0, w > 0)
            assert_allclose(grows, np.linalg.inv(K[free]).sum(), rtol=1e-8)
            other = np.where(draws.random(10) < 0.5, 1.0, 0.0)  # wherever it begins
            if exchange(K, q, 1e-9, other) >= 0:
                assert_allclose(other, w, atol=1e-8)
    assert ended >= 12


def test_degenerate_exchanges_that_give_up(monkeypatch: pytest.MonkeyPatch) -> None:
    exchange = kernel_means.exchange
    # a pivot of rounding; a solution that is none; too few exchanges
    assert exchange(np.ones((2, 2)), np.array([1.0, 1.0]), 1e-12, np.zeros(2)) == -1
    A = np.random.default_rng(1).normal(size=(20, 8))
    assert exchange(A.T @ A, 100 + A[0], 0.0, np.zeros(8)) == -1
    # more coordinates of the wrong sign after an exchange than before
    draws = np.random.default_rng(3)
    A = draws.normal(size=(11, 10)) + 3 * draws.normal(size=(11, 1))
    q = 3 * draws.normal(size=10)
    assert exchange(A.T @ A, q, 1e-9, np.zeros(10)) > 0
    monkeypatch.setattr(kernel_means, "_SLACK", 0)
    assert exchange(A.T @ A, q, 1e-9, np.zeros(10)) == -1
    monkeypatch.setattr(kernel_means, "MAX_EXCHANGES", 1)
    assert exchange(np.eye(2), np.array([1.0, 1.0]), 1e-12, np.zeros(2)) == -1


def test_degenerate_sums_that_are_not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    method = KernelMeanMatching(tolerance=0.0)
    source, target = stacked(3)
    expected = estimate_weights_one_by_one(method, source, target, rng())
    none_free = np.full(3, -1.0)  # the linear term that no kernel reaches
    assert not kernel_mean_matching._solve(
        kernel_means.exchange, np.eye(3), none_free, (1, 2), np.empty(3)
    )
    monkeypatch.setattr(kernel_mean_matching, "_MAX_STEPS", 1)

    assert_allclose(
        estimate_kernel_mean_matching_weights(source, target, rng(), method), expected, rtol=1e-9
    )


def test_exact_objective_at_the_width_of_the_paper() -> None:
    source, target = stacked(4, n=50, m=200)
    weights = estimate_kernel_mean_matching_weights(source, target, rng())
    for r in range(4):
        alone = KernelMeanMatching().estimate(Samples(source[r], target[r]), rng())
        width = float(alone.details["width"] or 0)

        def kernel(a: FloatArray, b: FloatArray, s: float = width) -> FloatArray:
            return np.asarray(np.exp(-((a[:, None] - b) ** 2).sum(axis=-1) / (2 * s**2)))

        K = kernel(source[r], source[r])
        kappa = 50 / 200 * kernel(source[r], target[r]).sum(axis=1)
        objective = weights[r] @ (0.5 * K @ weights[r] - kappa)
        assert_allclose(objective, alone.details["objective"], rtol=1e-11)
