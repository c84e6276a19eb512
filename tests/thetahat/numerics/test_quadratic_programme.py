"""The quadratic programmes and the mixture under the weights, on problems made to be awkward."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import rng, shifted
from thetahat.importance_weights import kliep, logistic
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.importance_weights.kliep import Kliep, find_best_proportions
from thetahat.numerics import quadratic_programme
from thetahat.numerics.quadratic_programme import BoxSolution, minimise_in_slab
from thetahat.values.types import FloatArray


def solve(
    K: FloatArray, q: list[float], upper: float, lowest: float, highest: float
) -> BoxSolution:
    return minimise_in_slab(
        lambda j: K[j], np.array(q), upper=upper, lowest=lowest, highest=highest
    )


def test_by_hand_sums_that_bind_where_nothing_is_free() -> None:
    # w^2/2 + w: 0 without the sum; 1/2 each with a sum of 2, at a multiplier of 3/2
    low = solve(np.eye(4), [-1.0] * 4, 9, 2, 9)
    # w^2/2 - 10 w: 1 each, the bound; 3/4 with a sum of 3, at a multiplier of 3/4 - 10
    high = solve(np.eye(4), [10.0] * 4, 1, 0, 3)

    assert_allclose(low.w, [0.5] * 4, rtol=1e-8)
    assert_allclose(low.multiplier, 1.5, rtol=1e-8)
    assert_allclose(low.objective, 4 * (0.125 + 0.5), rtol=1e-8)
    assert_allclose(high.w, [0.75] * 4, rtol=1e-8)
    assert_allclose(high.multiplier, -9.25, rtol=1e-8)


def test_degenerate_no_curvature_at_all() -> None:
    """A linear programme: the sum jumps with the multiplier, and a mix of both ends is taken."""
    solution = solve(np.zeros((3, 3)), [1.0, 2.0, 3.0], 1, 0, 1.5)

    assert_allclose(solution.w, [0, 0.5, 1], atol=1e-8)
    assert_allclose(solution.multiplier, -2, rtol=1e-8)
    assert solution.violation < 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_exact_conditions_on_random_programmes(seed: int) -> None:
    """Singular K, tight boxes, sums at both ends."""
    draws = np.random.default_rng(seed)
    n = 12
    A = draws.normal(size=(int(draws.integers(2, 12)), n))
    K, q, upper = A.T @ A, draws.normal(size=n) * 3, float(draws.uniform(0.2, 2))
    middle = float(draws.uniform(0, n * upper))
    lowest, highest = 0.98 * middle, middle

    solution = solve(K, q.tolist(), upper, lowest, highest)

    gradient = K @ solution.w - q - solution.multiplier
    small = 1e-6 * np.abs(q).max()
    assert solution.w.min() >= 0
    assert solution.w.max() <= upper
    assert lowest * (1 - 1e-8) <= solution.w.sum() <= highest * (1 + 1e-8)
    free = (solution.w > 1e-9) & (solution.w < upper - 1e-9)
    assert np.abs(gradient[free]).max(initial=0) <= small
    assert (gradient[solution.w <= 1e-9] >= -small).all()
    assert (gradient[solution.w >= upper - 1e-9] <= small).all()
    wanted = {1: lowest, -1: highest}.get(int(np.sign(round(solution.multiplier, 6))))
    if wanted is not None:
        assert_allclose(solution.w.sum(), wanted, rtol=1e-8)


def test_by_hand_the_search_continues_along_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quadratic_programme, "_HALVINGS", 0)
    K, q, w = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-1.0, 4.0]), np.array([0.5, 0.5])
    # the minimum is (-2, 3): a fifth of the way there the first is 0, at (0, 1); then 2 w = 4
    minimum, met = quadratic_programme.FreePart(K, K @ w - q).minimise(w, 9.0)

    assert_allclose(minimum, [0, 2], atol=1e-12)
    assert met.tolist() == [True, False]


@pytest.mark.parametrize(("most", "halvings"), [(1, 3), (2, 0), (1000, 1)])
@pytest.mark.parametrize("seed", range(4))
def test_exact_one_factor_while_bounds_are_met(
    monkeypatch: pytest.MonkeyPatch, seed: int, most: int, halvings: int
) -> None:
    """However often the factor is taken anew, it is the minimum over what did not meet a bound."""
    monkeypatch.setattr(quadratic_programme, "_HALVINGS", halvings)
    draws = np.random.default_rng(seed)
    A = draws.normal(size=(40, 30))
    K, q, upper = A.T @ A, draws.uniform(-2, 8, size=30), 0.2
    w, free = np.full(30, 0.1), np.arange(30)
    while True:
        part = quadratic_programme.FreePart(K[np.ix_(free, free)], (K @ w - q)[free], most)
        w[free], met = part.minimise(w[free], upper)
        if not met.any():
            break
        assert np.isin(w[free][met], [0, upper]).all()
        free = free[~met]

    assert 0 < len(free) < 30
    assert_allclose((K @ w - q)[free], 0, atol=1e-9)


@pytest.mark.parametrize("seed", range(30))
def test_exact_mixtures_of_densities_that_hardly_overlap(seed: int) -> None:
    A = np.exp(np.random.default_rng(seed).normal(size=(30, 5)) * 6)

    x, gap, _ = find_best_proportions(A)

    assert_allclose(x.sum(), 1, rtol=1e-12)
    assert (A / (A @ x)[:, None]).mean(axis=0).max() <= 1 + 1e-8
    assert gap <= 1e-9


def test_exact_a_step_that_leaves_the_domain_is_halved() -> None:
    # -log x + x from x = 10: d = 1/10, H = 1/100, so the model's minimum is 10 - 90, cut at 0,
    # where the logarithm ends; half of the way is 5, and better
    step = kliep._take_step(np.ones((1, 1)), np.array([10.0]), np.array([0.1]))

    assert_allclose(step, [5.0])


def test_degenerate_an_end_before_the_optimum_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = shifted(40, 60)
    monkeypatch.setattr(quadratic_programme, "MAX_ROUNDS", 2)
    matched = KernelMeanMatching(width=0.5, tolerance=1.0).estimate(samples, rng())
    monkeypatch.undo()
    monkeypatch.setattr(kliep, "_MAX_STEPS", 1)
    likeliest = Kliep(width=0.3).estimate(samples, rng())

    assert [c.code for c in matched.cautions] == ["not_optimal"]
    assert [c.code for c in likeliest.cautions] == ["not_optimal"]


def test_degenerate_few_rounds_and_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    K, q = np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([1.0, 1.0])
    monkeypatch.setattr(quadratic_programme, "MAX_ROUNDS", 1)
    box = quadratic_programme.BoxProgramme(lambda j: K[j], q, 9.0, 1e-12)
    box.start_from(np.ones(2))
    box.minimise()
    assert_allclose(box.w, [2 / 3, 2 / 3])  # w + w / 2 = 1
    monkeypatch.undo()
    monkeypatch.setattr(quadratic_programme, "_MAX_STEPS", 1)
    # 4/3 without the sum; 2 at a multiplier of 1/2 after one step of Newton's
    solution = minimise_in_slab(lambda j: K[j], q, upper=9.0, lowest=2.0, highest=2.0)
    assert_allclose(solution.w, [1, 1])
    assert_allclose(solution.multiplier, 0.5)


def test_limit_of_steps_of_the_published_heuristic(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = shifted(40, 60)
    method = Kliep(width=1.0, mode="early_stopped")
    full = method.estimate(samples, rng()).details
    monkeypatch.setattr(kliep, "_MAX_STEPS_PER_SIZE", 1)
    short = method.estimate(samples, rng()).details

    assert short["n_steps"] == 7
    assert short["objective"] <= full["objective"]


@pytest.mark.parametrize("scale", [1.0, 5.0, 20.0])
def test_exact_newton_steps_that_are_too_long(scale: float) -> None:
    """Features with outliers, where whole steps overshoot; the gradient is zero all the same."""
    for seed in range(5):
        draws = np.random.default_rng(seed)
        X = np.column_stack([np.ones(12), draws.standard_t(1.2, size=(12, 2)) * scale])
        y = np.asarray(draws.random(12) < 0.5, dtype=np.float64)
        beta, violation, _ = logistic._minimise(X, y, 0.01)
        p = 1 / (1 + np.exp(-X @ beta))

        gradient = X.T @ (p - y) + 0.01 * np.array([0, *beta[1:]])
        assert np.abs(gradient).max() / 12 <= violation + 1e-9
        assert violation < 1e-7
