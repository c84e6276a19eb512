"""Variance over resamples of whole clusters."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InvalidParameter
from thetahat.numerics.bootstrap import SharedResamples
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind
from thetahat.variances.cluster_bootstrap import ClusterBootstrap
from thetahat.variances.cluster_robust import ClusterRobust


def holdout(values: list[float], cluster: list[int]) -> BlockLosses:
    layout = build_layout(BlockKind.HOLDOUT, [0] * len(values), cluster=cluster)
    return BlockLosses(layout, values=np.array(values))


# By hand over all 4 resamples of two clusters.
def test_by_hand_two_clusters_of_unequal_size() -> None:
    # clusters (1, 3) and (8): resamples have means 2 (1/4), 4 (1/2), 8 (1/4): mean 4.5,
    # variance (6.25 + 2 x .25 + 12.25) / 4 = 4.75
    losses = holdout([1.0, 3.0, 8.0], [0, 0, 1])

    estimate = ClusterBootstrap(n_resamples=100_000).estimate(losses)
    # the fourth moment about 4.5 is (39.0625 + 2 x .0625 + 150.0625) / 4 = 47.3125; z = 5
    error = np.sqrt((47.3125 - 4.75**2) / 100_000)
    assert_allclose(estimate.value, 4.75, atol=5 * error)
    assert estimate.estimate == 4.0
    assert estimate.degrees_of_freedom == 1
    assert estimate.details == {"n_resamples": 100_000, "n_clusters": 2}
    assert [c.code for c in estimate.cautions] == ["few_units"]


def test_limit_equal_clusters_give_a_share_of_the_cluster_robust_variance() -> None:
    rng = np.random.default_rng(1)
    values = (rng.normal(size=(30, 1)) + rng.normal(size=(30, 4))).ravel().tolist()
    losses = holdout(values, np.repeat(np.arange(30), 4).tolist())

    estimate = ClusterBootstrap(n_resamples=40_000).estimate(losses)
    robust = ClusterRobust().estimate(losses)
    assert isinstance(robust.value, float)
    # normal replicates: the Monte-Carlo error of a variance is sqrt(2 / B) of it; z = 5
    assert_allclose(estimate.value, robust.value * 29 / 30, rtol=5 * np.sqrt(2 / 40_000))
    assert estimate.estimate == pytest.approx(robust.estimate, rel=1e-13)


def test_exact_shared_replicates_give_their_own_variance() -> None:
    losses = holdout([1.0, 3.0, 8.0, 2.0], [0, 0, 1, 2])
    replicates = SharedResamples({"m": losses}, 5).of_model("m", 999, "cluster")

    estimate = ClusterBootstrap().estimate_from_replicates(losses, replicates)
    assert estimate.value == replicates.variance
    assert estimate.usable


def test_degenerate_clusters_alike() -> None:
    estimate = ClusterBootstrap().estimate(holdout([1.0, 3.0, 3.0, 1.0], [0, 0, 1, 1]))

    assert estimate.value == 0
    assert not estimate.usable
    assert "zero_variance" in [c.code for c in estimate.cautions]


@pytest.mark.parametrize("n_resamples", [98, 1_000_001])
def test_invalid_number_of_resamples(n_resamples: int) -> None:
    with pytest.raises(InvalidParameter, match="n_resamples must be from 99 to 1000000"):
        ClusterBootstrap(n_resamples=n_resamples)


@pytest.mark.outside("scipy.stats.bootstrap of the means of clusters of equal size, run here")
def test_against_scipy_bootstrap_of_cluster_means() -> None:
    from scipy import stats

    values = np.random.default_rng(2).normal(size=(25, 1)) + np.zeros((1, 3))
    losses = holdout(values.ravel().tolist(), np.repeat(np.arange(25), 3).tolist())

    estimate = ClusterBootstrap(n_resamples=40_000).estimate(losses)
    theirs = stats.bootstrap(
        (values[:, 0],), np.mean, n_resamples=40_000, rng=np.random.default_rng(3)
    )
    # each of the two has the Monte-Carlo error sqrt(2 / B) of a variance; z = 5
    error = np.sqrt(2 * 2 / 40_000)
    assert_allclose(estimate.value, theirs.standard_error**2, rtol=5 * error)
