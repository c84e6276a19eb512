"""skewness_corrected: Hall's transformation, undone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq
from scipy.stats import norm, skew, t

import thetahat
from tests.thetahat.intervals.builders import GREATER, LESS, TWO, ends, holdout_of, sources_of
from tests.thetahat.naive.cluster_robust import fit_mean
from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.intervals.student_t import StudentT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, Target
from thetahat.variances import VARIANCES

IID = VARIANCES["iid"].info


def transform(u: float, skewness: float, n: int) -> float:
    """Hall 1992: the transformed t statistic, whose distribution is nearly normal."""
    g = skewness / math.sqrt(n)
    return u + g * u**2 / 3 + g**2 * u**3 / 27 + g / 6


@pytest.mark.about("intervals/skewness_corrected")
def test_by_hand_one_large_loss() -> None:
    """Five losses with mean 1 and standard error 1; t = 2.776445.

    Their skewness is 12 / 4^1.5 = 1.5, so g = 1.5 / 5^0.5 = 0.670820, and g t = 1.862495 is beyond
    the bound. g^2 / 6 + g t = 0.99 has the root 0.349249; g^2 / 6 = 0.020329, g t = 0.969671.
    The cube roots are those of 1.949342 and 0.01: 1.249192 and 0.215443. With 3 / g = 8.589858 the
    quantiles are 2.140527 and -6.739230.
    """
    losses = holdout_of([0.0, 0.0, 0.0, 0.0, 5.0])

    interval = SkewnessCorrected().build(
        losses, IID, VARIANCES["iid"]().estimate(losses), 0.95, TWO
    )

    assert_allclose(ends(interval), (1 - 2.140527, 1 + 6.739230), atol=2e-6)
    assert interval is not None
    assert_allclose(interval.details["skewness_used"], 0.349249, atol=1e-6)
    assert_allclose(interval.details["skewness_of_mean"], 0.670820, atol=1e-6)


def test_degenerate_few_degrees_of_freedom_give_none() -> None:
    """Reported: [-5, -3, -4, -8] had the interval -19.0 to -2.4 with the mean -5."""
    losses = holdout_of([-5.0, -3.0, -4.0, -8.0])

    estimate = VARIANCES["iid"]().estimate(losses)

    assert SkewnessCorrected().build(losses, IID, estimate, 0.95, TWO) is None
    result = thetahat.evaluate({"m": [-5.0, -3.0, -4.0, -8.0]}, blocks="holdout")
    recommended = result.models["m"].recommended[Target.THESE_MODELS]
    # t with 3 degrees of freedom: 3.182446 times the standard error 1.080123
    assert_allclose(ends(recommended), (-5 - 3.437435, -5 + 3.437435), atol=1e-6)
    (reason,) = (n.reason for n in result.not_applicable if n.name == "skewness_corrected")
    assert "fewer than 4 degrees of freedom" in reason


def test_property_no_end_is_further_than_two_and_a_half_times_that_of_t() -> None:
    rng = np.random.default_rng(20)
    for n in (5, 6, 10, 30):
        for _ in range(50):
            losses = holdout_of(rng.pareto(0.5, size=n))
            estimate = VARIANCES["iid"]().estimate(losses)
            ours = np.array(ends(SkewnessCorrected().build(losses, IID, estimate, 0.95, TWO)))
            plain = np.array(ends(StudentT().build(losses, IID, estimate, 0.95, TWO)))
            reach = (plain[1] - plain[0]) / 2
            assert np.abs(ours - estimate.estimate).max() <= 2.5 * reach


@pytest.mark.parametrize("alternative", [TWO, LESS, GREATER])
@pytest.mark.parametrize("values", ["gamma", "left", "zero_one"])
def test_naive_the_transformed_ends_are_quantiles_of_t(
    values: str, alternative: Alternative
) -> None:
    rng = np.random.default_rng(4)
    rows = {
        "gamma": rng.gamma(0.4, size=40),
        "left": -rng.gamma(0.4, size=40),
        "zero_one": (rng.random(40) < 0.1).astype(float),
    }[values]
    losses = holdout_of(rows)

    interval = SkewnessCorrected().build(
        losses, IID, VARIANCES["iid"]().estimate(losses), 0.9, alternative
    )

    assert interval is not None
    tail = 0.05 if alternative is TWO else 0.1
    error = rows.std(ddof=1) / math.sqrt(40)
    q = float(t.ppf(1 - tail, 39))
    largest = brentq(lambda g: g * q + g * g / 6 - 0.99, 0, 1) * math.sqrt(40)
    skewness = float(np.clip(skew(rows), -largest, largest))
    for end, quantile in ((interval.lower, t.ppf(1 - tail, 39)), (interval.upper, t.ppf(tail, 39))):
        if end is None:
            continue
        expected = brentq(lambda u, q=quantile: transform(u, skewness, 40) - q, -1e3, 1e3)
        assert_allclose(end, rows.mean() - expected * error, rtol=1e-10, atol=1e-12)
    assert (interval.lower is None) == (alternative is LESS)
    assert (interval.upper is None) == (alternative is GREATER)
    assert_allclose(float(str(interval.details["skewness_of_mean"])), skew(rows) / math.sqrt(40))


def test_degenerate_losses_without_skewness_give_the_t_interval() -> None:
    losses = holdout_of([1.0, 2.0, 3.0, 4.0, 5.0])
    estimate = VARIANCES["iid"]().estimate(losses)

    ours = SkewnessCorrected().build(losses, IID, estimate, 0.95, TWO)

    assert_allclose(ends(ours), ends(StudentT().build(losses, IID, estimate, 0.95, TWO)))


def test_degenerate_constant_losses_give_none() -> None:
    losses = holdout_of([2.0, 2.0, 2.0])

    estimate = VARIANCES["iid"]().estimate(losses)

    assert SkewnessCorrected().build(losses, IID, estimate, 0.95, TWO) is None


def test_property_losses_of_any_size_keep_their_digits() -> None:
    rows = np.random.default_rng(6).gamma(0.5, size=30)

    def build(values: FloatArray) -> FloatArray:
        losses = holdout_of(values)
        estimate = VARIANCES["iid"]().estimate(losses)
        return np.array(ends(SkewnessCorrected().build(losses, IID, estimate, 0.95, TWO)))

    assert_allclose(build(rows * 1e100) / 1e100, build(rows), rtol=1e-12)
    assert_allclose(build(rows + 1e6) - 1e6, build(rows), rtol=1e-8)


def test_exact_normal_quantiles_where_the_variance_has_no_degrees() -> None:
    rows = np.random.default_rng(7).gamma(0.5, size=30)
    layout = build_layout(BlockKind.RANDOM, [i % 5 for i in range(30)])
    losses = BlockLosses(layout, values=rows)
    calibrated = VARIANCES["bayle_within_calibrated"]().estimate(losses)
    method = VARIANCES["bayle_within_calibrated"].info

    interval = SkewnessCorrected().build(
        losses, method, replace(calibrated, degrees_of_freedom=None), 0.95, TWO
    )

    assert isinstance(calibrated.value, float)
    u = brentq(lambda u: transform(u, float(skew(rows)), 30) - norm.ppf(0.975), -100, 100)
    assert_allclose(ends(interval)[0], rows.mean() - u * calibrated.value**0.5, rtol=1e-10)


def test_exact_only_on_variances_that_rank_it() -> None:
    rows = np.random.default_rng(8).gamma(0.5, size=30)
    layout = build_layout(BlockKind.RANDOM, [i % 5 for i in range(30)])
    losses = BlockLosses(layout, values=rows)
    built = {
        name
        for name in ("bayle_within", "theta_3", "nadeau_bengio", "bayle_within_calibrated")
        if SkewnessCorrected().build(
            losses, VARIANCES[name].info, VARIANCES[name]().estimate(losses), 0.95, TWO
        )
    }

    assert built == {"nadeau_bengio", "bayle_within_calibrated"}


def test_invalid_sources_without_clusters_are_refused() -> None:
    reason = str(SkewnessCorrected().inapplicable(sources_of([1, 2], [3, 4]).layout))

    assert "needs the cluster of every instance" in reason


CLUSTERS = np.repeat(np.arange(14), [1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1])


def draw_clustered_losses(rng: np.random.Generator) -> FloatArray:
    """Losses with a common factor in each cluster, of mean 0.5."""
    return np.asarray(rng.gamma(0.5, size=14)[CLUSTERS] * rng.gamma(4.0, size=56) / 4)


@pytest.mark.parametrize("kind", [BlockKind.HOLDOUT, BlockKind.RANDOM, BlockKind.SOURCE])
def test_naive_the_skewness_of_clusters_is_that_of_their_sums(kind: BlockKind) -> None:
    """The sums of deviations over clusters, cluster by cluster, and scipy's skewness of them.

    The sizes are unequal, so that the end of t is taken where it is farther away: the lower one.
    """
    rows = draw_clustered_losses(np.random.default_rng(12))
    blocks = [0] * 56 if kind is BlockKind.HOLDOUT else [int(c) % 4 for c in CLUSTERS]
    order = np.argsort(blocks, kind="stable")
    layout = build_layout(kind, [blocks[i] for i in order], cluster=CLUSTERS[order].tolist())
    losses = BlockLosses(layout, values=rows[order])
    method = VARIANCES["cluster_robust"]

    interval = SkewnessCorrected().build(losses, method.info, method().estimate(losses), 0.9, TWO)

    members = [np.flatnonzero(c == CLUSTERS) for c in range(14)]
    sums = np.array([(rows[rows_of_cluster] - rows.mean()).sum() for rows_of_cluster in members])
    variance, degrees = fit_mean(rows, CLUSTERS)
    error = math.sqrt(variance)
    low, high = (
        brentq(lambda u, q=q: transform(u, float(skew(sums)), 14) - q, -1e3, 1e3)
        for q in (t.ppf(0.95, degrees), t.ppf(0.05, degrees))
    )
    lower = rows.mean() - float(t.ppf(0.95, degrees)) * error
    assert lower < rows.mean() - low * error
    assert_allclose(ends(interval), (lower, rows.mean() - high * error))


@pytest.mark.parametrize(
    ("sizes", "takes_t"),
    [
        ([4] * 12, False),
        ([3] * 7 + [5] * 7, False),  # 14 (9 + 25) 7 / 56^2 = 1.06
        ([2] * 8 + [4] * 8, True),  # 1.11
        ([3] * 12 + [18], True),
    ],
)
def test_hand_in_unequal_clusters_no_end_is_nearer_than_that_of_t(
    sizes: list[int], *, takes_t: bool
) -> None:
    """The limit of the imbalance is 1.1: of equal clusters the lower end is nearer than t's."""
    rng = np.random.default_rng(21)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    rows = rng.gamma(0.4, size=len(sizes))[cluster] + 0.1 * rng.random(len(cluster))
    losses = holdout_of(rows, cluster=cluster.tolist())
    method = VARIANCES["cluster_robust"]
    estimate = method().estimate(losses)
    for level in (0.9, 0.95):
        ours = ends(SkewnessCorrected().build(losses, method.info, estimate, level, TWO))
        plain = ends(StudentT().build(losses, method.info, estimate, level, TWO))
        assert ours[1] > plain[1]
        assert (ours[0] == pytest.approx(plain[0], rel=1e-12)) is takes_t
    low = SkewnessCorrected().build(losses, method.info, estimate, 0.95, GREATER)
    t_low = StudentT().build(losses, method.info, estimate, 0.95, GREATER)
    assert low is not None
    assert t_low is not None
    assert (low.lower == pytest.approx(t_low.lower, rel=1e-12)) is takes_t


def test_exact_clusters_of_one_instance_give_the_interval_without_clusters() -> None:
    rows = np.random.default_rng(13).gamma(0.5, size=30)
    alone = holdout_of(rows, cluster=list(range(30)))
    robust = VARIANCES["cluster_robust"]
    plain = holdout_of(rows)

    ours = SkewnessCorrected().build(alone, robust.info, robust().estimate(alone), 0.95, TWO)
    same = SkewnessCorrected().build(plain, IID, VARIANCES["iid"]().estimate(plain), 0.95, TWO)

    assert_allclose(ends(ours), ends(same), rtol=1e-12)


def test_exact_clustered_losses_need_a_variance_that_knows_clusters() -> None:
    losses = holdout_of(draw_clustered_losses(np.random.default_rng(14)), cluster=list(CLUSTERS))

    assert (
        SkewnessCorrected().build(losses, IID, VARIANCES["iid"]().estimate(losses), 0.95, TWO)
        is None
    )


@pytest.mark.calibration
def test_calibrated_few_skewed_clusters() -> None:
    """14 clusters of unequal size: 0.90 of the intervals cover, and 0.85 of the t intervals."""
    rng = np.random.default_rng(15)
    method = VARIANCES["cluster_robust"]
    covered: dict[str, list[bool]] = {"skewed": [], "t": []}
    for _ in range(1500):
        losses = holdout_of(draw_clustered_losses(rng), cluster=list(CLUSTERS))
        estimate = method().estimate(losses)
        for name, interval in (("skewed", SkewnessCorrected()), ("t", StudentT())):
            lower, upper = ends(interval.build(losses, method.info, estimate, 0.95, TWO))
            covered[name].append(lower <= 0.5 <= upper)

    shares = {name: float(np.mean(each)) for name, each in covered.items()}
    assert 0.88 < shares["skewed"] < 0.93
    assert 0.82 < shares["t"] < shares["skewed"] - 0.03


def test_exact_it_is_recommended_for_models_and_not_for_differences() -> None:
    rng = np.random.default_rng(9)
    losses = {"a": rng.gamma(0.5, size=60), "b": rng.gamma(0.5, size=60)}
    result = thetahat.evaluate(losses, block=[i % 10 for i in range(60)])

    recommended = result.models["a"].recommended
    assert {target: (i.method, i.variance) for target, i in (recommended or {}).items()} == {
        Target.THESE_SOURCES: ("skewness_corrected", "instances_with_allowance"),
        Target.THESE_MODELS: ("skewness_corrected", "bayle_within_calibrated"),
    }
    comparison = result.comparisons[0]
    assert "skewness_corrected" not in str(comparison)


@pytest.mark.calibration
@pytest.mark.parametrize(("degrees", "least", "most"), [(8.0, 0.925, 0.965), (3.0, 0.82, 0.89)])
def test_calibrated_squares_of_t_errors(degrees: float, least: float, most: float) -> None:
    """It covers more often than the t interval, by 2 to 16 points in a hundred."""
    rng = np.random.default_rng(10)
    mean, n = degrees / (degrees - 2), 60
    ours: list[bool] = []
    theirs: list[bool] = []
    for _ in range(1500):
        losses = holdout_of(rng.standard_t(degrees, size=n) ** 2)
        estimate = VARIANCES["iid"]().estimate(losses)
        for method, covers in ((SkewnessCorrected(), ours), (StudentT(), theirs)):
            lower, upper = ends(method.build(losses, IID, estimate, 0.95, TWO))
            covers.append(lower <= mean <= upper)

    assert least < np.mean(ours) < most
    assert np.mean(ours) > np.mean(theirs) + 0.02
