"""Covariances of losses from many data sets: identities, and losses whose covariances are known."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.studies.jackknife import jackknife
from thetahat_replications.presets.multiple_source_variances.covariances import (
    decompose_variance,
    estimate_covariances,
    estimate_spread_of_gamma,
    estimate_spread_of_omega,
)


def _losses(
    rng: np.random.Generator, repetitions: int, mixing: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(R, 1, K) means and variances of blocks whose shared effects are ``mixing @ normal``."""
    effects = rng.normal(size=(repetitions, mixing.shape[1])) @ mixing.T
    losses = effects[:, :, None] + rng.normal(size=(repetitions, len(mixing), size))
    return losses.mean(axis=2)[:, None], losses.var(axis=2, ddof=1)[:, None]


def test_exact_the_parts_add_up_to_the_variance_of_the_mean() -> None:
    rng = np.random.default_rng(1)
    means, within = rng.normal(size=(9, 2, 5)), rng.random((9, 2, 5))
    sizes = (4, 30)
    three = decompose_variance(*estimate_covariances(means, within, sizes), sizes)
    truth = means.mean(axis=2).var(axis=0, ddof=1)
    np.testing.assert_allclose(three.sum(axis=0), truth, rtol=1e-12)


# By hand: two data sets of two blocks of two losses.
def test_by_hand_two_data_sets() -> None:
    # block means 1, 3 and 2, 6; the mean's deviations are -.5, .5 and -1.5, 1.5
    means = np.array([[[1.0, 3.0]], [[2.0, 6.0]]])
    within = np.array([[[0.2, 1.0]], [[0.4, 3.0]]])
    sigma2, omega, between = estimate_covariances(means, within, (2,))
    # Var[means] = .5 and 4.5, covariance 1.5; expected variance inside .3 and 2
    np.testing.assert_allclose(omega, [[0.5 - 0.15, 4.5 - 1.0]])
    np.testing.assert_allclose(sigma2, [[0.65, 5.5]])
    np.testing.assert_allclose(between[0, 0, 1], 1.5)
    np.testing.assert_allclose(
        decompose_variance(sigma2, omega, between, (2,)).ravel(), [0.76875, 0.48125, 0.75]
    )


def test_calibrated_covariances_and_their_spread_are_met() -> None:
    rng = np.random.default_rng(2)
    mixing = np.array([[0.9, 0.0, 0.1], [0.5, 0.4, 0.0], [0.2, 0.3, 0.6], [0.0, 0.7, 0.2]])
    known = mixing @ mixing.T
    first, second = np.triu_indices(4, 1)
    gamma, omega = known[first, second], np.diag(known)
    simulated = {name: [] for name in ("omega", "gamma", "sigma2", "spread_gamma", "spread_omega")}  # type: ignore[var-annotated]
    for _ in range(150):
        means, within = _losses(rng, 30, mixing, 5)
        sigma2, inside, between = estimate_covariances(means, within, (5,))
        simulated["omega"].append(inside[0])
        simulated["sigma2"].append(sigma2[0])
        simulated["gamma"].append(between[0][first, second])
        simulated["spread_gamma"].append(estimate_spread_of_gamma(means, np.arange(30) % 2))
        simulated["spread_omega"].append(
            estimate_spread_of_omega(means, within, (5,), np.arange(30) % 2)
        )
    truth = {
        "omega": omega,
        "sigma2": omega + 1,
        "gamma": gamma,
        "spread_gamma": [gamma.var()],
        "spread_omega": [omega.var()],
    }
    for name, values in simulated.items():
        error = np.std(values, axis=0, ddof=1) / np.sqrt(len(values))
        assert (np.abs(np.mean(values, axis=0) - truth[name]) < 4.5 * error).all(), name


def test_calibrated_the_jackknife_error_of_a_spread_is_its_deviation() -> None:
    """Halves by position changed when a group was left out: errors were three times too large."""
    rng = np.random.default_rng(9)
    mixing = np.array([[0.9, 0.0], [0.5, 0.4], [0.2, 0.3], [0.0, 0.7]])
    values, errors = [], []
    for _ in range(60):
        means, within = _losses(rng, 200, mixing, 5)
        records = {"means": means, "within": within, "half": np.arange(200) % 2}
        estimate = jackknife(
            lambda some: {
                "gamma": estimate_spread_of_gamma(some["means"], some["half"]),
                "omega": estimate_spread_of_omega(
                    some["means"], some["within"], (5,), some["half"]
                ),
            },
            records,
        )
        values.append([estimate.values[name][0] for name in ("gamma", "omega")])
        errors.append([estimate.errors[name][0] for name in ("gamma", "omega")])
    deviation = np.std(values, axis=0, ddof=1)
    # the deviation of 60 is known to 9 %, and errors vary: a factor of 1.5 is far outside
    ratio = np.mean(errors, axis=0) / deviation
    assert (ratio > 0.67).all()
    assert (ratio < 1.5).all()
