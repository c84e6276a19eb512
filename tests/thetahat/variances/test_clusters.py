"""Variances that know clusters, and the caution of those that do not."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import stdtrit

from tests.cases import each
from tests.thetahat.analyses.metrics.readings import known
from tests.thetahat.naive.cluster_robust import fit, fit_mean
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
        | {"bayle_within_calibrated", "instances_with_allowance", "theta_2"},
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
    "statsmodels 0.15.0, run once: OLS(r * cluster means, r).fit(cov_type='HC2').bse[0]**2, with "
    "r the roots of the cluster sizes, so that leverages are the clusters' shares; by source or of "
    "all"
)


def _three_sources() -> BlockLosses:
    layout = build_layout(BlockKind.SOURCE, SOURCE, cluster=WITHIN)
    return BlockLosses(layout, values=np.array(SOURCE_LOSSES))


def _combine_by_matrices(losses: BlockLosses) -> float:
    """Welch-Satterthwaite degrees over sources, each fitted by full matrices."""
    source, cluster = losses.layout.get_split_of_row(), losses.layout.cluster
    assert cluster is not None
    fits = [fit_mean(losses.rows[source == k], cluster[source == k]) for k in set(source.tolist())]
    return float(sum(v for v, _ in fits) ** 2 / sum(v**2 / d for v, d in fits))


@pytest.mark.about("variances/theta_A_clusters", "variances/theta_B_clusters")
@pytest.mark.outside(STATSMODELS)
def test_golden_clusters_within_sources() -> None:
    of_sources = [0.05468750000000005, 0.011846891534391538, 0.0850694444444443]

    once = ThetaAClusters().estimate(_three_sources())
    twice = ThetaBClusters().estimate(_three_sources())

    assert_allclose(once.value, sum(of_sources) / 9, rtol=1e-13)
    assert_allclose(twice.value, 2 * sum(of_sources) / 9, rtol=1e-13)
    assert_allclose(
        known(once.degrees_of_freedom), _combine_by_matrices(_three_sources()), rtol=1e-12
    )
    assert once.degrees_of_freedom == twice.degrees_of_freedom
    assert (once.target, once.mean) == (Target.THESE_SOURCES, MeanKind.MACRO)


@pytest.mark.about("variances/cluster_robust_corrected", "variances/cluster_robust")
@pytest.mark.outside(STATSMODELS)
def test_golden_clusters_over_all() -> None:
    pooled = 0.032973920562377
    folds = build_layout(BlockKind.RANDOM, SOURCE, cluster=WITHIN)
    losses = BlockLosses(folds, values=np.array(SOURCE_LOSSES))

    assert_allclose(ClusterRobust().estimate(losses).value, pooled, rtol=1e-13)
    corrected = ClusterRobustCorrected().estimate(losses)
    assert_allclose(corrected.value, (2 + 21 / 42) * pooled, rtol=1e-13)  # n_2 / n_1 = 21 / 42
    _, degrees = fit_mean(losses.rows, np.array(WITHIN))
    assert_allclose(known(corrected.degrees_of_freedom), degrees, rtol=1e-12)
    assert corrected.degrees_of_freedom == ClusterRobust().estimate(losses).degrees_of_freedom
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
            for c in groups:
                share = np.mean(inside == c)
                total += sum(rows[inside == c] - rows.mean()) ** 2 / (1 - share) / len(rows) ** 2
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
    with pytest.raises(InsufficientData, match="cluster of every instance"):
        ClusterRobustCorrected().estimate(
            BlockLosses(build_layout(BlockKind.RANDOM, SOURCE), values=np.array(SOURCE_LOSSES))
        )


CLUB_SANDWICH = (
    "R package clubSandwich 0.7.0, coef_test(lm(y ~ x), vcov = 'CR2', test = 'Satterthwaite'), as "
    "kept in benchmarks/data/clubsandwich_cr2_golden.json of github.com/igerber/diff-diff"
)


@pytest.mark.about("variances/cluster_robust", "variances/cluster_robust_corrected")
@pytest.mark.outside(CLUB_SANDWICH)
def test_golden_the_full_matrices_are_those_of_club_sandwich() -> None:
    """The matrices that the closed forms are compared with, on ten clusters of 1 to 9 rows."""
    kept = json.loads((Path(__file__).parent / "club_sandwich_cr2.json").read_text())
    x, y = np.array(kept["x"]), np.array(kept["y"])
    cluster = np.repeat(np.arange(10), kept["cluster_sizes"])

    fitted = fit(y, np.column_stack([np.ones_like(x), x]), cluster)

    assert_allclose(fitted.coefficients, kept["coef"], rtol=1e-12)
    assert_allclose(fitted.covariances.ravel(), kept["vcov_cr2"], rtol=1e-11)
    assert_allclose(fitted.degrees, kept["dof_bm"], rtol=1e-11)


SIZES = {"one large": [1, 2, 3, 40], "even": [4, 5, 6, 5, 4], "single rows": [1, 1, 1, 9, 1]}


@pytest.mark.about("variances/cluster_robust")
@each("sizes", SIZES.values())
@each("far", [0.0, 1e8])
def test_naive_the_closed_form_is_that_of_full_matrices(sizes: list[int], far: float) -> None:
    rng = np.random.default_rng(31)
    cluster = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    values = rng.gamma(2.0, size=len(cluster)) + rng.normal(size=len(sizes))[cluster]
    layout = build_layout(BlockKind.HOLDOUT, np.zeros_like(cluster), cluster=cluster)

    estimate = ClusterRobust().estimate(BlockLosses(layout, values=values + far))

    value, degrees = fit_mean(values, cluster)
    # the values themselves have lost eight digits where the mean is 1e8 times their spread
    assert_allclose(estimate.value, value, rtol=1e-6 if far else 1e-12)
    assert_allclose(known(estimate.degrees_of_freedom), degrees, rtol=1e-11)


@pytest.mark.about("variances/theta_A_clusters")
def test_naive_clusters_of_unequal_sources() -> None:
    rng = np.random.default_rng(32)
    sizes = [[2, 7, 1], [30, 4, 4, 1], [3, 3]]
    source = np.repeat(np.arange(3), [sum(of_source) for of_source in sizes])
    cluster = np.repeat(np.arange(9), [size for of_source in sizes for size in of_source])
    values = rng.gamma(2.0, size=len(source)) * (1 + source)
    losses = BlockLosses(build_layout(BlockKind.SOURCE, source, cluster=cluster), values=values)

    estimate = ThetaAClusters().estimate(losses)

    variances = [fit_mean(values[source == k], cluster[source == k])[0] for k in range(3)]
    assert_allclose(estimate.value, sum(variances) / 9, rtol=1e-12)
    assert_allclose(known(estimate.degrees_of_freedom), _combine_by_matrices(losses), rtol=1e-11)


@pytest.mark.about("variances/cluster_robust")
@each("c", [2, 7, 49])
def test_exact_equal_clusters_keep_every_digit_of_cr1(c: int) -> None:
    rng = np.random.default_rng(c)
    cluster = np.repeat(np.arange(c), 3)
    values = rng.gamma(2.0, size=3 * c)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(3 * c, dtype=np.intp), cluster=cluster)

    estimate = ClusterRobust().estimate(BlockLosses(layout, values=values))

    shifted = values - values[0]
    sums = np.bincount(cluster, weights=shifted - shifted.mean())
    assert estimate.value == c / (c - 1) * float(np.sum((sums / (3 * c)) ** 2))
    assert estimate.degrees_of_freedom == c - 1


def test_exact_few_clusters_says_how_many_equal_ones_they_are_like() -> None:
    sizes = [200, *[2] * 24]
    cluster = np.repeat(np.arange(25), sizes)
    values = np.random.default_rng(5).random(len(cluster))
    layout = build_layout(BlockKind.HOLDOUT, np.zeros_like(cluster), cluster=cluster)

    estimate = ClusterRobust().estimate(BlockLosses(layout, values=values))

    few = next(caution for caution in estimate.cautions if caution.code == "few_clusters")
    n_equal = round(known(estimate.degrees_of_freedom) + 1, 1)
    assert n_equal < 3
    assert few.message.startswith(
        f"The variance rests on 25 clusters, which count like {n_equal} equal ones. With fewer"
    )


@pytest.mark.about("variances/theta_A", "variances/theta_B")
@pytest.mark.outside("scipy.stats.ttest_ind(equal_var=False), run here")
def test_against_scipy_two_sources_have_the_degrees_of_welch() -> None:
    from scipy import stats

    rng = np.random.default_rng(7)
    first, second = rng.gamma(2.0, size=3), 5 * rng.gamma(2.0, size=40)
    layout = build_layout(BlockKind.SOURCE, np.repeat([0, 1], [3, 40]))

    estimates = [
        VARIANCES[name]().estimate(BlockLosses(layout, values=np.concatenate([first, second])))
        for name in ("theta_A", "theta_B")
    ]

    theirs = stats.ttest_ind(first, second, equal_var=False).df
    assert_allclose(
        [known(estimate.degrees_of_freedom) for estimate in estimates], theirs, rtol=1e-13
    )


@pytest.mark.about("variances/theta_A")
def test_exact_the_repeat_with_the_fewest_degrees_counts() -> None:
    rng = np.random.default_rng(8)
    values = rng.gamma(2.0, size=(2, 30))
    source = np.repeat([0, 1], [6, 24])
    layout = build_layout(BlockKind.SOURCE, np.tile(source, 2), repeat=np.repeat([0, 1], 30))
    once = build_layout(BlockKind.SOURCE, source)

    both = ThetaA().estimate(BlockLosses(layout, values=values.ravel()))

    alone = [
        known(ThetaA().estimate(BlockLosses(once, values=v)).degrees_of_freedom) for v in values
    ]
    assert_allclose(known(both.degrees_of_freedom), min(alone), rtol=1e-14)


def _source_cautions(sizes: list[int], spreads: list[float]) -> dict[str, str]:
    rng = np.random.default_rng(9)
    source = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.normal(size=len(source)) * np.array(spreads)[source]
    labels = [f"task {k}" for k in source.tolist()]
    layout = build_layout(BlockKind.SOURCE, labels)
    estimate = ThetaA().estimate(BlockLosses(layout, values=values))
    return {caution.code: caution.message for caution in estimate.cautions}


@pytest.mark.about("variances/theta_A")
def test_exact_cautions_name_the_source_that_carries_the_variance() -> None:
    few = _source_cautions([4, 500], [1.0, 1.0])
    many = _source_cautions([60, 500], [5.0, 1.0])
    shared = _source_cautions([6, 6, 500], [1.0, 1.0, 1.0])

    assert few["one_source_dominates"].startswith("The source 'task 0' has 9")
    assert "from 4 instances" in few["one_source_dominates"]
    assert "one_source_dominates" not in {**many, **shared}


@pytest.mark.about("variances/theta_A")
def test_exact_cautions_name_a_source_without_spread() -> None:
    some = _source_cautions([5, 3, 20, 500], [0.0, 0.0, 1.0, 1.0])

    # with V = 1 they would have 1/5 + 1/3 beside 1/20 + 1/500
    assert some["sources_without_spread"].startswith(
        "In 2 of 4 sources the losses do not vary, as in 'task 1' with 3 instances, so their means "
        "count as exact. With the spread of the others they would have 8"
    )
    assert "sources_without_spread" not in _source_cautions([500, 20, 20], [0.0, 1.0, 1.0])
    assert "sources_without_spread" not in _source_cautions([10] * 4, [0.0, 1.0, 1.0, 1.0])
    assert "sources_without_spread" not in _source_cautions([5, 5], [0.0, 0.0])


@pytest.mark.about("variances/theta_A", "variances/theta_B")
@pytest.mark.calibration
def test_calibrated_two_sources_of_3_and_500() -> None:
    """N - K degrees covered in .82; the degrees of Welch and Satterthwaite cover in .94."""
    rng = np.random.default_rng(3)
    repetitions = 1200
    layout = build_layout(BlockKind.SOURCE, np.repeat([0, 1], [3, 500]))
    covers = {"new": 0, "old": 0}
    for values in rng.normal(size=(repetitions, 503)):
        estimate = ThetaA().estimate(BlockLosses(layout, values=values))
        reach = known(estimate.standard_error)
        for rule, degrees in (("new", known(estimate.degrees_of_freedom)), ("old", 501.0)):
            covers[rule] += abs(estimate.estimate) <= reach * float(stdtrit(degrees, 0.975))

    error = (0.05 * 0.95 / repetitions) ** 0.5
    assert abs(covers["new"] / repetitions - 0.945) < 4 * error  # fails once in 16 000
    assert covers["old"] / repetitions < 0.86


@pytest.mark.about("variances/cluster_robust")
@pytest.mark.calibration
def test_calibrated_ten_clusters_of_2_to_50() -> None:
    """C - 1 degrees on CR1 covered in .90; CR2 with its own degrees covers in .94."""
    rng = np.random.default_rng(4)
    repetitions, shared = 1200, 0.3
    sizes = np.round(np.geomspace(2, 50, 10)).astype(int)
    cluster = np.repeat(np.arange(10), sizes)
    layout = build_layout(BlockKind.HOLDOUT, np.zeros_like(cluster), cluster=cluster)
    new = old = 0
    for _ in range(repetitions):
        values = np.sqrt(shared) * rng.normal(size=10)[cluster]
        values += np.sqrt(1 - shared) * rng.normal(size=len(cluster))
        estimate = ClusterRobust().estimate(BlockLosses(layout, values=values))
        reach = known(estimate.standard_error) * float(
            stdtrit(known(estimate.degrees_of_freedom), 0.975)
        )
        sums = np.bincount(cluster, weights=values - values.mean()) / len(cluster)
        old += abs(values.mean()) <= float(stdtrit(9, 0.975)) * np.sqrt(10 / 9 * (sums**2).sum())
        new += abs(values.mean()) <= reach

    error = (0.05 * 0.95 / repetitions) ** 0.5
    assert abs(new / repetitions - 0.945) < 4 * error  # fails once in 16 000
    assert old / repetitions < 0.92
