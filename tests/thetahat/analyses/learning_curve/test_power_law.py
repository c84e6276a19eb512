from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.analyses.learning_curve.covariances import MeansOfSizes, estimate_means
from thetahat.analyses.learning_curve.power_law import fit_power_law
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray

N = np.array([10.0, 20, 40, 80, 160, 320])
NARROW = 1 + np.arange(-3, 1) / 1000
TRUTH = 0.5 + 3 * N**-0.7


def points(means: FloatArray, covariance: FloatArray, sizes: FloatArray = N) -> MeansOfSizes:
    return MeansOfSizes(sizes=sizes, means=means, covariance=covariance, degrees_of_freedom=9.0)


def test_exact_points_on_a_power_law_give_it_back() -> None:
    law, reason = fit_power_law(points(TRUTH, np.eye(6) * 1e-8))

    assert reason is None
    assert law is not None
    # the exponent is searched to 1e-10 of its logarithm
    assert_allclose([law.asymptote, law.factor, law.exponent], [0.5, 3.0, 0.7], rtol=1e-6)
    assert_allclose(law.excess, 3 * 320**-0.7, rtol=1e-6)
    assert_allclose(law.predict(1000.0)[0], 0.5 + 3 * 1000**-0.7, rtol=1e-6)
    assert law.residual < 1e-8


@pytest.mark.outside("scipy.optimize.curve_fit(f, n, means, sigma=sd, absolute_sigma=True)")
def test_against_scipy_curve_fit_for_independent_points() -> None:
    from scipy.optimize import curve_fit

    rng = np.random.default_rng(8)
    sd = np.array([0.03, 0.02, 0.015, 0.01, 0.008, 0.006])
    means = TRUTH + sd * rng.standard_normal(6)
    law, _ = fit_power_law(points(means, np.diag(sd**2)))
    parameters, covariance = curve_fit(
        lambda n, a, excess, c: a + excess * (n / 320) ** -c,
        N,
        means,
        p0=(0.5, 0.05, 0.7),
        sigma=sd,
        absolute_sigma=True,
        xtol=1e-14,
        ftol=1e-14,
    )

    assert law is not None
    # curve_fit differentiates numerically
    assert_allclose([law.asymptote, law.excess, law.exponent], parameters, rtol=1e-5)
    assert_allclose(law.standard_errors(), np.sqrt(np.diag(covariance)), rtol=1e-4)


def test_calibrated_errors_are_those_of_repeated_draws_of_dependent_points() -> None:
    rng = np.random.default_rng(9)
    covariance = 1e-5 * (0.7 + 0.3 * np.eye(6))
    draws = rng.multivariate_normal(TRUTH, covariance, size=600)
    laws = [fit_power_law(points(draw, covariance))[0] for draw in draws]
    predictions = np.array(
        [[law.asymptote, law.exponent, law.predict(640)[0]] for law in laws if law]
    )
    stated = np.array(
        [
            [law.standard_errors()[0], law.standard_errors()[2], law.predict(640)[1]]
            for law in laws
            if law
        ]
    )

    assert len(predictions) == 600
    # a standard deviation of 600 draws has a relative error of 1 / sqrt(1200); z = 5. The errors
    # are those of a linearised fit: its curvature costs less than this at such small spread
    assert_allclose(stated.mean(axis=0), predictions.std(axis=0, ddof=1), rtol=5 / np.sqrt(1200))


@pytest.mark.parametrize(
    ("means", "covariance", "sizes", "lowest", "why"),
    [
        (TRUTH[:3], np.eye(3), N[:3], None, "needs at least 4 sizes"),
        (np.full(6, 0.5), np.eye(6), N, None, "the same at every size"),
        (TRUTH, np.zeros((6, 6)), N, None, "no variance"),
        (TRUTH[::-1].copy(), np.eye(6) * 1e-8, N, None, "a straight line or a step fits"),
        (1 - 3 * N**-0.7, np.eye(6) * 1e-8, N, None, "does not fall"),
        (NARROW**-0.7, np.eye(4) * 1e-30, 1000 * NARROW, None, "fit the mean losses equally well"),
        (1 - N / 400, np.eye(6) * 1e-8, N, None, "a straight line or a step fits"),
        (TRUTH - 0.6, np.eye(6) * 1e-8, N, 0.0, "asymptote, -0.1, is below"),
        (TRUTH, np.eye(6) * 1e-2, N, None, "is more than half of it"),
    ],
)
def test_degenerate_no_law_is_given_with_the_reason(
    means: FloatArray,
    covariance: FloatArray,
    sizes: FloatArray,
    lowest: float | None,
    why: str,
) -> None:
    law, reason = fit_power_law(points(means, covariance, sizes), lowest)

    assert law is None
    assert reason is not None
    assert re.search(why, reason)


def losses_of(values: FloatArray, kind: BlockKind, **columns: FloatArray) -> list[BlockLosses]:
    layout = build_layout(kind, columns.pop("block"), **columns)  # type: ignore[arg-type]
    return [BlockLosses(layout, values=row) for row in values]


def test_naive_covariances_of_one_partition_of_repeats_and_of_a_holdout() -> None:
    values = np.random.default_rng(3).normal(size=(3, 12))
    block = np.repeat([0, 1, 2], 4)
    means = values.reshape(3, 3, 4).mean(axis=2)

    estimate = estimate_means([1, 2, 3], losses_of(values, BlockKind.RANDOM, block=block))
    held = estimate_means(
        [1, 2, 3], losses_of(values, BlockKind.HOLDOUT, block=np.zeros(12, dtype=np.intp))
    )
    twice = estimate_means(
        [1, 2, 3],
        losses_of(
            np.hstack([values, values]),
            BlockKind.RANDOM,
            block=np.tile(block, 2),
            repeat=np.repeat([0, 1], 12),
            instance=np.tile(np.arange(12), 2),
        ),
    )

    assert_allclose(estimate.covariance, np.cov(means) / 3, rtol=1e-12)
    assert_allclose(held.covariance, np.cov(values) / 12, rtol=1e-12)
    # J = 6 splits, n2/n1 = 4/8
    assert_allclose(
        twice.covariance, np.cov(np.hstack([means, means])) * (1 / 6 + 1 / 2), rtol=1e-12
    )
    assert (estimate.degrees_of_freedom, held.degrees_of_freedom) == (2, 11)
