"""iid and cluster_robust."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtri

from tests.thetahat.analyses.metrics.readings import known
from tests.thetahat.naive.loss_matrices import RAGGED, losses_of, repeats_of
from thetahat.errors import InsufficientData
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, MeanKind, Target
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat.variances.iid import Iid

NINE = [[e for row in RAGGED for e in row]]
THREE_CLUSTERS = [0, 0, 1, 1, 1, 2, 2, 2, 2]
THREE_CLUSTERS_CR2 = (46**2 * 9 / 7 + 42**2 * 9 / 6 + 88**2 * 9 / 5) / 6561
"""Of the rows 1 to 9 below, by hand in ``test_by_hand_cluster_robust``."""


@pytest.mark.about("variances/iid")
@pytest.mark.outside(
    "mlr-org/mlr3inferr R/MeasureCiHoldout.R run in R 4.2.2 (vector mlr3inferr_wald_holdout)"
)
def test_golden_mlr3inferr_holdout() -> None:
    # mlr-org/mlr3inferr R/MeasureCiHoldout.R, executed in R 4.2.2
    rows = [[0.3, 1.2, 0.1, 0.7, 0.9, 0.2, 1.5, 0.4, 0.6, 0.8, 1.1, 0.05]]
    estimate = Iid().estimate(losses_of(rows, BlockKind.HOLDOUT))
    half = ndtri(0.975) * np.sqrt(estimate.value)

    assert_allclose(estimate.estimate - half, 0.391692231344828, rtol=1e-12)
    assert_allclose(estimate.estimate + half, 0.916641101988505, rtol=1e-12)


@pytest.mark.about("variances/iid")
def test_by_hand_iid() -> None:
    # V = (241 - 41^2 / 9) / 8, over 9 instances
    estimate = Iid().estimate(losses_of(NINE, BlockKind.HOLDOUT))

    assert_allclose(estimate.value, 488 / 9 / 72, rtol=1e-13)
    assert_allclose(estimate.estimate, 41 / 9, rtol=1e-15)
    assert estimate.degrees_of_freedom == 8
    assert (estimate.target, estimate.mean) == (Target.THESE_MODELS, MeanKind.POOLED)
    assert [c.code for c in estimate.cautions] == ["ignores_training_variance"]


@pytest.mark.about("variances/cluster_robust")
@pytest.mark.parametrize(("kind", "rows"), [(BlockKind.HOLDOUT, NINE), (BlockKind.RANDOM, RAGGED)])
def test_by_hand_cluster_robust(kind: BlockKind, rows: list[list[float]]) -> None:
    # 9 (e - 41/9) = -32 -14 | -23 -23 4 | 13 31 22 22: sums -46, -42, 88, whose squares have the
    # weights 9/7, 9/6 and 9/5 in clusters of 2, 3 and 4. q = 4/63, 1/6 and 16/45, and the squared
    # shares sum to 29/81
    products = 4 / 63 / 6 + 4 / 63 * 16 / 45 + 1 / 6 * 16 / 45
    estimate = ClusterRobust().estimate(losses_of(rows, kind, cluster=THREE_CLUSTERS))

    assert_allclose(estimate.value, THREE_CLUSTERS_CR2, rtol=1e-13)
    assert_allclose(estimate.estimate, 41 / 9, rtol=1e-15)
    assert_allclose(known(estimate.degrees_of_freedom), 1 / (29 / 81 + 2 * products), rtol=1e-13)
    assert (estimate.target, estimate.mean) == (Target.THESE_MODELS, MeanKind.POOLED)
    assert [c.code for c in estimate.cautions] == ["few_clusters", "ignores_training_variance"]


@pytest.mark.about("variances/cluster_robust", "variances/iid")
def test_limit_clusters_of_one_are_iid() -> None:
    losses = losses_of(NINE, BlockKind.HOLDOUT, cluster=[5, 4, 3, 2, 1, 0, 8, 7, 6])

    assert_allclose(
        ClusterRobust().estimate(losses).value, Iid().estimate(losses).value, rtol=1e-13
    )


def test_limit_doubling_every_row_inside_its_cluster_changes_nothing() -> None:
    doubled = losses_of([NINE[0] * 2], BlockKind.HOLDOUT, cluster=THREE_CLUSTERS * 2)

    assert_allclose(ClusterRobust().estimate(doubled).value, THREE_CLUSTERS_CR2, rtol=1e-13)


def test_exact_repeats_belong_to_their_cluster() -> None:
    block = [0, 0, 1, 1, 1, 2, 2, 2, 2]
    layout = build_layout(
        BlockKind.RANDOM, block * 2, repeat=[0] * 9 + [1] * 9, cluster=THREE_CLUSTERS * 2
    )
    losses = BlockLosses(layout, values=repeats_of([RAGGED, RAGGED]).rows)

    assert_allclose(ClusterRobust().estimate(losses).value, THREE_CLUSTERS_CR2, rtol=1e-13)


def test_limit_twenty_clusters_are_not_few() -> None:
    rows = [np.random.default_rng(3).random(40).tolist()]
    for c, expected in ((19, True), (20, False)):
        losses = losses_of(rows, BlockKind.HOLDOUT, cluster=[i % c for i in range(40)])
        estimate = {caution.code for caution in ClusterRobust().estimate(losses).cautions}
        assert ("few_clusters" in estimate) == expected


def test_invalid_clusters() -> None:
    none = losses_of(RAGGED)
    single = build_layout(BlockKind.HOLDOUT, ["test"], cluster=[7])

    assert "the cluster of every instance" in str(ClusterRobust().inapplicable(none.layout))
    assert "at least two clusters" in str(ClusterRobust().inapplicable(single))
    with pytest.raises(InsufficientData, match="cluster of every instance"):
        ClusterRobust().estimate(none)


def test_degenerate_one_instance() -> None:
    layout = build_layout(BlockKind.HOLDOUT, ["test"])

    assert Iid().inapplicable(layout) == (
        "iid needs at least two instances in every test set, and test set 'test' has one"
    )


@pytest.mark.about("variances/cluster_robust")
@pytest.mark.calibration
def test_calibrated_for_clustered_losses() -> None:
    """Nearly unbiased with 40 equal clusters; iid is far too small."""
    rng = np.random.default_rng(2718)
    repetitions, c, m, shared = 2000, 40, 4, 0.5
    common = rng.standard_normal((repetitions, c, 1))
    draws = np.sqrt(shared) * common + np.sqrt(1 - shared) * rng.standard_normal(
        (repetitions, c, m)
    )
    cluster = np.repeat(np.arange(c), m).tolist()
    layout = build_layout(BlockKind.HOLDOUT, [0] * (c * m), cluster=cluster)

    losses = [BlockLosses(layout, values=x.ravel()) for x in draws]
    robust = np.array([ClusterRobust().estimate(x).value for x in losses])
    naive = np.array([Iid().estimate(x).value for x in losses])

    truth = (1 + (m - 1) * shared) / (c * m)  # CR2 is unbiased for equal clusters
    assert abs(robust.mean() - truth) < 4 * robust.std(ddof=1) / np.sqrt(repetitions)
    assert naive.mean() < 0.6 * truth


@pytest.mark.about("variances/cluster_robust")
@pytest.mark.outside("scipy.stats.sem of the means of clusters of equal size, run here")
def test_against_scipy_equal_clusters() -> None:
    from scipy import stats

    values = np.random.default_rng(8).random((12, 5)) + np.arange(12)[:, None] % 3
    cluster = np.repeat(np.arange(12), 5).tolist()
    losses = losses_of([values.ravel().tolist()], BlockKind.HOLDOUT, cluster=cluster)

    theirs = stats.sem(values.mean(axis=1)) ** 2
    assert_allclose(ClusterRobust().estimate(losses).value, theirs, rtol=1e-12)
