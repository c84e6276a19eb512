"""Models and comparisons by groups of rows."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat as untyped
from tests.cases import each
from tests.thetahat.analyses.groups.naive_groups import compute_bell_mccaffrey, compute_cr2
from thetahat.analyses.groups.intervals import (
    MeanEstimate,
    RateEstimate,
    compute_group_tail,
    estimate_rate,
)
from thetahat.analyses.groups.moments import compute_group_moments, find_group_clusters
from thetahat.errors import InvalidParameter, UnsupportedCombination

thetahat: Any = untyped  # fields of results are read without a check for None
RTOL = 1e-9  # the digits that the vectors were printed with


def evaluate(losses: Any, groups: Any, **options: Any) -> Any:
    options.setdefault("blocks", "holdout")
    return thetahat.evaluate(losses, groups=groups, **options)


def test_degenerate_a_group_of_one_and_groups_without_spread_have_a_reason() -> None:
    alone = (
        evaluate({"m": [0.1, 0.4, 0.2, 0.9]}, {"g": ["x", "x", "x", "y"]}).models["m"].groups["g"]
    )
    rates = evaluate({"m": [0, 0, 0, 1, 0, 1]}, {"g": list("xxxyyy")}).models["m"].groups["g"]

    assert alone.items[1].interval is None
    assert alone.items[1].reason == "It has a single instance."
    assert rates.equal_means.p_value is None
    assert rates.equal_means.reason.startswith("In a group all values are equal")


# Slow and plain ----------------------------------------------------------------------------------


def draw_clusters(rng: Any, *, shared: bool) -> tuple[Any, Any, Any]:
    """Return values, groups and clusters of unequal size, which groups share or do not."""
    cluster = np.repeat(np.arange(12), rng.integers(2, 9, size=12))
    codes = rng.integers(0, 3, size=len(cluster)) if shared else cluster % 3
    values = rng.normal(size=12)[cluster] + rng.normal(size=len(cluster))
    return values, codes, cluster


@each("shared", [True, False])
def test_naive_covariance_of_clusters(*, shared: bool) -> None:
    values, codes, cluster = draw_clusters(np.random.default_rng(361), shared=shared)
    clusters = find_group_clusters(codes, cluster, 3)
    moments = compute_group_moments(values, codes, 3, clusters)
    _, _, covariance = compute_cr2(values, codes, cluster, [1, 0, 0])

    assert clusters.are_shared is shared
    assert_allclose(moments.covariance, covariance, rtol=1e-9, atol=1e-15)
    for g in range(3):
        plain = compute_bell_mccaffrey(codes, cluster, g)
        assert_allclose(moments.degrees[g], plain, rtol=1e-9)


def test_naive_gaps_of_clusters() -> None:
    values, codes, cluster = draw_clusters(np.random.default_rng(362), shared=True)
    result = evaluate({"m": values}, {"g": codes}, cluster=cluster)
    groups = result.models["m"].groups["g"]

    assert groups.simultaneous.method == "bonferroni"
    for gap, (h, g) in zip(groups.gaps.items, combinations(range(3), 2), strict=True):
        weights = np.zeros(3)
        weights[g], weights[h] = 1, -1
        estimate, variance, _ = compute_cr2(values, codes, cluster, weights)
        assert_allclose([gap.estimate, gap.standard_error], [estimate, variance**0.5], rtol=1e-9)


def test_against_scipy_gap_of_two_groups_is_welch() -> None:
    rng = np.random.default_rng(363)
    values, codes = rng.normal(size=30), np.repeat([0, 1], [11, 19])
    gap = evaluate({"m": values}, {"g": codes}).models["m"].groups["g"].gaps.items[0]
    welch = stats.ttest_ind(values[11:], values[:11], equal_var=False).confidence_interval(0.95)

    assert_allclose([gap.lower, gap.upper], welch, rtol=1e-9)


def test_exact_one_group_is_the_whole() -> None:
    rng = np.random.default_rng(364)
    a, b = (rng.random((2, 60)) < 0.3).astype(float)
    result = evaluate({"a": a, "b": b}, {"g": ["x"] * 60})
    whole = result.models["a"].recommended["these_models"]
    item = result.models["a"].groups["g"].items[0].interval
    pair = result.comparisons[0].groups["g"].items[0].interval

    assert (item.lower, item.upper) == (whole.lower, whole.upper)
    assert (pair.lower, pair.upper) == (
        result.comparisons[0].interval.lower,
        result.comparisons[0].interval.upper,
    )


def test_exact_rates_of_single_clusters_are_those_of_rows() -> None:
    values = np.array([1.0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1])
    alone = estimate_rate(values, np.arange(12), 11.0)

    assert alone is not None
    assert (alone.estimate, alone.n, alone.degrees) == (values.mean(), 12, 11.0)
    assert_allclose(alone.design_effect, 12 / 11, rtol=1e-12)  # CR2 has n - 1


def test_against_scipy_bounds_of_rates_in_clusters() -> None:
    """Korn and Graubard: n over the design effect, times the squared ratio of z to t."""
    rate = RateEstimate(0.2, 100, design_effect=2.5, degrees=14.0)
    n = 100 / 2.5 * (stats.norm.ppf(0.99) / stats.t.ppf(0.99, 14)) ** 2
    ends = stats.beta.ppf(0.01, 0.2 * n, 0.8 * n + 1), stats.beta.ppf(0.99, 0.2 * n + 1, 0.8 * n)

    assert_allclose(rate.compute_bounds(0.01), ends, rtol=1e-9)


def test_exact_a_metric_is_that_of_the_rows_alone_at_the_level_of_each() -> None:
    rng = np.random.default_rng(368)
    y, group = rng.choice(["no", "yes"], 150), np.array(["p", "q", "r"] * 50)
    predicted = np.where(rng.random(150) < 0.7, y, "no")
    options: dict[str, Any] = {"loss": "zero_one", "metrics": ["f1"], "blocks": "holdout"}
    result = thetahat.evaluate_predictions(y, {"m": predicted}, groups={"g": group}, **options)
    rows = group == "q"
    alone = thetahat.evaluate_predictions(
        y[rows], {"m": predicted[rows]}, level=0.95 ** (1 / 3), **options
    )
    metric = result.models["m"].groups["g"].items[1].metrics["f1"]
    expected = alone.models["m"].metrics["f1"].recommended["these_models"]

    assert metric.estimate == expected.estimate
    assert_allclose(
        [metric.interval.lower, metric.interval.upper], [expected.lower, expected.upper], rtol=1e-9
    )


def judge_groups(y: Any, predicted: Any, groups: Any, metrics: Any, **options: Any) -> Any:
    result = thetahat.evaluate_predictions(
        y,
        {"m": predicted},
        loss="zero_one",
        metrics=metrics,
        blocks="holdout",
        groups={"g": groups},
        **options,
    )
    return result.models["m"].groups["g"]


@each("clustered", [True, False])
def test_exact_gaps_of_recall_among_positives_are_those_of_errors(*, clustered: bool) -> None:
    """Recall is then one minus the error rate; clusters have as many rows in each group."""
    rng = np.random.default_rng(372)
    group = np.array([*["p", "q", "r"] * 36, *["z"] * 12])
    y = np.where(group == "z", "no", "yes")
    predicted = np.where(rng.random(120) < 0.7, "yes", "no")
    cluster = np.concatenate([np.arange(108) // 9, np.arange(12)])
    options: dict[str, Any] = {"cluster": cluster.tolist()} if clustered else {}
    found = judge_groups(y, predicted, group, ["recall"], **options)
    of_errors = {(gap.group["g"], gap.against["g"]): gap for gap in found.gaps.items}
    gaps = found.metric_gaps["recall"].items

    assert [(gap.group["g"], gap.against["g"]) for gap in gaps] == list(combinations("rqp", 2))[
        ::-1
    ]
    for gap in gaps:
        expected = of_errors[gap.group["g"], gap.against["g"]]
        assert_allclose(
            [gap.estimate, gap.standard_error],
            [-expected.estimate, expected.standard_error],
            rtol=1e-9,
        )
        assert gap.lower < gap.estimate < gap.upper


def test_limit_gaps_to_the_whole_of_a_metric_allow_for_the_group_in_it() -> None:
    """Among positives of equal rates the gap of recall is that of errors but for ddof 1."""
    y, group = ["yes"] * 360 + ["no"] * 36, [*["p", "q", "r"] * 120, *["p"] * 36]
    predicted = np.where(np.arange(360) // 3 % 5 == 0, "no", "yes").tolist() + ["no"] * 36
    found = judge_groups(y, predicted, group, ["recall"])
    errors = thetahat.evaluate(
        {"m": [float(value == "no") for value in predicted[:360]]},
        blocks="holdout",
        groups={"g": group[:360]},
    )
    expected = errors.models["m"].groups["g"].against_whole.items
    gaps = found.metrics_against_whole["recall"].items

    assert [gap.against for gap in gaps] == [None] * 3
    assert_allclose([gap.estimate for gap in gaps], 0, atol=1e-12)
    assert_allclose(
        [gap.standard_error for gap in gaps], [gap.standard_error for gap in expected], rtol=1e-3
    )


def test_exact_a_metric_that_a_group_has_not_leaves_it_out_of_gaps() -> None:
    rng = np.random.default_rng(373)
    group = np.array([*["p", "q"] * 30, *["z"] * 12])
    y = np.where(group == "z", "no", rng.choice(["no", "yes"], 72))
    found = judge_groups(y, rng.permuted(y), group, ["recall", "specificity"])
    gaps, to_whole = found.metric_gaps, found.metrics_against_whole

    assert [(gap.group["g"], gap.against["g"]) for gap in gaps["recall"].items] == [("q", "p")]
    assert len(gaps["specificity"].items) == 3
    lacking = "Groups without an interval of the metric have no gaps: g = z."
    assert (gaps["recall"].reason, gaps["specificity"].reason) == (lacking, None)
    assert (to_whole["recall"].items, to_whole["recall"].largest) == ((), None)
    assert to_whole["recall"].reason == (
        "There is a single group, or the metric has no interval in one of them or over all rows."
    )
    assert len(to_whole["specificity"].items) == 3


@each("metric", ["f1", "r2"])
def test_by_hand_gaps_of_a_metric_are_made_of_the_limits_of_both_groups(*, metric: str) -> None:
    rng = np.random.default_rng(374)
    group = np.repeat(["p", "q", "r"], [40, 50, 60])
    y = rng.normal(size=150) if metric == "r2" else rng.integers(0, 2, 150)
    predicted = y + rng.normal(size=150) / 2 if metric == "r2" else rng.permuted(y, axis=0)
    predicted = predicted if metric == "r2" else np.where(rng.random(150) < 0.6, y, predicted)
    options: dict[str, Any] = {
        "loss": "squared" if metric == "r2" else "zero_one",
        "metrics": [metric],
        "blocks": "holdout",
    }
    result = thetahat.evaluate_predictions(y, {"m": predicted}, groups={"g": group}, **options)
    gaps = result.models["m"].groups["g"].metric_gaps[metric]
    level = 1 - 2 * stats.norm.sf(gaps.critical_value)
    alone = {}
    for name in "pqr":
        rows = group == name
        of_rows = thetahat.evaluate_predictions(
            y[rows], {"m": predicted[rows]}, level=level, **options
        )
        alone[name] = of_rows.models["m"].metrics[metric].recommended["these_models"]

    assert len(gaps.items) == 3
    for gap in gaps.items:
        g, h = alone[gap.group["g"]], alone[gap.against["g"]]
        difference = g.estimate - h.estimate
        lower = difference - math.hypot(g.estimate - g.lower, h.upper - h.estimate)
        upper = difference + math.hypot(g.upper - g.estimate, h.estimate - h.lower)
        assert_allclose([gap.estimate, gap.lower, gap.upper], [difference, lower, upper], rtol=1e-7)
        assert gap.method == "square_and_add"


def test_by_hand_a_gap_in_shared_clusters_has_their_correlation() -> None:
    rng = np.random.default_rng(375)
    cluster, group = np.repeat(range(40), 6), np.tile(["p", "q"], 120)
    y = np.tile([1, 1, 1, 1, 0, 0], 40)
    hit = rng.normal(size=40)[cluster] + rng.normal(size=240) > -0.6
    predicted = np.where(hit, y, 1 - y)
    found = judge_groups(y, predicted, group, ["recall"], cluster=cluster.tolist())
    gaps = found.metric_gaps["recall"]
    alone, sums = {}, {}
    for name in "pq":
        rows = (group == name) & (y == 1)
        influence = np.where(rows, hit - hit[rows].mean(), 0.0)
        sums[name] = np.bincount(cluster, weights=influence)
        own = group == name
        of_rows = thetahat.evaluate_predictions(
            y[own],
            {"m": predicted[own]},
            level=1 - 2 * stats.norm.sf(gaps.critical_value),
            cluster=cluster[own],
            loss="zero_one",
            metrics=["recall"],
            blocks="holdout",
        )
        alone[name] = of_rows.models["m"].metrics["recall"].recommended["these_models"]
    norms = np.linalg.norm(sums["p"]) * np.linalg.norm(sums["q"])
    r = sums["p"] @ sums["q"] / norms
    (gap,) = gaps.items
    g, h = alone[gap.group["g"]], alone[gap.against["g"]]
    below, above = g.estimate - g.lower, h.upper - h.estimate
    reach = math.sqrt(below**2 + above**2 - 2 * r * below * above)

    assert r > 0.2
    assert_allclose(gap.lower, g.estimate - h.estimate - reach, rtol=1e-7)


def test_degenerate_gaps_of_perfect_groups_have_a_length() -> None:
    y, group = np.tile([0, 1], 60), np.repeat(["p", "q", "r"], 40)
    predicted = np.where((group == "r") & (np.arange(120) % 5 == 0), 1 - y, y)
    gaps = judge_groups(y, predicted, group, ["recall"]).metric_gaps["recall"].items

    assert_allclose([gap.estimate for gap in gaps], [0.0, -0.2, -0.2], rtol=1e-12)
    assert [gap.standard_error is None for gap in gaps] == [True, False, False]
    assert gaps[0].lower < -0.1
    assert gaps[0].upper > 0.1


def test_degenerate_groups_without_a_gap_are_named() -> None:
    rng = np.random.default_rng(36)
    group = np.repeat(["p", "q", "r", "s"], 20)
    losses = (rng.random(80) < 0.4).astype(np.float64)
    losses[group == "q"] = 0
    result = thetahat.evaluate(
        {"m": losses, "k": losses * (group != "r") * (rng.random(80) < 0.7)},
        blocks="holdout",
        groups={"g": group},
        cluster=np.arange(80) // 2,
    )

    of_model = result.models["m"].groups["g"]
    assert of_model.items[1].mean == 0
    assert "q" not in (of_model.gaps.largest.group["g"], of_model.gaps.largest.against["g"])
    assert of_model.gaps.reason == "Groups without a variance have no gaps: g = q."
    of_pair = result.comparisons[0].groups["g"].gaps
    assert of_pair.reason == "Groups without a variance have no gaps: g = q."


def test_by_hand_bonferroni_and_sidak_tails() -> None:
    assert compute_group_tail(0.95, 4, dependent=True, one_sided=True) == pytest.approx(0.0125)
    assert_allclose(
        compute_group_tail(0.95, 4, dependent=False, one_sided=False),
        (1 - 0.95**0.25) / 2,
        rtol=1e-12,
    )


def test_limit_without_skewness_is_t() -> None:
    estimates = [
        MeanEstimate(1.0, 0.5, 12.0, skewness).compute_ends(0.01) for skewness in (0, 1e-9)
    ]

    assert_allclose(estimates[0], estimates[1], rtol=1e-7)


# What is said ------------------------------------------------------------------------------------


def test_exact_a_missing_group_is_a_group() -> None:
    groups = evaluate(
        {"m": [0.1, 0.2, 0.3, 0.5, 0.4, 0.3]}, {"sex": ["f", None, "f", None, "m", "m"]}
    )
    items = groups.models["m"].groups["sex"].items

    assert [item.group for item in items] == [{"sex": "f"}, {"sex": "m"}, {"sex": None}]
    assert sum(item.n for item in items) == 6


def test_exact_intersections() -> None:
    result = evaluate(
        {"m": np.arange(8.0)},
        {"sex": ["f", "m"] * 4, "old": [True, True, False, False] * 2},
        group_by=["sex", ["sex", "old"]],
    )
    groups = result.models["m"].groups

    assert list(groups) == ["sex", "sex x old"]
    assert [item.group for item in groups["sex x old"].items] == [
        {"sex": "f", "old": "false"},
        {"sex": "f", "old": "true"},
        {"sex": "m", "old": "false"},
        {"sex": "m", "old": "true"},
    ]
    assert [item.mean for item in groups["sex x old"].items] == [4.0, 2.0, 5.0, 3.0]


def test_exact_scores_are_mirrored_losses() -> None:
    rng = np.random.default_rng(365)
    losses = {name: (rng.random(120) < p).astype(float) for name, p in (("a", 0.2), ("b", 0.4))}
    group = {"g": ["x", "y", "z"] * 40}
    low = evaluate(losses, group, margin=0.1)
    high = evaluate(
        {name: 1 - values for name, values in losses.items()}, group, margin=0.1, better="higher"
    )
    worst, mirrored = (each.models["a"].groups["g"].worst for each in (low, high))

    assert worst.group == mirrored.group
    assert_allclose(mirrored.lower_bound, 1 - worst.upper_bound, rtol=1e-12)
    for item, other in zip(
        low.comparisons[0].groups["g"].items, high.comparisons[0].groups["g"].items, strict=True
    ):
        assert item.decision == other.decision
        assert_allclose(item.worse_by_at_most, other.worse_by_at_most, rtol=1e-12)
        assert_allclose(item.worse_by_at_least, other.worse_by_at_least, rtol=1e-12)


def test_degenerate_equal_numbers_have_no_interval() -> None:
    item = evaluate({"m": [0.3] * 12 + [0.1, 0.5] * 6}, {"g": [0] * 12 + [1] * 12})
    first = item.models["m"].groups["g"].items[0]

    assert (first.interval, first.too_few) == (None, True)
    assert first.reason == "All its 12 losses are equal, so their variance is not known."


def test_degenerate_one_cluster_in_a_group() -> None:
    result = evaluate(
        {"m": np.arange(12.0) % 5}, {"g": [0] * 6 + [1] * 6}, cluster=[0] * 6 + [1, 2, 3] * 2
    )
    items = result.models["m"].groups["g"].items

    assert items[0].reason == "All its instances are of one cluster."
    assert [item.clusters for item in items] == [1, 3]
    assert items[1].interval.variance == "cluster_robust"


def test_exact_repeats_are_averaged_by_instance() -> None:
    rng = np.random.default_rng(366)
    instance = np.tile(np.arange(20), 2)
    losses = rng.normal(size=40)
    twice = thetahat.evaluate(
        {"m": losses},
        blocks="random",
        block=instance % 5,
        repeat=np.repeat([0, 1], 20),
        instance=instance,
        groups={"g": instance % 2},
    )
    once = evaluate({"m": (losses[:20] + losses[20:]) / 2}, {"g": np.arange(20) % 2})
    ends = [
        [(item.interval.lower, item.interval.upper) for item in each.models["m"].groups["g"].items]
        for each in (twice, once)
    ]

    assert_allclose(ends[0], ends[1], rtol=1e-9)


def test_exact_groups_of_rows_in_time_have_a_caution() -> None:
    losses = np.random.default_rng(369).normal(size=40)
    result = evaluate({"m": losses}, {"g": [0, 1] * 20}, time=range(40))
    codes = {caution.code for caution in result.models["m"].groups["g"].cautions}

    assert "groups_without_time" in codes


@each("size", [12, 30])
def test_exact_small_groups_of_skewed_losses_have_a_caution(*, size: int) -> None:
    losses = np.exp(np.random.default_rng(370).normal(size=5 * size))
    groups = evaluate({"m": losses}, {"g": np.repeat(range(5), size)}).models["m"].groups["g"]

    assert {item.interval.method for item in groups.items} == {"skewness_corrected"}
    assert "skewed_groups" in {caution.code for caution in groups.cautions}


@each("n_groups", [5, 6])
@each("size", [160, 200])
def test_exact_many_skewed_groups_have_a_caution_about_the_test(
    n_groups: int, *, size: int
) -> None:
    # the skewness of a rate of .1 is 2.67: of means of 160 rows .21, and of 200 rows .19
    losses = np.tile([1.0] * (size // 10) + [0.0] * (size - size // 10), n_groups)
    found = evaluate({"m": losses}, {"g": np.repeat(range(n_groups), size)}).models["m"].groups["g"]
    messages = {caution.code: caution.message for caution in found.cautions}

    assert ("many_skewed_groups" in messages) is (n_groups == 6 and size == 160)
    assert "With 6 groups" in messages.get("many_skewed_groups", "With 6 groups")


def test_calibration_many_skewed_groups_reject_too_often() -> None:
    # the caution is about this: equal groups are told apart in .17 of 1500 samples of 40 groups
    rng = np.random.default_rng(371)
    rejected = 0
    for _ in range(60):
        losses = rng.standard_normal(40 * 40) ** 2
        groups = {"g": np.repeat(range(40), 40)}
        test = evaluate({"m": losses}, groups).models["m"].groups["g"].equal_means
        rejected += test.p_value < 0.05

    assert (
        4 <= rejected <= 22
    )  # the .0005 and .9995 quantiles of 60 of .17; of .05 it is 3 or less in .65


# Gates -------------------------------------------------------------------------------------------


def judge(new: Any, old: Any, group: Any, margin: float = 0.1, **options: Any) -> Any:
    gate = thetahat.Gate(model="new", against="old", require="no_group_worse")
    result = evaluate({"new": new, "old": old}, {"g": group}, margin=margin, gate=gate, **options)
    return result.gate


def test_exact_a_gate_passes_if_every_group_does() -> None:
    old = np.tile([1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 40)
    gate = judge(old, old, ["x", "y"] * 200)

    assert (gate.outcome, gate.groups_failed, gate.groups_undecided) == ("pass", (), ())
    assert gate.sentence.startswith("It is shown that in no group new is worse")


def test_exact_a_gate_fails_in_the_group_that_is_worse() -> None:
    old = np.zeros(400)
    new = np.where(np.arange(400) % 8 == 0, 1.0, 0.0)  # half of the first of four groups
    gate = judge(new, old, np.arange(400) % 4)

    assert (gate.outcome, gate.groups_failed) == ("fail", ({"g": 0},))


def test_exact_a_small_group_leaves_a_gate_undecided() -> None:
    old = np.tile([1.0, 0, 0, 0], 101)
    gate = judge(old, old, [*["x", "y"] * 198, *["few"] * 8])

    assert (gate.outcome, gate.undecided) == ("undecided", True)
    assert gate.groups_too_small == ({"g": "few"},)


def test_exact_worse_within_the_margin_is_no_failure() -> None:
    old = np.zeros(800)
    new = np.where(np.arange(800) % 20 == 0, 1.0, 0.0)  # a tenth of the first of two groups
    gate = judge(new, old, np.arange(800) % 2)
    item = evaluate({"new": new, "old": old}, {"g": np.arange(800) % 2}).comparisons[0]
    at_least = item.groups["g"].items[0].worse_by_at_least

    assert 0 < at_least < 0.1
    assert (gate.outcome, gate.groups_failed) == ("undecided", ())


def test_exact_fewer_than_ten_rows_never_pass() -> None:
    old = np.array([0.0, 1.0] * 50 + [0.0] * 9)
    gate = judge(old, old, ["x"] * 100 + ["few"] * 9, margin=0.9)
    more = judge([*old, 0.0], [*old, 0.0], ["x"] * 100 + ["few"] * 10, margin=0.9)

    assert (gate.outcome, gate.groups_too_small) == ("undecided", ({"g": "few"},))
    assert more.outcome == "pass"


def test_degenerate_equal_differences_are_not_called_too_few() -> None:
    # the sizes of two kinds of prediction limits of constant width
    group = ["x"] * 60 + ["few"] * 8
    gate = judge(np.full(68, 2.0), np.full(68, 1.3), group, margin=0.1)

    assert (gate.outcome, gate.groups_too_small) == ("undecided", ({"g": "few"},))
    assert gate.sentence.endswith(
        "All differences are equal in g = x, so their variance is not known. There are too few "
        "instances to say in g = few."
    )


def test_invalid_gate_without_groups() -> None:
    gate = thetahat.Gate(model="a", against="b", require="no_group_worse")
    with pytest.raises(InvalidParameter, match="the request has no groups"):
        thetahat.evaluate({"a": [0, 1], "b": [1, 0]}, blocks="holdout", margin=0.1, gate=gate)


# Bad input ---------------------------------------------------------------------------------------


G2 = ("groups", "g", 2)


@pytest.mark.parametrize(
    ("groups", "options", "message", "loc"),
    [
        ({"g": [1, 2, 3]}, {}, "has 3 entries, and there are 4 rows", ("groups", "g")),
        ({}, {}, "has no column", ("groups",)),
        ({"g": [1, 1, 2, 2]}, {"group_by": ["h"]}, "names 'h'", ("group_by", 0)),
        ({"g": [1, 1, 2, 2]}, {"group_by": ["g", "g"]}, "has g twice", ("group_by", 1)),
        ({"g": [1, 1, 2, 2]}, {"group_by": []}, "is empty", ("group_by",)),
        ({"g": [1, None, "1", "1"]}, {}, "'g' has 1 as a number, and as a text in row 2", G2),
        ({"g": ["x", "2.5", 2.5, "x"]}, {}, "'g' has 2.5 as a number", ("groups", "g", 1)),
        (None, {"group_by": ["g"]}, "needs groups", ("group_by",)),
    ],
)
def test_invalid_groups(groups: Any, options: Any, message: str, loc: Any) -> None:
    with pytest.raises(InvalidParameter, match=message) as caught:
        evaluate({"m": [0.1, 0.4, 0.2, 0.3]}, groups, **options)
    assert caught.value.loc == loc


def test_exact_a_group_column_that_is_not_named_is_said() -> None:
    columns = {"g": [1, 1, 2, 2], "h": [1, 2, 1, 2]}
    losses = {"m": [0.1, 0.4, 0.2, 0.3]}

    def list_codes(**options: Any) -> list[str]:
        return [caution.code for caution in evaluate(losses, columns, **options).cautions]

    assert "group_column_not_used" in list_codes(group_by=["g"])
    assert "group_column_not_used" not in list_codes(group_by=[["g", "h"]])
    assert "group_column_not_used" not in list_codes()


def test_invalid_too_many_groups() -> None:
    with pytest.raises(InvalidParameter, match="has 201 values in 201 rows"):
        evaluate({"m": np.arange(201.0)}, {"id": range(201)})
    columns = {name: np.arange(225) // base % 15 for name, base in (("a", 1), ("b", 15))}
    with pytest.raises(InvalidParameter, match="has 225 groups"):
        evaluate({"m": np.arange(225.0)}, columns, group_by=[["a", "b"]])
    with pytest.raises(InvalidParameter, match="one to 3 columns"):
        evaluate({"m": np.arange(4.0)}, {n: [1, 1, 2, 2] for n in "abcd"}, group_by=[list("abcd")])


def test_exact_an_id_has_a_caution() -> None:
    result = evaluate({"m": np.arange(150.0)}, {"id": range(150)})

    assert "groups_look_like_ids" in {caution.code for caution in result.cautions}


@pytest.mark.parametrize("labels", [["01", 1, "x", "x"], ["X", "x", 1, 1]])
def test_exact_numbers_and_texts_that_look_alike_have_a_caution(labels: list[Any]) -> None:
    result = evaluate({"m": np.arange(4.0)}, {"g": labels})

    assert "labels_alike" in {caution.code for caution in result.cautions}
    plain = evaluate({"m": np.arange(4.0)}, {"g": [1, "x", "x", 1]})
    assert "labels_alike" not in {caution.code for caution in plain.cautions}


def test_invalid_rows_that_cannot_be_matched() -> None:
    with pytest.raises(UnsupportedCombination, match="which rows are of one"):
        thetahat.evaluate(
            {"m": np.arange(8.0)},
            block=[0, 1] * 4,
            repeat=[0, 0, 0, 0, 1, 1, 1, 1],
            groups={"g": [0, 1] * 4},
        )
    with pytest.raises(InvalidParameter, match="is in several groups"):
        thetahat.evaluate(
            {"m": np.arange(8.0)},
            block=[0, 1] * 4,
            repeat=[0, 0, 0, 0, 1, 1, 1, 1],
            instance=[0, 1, 2, 3] * 2,
            groups={"g": [0, 1, 0, 1, 1, 1, 0, 1]},
        )


def test_exact_many_rare_rates_are_covered_at_once() -> None:
    """21 groups of 20 rows, with 0 to 20 errors, have all intervals that there are of 20 rows."""
    values = np.concatenate([np.arange(20.0) < errors for errors in range(21)])
    result = evaluate({"m": values}, {"g": np.repeat(np.arange(21), 20)})
    items = result.models["m"].groups["g"].items
    low, high = np.array([[item.interval.lower, item.interval.upper] for item in items]).T

    for rate in (0.001, 0.005, 0.02, 0.05, 0.1, 0.3, 0.5):
        covers = (low <= rate) & (high >= rate)
        at_once = float(stats.binom.pmf(np.arange(21), 20, rate) @ covers) ** 21
        assert at_once >= 0.95  # Wilson's hold in .17, .86, .71, .95 of samples


def test_by_hand_gaps_of_many_rates_are_made_of_exact_ends() -> None:
    sizes, errors = [20, 200, 30, 40, 50, 60], [4, 10, 3, 0, 5, 60]
    values = np.concatenate([np.arange(n) < k for n, k in zip(sizes, errors, strict=True)]) * 1.0
    result = evaluate({"m": values}, {"g": np.repeat(np.arange(6), sizes)})
    gaps = result.models["m"].groups["g"].gaps
    tail = stats.norm.sf(gaps.critical_value)
    ends = {
        g: (
            0.0 if k == 0 else stats.beta.ppf(tail, k, n - k + 1),
            1.0 if k == n else stats.beta.ppf(1 - tail, k + 1, n - k),
        )
        for g, (n, k) in enumerate(zip(sizes, errors, strict=True))
    }

    assert len(gaps.items) == 15
    for gap in gaps.items:
        g, h = gap.group["g"], gap.against["g"]
        p_g, p_h = errors[g] / sizes[g], errors[h] / sizes[h]
        lower = p_g - p_h - math.hypot(p_g - ends[g][0], ends[h][1] - p_h)
        upper = p_g - p_h + math.hypot(ends[g][1] - p_g, p_h - ends[h][0])
        assert_allclose([gap.lower, gap.upper], [lower, upper], rtol=1e-8)


# Simulation --------------------------------------------------------------------------------------


@pytest.mark.calibration
def test_calibrated_all_rates_are_covered_at_once() -> None:
    """Five groups of 20 rows of rate .1: t intervals cover all of them in .53."""
    rng = np.random.default_rng(367)
    tail = compute_group_tail(0.95, 5, dependent=False, one_sided=False)
    low, high = np.array(
        [RateEstimate(errors / 20, 20).compute_ends(tail) for errors in range(21)]
    ).T
    errors = rng.binomial(20, 0.1, size=(20_000, 5))
    covers = float(np.mean(((low[errors] <= 0.1) & (high[errors] >= 0.1)).all(axis=1)))
    error = math.sqrt(0.95 * 0.05 / 20_000)

    assert covers > 0.95 - 4 * error  # correct code fails for 1 seed in 30 000
