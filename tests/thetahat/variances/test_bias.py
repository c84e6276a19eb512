"""The bias of every estimator under losses with known covariances, by simulation.

Losses are drawn as mean + block effect + own part, where the block effects have the covariance
matrix with omega (omega_k) on the diagonal and gamma (gamma_kl) off it. The expected values are
those of SPEC's table, with M_k in the place of M.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.variances import VARIANCES
from thetahat.variances.quadratic import Quadratic

pytestmark = pytest.mark.calibration
REPETITIONS = 4000
SIZES = np.array([2, 3, 5, 4])
K = len(SIZES)

# random folds: one variance, two covariances, one mean
S2, OMEGA, GAMMA, MU = 1.0, 0.3, 0.1, 0.7
# sources: all differ
S2_K = np.array([1.0, 0.5, 2.0, 1.5])
EFFECTS = np.array(
    [[0.4, 0.1, 0.2, 0.0], [0.1, 0.3, 0.05, 0.1], [0.2, 0.05, 0.6, -0.1], [0.0, 0.1, -0.1, 0.5]]
)
MU_K = np.array([0.2, 0.5, 0.9, 0.4])


def draws(
    rng: np.random.Generator, layout: Layout, mu: FloatArray, own: FloatArray, effects: FloatArray
) -> Iterator[BlockLosses]:
    block = np.repeat(np.arange(K), SIZES)
    shared = rng.multivariate_normal(np.zeros(K), effects, size=REPETITIONS)
    noise = rng.standard_normal((REPETITIONS, len(block))) * np.sqrt(own)[block]
    for values in mu[block] + shared[:, block] + noise:
        yield BlockLosses(layout, values=values)


def layout_for(kind: BlockKind) -> Layout:
    return build_layout(kind, np.repeat(np.arange(K), SIZES))


def assert_mean_is(values: FloatArray, truth: FloatArray | float) -> None:
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    # z = 4: correct code fails for one seed in 16 000 (per value), and the seeds are fixed
    assert np.all(np.abs(values.mean(axis=0) - truth) < 4 * error)


THETA_RANDOM = (
    (1 / SIZES).sum() * S2 / K**2 + ((SIZES - 1) / SIZES).sum() * OMEGA / K**2 + (K - 1) / K * GAMMA
)
RANDOM_BIAS = {
    "theta_1": MU**2,
    "theta_2": -OMEGA,
    "theta_3": -GAMMA,
    "theta_4": -OMEGA / K - (K - 1) / K * GAMMA,
    "theta_5": OMEGA - 2 * GAMMA,
}


@pytest.fixture(scope="module")
def random_losses() -> list[BlockLosses]:
    effects = np.full((K, K), GAMMA) + np.eye(K) * (OMEGA - GAMMA)
    mu, own = np.full(K, MU), np.full(K, S2 - OMEGA)
    rng = np.random.default_rng(20_130_616)
    return list(draws(rng, layout_for(BlockKind.RANDOM), mu, own, effects))


def test_calibrated_the_true_variance_of_the_macro_mean(random_losses: list[BlockLosses]) -> None:
    means = np.array([losses.moments.macro_mean for losses in random_losses])

    assert_mean_is((means - MU) ** 2, THETA_RANDOM)


@pytest.mark.about(
    "variances/theta_1",
    "variances/theta_2",
    "variances/theta_3",
    "variances/theta_4",
    "variances/theta_5",
)
@pytest.mark.parametrize("name", RANDOM_BIAS)
def test_calibrated_bias_on_random_folds(name: str, random_losses: list[BlockLosses]) -> None:
    values = np.array([VARIANCES[name]().estimate(losses).value for losses in random_losses])

    assert_mean_is(values, THETA_RANDOM + RANDOM_BIAS[name])


@pytest.mark.about("variances/quadratic")
def test_calibrated_bias_as_wished(random_losses: list[BlockLosses]) -> None:
    method = Quadratic(bias=(0.5, -0.25, 0.5))
    values = np.array([method.estimate(losses).value for losses in random_losses])

    assert_mean_is(values, THETA_RANDOM + 0.5 * S2 - 0.25 * OMEGA + 0.5 * GAMMA + 1.75 * MU**2)


OMEGA_K = np.diag(EFFECTS)
GAMMAS = EFFECTS - np.diag(OMEGA_K)
THETA_SOURCE = (S2_K / SIZES + (SIZES - 1) / SIZES * OMEGA_K).sum() / K**2 + GAMMAS.sum() / K**2
MEAN_SQUARED = MU_K.mean() ** 2
UNLIKE = MU_K.var(ddof=1)  # (sum mu_k^2 - sum over pairs of mu_k mu_l / (K - 1)) / K
SOURCE_BIAS = {
    "theta_omega": -OMEGA_K.mean() - (K - 1) / K * UNLIKE,
    "theta_gamma": -GAMMAS.sum() / (K * (K - 1)) + UNLIKE / K,
    "theta_A": -(OMEGA_K.sum() + GAMMAS.sum()) / K**2,
    "theta_B": ((S2_K / SIZES).sum() - ((SIZES + 1) / SIZES * OMEGA_K).sum() - GAMMAS.sum()) / K**2,
}


@pytest.fixture(scope="module")
def source_losses() -> list[BlockLosses]:
    rng = np.random.default_rng(7_2013)
    layout = layout_for(BlockKind.SOURCE)
    return list(draws(rng, layout, MU_K, S2_K - OMEGA_K, EFFECTS))


@pytest.mark.about(
    "variances/theta_omega", "variances/theta_gamma", "variances/theta_A", "variances/theta_B"
)
@pytest.mark.parametrize("name", SOURCE_BIAS)
def test_calibrated_bias_on_sources(name: str, source_losses: list[BlockLosses]) -> None:
    values = np.array([VARIANCES[name]().estimate(losses).value for losses in source_losses])

    assert_mean_is(values, THETA_SOURCE + SOURCE_BIAS[name])


@pytest.mark.about("variances/theta_omega_k")
def test_calibrated_bias_of_theta_omega_k(source_losses: list[BlockLosses]) -> None:
    method = VARIANCES["theta_omega_k"]()
    values = np.array([method.estimate(losses).value for losses in source_losses])

    assert_mean_is(values, THETA_SOURCE - OMEGA_K + MEAN_SQUARED - MU_K**2)


@pytest.mark.about("variances/theta_gamma_kl")
def test_calibrated_bias_of_theta_gamma_kl(source_losses: list[BlockLosses]) -> None:
    method = VARIANCES["theta_gamma_kl"]()
    values = np.array([method.estimate(losses).value for losses in source_losses])
    pairs = np.triu_indices(K, 1)
    truth = THETA_SOURCE - GAMMAS + MEAN_SQUARED - np.outer(MU_K, MU_K)

    assert_mean_is(values[:, *pairs], truth[pairs])


@pytest.mark.about("variances/theta_gamma")
def test_calibrated_sources_that_are_a_sample() -> None:
    """For new sources, B / K is unbiased where the only dependence is a source's own draw."""
    rng = np.random.default_rng(60)
    layout = layout_for(BlockKind.SOURCE)
    effects = np.eye(K) * OMEGA
    losses = draws(rng, layout, np.full(K, MU), np.full(K, S2), effects)

    values = np.array([VARIANCES["theta_gamma"]().estimate(x).value for x in losses])

    assert_mean_is(values, (OMEGA + S2 / SIZES).sum() / K**2)
