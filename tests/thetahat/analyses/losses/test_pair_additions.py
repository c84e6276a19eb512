"""Relative differences, win rates and numbers needed of comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import thetahat as untyped
from tests.thetahat.paired_tests.pairs import holdout_pair
from tests.vectors.reading import VECTORS
from thetahat.analyses.losses.numbers_needed import compute_number_needed
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.win_rates import compute_win_rate
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.block_losses import BlockLosses

thetahat: Any = untyped  # fields of results are read without a check for None
RNG = np.random.default_rng(36)
N = 60
A = RNG.gamma(2.0, size=N)
B = A + RNG.gamma(0.5, size=N)
ASKED: dict[str, Any] = {"include": ["relative", "wins", "number_needed"]}


def compare(a: Any, b: Any, **options: Any) -> Any:
    options.setdefault("blocks", "holdout")
    return thetahat.evaluate({"a": a, "b": b}, **ASKED, **options).comparisons[0]


@pytest.mark.parametrize(
    "name",
    ["relative_baseline_near_zero", "relative_baseline_may_be_zero", "win_rate_with_ties"],
)
def test_exact_losses_below_0_have_no_ratio(name: str) -> None:
    losses = VECTORS[name]["inputs"]["loss"]
    relative = compare(*(np.array(losses[m], dtype=float) for m in "ab")).relative

    assert (relative.ratio, relative.change, relative.shape) == (None, None, None)
    assert relative.sentence.startswith("Some losses are below 0")


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({}, id="holdout"),
        pytest.param({"cluster": np.arange(N) // 4}, id="clusters"),
        pytest.param({"cluster": np.sort(RNG.integers(0, 9, N))}, id="unequal clusters"),
        pytest.param({"blocks": "random", "block": np.arange(N) % 10}, id="folds"),
        pytest.param({"blocks": "source", "block": np.arange(N) % 6}, id="sources"),
        pytest.param(
            {"blocks": "source", "block": np.arange(N) % 6, "target": "these_sources"},
            id="these sources",
        ),
        pytest.param(
            {"blocks": "random", "block": np.arange(N) % 10, "cluster": np.arange(N) // 4},
            id="folds and clusters",
        ),
    ],
)
def test_exact_ends_are_where_the_test_of_a_minus_r_b_is_at_its_limit(options: Any) -> None:
    relative = compare(A, B, **options).relative
    quantile = stats.norm.ppf(0.975)
    if relative.degrees_of_freedom is not None:
        quantile = stats.t.ppf(0.975, relative.degrees_of_freedom)

    assert relative.shape == "interval"
    for end in (relative.lower, relative.upper):
        named = {"blocks": "holdout", **options, "variances": [relative.variance]}
        rest = compare(A, end * B, **named)
        estimate = rest.variances[relative.variance]
        t = estimate.estimate / estimate.standard_error
        assert_allclose(abs(t), quantile, rtol=1e-7)
    parts = A / relative.mean_a - B / relative.mean_b
    of_log = compare(parts, np.zeros_like(parts), **named).variances[relative.variance]
    log = relative.log_ratio
    assert_allclose(log.standard_error, of_log.standard_error, rtol=1e-7)
    reach = quantile * log.standard_error
    centre = np.log(relative.ratio)
    assert_allclose(np.log([log.lower, log.upper]), [centre - reach, centre + reach], rtol=1e-7)


def test_exact_intervals_hold_for_all_pairs_at_once() -> None:
    losses = {"a": A, "b": B, "c": B + RNG.gamma(0.5, size=N)}
    result = thetahat.evaluate(losses, blocks="holdout", correction="holm", **ASKED)
    alone = compare(A, B)
    among = result.comparisons[0]

    assert (among.relative.simultaneous_pairs, among.wins.simultaneous_pairs) == (3, 3)
    assert among.relative.lower < alone.relative.lower < alone.relative.upper
    assert alone.relative.upper < among.relative.upper
    assert among.wins.lower < alone.wins.lower
    strict = compare(A, B, level=1 - 0.05 / 3)
    assert_allclose(among.relative.lower, strict.relative.lower)
    assert_allclose(among.relative.log_ratio.lower, strict.relative.log_ratio.lower)
    assert_allclose(among.wins.upper, strict.wins.upper)


def test_degenerate_means_and_spreads_without_a_set() -> None:
    zeros, rare = np.zeros(40), np.append(1.0, np.zeros(39))
    to_zero = compare(rare, zeros).relative
    assert (to_zero.ratio, to_zero.shape) == (None, None)
    assert "mean loss of b is 0, so there is no ratio" in to_zero.sentence

    to_rare = compare(np.append(np.ones(9), np.zeros(31)), rare[::-1]).relative
    assert (to_rare.ratio, to_rare.change, to_rare.shape) == (None, None, "two_rays")
    assert to_rare.g > 1
    assert f"at least {to_rare.upper:.3g}" in to_rare.sentence

    equal = compare(A, A).relative
    assert (equal.ratio, equal.shape, equal.lower) == (1.0, None, None)
    proportional = compare(A * 0.5, A).relative
    assert_allclose(proportional.ratio, 0.5)
    assert (proportional.shape, proportional.lower) == (None, None)

    everything = compare(rare, rare[::-1]).relative
    assert (everything.ratio, everything.shape) == (None, "everything")
    none = compare(zeros, A[:40]).relative  # the set is 0 alone
    for without in (to_zero, equal, proportional, none):
        assert without.log_ratio is None
    for unbounded in (to_rare, everything):
        log = unbounded.log_ratio
        assert_allclose(log.lower * log.upper, (unbounded.mean_a / unbounded.mean_b) ** 2)


def test_by_hand_sentences() -> None:
    relative = compare(np.array([1.0, 2, 3, 2, 1, 3]), np.array([2.0, 2, 4, 3, 2, 3])).relative
    scores = compare(
        np.array([2.0, 2, 4, 3, 2, 3]), np.array([1.0, 2, 3, 2, 1, 3]), better="higher"
    )

    assert relative.sentence.startswith("The mean loss of a is 25 % smaller than that of b (95 %")
    assert scores.relative.sentence.startswith("The mean score of a is 33 % larger than that of b")
    assert scores.wins.sentence.startswith(
        "a is better on 4 and b on 0 of 6 instances; 2 are ties. The win rate of a, a tie counting "
        "one half, is 83.3 %"
    )


@pytest.mark.parametrize("options", [{}, {"cluster": np.arange(N) // 4}])
def test_exact_the_win_rate_of_zero_one_losses_is_half_of_the_difference(options: Any) -> None:
    a, b = (RNG.random(N) < 0.3) * 1.0, (RNG.random(N) < 0.4) * 1.0
    pair = compare(a, b, **options)

    assert pair.interval.method == ("tango_clusters" if options else "tango")
    assert_allclose(pair.wins.win_rate, (1 - pair.difference) / 2)
    ends = [(1 - pair.interval.upper) / 2, (1 - pair.interval.lower) / 2]
    assert_allclose([pair.wins.lower, pair.wins.upper], ends)


def test_exact_the_standard_error_over_clusters_is_that_of_the_mean() -> None:
    cluster = np.sort(RNG.integers(0, 9, N))
    a, b = np.round(A, 0), np.round(B, 0)
    wins = compare(a, b, cluster=cluster).wins
    counted = np.where(a < b, 1.0, np.where(a > b, 0.0, 0.5))
    named = {"blocks": "holdout", "cluster": cluster, "variances": ["cluster_robust"]}
    estimate = thetahat.evaluate({"w": counted}, **named).models["w"].variances["cluster_robust"]

    assert_allclose(wins.standard_error, estimate.standard_error)
    assert wins.p_value is None
    assert wins.method == "score_clusters"


@pytest.mark.parametrize("correction", [None, "holm", "max_t", "benjamini_hochberg", "none"])
def test_exact_win_rate_interval_and_p_value_decide_alike(correction: Any) -> None:
    rng = np.random.default_rng(33)
    quality = np.append(np.zeros(12), np.linspace(0, 1.4, 8))
    losses = {f"m{i}": row for i, row in enumerate(rng.normal(size=(20, 60)) + quality[:, None])}
    chosen = {"include": ["wins"], "blocks": "holdout", "control": "m19", "correction": correction}
    result = thetahat.evaluate(losses, **chosen)
    excluded = set()
    for pair in result.comparisons:
        wins = pair.wins
        p_value = wins.p_value if wins.p_value_adjusted is None else wins.p_value_adjusted
        assert (p_value < 0.05) == (not wins.lower <= 0.5 <= wins.upper)
        assert (wins.p_value_adjusted is None) == (wins.simultaneous_pairs is None)
        assert p_value >= wins.p_value
        excluded.add(p_value < 0.05)

    assert excluded == {True, False}


@pytest.mark.parametrize("n_a", range(12))
@pytest.mark.parametrize("ties", [0, 1, 30])
def test_exact_the_interval_of_a_win_rate_decides_as_the_sign_test(n_a: int, ties: int) -> None:
    for n_b in range(12):
        n = n_a + n_b + ties
        for level in (0.9, 0.95, 0.99):
            if n > 1:
                pair = holdout_pair(np.repeat([0.0, 2.0, 1.0], [n_a, n_b, ties]), np.ones(n))
                family = PairFamily(
                    names=("a", "b"), places=[(0, 1)], correction="none", alpha=1 - level
                )
                wins: Any = compute_win_rate(pair, ("a", "b"), family, level)
                assert (wins.a, wins.b, wins.ties) == (n_a, n_b, ties)
                assert (wins.p_value < 1 - level) == (not wins.lower <= 0.5 <= wins.upper)


def test_degenerate_win_rates() -> None:
    ties = compare(A, A).wins
    assert (ties.a, ties.b, ties.ties, ties.win_rate, ties.p_value) == (0, 0, N, 0.5, 1.0)
    assert ties.lower < 0.5 < ties.upper
    rounding = compare(np.full(9, 0.1 + 0.2), np.array([0.3] * 8 + [0.5])).wins
    assert (rounding.a, rounding.ties) == (1, 8)
    in_clusters = compare(A, A, cluster=np.arange(N) // 4).wins
    assert (in_clusters.method, in_clusters.lower, in_clusters.upper) == (None, None, None)
    assert in_clusters.p_value is None
    assert in_clusters.reason.startswith("No win or loss varies between clusters")
    assert compare(A[:1], B[:1]).wins.reason == "An interval needs two instances or more."
    assert ties.reason is None
    sources = compare(A, B, blocks="source", block=np.arange(N) % 6).wins
    assert (sources.unit, sources.a, sources.b) == ("block", 6, 0)


@pytest.mark.outside("Altman (1998), BMJ 317: risk reduction of 10 % (-5 % to 25 %)")
def test_golden_number_needed_with_a_difference_that_may_be_0() -> None:
    layout = thetahat_layout(np.array([0.0, 1.0]))
    needed: Any = compute_number_needed(layout, ("new", "old"), -0.10, (-0.25, 0.05), 0.95)

    assert needed.better == "new"
    assert_allclose([needed.estimate, needed.lower, needed.lower_reverse], [10, 4, 20])
    assert needed.upper is None
    assert (
        "one fewer for every 4 or more, or one error more for every 20 or more" in needed.sentence
    )


def thetahat_layout(values: Any) -> PairedLosses:
    from thetahat.values.layout import build_layout
    from thetahat.values.types import BlockKind

    layout = build_layout(BlockKind.HOLDOUT, ["test"] * len(values))
    losses = BlockLosses(layout, values=values)
    return PairedLosses(losses, losses, losses.minus(losses), higher_is_better=False)


@pytest.mark.parametrize("better", ["lower", "higher"])
def test_exact_number_needed_is_one_over_the_interval(better: str) -> None:
    few, many = np.arange(100) < 10, np.arange(100) < 40
    errors = {"a": few * 1.0, "b": many * 1.0}
    if better == "higher":
        errors = {name: 1 - values for name, values in errors.items()}
    pair = compare(errors["a"], errors["b"], better=better)
    needed, interval = pair.number_needed, pair.interval
    ends = sorted(1 / abs(end) for end in (interval.lower, interval.upper))

    assert (needed.better, needed.lower_reverse, needed.level) == ("a", None, 0.95)
    assert_allclose([needed.estimate, needed.lower, needed.upper], [1 / 0.3, *ends])
    assert needed.sentence.startswith("a makes one error fewer than b for every 3.3 instances (95")


def test_degenerate_numbers_needed() -> None:
    errors = (np.arange(50) < 10) * 1.0
    equal = compare(errors, errors[::-1]).number_needed
    assert (equal.better, equal.estimate, equal.upper) == (None, None, None)
    assert equal.sentence.startswith("Both models have as many errors")
    numbers = compare(A, B).number_needed
    assert (numbers.estimate, numbers.level) == (None, None)
    assert "not all 0 or 1" in numbers.sentence
    one_sided = compare(errors, 1 - errors, alternative="less").number_needed
    assert (one_sided.level, one_sided.lower) == (None, None)
    assert_allclose(one_sided.estimate, 1 / 0.6)


def test_exact_nothing_is_added_unless_it_is_asked_for() -> None:
    pair = thetahat.evaluate({"a": A, "b": B}, blocks="holdout", include=()).comparisons[0]

    assert (pair.relative, pair.wins, pair.number_needed) == (None, None, None)
