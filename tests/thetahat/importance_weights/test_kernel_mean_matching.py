from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import SMALL, rng, shifted
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights import ImportanceWeights, Samples
from thetahat.importance_weights import kernel_mean_matching as module
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat.values.types import FloatArray
from thetahat_replications.presets.importance_kernel_weights import ImportanceKernelWeights


def programme(samples: Samples, width: float) -> tuple[FloatArray, FloatArray]:
    """Return K and kappa from the formula, by loops."""

    def k(a: FloatArray, b: FloatArray) -> float:
        return math.exp(-sum((u - v) ** 2 for u, v in zip(a, b, strict=True)) / (2 * width**2))

    K = np.array([[k(a, b) for b in samples.source] for a in samples.source])
    sums = [sum(k(a, b) for b in samples.target) for a in samples.source]
    return K, samples.n / samples.m * np.array(sums)


def objective(weights: ImportanceWeights, samples: Samples) -> float:
    K, kappa = programme(samples, float(weights.details["width"] or 0))
    return float(weights.values @ (0.5 * K @ weights.values - kappa))


def check_optimal(
    weights: ImportanceWeights, samples: Samples, bound: float, tolerance: float
) -> float:
    """Check the conditions of optimality from the formula; return the multiplier of the sum."""
    K, kappa = programme(samples, float(weights.details["width"] or 0))
    w, n = weights.values, samples.n
    gradient = K @ w - kappa
    assert w.min() >= 0
    assert w.max() <= bound
    assert abs(w.sum() - n) <= n * tolerance * (1 + 1e-12) + 1e-8
    # gradient = multiplier where free, above it at 0, below it at the bound
    multiplier = float(weights.details["multiplier_of_sum"] or 0)
    small = 1e-7 * kappa.max()
    free = (w > 0) & (w < bound)
    assert_allclose(gradient[free], multiplier, atol=small)
    assert (gradient[w == 0] >= multiplier - small).all()
    assert (gradient[w == bound] <= multiplier + small).all()
    if abs(multiplier) > small:
        wanted = n * (1 - tolerance) if multiplier > 0 else n * (1 + tolerance)
        assert_allclose(w.sum(), wanted, rtol=1e-8)
    return multiplier


CASES = [(1000.0, None), (1000.0, 0.0), (2.0, 0.01), (5.0, 0.0), (0.5, 0.5)]


@pytest.mark.outside("scipy.optimize.minimize (SLSQP) on the programme by loops")
@pytest.mark.parametrize(("bound", "tolerance"), CASES)
def test_against_scipy_objective(bound: float, tolerance: float | None) -> None:
    from scipy import optimize

    minimize: Any = optimize.minimize  # its stubs know one kind of constraint

    samples = shifted(20, 60, seed=2)
    method = KernelMeanMatching(width=0.7, bound=bound, tolerance=tolerance)
    estimate = method.estimate(samples, rng())
    eps = (math.sqrt(20) - 1) / math.sqrt(20) if tolerance is None else tolerance
    K, kappa = programme(samples, 0.7)

    peer = minimize(
        lambda w: w @ (0.5 * K @ w - kappa),
        np.full(20, min(1.0, bound)),
        jac=lambda w: K @ w - kappa,
        bounds=[(0, bound)] * 20,
        constraints=optimize.LinearConstraint(np.ones((1, 20)), 20 * (1 - eps), 20 * (1 + eps)),
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-13},
    )

    assert peer.success
    assert_allclose(estimate.details["objective"], objective(estimate, samples), rtol=1e-10)
    # never above the peer's, and the peer ends within 1e-6 of it
    assert objective(estimate, samples) <= peer.fun + 1e-9 * abs(peer.fun)
    assert_allclose(objective(estimate, samples), peer.fun, rtol=1e-6)


@pytest.mark.parametrize(("bound", "tolerance"), CASES)
@pytest.mark.parametrize("width", [0.2, 1.0, 5.0])
def test_exact_the_conditions_of_optimality(
    bound: float, tolerance: float | None, width: float
) -> None:
    samples = shifted(50, 100, seed=3)
    method = KernelMeanMatching(width=width, bound=bound, tolerance=tolerance)

    estimate = method.estimate(samples, rng())

    eps = (math.sqrt(50) - 1) / math.sqrt(50) if tolerance is None else tolerance
    check_optimal(estimate, samples, bound, eps)
    assert [c.code for c in estimate.cautions] == []


def test_exact_both_ends_of_the_sum_bind() -> None:
    samples = shifted(30, 60, seed=5)
    K, kappa = programme(samples, 0.3)
    low = KernelMeanMatching(width=0.3, tolerance=0.0).estimate(samples, rng())
    # the source stands where the target is three times as dense as it: the sum would be above n
    inside = Samples(np.repeat(samples.target[:10], 3, axis=0) * 3, samples.target * 0.01)
    high = KernelMeanMatching(width=0.3, tolerance=0.0).estimate(inside, rng())

    assert K.shape == (30, 30)
    assert kappa.min() > 0
    assert check_optimal(low, samples, 1000, 0.0) > 0
    assert check_optimal(high, inside, 1000, 0.0) != 0


def test_exact_many_rows_at_once() -> None:
    """Above 200 rows several are set free at once; the conditions hold as well."""
    samples = shifted(300, 300, seed=6)
    for width in (0.15, 1.0):
        estimate = KernelMeanMatching(width=width, tolerance=None).estimate(samples, rng())
        check_optimal(estimate, samples, 1000, (math.sqrt(300) - 1) / math.sqrt(300))


def test_exact_columns_on_demand_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = shifted(250, 100, seed=7)
    held = KernelMeanMatching().estimate(samples, rng())
    monkeypatch.setattr(module, "MAX_ROWS_IN_MEMORY", 10)

    assert_allclose(KernelMeanMatching().estimate(samples, rng()).values, held.values, rtol=1e-9)


def test_exact_the_width_of_the_paper() -> None:
    samples = shifted(12, 30)
    distances = np.sqrt(((samples.source[:, None] - samples.target) ** 2).sum(axis=-1))
    nearest = np.sort(distances, axis=1)[:, :5]

    estimate = KernelMeanMatching().estimate(samples, rng()).details["width"]

    assert_allclose(estimate, nearest.mean(), rtol=1e-12)
    few = Samples(samples.source, samples.target[:3])
    assert_allclose(
        KernelMeanMatching().estimate(few, rng()).details["width"],
        distances[:, :3].mean(),
        rtol=1e-12,
    )


def test_exact_other_widths() -> None:
    rows = np.concatenate([SMALL.source, SMALL.target])
    pairs = [float(np.linalg.norm(a - b)) for i, a in enumerate(rows) for b in rows[:i]]
    estimate = {
        rule: KernelMeanMatching(width=rule).estimate(SMALL, rng()).details["width"]
        for rule in ("silverman", "median")
    }

    assert_allclose(estimate["median"], np.median(pairs), rtol=1e-12)
    # p = 2: (4/4)^(1/6) N^(-1/6)
    spread = math.sqrt((rows[:, 0].var(ddof=1) + rows[:, 1].var(ddof=1)) / 2)
    assert_allclose(estimate["silverman"], 14 ** (-1 / 6) * spread, rtol=1e-12)
    many = shifted(700, 700)
    width = KernelMeanMatching(width="median").estimate(many, rng()).details["width"]
    assert 1 < float(width or 0) < 3


def test_degenerate_duplicate_rows() -> None:
    samples = shifted(10, 30)
    twice = Samples(np.repeat(samples.source, 2, axis=0), samples.target)

    for tolerance in (None, 0.0):
        method = KernelMeanMatching(width=0.8, tolerance=tolerance)
        single, both = method.estimate(samples, rng()), method.estimate(twice, rng())
        check_optimal(both, twice, 1000, 0.9 if tolerance is None else 0.0)
        # a pair of duplicates shares the weight, at twice n: objective four times as large
        assert_allclose(objective(both, twice), 4 * objective(single, samples), rtol=1e-8)


def test_invalid_parameters() -> None:
    with pytest.raises(InvalidParameter, match="bound must be a finite number above 0"):
        KernelMeanMatching(bound=0)
    with pytest.raises(InvalidParameter, match="tolerance must be a finite number of at least 0"):
        KernelMeanMatching(tolerance=-1)
    with pytest.raises(InvalidParameter, match="must be a number, neighbours, silverman or median"):
        KernelMeanMatching(width="wide")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="width must be a finite number above 0"):
        KernelMeanMatching(width=-1.0)
    with pytest.raises(InvalidParameter, match="cannot sum to 1 n"):
        KernelMeanMatching(bound=0.5, tolerance=0).estimate(SMALL, rng())
    with pytest.raises(InsufficientData, match="because rows coincide"):
        KernelMeanMatching().estimate(Samples(np.zeros((3, 1)), np.zeros((9, 1))), rng())


def test_calibrated_the_default_tolerance_suits_the_controlled_risk() -> None:
    """Final target risks of penalties by the controlled risk, paired over 300 data sets."""
    risks = {}
    for tolerance in (None, KernelMeanMatching().tolerance):
        preset = ImportanceKernelWeights(
            gammas=(1.0,),
            weights=("kernel_mean_matching",),
            tolerance=tolerance,
            n_target=200,
            n_penalties=40,
        )
        records = preset.plan({}, 1).run(0, 300)
        risks[tolerance] = records["kernel_mean_matching_controlled"][:, 0]
    saved = risks[None] - risks[1e-6]
    # the gain is .018 with an error of .0035; three errors are a false alarm in 741
    assert saved.mean() > 3 * saved.std(ddof=1) / np.sqrt(300)


def test_exact_the_mean_weight_is_one_by_default() -> None:
    samples = Samples(SMALL.source * 0.7 - 0.5, SMALL.target)
    assert KernelMeanMatching().estimate(samples, rng()).values.mean() == pytest.approx(1, rel=2e-6)
