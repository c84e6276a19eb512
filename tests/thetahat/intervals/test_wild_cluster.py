"""wild_cluster: the test with weights on whole clusters, undone."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat
from tests.cases import each
from tests.thetahat.intervals.builders import GREATER, LESS, TWO, ends
from thetahat.errors import InsufficientData
from thetahat.intervals.base import Interval
from thetahat.intervals.student_t import StudentT
from thetahat.intervals.wild_cluster import WildCluster
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray
from thetahat.variances import VARIANCES

ROBUST = VARIANCES["cluster_robust"]


def draw(sizes: list[int], seed: int = 1) -> tuple[FloatArray, IntArray]:
    rng = np.random.default_rng(seed)
    cluster = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.gamma(2.0, size=len(cluster)) + rng.normal(size=len(sizes))[cluster], cluster


def build(
    values: FloatArray, cluster: IntArray, level: float = 0.95, alternative: Alternative = TWO
) -> Interval:
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(values), dtype=np.intp), cluster=cluster)
    losses = BlockLosses(layout, values=values)
    variance = ROBUST().estimate(losses)
    interval = WildCluster().build(losses, ROBUST.info, variance, level, alternative)
    assert interval is not None
    return interval


def compute_t(values: FloatArray, cluster: IntArray, mean: float) -> float:
    """The mean less a value over its CR2 standard error, cluster by cluster."""
    n, variance = len(values), 0.0
    for c in set(cluster.tolist()):
        inside = values[cluster == c]
        total = float((inside - values.mean()).sum())
        variance += total**2 / (1 - len(inside) / n) / n**2
    return (float(values.mean()) - mean) / math.sqrt(variance)


def compute_p(
    values: FloatArray, cluster: IntArray, mean: float, points: tuple[float, ...]
) -> float:
    """The share of all patterns of weights with a t at least as large, one pattern at a time."""
    observed = abs(compute_t(values, cluster, mean))
    patterns = list(itertools.product(points, repeat=int(cluster.max()) + 1))
    extreme = 0
    for pattern in patterns:
        weighted = mean + np.array(pattern)[cluster] * (values - mean)
        extreme += abs(compute_t(weighted, cluster, mean)) >= observed * (1 - 1e-9)
    return extreme / len(patterns)


@each("sizes,points", [([2, 9, 4, 4, 20, 7], (1.0, -1.0)), ([3, 9, 4], None)])
def test_naive_the_test_rejects_just_beyond_the_ends(
    sizes: list[int], points: tuple[float, ...] | None
) -> None:
    values, cluster = draw(sizes)
    webb = tuple(sign * math.sqrt(k / 2) for k in (1, 2, 3) for sign in (1, -1))

    interval = build(values, cluster)

    for end, outwards in ((interval.lower, -1), (interval.upper, 1)):
        assert end is not None
        inside, outside = (end + sign * outwards * 1e-6 for sign in (-1, 1))
        assert compute_p(values, cluster, inside, points or webb) > 0.05
        assert compute_p(values, cluster, outside, points or webb) <= 0.05


@pytest.mark.about("intervals/wild_cluster")
@pytest.mark.outside("scipy.stats.permutation_test of the sums of the clusters, run here")
def test_against_scipy_the_p_value_at_the_ends() -> None:
    sizes = [2, 9, 4, 4, 20, 7, 3]
    values, cluster = draw(sizes, seed=3)
    share = np.array(sizes) / sum(sizes)

    def compute_statistic(sums: FloatArray, axis: int) -> FloatArray:
        total = sums.sum(axis=axis, keepdims=True)
        squares = (sums - share * total) ** 2 / (1 - share)
        return np.asarray(total.squeeze(axis) / np.sqrt(squares.sum(axis=axis)))

    interval = build(values, cluster)

    for end, outwards in ((interval.lower, -1), (interval.upper, 1)):
        assert end is not None
        p_values = []
        for sign in (-1, 1):
            mean = end + sign * outwards * 1e-6
            sums = np.bincount(cluster, weights=values - mean)
            p_values.append(
                stats.permutation_test(
                    (sums,), compute_statistic, permutation_type="samples", n_resamples=10**6
                ).pvalue
            )
        assert p_values[0] > 0.05 >= p_values[1]


def test_exact_one_sided_bounds_are_ends_of_twice_the_tail() -> None:
    values, cluster = draw([2, 9, 4, 4, 20, 7])
    both = build(values, cluster, level=0.9)

    below, above = (build(values, cluster, alternative=side) for side in (LESS, GREATER))

    assert (below.lower, below.upper) == (None, both.upper)
    assert (above.lower, above.upper) == (both.lower, None)


def test_exact_shift_and_scale_move_the_ends() -> None:
    values, cluster = draw([2, 9, 4, 4, 20, 7])
    lower, upper = ends(build(values, cluster))

    moved = build(1e6 - 4 * values, cluster)

    expected = (1e6 - 4 * upper, 1e6 - 4 * lower)
    assert_allclose(ends(moved), expected, rtol=1e-9)


def test_exact_the_interval_has_the_standard_error_of_its_variance() -> None:
    values, cluster = draw([2, 9, 4, 4, 20, 7])
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(values), dtype=np.intp), cluster=cluster)
    losses = BlockLosses(layout, values=values)
    variance = ROBUST().estimate(losses)
    of_t = StudentT().build(losses, ROBUST.info, variance, 0.95, TWO)

    interval = build(values, cluster)

    assert of_t is not None
    assert interval.standard_error == of_t.standard_error
    assert interval.degrees_of_freedom == of_t.degrees_of_freedom
    assert interval.details["n_patterns"] == 2**6


def test_invalid_levels_that_no_pattern_reaches() -> None:
    values, cluster = draw([2, 9, 4, 4, 20, 7, 3])

    with pytest.raises(
        InsufficientData, match=r"patterns of 7 clusters are too few .* level 0\.99"
    ):
        build(values, cluster, level=0.99)


def test_invalid_layouts() -> None:
    def explain(sizes: list[int], *, named: bool = True) -> str | None:
        values, cluster = draw(sizes)
        block = np.zeros(len(values), dtype=np.intp)
        layout = build_layout(BlockKind.HOLDOUT, block, cluster=cluster if named else None)
        return WildCluster().inapplicable(layout)

    assert explain([5] * 13) == "wild_cluster is for 3 to 12 clusters, and there are 13"
    assert explain([5] * 2) == "wild_cluster is for 3 to 12 clusters, and there are 2"
    assert "needs the cluster of every instance" in str(explain([5] * 4, named=False))
    assert explain([5] * 12) is None


def test_degenerate_no_spread_and_other_variances_give_none() -> None:
    values, cluster = draw([4, 4, 4])
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(12, dtype=np.intp), cluster=cluster)
    constant = BlockLosses(layout, values=np.ones(12))
    losses = BlockLosses(layout, values=values)
    iid = VARIANCES["iid"]

    of_constant = ROBUST().estimate(constant)
    assert WildCluster().build(constant, ROBUST.info, of_constant, 0.95, TWO) is None
    assert WildCluster().build(losses, iid.info, iid().estimate(losses), 0.95, TWO) is None


def test_exact_a_request_that_names_it_gets_it_for_models_and_differences() -> None:
    values, cluster = draw([2, 9, 4, 4, 20, 7])
    losses = {"a": values, "b": values**2}

    result = thetahat.evaluate(
        losses,
        blocks="holdout",
        block=[0] * len(values),
        cluster=cluster.tolist(),
        variances=["cluster_robust"],
        intervals=["wild_cluster", "student_t"],
    )

    for intervals in (result.models["a"].intervals, result.comparisons[0].intervals):
        assert intervals is not None
        assert [interval.method for interval in intervals] == ["wild_cluster", "student_t"]


@pytest.mark.calibration
def test_calibrated_six_unequal_clusters() -> None:
    """Covers about at its level where C - 1 degrees on CR1 cover in .87."""
    rng = np.random.default_rng(12)
    repetitions, shared, covered = 600, 0.3, 0
    sizes = np.round(np.geomspace(2, 50, 6)).astype(int)
    cluster = np.repeat(np.arange(6), sizes)
    for _ in range(repetitions):
        values = math.sqrt(shared) * rng.normal(size=6)[cluster]
        values += math.sqrt(1 - shared) * rng.normal(size=len(cluster))
        interval = build(values, cluster)
        assert interval.lower is not None
        assert interval.upper is not None
        covered += interval.lower <= 0 <= interval.upper

    # between the level and .98, each with four standard errors: fails once in 16 000
    assert 0.95 - 4 * 0.0089 < covered / repetitions < 0.98 + 4 * 0.0057
