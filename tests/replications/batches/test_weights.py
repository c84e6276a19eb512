from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.importance_weights.samples import SOURCE, TARGET, rng, shifted
from thetahat.importance_weights import Samples
from thetahat.importance_weights.gaussian_ratio import GaussianRatio
from thetahat.importance_weights.kernel_mean_matching import KernelMeanMatching
from thetahat_replications.batches import estimate_gaussian_ratios, estimate_weights_one_by_one


@pytest.mark.outside("libTLDA, the formula of iwe_ratio_gaussians (vector iw_gaussian_ratio)")
def test_golden_gaussian_ratios() -> None:
    expected = [
        *(0.06102902241204895, 1.0128592364282336, 0.001444943733735502, 2.3408646265764332),
        *(0.14925267768395203, 0.2608299805566538, 0.017566304441594634, 3.6861982463967427),
    ]

    weights = estimate_gaussian_ratios(np.stack([SOURCE, SOURCE]), np.stack([TARGET, TARGET]))

    assert_allclose(weights, [expected, expected], rtol=1e-9)


def test_exact_as_weights_one_by_one() -> None:
    drawn = [shifted(20, 40, seed=seed) for seed in range(5)]
    source, target = (np.stack([getattr(s, name) for s in drawn]) for name in ("source", "target"))
    source[1, :, 1] *= 1e-4  # a covariance from the rows, not from products
    target[2, :, 0] += 1e3  # beyond the range of exponents
    source[3, :, 1] = source[3, :, 0]  # singular, and refused
    expected = estimate_weights_one_by_one(GaussianRatio(), source, target, rng())

    weights = estimate_gaussian_ratios(source, target)

    assert np.isnan(expected[[2, 3]]).all()
    assert not np.isnan(expected[[0, 1, 4]]).any()
    assert_allclose(weights, expected, rtol=1e-10)
    shared = estimate_gaussian_ratios(source, target[4:])
    assert_allclose(
        shared, estimate_weights_one_by_one(GaussianRatio(), source, target[4:], rng()), rtol=1e-10
    )
    assert np.isnan(shared[3]).all()
    matched = estimate_weights_one_by_one(
        KernelMeanMatching(width=1.0), source[:1], target[:1], rng()
    )
    alone = KernelMeanMatching(width=1.0).estimate(Samples(source[0], target[0]), rng())
    assert_allclose(matched[0], alone.values, rtol=1e-13)
