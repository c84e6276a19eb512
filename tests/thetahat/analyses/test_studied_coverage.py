"""The coverage of intervals of groups, judged rows, series and runs, as results have it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.architecture.sources import ROOT
from thetahat.analyses.groups.result import GroupGaps
from thetahat.analyses.losses.pair_coverage import OTHER_ROWS
from thetahat.analyses.metrics.group_coverage import list_group_cautions
from thetahat.analyses.metrics.metric_values import has_skewed_targets
from thetahat.metrics.f1 import F1
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.kept_studies import count_units
from thetahat.values.types import Target
from thetahat_replications.edges.metrics_by_group import DESIGNS


def draw(n: int, seed: int = 1) -> list[float]:
    return [float(each) for each in np.random.default_rng(seed).standard_normal(n)]


def test_hand_series_have_the_coverage_of_their_correlation() -> None:
    """100 independent normal losses: .939 in docs/results/edges/order_of_time.md."""
    losses = {"a": draw(100), "b": draw(100, 2)}
    result = thetahat.evaluate(losses, blocks="holdout", time=list(range(100)))
    interval = result.models["a"].recommended[Target.THESE_MODELS]

    assert interval.variance == "newey_west"
    for each in (interval, result.comparisons[0].interval):
        assert each is not None
        assert each.expected_coverage is not None
        assert each.expected_coverage.coverage == 0.939
        assert each.expected_coverage.table == "/studies/time_coverage"


def test_hand_dependent_series_name_the_same_coverage_in_their_caution() -> None:
    """The autoregression of .7 with 100 times: .801, and 80 % in the caution."""
    noise, losses = draw(150, 5), [0.0]
    for each in noise:
        losses.append(0.7 * losses[-1] + math.sqrt(0.51) * each)
    result = thetahat.evaluate({"a": losses[1:]}, blocks="holdout", time=list(range(150)))
    interval = result.models["a"].recommended[Target.THESE_MODELS]
    caution = next(each for each in interval.cautions if each.code == "dependent_times")

    assert interval.expected_coverage is not None
    assert interval.expected_coverage.coverage == 0.801
    assert "80 %" in caution.message
    assert "covers_too_rarely" not in {each.code for each in interval.cautions}


def test_exact_long_or_skewed_series_are_like_none() -> None:
    long = thetahat.evaluate({"a": draw(1300)}, blocks="holdout", time=list(range(1300)))
    spikes = [0.01 * each for each in draw(100)]
    spikes[50] = 40.0
    skewed = thetahat.evaluate({"a": spikes}, blocks="holdout", time=list(range(100)))
    up_and_down = [each + 2 * (-1) ** place for place, each in enumerate(draw(100))]
    opposed = thetahat.evaluate({"a": up_and_down}, blocks="holdout", time=list(range(100)))

    def missing(result: Any) -> str:
        interval = result.models["a"].recommended[Target.THESE_MODELS]
        assert interval.expected_coverage is None
        return str(interval.expected_coverage_missing)

    assert missing(long).endswith("it has 1300 times, and the nearest study has 400.")
    assert missing(skewed) == "No studied design is like this one."
    assert "its neighbours have a correlation of -0." in missing(opposed)


def judge(n: int, others: int, rate: float | None = None, **options: Any) -> Any:
    labels = draw(n + others)
    if rate is not None:
        labels = [float(each) for each in np.arange(n + others) % round(1 / rate) == 0]
    grades = [each + 0.3 * noise for each, noise in zip(labels, draw(n + others, 3), strict=True)]
    losses = {"m": [*labels[:n], *[None] * others]}
    return (
        thetahat.evaluate(losses, blocks="holdout", judge={"losses": {"m": grades}, **options})
        .models["m"]
        .recommended[Target.THESE_MODELS]
    )


def test_hand_judged_numbers_and_rates_have_the_coverage_of_their_designs() -> None:
    """.957 of 100 labels of numbers, .946 of 100 labels of which 33 are 1."""
    numbers, rates = judge(100, 1000), judge(100, 1000, 1 / 3)

    assert numbers.variance == rates.variance == "prediction_powered"
    assert numbers.expected_coverage.coverage == 0.957
    assert rates.expected_coverage.coverage == 0.946
    assert rates.expected_coverage.table == "/studies/judge_coverage"


def test_exact_few_rows_beside_the_labels_are_like_no_design() -> None:
    few = judge(100, 50)
    fixed = judge(100, 1000, **{"lambda": 0.5})

    assert few.expected_coverage is None
    assert few.expected_coverage_missing == (
        "No studied design is like this one: it has 50 rows without a label, and the nearest "
        "study has 250."
    )
    assert fixed.expected_coverage_missing == "No studied design is like this one."


def test_exact_the_labels_alone_keep_the_coverage_of_a_test_set() -> None:
    interval = judge(18, 200)

    assert interval.variance != "prediction_powered"
    assert interval.expected_coverage.table == "/studies/recommended_coverage"


def describe_groups(losses: dict[str, list[float]], sizes: list[int], **options: Any) -> Any:
    labels = [f"g{place}" for place, size in enumerate(sizes) for _ in range(size)]
    return thetahat.evaluate(losses, blocks="holdout", groups={"g": labels}, **options)


def test_hand_all_groups_have_the_coverage_at_once_of_their_design() -> None:
    """Normal losses, the smallest group of 12 rows: .943 of means and .948 of differences.

    All gaps held in .938, those of differences in .941, and the bound of the worst group in all.
    """
    result = describe_groups({"a": draw(137), "b": draw(137, 2)}, [60, 40, 25, 12])
    groups = result.models["a"].groups["g"]
    means = groups.simultaneous
    of_pair = result.comparisons[0].groups["g"]
    differences = of_pair.simultaneous

    assert means.expected_coverage.coverage == 0.943
    assert differences.expected_coverage.coverage == 0.948
    assert means.expected_coverage.table == "/studies/groups_coverage"
    assert groups.gaps.expected_coverage.coverage == 0.938
    assert of_pair.gaps.expected_coverage.coverage == 0.941
    assert of_pair.gaps.expected_coverage.table == "/studies/groups_coverage"
    assert groups.worst.expected_coverage.coverage == 1.0
    assert groups.against_whole.expected_coverage is None


def test_hand_gaps_of_differences_of_rates_are_compared_by_rows_that_differ() -> None:
    """Five groups of 100: .946 where 90 rows differ; with ten of them none of 100 is near."""
    first = (np.arange(500) % 10 == 0) * 1.0
    second = (np.arange(500) % 10 == 5) * 1.0
    few = np.where(np.arange(500) % 50 == 0, 1 - first, first)
    alike, unlike = (
        describe_groups({"a": first, "b": b}, [100] * 5).comparisons[0].groups["g"].gaps
        for b in (second, few)
    )

    assert alike.expected_coverage.coverage == 0.946
    assert unlike.expected_coverage_missing == (
        "No studied design is like this one: it has 100 rows in the smallest group, and the "
        "nearest study has 18."
    )


def test_degenerate_differences_without_a_gap_have_no_coverage() -> None:
    same = describe_groups({"a": [0.5] * 100, "b": [0.5] * 100}, [20] * 5).comparisons[0]
    gaps = same.groups["g"].gaps

    assert gaps.largest is None
    assert (gaps.expected_coverage, gaps.expected_coverage_missing) == (None, None)


def test_exact_skewed_groups_are_compared_with_skewed_ones() -> None:
    skewed = [math.exp(each) for each in draw(100)]
    groups = describe_groups({"a": skewed}, [20] * 5).models["a"].groups["g"]

    assert "skewed_groups" in {caution.code for caution in groups.cautions}
    assert groups.simultaneous.expected_coverage.least == 0.865
    assert groups.gaps.expected_coverage.least == 0.976


@pytest.mark.parametrize(
    ("n_groups", "studied", "coverage"),
    [(5, 5, 0.941), (6, 12, 0.994), (15, 12, 0.994), (30, 30, 0.986)],
)
def test_hand_rates_of_more_than_five_groups_have_the_coverage_of_their_intervals(
    n_groups: int, studied: int, coverage: float
) -> None:
    """Wilson's up to five groups (.941), the exact ones beyond (.994 of 12 groups)."""
    errors = np.tile([1.0] * 2 + [0.0] * 18, n_groups)
    groups = describe_groups({"a": errors.tolist()}, [20] * n_groups).models["a"].groups["g"]

    expected = groups.simultaneous.expected_coverage
    assert expected is not None
    assert expected.coverage == coverage
    assert expected.design.startswith(f"{studied} groups, ")


def test_exact_other_groups_are_like_no_design() -> None:
    of_many = describe_groups({"a": draw(1600)}, [400] * 4).models["a"].groups["g"]
    many = of_many.simultaneous
    for statement in (of_many.gaps, of_many.worst):
        assert statement.expected_coverage_missing == many.expected_coverage_missing
    in_time = describe_groups({"a": draw(100)}, [20] * 5, time=list(range(100)))
    own = describe_groups(
        {"a": draw(100)}, [20] * 5, cluster=[str(place // 4) for place in range(100)]
    )

    assert many.expected_coverage_missing == (
        "No studied design is like this one: it has 400 rows in the smallest group, and the "
        "nearest study has 100."
    )
    for result in (in_time, own):
        level = result.models["a"].groups["g"].simultaneous
        assert level.expected_coverage is None
        assert level.expected_coverage_missing == "No studied design is like this one."


def measure_groups(rate: float, sizes: list[int], metrics: Any, **options: Any) -> Any:
    """Return the groups of a model whose second class has this rate in each group."""
    rng = np.random.default_rng(8)
    n = sum(sizes)
    labels = [f"g{place}" for place, size in enumerate(sizes) for _ in range(size)]
    y = (np.arange(n) % 10 < 10 * rate).astype(int)
    predicted = np.where(rng.random(n) < 0.8, y, 1 - y)
    result: Any = thetahat.evaluate_predictions(
        y.tolist(),
        {"m": predicted.tolist()},
        loss="zero_one",
        metrics=metrics,
        blocks="holdout",
        groups={"g": labels},
        **options,
    )
    return result.models["m"].groups["g"]


def read_page(design: str, metric: str) -> float:
    lines = (ROOT / "docs/results/edges/metrics_by_group.md").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith(f"| {design} | {metric} |")]
    return float(line.split("|")[3].split()[0])


def test_exact_metrics_in_all_groups_have_the_coverage_at_once_of_their_design() -> None:
    levels = measure_groups(0.4, [40] * 5, ["f1", "cohen_kappa"]).simultaneous_metrics
    rare = measure_groups(0.1, [100] * 5, ["f1"]).simultaneous_metrics

    for metric in ("f1", "cohen_kappa"):
        expected = levels[metric].expected_coverage
        assert expected.coverage == read_page("five groups of 40, rate .4", metric)
        assert expected.table == "/studies/group_metrics_coverage"
        assert (levels[metric].level, levels[metric].groups) == (0.95, 5)
    of_rare = rare["f1"].expected_coverage.coverage
    assert of_rare == read_page("five groups of 100, rate .1", "f1")


def test_exact_gaps_of_metrics_have_the_coverage_at_once_of_their_design() -> None:
    groups = measure_groups(0.1, [100] * 5, ["f1", "matthews"], include=["group_gaps"])
    lines = (ROOT / "docs/results/edges/metric_gaps.md").read_text().splitlines()

    for metric in ("f1", "matthews"):
        start = f"| five groups of 100, rate .1 | {metric} |"
        (cells,) = [line.split("|") for line in lines if line.startswith(start)]
        found = groups.metric_gaps[metric], groups.metrics_against_whole[metric]
        for cell, gaps in zip(cells[3:5], found, strict=True):
            assert gaps.expected_coverage.coverage == float(cell.split()[0])
            assert gaps.expected_coverage.table == "/studies/metric_gaps_coverage"


def test_hand_gaps_that_cover_too_rarely_are_named_in_a_caution() -> None:
    coverage = ExpectedCoverage(
        level=0.95,
        coverage=0.95,
        standard_error=0.01,
        least=0.95,
        largest=0.95,
        design="five groups",
        table="/studies/metric_gaps_coverage",
    )
    held = GroupGaps(
        level=0.95, critical_value=2.0, items=(), largest=None, expected_coverage=coverage
    )
    low = replace(held, expected_coverage=replace(coverage, coverage=0.8))
    cautions = list_group_cautions({"all gaps of {} between groups": {"f{1}": low, "f2": held}})

    (caution,) = cautions
    assert caution.message.startswith("The set of all gaps of f{1} between groups covers too rare")


def test_hand_a_metric_that_covers_too_rarely_is_named_in_a_caution() -> None:
    """R squared of skewed targets in five groups of 40: .849 in metrics_by_group.md."""
    rng = np.random.default_rng(36)
    output = rng.standard_exponential(200)
    result: Any = thetahat.evaluate_predictions(
        (output + 0.5 * rng.normal(size=200)).tolist(),
        {"m": output.tolist()},
        loss="squared",
        metrics=["r2"],
        blocks="holdout",
        groups={"g": [f"g{i // 40}" for i in range(200)]},
    )
    groups = result.models["m"].groups["g"]
    (caution,) = [each for each in groups.cautions if each.code == "covers_too_rarely"]

    assert caution.message.startswith(
        "The set of all groups' intervals of r2 covers too rarely: in 85 % of the samples and not "
        "in 95 %"
    )
    assert not [
        each
        for each in measure_groups(0.4, [40] * 5, ["balanced_accuracy", "f1"]).cautions
        if each.code == "covers_too_rarely"
    ]


def test_limit_samples_of_a_skewed_design_are_taken_as_skewed() -> None:
    """The designs of metrics_by_group.md: nearly all samples of the skewed ones are found."""
    designs = {design.name: design for design in DESIGNS}
    rng = np.random.default_rng(5)

    def find_share(name: str) -> float:
        codes = np.repeat(np.arange(len(designs[name].sizes)), designs[name].sizes)
        drawn = (designs[name].draw(rng, codes, None) for _ in range(100))
        return float(np.mean([has_skewed_targets(judged) for judged in drawn]))

    assert find_share("five groups of 40, skewed numbers") > 0.9
    assert find_share("five groups of 100, skewed numbers") > 0.95
    assert find_share("five groups of 40, numbers") < 0.05
    assert find_share("four groups of 15, numbers") < 0.05


def test_exact_metrics_of_other_data_are_like_no_design() -> None:
    metrics = {"f1": "f1", "kappa": "cohen_kappa", "macro": F1(average="macro")}
    levels = measure_groups(0.9, [100] * 5, metrics).simultaneous_metrics
    of_first = measure_groups(0.9, [100] * 5, [F1(positive=0)]).simultaneous_metrics["f1"]
    in_time = measure_groups(0.4, [40] * 5, ["f1"], time=list(range(200)))

    assert levels["f1"].expected_coverage_missing == (
        "No studied design is like this one: it has 450 rows of the positive class, and the "
        "nearest study has 80."
    )
    assert levels["kappa"].expected_coverage is not None
    assert of_first.expected_coverage is not None
    for level in (levels["macro"], in_time.simultaneous_metrics["f1"]):
        assert level.expected_coverage_missing == "No studied design is like this one."


def test_exact_runs_have_the_coverage_of_as_many_items() -> None:
    """The mean of each item is one loss: 60 items are 60 rows of the studied test set."""
    items = [place // 3 for place in range(180)]
    values = draw(180)
    result = thetahat.evaluate({"a": values}, blocks="holdout", item=items)
    means = np.asarray(values).reshape(60, 3).mean(axis=1)
    of_means = thetahat.evaluate({"a": means.tolist()}, blocks="holdout")
    ours, theirs = (
        each.models["a"].recommended[Target.THESE_MODELS] for each in (result, of_means)
    )

    assert ours.expected_coverage is not None
    assert ours.expected_coverage == theirs.expected_coverage


def test_exact_intervals_of_one_test_set_have_the_coverage_of_their_own_study() -> None:
    rng = np.random.default_rng(37)
    y = np.arange(100) % 10 == 0
    predicted = np.where(rng.random(100) < 0.8, y, ~y)
    output = rng.normal(size=40)
    of_classes: Any = thetahat.evaluate_predictions(
        y.astype(int).tolist(),
        {"m": predicted.astype(int).tolist()},
        loss="zero_one",
        metrics=["balanced_accuracy"],
        blocks="holdout",
    )
    of_numbers: Any = thetahat.evaluate_predictions(
        (output + 0.5 * rng.normal(size=40)).tolist(),
        {"m": output.tolist()},
        loss="squared",
        metrics=["r2"],
        blocks="holdout",
    )

    for result, design, metric in (
        (of_classes, "one test set of 100, rate 0.1", "balanced_accuracy"),
        (of_numbers, "one test set of 40, numbers", "r2"),
    ):
        (interval,) = result.models["m"].metrics[metric].recommended.values()
        assert interval.expected_coverage is not None
        assert interval.expected_coverage.coverage == read_page(design, metric)
        assert interval.expected_coverage.table == "/studies/group_metrics_coverage"


@pytest.mark.parametrize(("giant", "is_alike"), [(46, True), (50, False)])
def test_limit_groups_in_clusters_may_be_four_thirds_as_unequal_as_the_studied_ones(
    giant: int, *, is_alike: bool
) -> None:
    """Of 30 clusters one has 46 or 50 of 240 rows: 1.78 and 1.95 for each equal one, of 1.87."""
    rest = [1 + place % 29 for place in range(240 - giant)]
    cluster = np.random.default_rng(9).permutation([0] * giant + rest).tolist()
    result = describe_groups({"a": draw(240)}, [60] * 4, cluster=cluster)
    level = result.models["a"].groups["g"].simultaneous

    assert (level.expected_coverage is not None) is is_alike


def test_exact_one_giant_cluster_is_like_no_design() -> None:
    """Half of the rows in one of 30 clusters; those of the study of groups have 2 to 20 rows."""
    labels = ["giant"] * 120 + [f"c{place // 4}" for place in range(116)] + ["c0"] * 4
    order = np.random.default_rng(3).permutation(240)
    cluster = [labels[place] for place in order]
    result = describe_groups({"a": draw(240)}, [60] * 4, cluster=cluster)
    groups = result.models["a"].groups["g"]
    sizes = np.round(np.geomspace(2, 20, 31)).astype(int)
    shared = np.random.default_rng(4).permutation(np.repeat(np.arange(31), sizes))[:240]
    alike = describe_groups({"a": draw(240)}, [60] * 4, cluster=shared.tolist())

    missing = groups.simultaneous.expected_coverage_missing
    assert "30 clusters are of such unequal size that they weigh like 3.9 equal ones" in missing
    assert alike.models["a"].groups["g"].simultaneous.expected_coverage is not None


def compare_ratio(a: Any, b: Any, **options: Any) -> Any:
    options.setdefault("blocks", "holdout")
    result = thetahat.evaluate({"a": a, "b": b}, include=["relative"], **options)
    return result.comparisons[0].relative


def place_ones(n: int, only_a: int, only_b: int, both: int) -> tuple[Any, Any]:
    """Return n losses of two models, with so many ones of one alone and of both."""
    codes = np.repeat([1, 2, 3, 0], [only_a, only_b, both, n - only_a - only_b - both])
    return (codes % 2).astype(float).tolist(), (codes // 2).astype(float).tolist()


def test_hand_relative_differences_have_the_coverage_of_their_designs() -> None:
    """.958 of 200 rows with rates .16 and .2; of 50 rows gamma .951 and squares .956.

    200 * .16 = 32 ones of a, and 200 * (.7 * .04 + .3 * (.16 * .8 + .2 * .84)) = 23.4 that differ.
    """
    rates = compare_ratio(*place_ones(200, 8, 16, 24))
    rng = np.random.default_rng(4)
    numbers = compare_ratio(*(rng.gamma(2.0, size=50).tolist() for _ in "ab"))

    assert rates.expected_coverage.coverage == 0.958
    assert rates.expected_coverage.table == "/studies/relative_difference_coverage"
    assert numbers.expected_coverage.coverage == 0.9535
    assert (numbers.expected_coverage.least, numbers.expected_coverage.largest) == (0.951, 0.956)


def test_exact_a_set_that_is_no_interval_has_the_coverage_of_such_sets() -> None:
    """Two errors of 50: .7 of the samples had no interval, and .992 of all sets had the ratio."""
    relative = compare_ratio(*place_ones(50, 1, 1, 1))

    assert relative.shape != "interval"
    assert relative.expected_coverage.coverage == 0.992


def test_exact_relative_differences_of_other_data_are_like_no_design() -> None:
    long = compare_ratio(*np.random.default_rng(6).gamma(2.0, size=(2, 16_000)).tolist())
    alike = compare_ratio(*place_ones(5000, 5, 5, 600))
    tail = [0.01 * (each % 7) for each in range(99)] + [40.0]
    heavy = compare_ratio(tail, tail[::-1])
    without = compare_ratio([0.5] * 20, [0.5] * 20)

    assert long.expected_coverage_missing == (
        "No studied design is like this one: it has 16 000 rows, and the nearest study has 5000."
    )
    assert alike.expected_coverage_missing == (
        "No studied design is like this one: it has 10 rows on which the models differ, and the "
        "nearest study has 95."
    )
    assert heavy.expected_coverage_missing == "No studied design is like this one."
    assert (without.expected_coverage, without.expected_coverage_missing) == (None, None)
    a, b = np.random.default_rng(7).gamma(2.0, size=(2, 60)).tolist()
    rows = list(range(60))
    for options in (
        {"cluster": [place // 4 for place in rows]},
        {"time": rows},
        {"blocks": "random", "block": [place % 10 for place in rows]},
    ):
        assert compare_ratio(a, b, **options).expected_coverage_missing == OTHER_ROWS


def count_wins(a: Any, b: Any, **options: Any) -> Any:
    options.setdefault("blocks", "holdout")
    result = thetahat.evaluate({"a": a, "b": b}, include=["wins"], **options)
    return result.comparisons[0].wins


def test_hand_win_rates_have_the_coverage_of_their_designs() -> None:
    """.960 of 200 rows with 15 % wins and 5 % losses, 40 that differ and 10 losses."""
    wins = count_wins(*place_ones(200, 10, 30, 7))
    certain = count_wins(*place_ones(20, 0, 20, 0))

    assert (wins.a, wins.b) == (30, 10)
    assert wins.expected_coverage.coverage == 0.960
    assert wins.expected_coverage.table == "/studies/win_rate_coverage"
    # no loss of 20: the 5 % of 20 rows are one
    assert certain.expected_coverage.coverage == 0.932


def test_exact_ties_alone_are_compared_with_rows_that_hardly_differ() -> None:
    """Of ten rows four designs have one at most that differs: 1, .999 and twice 1."""
    expected = count_wins([0.5] * 10, [0.5] * 10).expected_coverage

    assert expected.coverage == 0.9998
    assert (expected.least, expected.largest) == (0.999, 1.0)


def test_exact_win_rates_of_other_data_are_like_no_design() -> None:
    few = count_wins(*place_ones(5000, 0, 6, 0))
    a, b = np.random.default_rng(7).gamma(2.0, size=(2, 60)).tolist()
    clusters = count_wins(a, b, cluster=[place // 4 for place in range(60)])
    in_time = count_wins(a, b, time=list(range(60)))

    assert few.expected_coverage_missing == (
        "No studied design is like this one: it has 5000 rows, and the nearest study has 1000."
    )
    assert clusters.expected_coverage_missing == OTHER_ROWS
    assert (in_time.expected_coverage, in_time.expected_coverage_missing) == (None, None)


@pytest.mark.parametrize(
    ("n", "noun", "words"),
    [
        (1, "items of the rarer outcome", "1 item of the rarer outcome"),
        (1, "labelled clusters", "1 labelled cluster"),
        (1, "items' worth of the rarer outcome", "1 item's worth of the rarer outcome"),
        (2, "rows in the smallest group", "2 rows in the smallest group"),
        (1, "Kreise", "1 Kreise"),  # a unit of the user, whose singular is not known here
    ],
)
def test_exact_one_of_a_number_is_in_the_singular(n: int, noun: str, words: str) -> None:
    assert count_units(n, noun) == words
