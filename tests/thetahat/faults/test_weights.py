"""Packages that estimate importance weights get kernels, signs, rows and seeds wrong."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import rng, shifted
from thetahat.importance_weights import Samples
from thetahat.importance_weights._diagnostics import measure_coverage
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching, make_kernel_columns
from thetahat.importance_weights.kliep import Kliep
from thetahat.importance_weights.logistic import Logistic


def test_exact_libtlda_the_kernel_is_of_squared_distances_and_the_bound_holds() -> None:
    """libTLDA has an unsquared distance in its kernel and no upper bound on the weights."""
    rows = np.array([[0.0], [3.0]])
    # d = 3, s = 2: exp(-9/8), where exp(-3/8) would be unsquared
    assert_allclose(make_kernel_columns(rows, 2.0)(0), [1, np.exp(-9 / 8)], rtol=1e-14)

    samples = shifted(30, 60)
    free = KernelMeanMatching(width=1.0).estimate(samples, rng())
    held = KernelMeanMatching(width=1.0, bound=2.0).estimate(samples, rng())
    assert free.values.max() > 2
    assert held.values.max() == 2
    assert held.details["n_at_bound"] > 0


def test_exact_libtlda_logistic_weights_are_odds_and_not_labels() -> None:
    """libTLDA makes logistic weights of predicted class labels, which are 0 or 1."""
    estimate = Logistic().estimate(shifted(30, 60), rng()).values

    assert len(np.unique(estimate)) == 30
    assert estimate.min() > 0
    assert estimate.max() > 1


def test_exact_libtlda_neighbours_are_looked_for_along_the_right_axis() -> None:
    """libTLDA's nearest-neighbour weights take the least distance over the wrong axis."""
    source = np.array([[0.0], [1.0], [2.0]])
    target = np.array([[0.5], [1.5], [50.0], [60.0], [70.0]])

    assert measure_coverage(Samples(source, target), rng())[0] == 2 / 5


def test_exact_ctrl_iwxval_the_linear_term_has_its_sign() -> None:
    """ctrl-iwxval's iw_KMM has the sign of kappa wrong, so it flees from the target."""
    source = np.array([[-2.0], [-1.0], [0.0], [1.0]])
    target = np.array([[0.9], [1.0], [1.1]])

    estimate = KernelMeanMatching(width=0.5, tolerance=0.0).estimate(Samples(source, target), rng())

    assert estimate.values[3] > 3.5
    assert estimate.values[:2].max() < 0.1


def test_exact_adapt_kmm_no_row_is_left_out() -> None:
    """Adapt KMM cuts rows into batches of int(n / 2^p), and the remainder keeps weight 0."""
    samples = shifted(2003, 50, 1, seed=4)
    far = samples.source.copy()
    far[-3:] = [[0.5], [8.0], [9.0]]
    target = np.concatenate([samples.target, np.full((10, 1), 8.0), np.full((10, 1), 9.0)])

    estimate = KernelMeanMatching(width=0.3).estimate(Samples(far, target), rng()).values

    # the only rows near 8 and 9 are the last ones
    assert estimate[-2:].min() > 50


def test_exact_pykliep_the_seed_decides_which_centres_are_drawn() -> None:
    """Pykliep takes a seed and ignores it."""
    samples = shifted(30, 300)
    draws = [
        Kliep(n_centres=20).estimate(samples, np.random.default_rng(seed)).values
        for seed in (1, 1, 2)
    ]

    assert_allclose(draws[0], draws[1], rtol=0)
    assert not np.allclose(draws[0], draws[2])
