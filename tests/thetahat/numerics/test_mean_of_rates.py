"""The ends of the score interval for a mean of rates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import optimize, stats

from thetahat.intervals.wilson import compute_smaller_rate
from thetahat.numerics.mean_of_rates import find_lower_mean

Z = 1.959963984540054


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("z", [-0.4, 0.8, Z, 3.5])
def test_limit_one_rate_is_wilsons(share: float, z: float) -> None:
    end = find_lower_mean(np.array([share]), np.array([30.0]), np.ones(1), z)

    assert_allclose(end, compute_smaller_rate(share, 30, z), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize(
    ("hits", "sizes"), [((7, 80), (10, 90)), ((10, 61), (10, 90)), ((1, 30), (2, 40))]
)
def test_naive_the_test_keeps_the_end_and_rejects_beyond_it(
    hits: tuple[int, int], sizes: tuple[int, int]
) -> None:
    """The likeliest pair of rates with a mean, found over a line by minimising."""
    n, x = np.array(sizes, dtype=float), np.array(hits, dtype=float)
    estimate = float((x / n).mean())

    def compute_statistic(theta: float) -> float:
        def fall(first: float) -> float:
            rates = np.clip([first, 2 * theta - first], 1e-12, 1 - 1e-12)
            return -float((x * np.log(rates) + (n - x) * np.log1p(-rates)).sum())

        bounds = max(0.0, 2 * theta - 1), min(1.0, 2 * theta)
        options: Any = {"xatol": 1e-13, "maxiter": 2000}
        first = float(optimize.minimize_scalar(fall, bounds=bounds, options=options).x)
        rates = np.array([first, 2 * theta - first])
        return (estimate - theta) / float(np.sqrt((rates * (1 - rates) / n).sum() / 4))

    low = find_lower_mean(x / n, n, np.full(2, 0.5), Z)
    high = 1 - find_lower_mean(1 - x / n, n, np.full(2, 0.5), Z)

    # the minimum over the line is known to the root of the rounding of the likelihood
    assert_allclose(compute_statistic(low), Z, rtol=1e-4)
    assert_allclose(compute_statistic(high), -Z, rtol=1e-4)


def test_degenerate_no_error_and_nothing_but_errors() -> None:
    sizes, half = np.array([10.0, 90.0]), np.full(2, 0.5)
    low = find_lower_mean(np.ones(2), sizes, half, Z)

    assert find_lower_mean(np.zeros(2), sizes, half, Z) == 0.0
    # both ends of two rates of one mirror each other; the rare class alone may have had errors
    assert 1 - low > (1 - compute_smaller_rate(1.0, 10, Z)) / 2 - 1e-12
    assert low > compute_smaller_rate(1.0, 10, Z)


@pytest.mark.calibration
@pytest.mark.parametrize("rates", [(0.84, 0.84), (0.95, 0.95), (0.9, 0.5), (0.98, 0.9)])
def test_calibrated_ten_and_ninety_rows(rates: tuple[float, float]) -> None:
    """Covers in .94 to .97, where the logit interval does in .66 to .93. Exact over all tables."""
    sizes, half = np.array([10, 90]), np.full(2, 0.5)
    kept = 0.0
    chances = [stats.binom.pmf(np.arange(n + 1), n, p) for n, p in zip(sizes, rates, strict=True)]
    for a, chance in enumerate(chances[0]):
        for b, other in enumerate(chances[1]):
            if chance * other < 1e-7:
                continue
            shares = np.array([a, b]) / sizes
            low = find_lower_mean(shares, sizes.astype(float), half, Z)
            high = 1 - find_lower_mean(1 - shares, sizes.astype(float), half, Z)
            kept += chance * other * (low <= np.mean(rates) <= high)

    assert 0.93 < kept < 0.98
