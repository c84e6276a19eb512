"""Variances that know clusters, and the caution of those that do not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from thetahat.errors import InsufficientData
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, MeanKind, Needs, Target
from thetahat.variances import VARIANCES
from thetahat.variances._clusters import cuts_clusters
from thetahat.variances.cluster_robust import ClusterRobust
from thetahat.variances.cluster_robust_corrected import ClusterRobustCorrected
from thetahat.variances.nadeau_bengio import NadeauBengio
from thetahat.variances.theta_A import ThetaA
from thetahat.variances.theta_A_clusters import ThetaAClusters
from thetahat.variances.theta_B_clusters import ThetaBClusters

ROWS = np.random.default_rng(5).random(24)
CLUSTERS = np.repeat(np.arange(8), 3)


def _codes(kind: BlockKind, name: str, *, clusters: bool) -> set[str]:
    block = np.zeros(24, dtype=int) if kind is BlockKind.HOLDOUT else np.repeat(np.arange(4), 6)
    layout = build_layout(kind, block, cluster=CLUSTERS if clusters else None)
    method = VARIANCES[name]()
    if method.inapplicable(layout) is not None:
        return set()
    return {caution.code for caution in method.estimate(BlockLosses(layout, values=ROWS)).cautions}


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT])
def test_exact_every_variance_of_single_losses_warns_of_clusters(kind: BlockKind) -> None:
    warned = {
        name
        for name in VARIANCES
        if not VARIANCES[name].info.by_request_only
        and "ignores_clusters" in _codes(kind, name, clusters=True)
    }
    expected = {
        BlockKind.RANDOM: {"theta_4", "theta_5", "bayle_all_pairs", "bayle_within"}
        | {"bayle_within_calibrated", "theta_2"},
        BlockKind.SOURCE: {"theta_A", "theta_B", "theta_omega"},
        BlockKind.HOLDOUT: {"iid"},
    }
    assert warned == expected[kind]
    assert all(VARIANCES[name].info.needs is Needs.LOSSES for name in warned)


def test_exact_without_clusters_no_caution_names_them() -> None:
    for kind in (BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT):
        for name in VARIANCES:
            if not VARIANCES[name].info.by_request_only:
                assert "ignores_clusters" not in _codes(kind, name, clusters=False)


def _warns(kind: BlockKind, name: str, layout: Layout) -> bool:
    values = np.random.default_rng(6).random(layout.n_rows)
    estimate = VARIANCES[name]().estimate(BlockLosses(layout, values=values))
    return "ignores_clusters" in {caution.code for caution in estimate.cautions}


@pytest.mark.parametrize("name", ["nadeau_bengio", "theta_3"])
def test_exact_variances_of_block_means_warn_where_folds_cut_clusters(name: str) -> None:
    fold = np.tile(np.arange(4), 6)  # each cluster of three rows lies in three folds
    cut = build_layout(BlockKind.RANDOM, fold, cluster=CLUSTERS)
    whole = build_layout(BlockKind.RANDOM, np.repeat(np.arange(4), 6), cluster=CLUSTERS)

    assert cuts_clusters(cut)
    assert not cuts_clusters(whole)
    assert _warns(BlockKind.RANDOM, name, cut)
    assert not _warns(BlockKind.RANDOM, name, whole)


def test_exact_random_draws_of_rows_cut_clusters() -> None:
    rng = np.random.default_rng(3)
    instance = np.concatenate([rng.permutation(24)[:6] for _ in range(5)])
    draws = build_layout(
        BlockKind.SUBSAMPLES,
        np.repeat(np.arange(5), 6),
        cluster=CLUSTERS[instance],
        instance=instance,
        n_train=18.0,
    )

    assert _warns(BlockKind.SUBSAMPLES, "nadeau_bengio", draws)


def test_exact_repeats_of_whole_clusters_cut_none() -> None:
    block = np.concatenate([np.repeat(np.arange(4), 6), np.repeat([1, 0, 3, 2], 6)])
    repeat = np.repeat([0, 1], 24)
    cluster = np.tile(CLUSTERS, 2)
    named = build_layout(
        BlockKind.RANDOM, block, repeat=repeat, cluster=cluster, instance=np.tile(range(24), 2)
    )

    assert not cuts_clusters(build_layout(BlockKind.RANDOM, block, repeat=repeat, cluster=cluster))
    assert not cuts_clusters(named)


SOURCE_LOSSES = [0, 1.75, 2.5, 1.5, 0.5, 1.25, 1.25, 2, 1, 2.75, 1.75, 2.5, 1.5, 0.75, 2.5, 1.25]
SOURCE_LOSSES += [3, 2, 2.75, 1.75, 3.5]
SOURCE = [0] * 6 + [1] * 9 + [2] * 6
WITHIN = [0, 0, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 5, 6, 6, 7, 7, 7, 8, 8, 8]
STATSMODELS = (
    "statsmodels 0.15.0, run once: OLS(losses of a source or of all, ones).fit(cov_type='cluster', "
    "cov_kwds={'groups': cluster}).bse[0]**2"
)


def _three_sources() -> BlockLosses:
    layout = build_layout(BlockKind.SOURCE, SOURCE, cluster=WITHIN)
    return BlockLosses(layout, values=np.array(SOURCE_LOSSES))


@pytest.mark.about("variances/theta_A_clusters", "variances/theta_B_clusters")
@pytest.mark.outside(STATSMODELS)
def test_golden_clusters_within_sources() -> None:
    of_sources = [0.046875, 0.011863029009805424, 0.08506944444444456]

    once = ThetaAClusters().estimate(_three_sources())
    twice = ThetaBClusters().estimate(_three_sources())

    assert_allclose(once.value, sum(of_sources) / 9, rtol=1e-13)
    assert_allclose(twice.value, 2 * sum(of_sources) / 9, rtol=1e-13)
    assert once.degrees_of_freedom == twice.degrees_of_freedom == 9 - 3
    assert (once.target, once.mean) == (Target.THESE_SOURCES, MeanKind.MACRO)


@pytest.mark.about("variances/cluster_robust_corrected", "variances/cluster_robust")
@pytest.mark.outside(STATSMODELS)
def test_golden_clusters_over_all() -> None:
    pooled = 0.03243006386227957
    folds = build_layout(BlockKind.RANDOM, SOURCE, cluster=WITHIN)
    losses = BlockLosses(folds, values=np.array(SOURCE_LOSSES))

    assert_allclose(ClusterRobust().estimate(losses).value, pooled, rtol=1e-13)
    corrected = ClusterRobustCorrected().estimate(losses)
    assert_allclose(corrected.value, (2 + 21 / 42) * pooled, rtol=1e-13)  # n_2 / n_1 = 21 / 42
    assert corrected.degrees_of_freedom == 8
    assert (corrected.target, corrected.mean) == (Target.THESE_SOURCES, MeanKind.POOLED)


@pytest.mark.about("variances/theta_A_clusters", "variances/theta_B_clusters")
def test_limit_clusters_of_one_give_theta_a() -> None:
    layout = build_layout(BlockKind.SOURCE, np.repeat(np.arange(4), 6), cluster=np.arange(24))
    losses = BlockLosses(layout, values=ROWS + 1e6)  # a large mean costs no digits

    assert_allclose(
        ThetaAClusters().estimate(losses).value, ThetaA().estimate(losses).value, rtol=1e-9
    )


@pytest.mark.about("variances/theta_A_clusters")
def test_naive_repeats_are_averaged() -> None:
    rng = np.random.default_rng(12)
    blocks = [rng.permutation(np.repeat(np.arange(3), 8)) for _ in range(2)]
    cluster = np.arange(24) // 2
    values = rng.gamma(2.0, size=(2, 24))
    layout = build_layout(
        BlockKind.SOURCE,
        np.concatenate(blocks),
        repeat=np.repeat([0, 1], 24),
        cluster=np.tile(cluster, 2),
    )

    expected = []
    for block, losses in zip(blocks, values, strict=True):
        total = 0.0
        for k in range(3):
            rows, inside = losses[block == k], cluster[block == k]
            groups = sorted(set(inside.tolist()))
            sums = [sum(rows[inside == c] - rows.mean()) for c in groups]
            total += len(groups) / (len(groups) - 1) * sum(s**2 for s in sums) / len(rows) ** 2
        expected.append(total / 9)

    estimate = ThetaAClusters().estimate(BlockLosses(layout, values=values.ravel()))
    assert_allclose(estimate.value, np.mean(expected), rtol=1e-12)
    assert "variance_of_one_repeat" in {caution.code for caution in estimate.cautions}


@pytest.mark.about("variances/cluster_robust_corrected")
def test_limit_single_rows_give_the_average_of_nadeau_bengio() -> None:
    """Averaged over random folds, both multiply the sample variance over n by 2 + n_2 / n_1."""
    rng = np.random.default_rng(4)
    values = rng.gamma(2.0, size=40)
    plain: list[float] = []
    corrected = math.nan
    for _ in range(4000):
        fold = rng.permutation(np.repeat(np.arange(5), 8))
        losses = BlockLosses(
            build_layout(BlockKind.RANDOM, fold, cluster=np.arange(40)), values=values
        )
        plain.append(float(NadeauBengio().estimate(losses).value))
        corrected = float(ClusterRobustCorrected().estimate(losses).value)

    error = np.std(plain, ddof=1) / np.sqrt(len(plain))
    assert abs(np.mean(plain) - corrected) < 4 * error


@pytest.mark.about("variances/theta_A_clusters")
@pytest.mark.calibration
def test_calibrated_for_clusters_within_fixed_sources() -> None:
    """Unbiased with equal clusters, where theta_A is far too small."""
    rng = np.random.default_rng(99)
    repetitions, n_sources, c, m, shared = 1500, 5, 12, 4, 0.6
    common = rng.standard_normal((repetitions, n_sources, c, 1))
    own = rng.standard_normal((repetitions, n_sources, c, m))
    draws = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    draws += 3 * np.arange(n_sources)[:, None, None]  # differences of sources do not enter
    n = c * m
    layout = build_layout(
        BlockKind.SOURCE,
        np.repeat(np.arange(n_sources), n),
        cluster=np.repeat(np.arange(n_sources * c), m),
    )
    losses = [BlockLosses(layout, values=draw.ravel()) for draw in draws]
    known = np.array([ThetaAClusters().estimate(x).value for x in losses])
    ignored = np.array([ThetaA().estimate(x).value for x in losses])

    truth = (1 + (m - 1) * shared) / n / n_sources
    assert abs(known.mean() - truth) < 4 * known.std(ddof=1) / np.sqrt(repetitions)
    assert ignored.mean() < 0.5 * truth


@pytest.mark.about("variances/cluster_robust_corrected")
@pytest.mark.calibration
def test_calibrated_interval_of_a_mean_that_is_learnt() -> None:
    """With clusters whole in folds it covers the error of learning a mean, and iid forms do not."""
    rng = np.random.default_rng(17)
    c, m, shared, folds, hits, plain_hits, repetitions = 40, 5, 0.5, 5, 0, 0, 400
    cluster = np.repeat(np.arange(c), m)
    fold = cluster % folds
    layout = build_layout(BlockKind.RANDOM, fold, cluster=cluster)
    plain_layout = build_layout(BlockKind.RANDOM, rng.permutation(fold))
    truth = 1 + (1 + (m - 1) * shared) / (c * m * (1 - 1 / folds))
    for _ in range(repetitions):
        y = np.sqrt(shared) * np.repeat(rng.standard_normal(c), m)
        y += np.sqrt(1 - shared) * rng.standard_normal(c * m)
        means = np.array([y[fold != k].mean() for k in range(folds)])
        values = (y - means[fold]) ** 2
        estimate = ClusterRobustCorrected().estimate(BlockLosses(layout, values=values))
        plain = NadeauBengio().estimate(BlockLosses(plain_layout, values=values))
        for kind, of in (("known", estimate), ("ignored", plain)):
            assert isinstance(of.value, float)
            covers = abs(of.estimate - truth) <= 2.0 * of.value**0.5
            hits += covers and kind == "known"
            plain_hits += covers and kind == "ignored"

    assert hits >= 0.94 * repetitions  # on the safe side: little varies with the training data
    assert plain_hits < hits


def test_invalid_a_source_with_one_cluster() -> None:
    layout = build_layout(BlockKind.SOURCE, SOURCE, cluster=[0] * 6 + WITHIN[6:])
    reason = ThetaAClusters().inapplicable(layout)

    assert reason is not None
    assert reason.endswith("needs at least two clusters in every source, and source 0 has one")
    assert "the cluster of every instance" in str(
        ThetaBClusters().inapplicable(build_layout(BlockKind.SOURCE, SOURCE))
    )
    assert "at least two clusters" in str(
        ClusterRobustCorrected().inapplicable(
            build_layout(BlockKind.RANDOM, SOURCE, cluster=[1] * 21)
        )
    )
    with pytest.raises(InsufficientData, match="cluster of every instance"):
        ClusterRobustCorrected().estimate(
            BlockLosses(build_layout(BlockKind.RANDOM, SOURCE), values=np.array(SOURCE_LOSSES))
        )
