from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from tests.thetahat.naive.paired_rates import enumerate_tables
from thetahat.analyses.losses.result import Comparison, Decision
from thetahat.errors import EvaluationError
from thetahat.intervals.tango_sources import TangoSources
from thetahat.numerics.paired_rates import (
    compute_p_value_of_at_least,
    compute_p_value_of_no_difference,
    count_pair_over_sources,
    weigh_sources_alike,
)
from thetahat.values.types import Target

RNG = np.random.default_rng(331)


def lay_out(tables: list[tuple[int, int, int]]) -> tuple[dict[str, list[int]], list[str]]:
    """Losses of two models, from (only_a, only_b, n) of each source."""
    losses: dict[str, list[int]] = {"a": [], "b": []}
    block = []
    for label, (only_a, only_b, n) in zip("stuvwxyz", tables, strict=False):
        losses["a"] += [1] * only_a + [0] * (n - only_a)
        losses["b"] += [0] * only_a + [1] * only_b + [0] * (n - only_a - only_b)
        block += [label] * n
    return losses, block


def compare(tables: list[tuple[int, int, int]], **options: Any) -> Comparison:
    losses, block = lay_out(tables)
    options = {"target": "these_sources", "blocks": "source", "n_train": 0, **options}
    return thetahat.evaluate(losses, block=block, **options).comparisons[0]


def test_by_hand_sources_of_3_and_500() -> None:
    # psi is (1 + 2)/(3 + 2) = .6 and (10 + 2)/(500 + 2) = .0239044, so n is
    # 2 x .6239044 / (.6/3 + .0239044/500) = 6.237553; a alone errs in (1/3 + 8/500)/2 = .174667.
    pair = compare([(1, 0, 3), (8, 2, 500)])

    assert pair.interval is not None
    assert (pair.interval.method, pair.interval.target) == ("tango_sources", Target.THESE_SOURCES)
    details = pair.interval.details
    assert details["n"] == 503
    assert_allclose(details["worth_instances"], 6.237553, atol=1e-6)
    assert_allclose(details["share_only_a"], 0.174667, atol=1e-6)
    assert_allclose(details["share_only_b"], 0.002, atol=1e-12)
    assert_allclose(pair.difference, 0.172667, atol=1e-6)


@pytest.mark.about("intervals/tango_sources")
@pytest.mark.outside("R PropCIs::scoreci.mp(25, 28, 618, 0.9), here in two sources of 309")
def test_golden_sources_of_equal_size() -> None:
    pair = compare([(20, 5, 309), (8, 20, 309)], level=0.9)

    assert pair.interval is not None
    ends = np.array([pair.interval.lower, pair.interval.upper], dtype=float)
    assert_allclose(ends, (-0.0148, 0.0247), atol=5e-5)


def test_exact_sources_of_equal_size_are_one_test_set() -> None:
    tables = [(3, 1, 40), (2, 2, 40), (0, 0, 40)]
    losses, _ = lay_out(tables)
    options: dict[str, Any] = {"margin": 0.06}

    ours = compare(tables, **options)
    whole = thetahat.evaluate(losses, blocks="holdout", **options).comparisons[0]

    assert ours.interval is not None
    assert whole.interval is not None
    assert (ours.interval.lower, ours.interval.upper) == (
        whole.interval.lower,
        whole.interval.upper,
    )
    for name in ("p_value", "p_value_equivalent", "p_value_not_worse"):
        assert getattr(ours.verdict, name) == getattr(whole.verdict, name)


@pytest.mark.parametrize(
    ("sizes", "p10", "p01"),
    [
        ((2, 12), 0.1, 0.0),
        ((2, 12), 0.3, 0.1),
        ((2, 12), 0.5, 0.2),
        ((4, 16), 0.05, 0.0),
        ((4, 16), 0.2, 0.05),
        ((8, 14), 0.1, 0.02),
    ],
)
def test_exact_not_worse_by_the_true_difference_is_seldom_said(
    sizes: tuple[int, int], p10: float, p01: float
) -> None:
    """By all tables of two sources; the t interval on theta_A says it in up to .8."""
    margin, said = p10 - p01, 0.0
    tables = [enumerate_tables(n, p10, p01) for n in sizes]
    for first, second in product(*tables):
        only_a, only_b = np.array([first[:2], second[:2]]).T
        both = np.zeros(2, dtype=np.intp)
        counts = weigh_sources_alike(only_a, only_b, both, np.array(sizes))
        probability = first[2] * second[2]
        said += probability * (compute_p_value_of_at_least(counts, margin) < 0.05)

    assert said <= 0.06


@pytest.mark.parametrize(("sizes", "rate"), [((3, 12), 0.1), ((6, 10), 0.2), ((2, 14), 0.3)])
def test_exact_equal_models_are_seldom_called_different(
    sizes: tuple[int, int], rate: float
) -> None:
    different = 0.0
    for first, second in product(*(enumerate_tables(n, rate, rate) for n in sizes)):
        only_a, only_b = np.array([first[:2], second[:2]]).T
        both = np.zeros(2, dtype=np.intp)
        counts = weigh_sources_alike(only_a, only_b, both, np.array(sizes))
        rejects = compute_p_value_of_no_difference(counts) < 0.05
        different += first[2] * second[2] * rejects

    assert different <= 0.055


def test_exact_a_small_source_without_a_difference_is_not_known() -> None:
    """Tasks of 3 and 500 items: nothing differs in the first, one of 500 in the second."""
    pair = compare([(0, 0, 3), (1, 0, 500)], margin=0.05)

    assert pair.verdict.decision is Decision.UNDECIDED
    assert pair.interval is not None
    assert pair.interval.upper is not None
    assert pair.interval.upper > 0.3


def test_exact_identical_losses_count_as_the_smallest_source() -> None:
    nothing = np.zeros(2, dtype=np.intp)
    counts = weigh_sources_alike(nothing, nothing, nothing, np.array([3, 500]))
    pair = compare([(0, 0, 3), (0, 0, 500)], margin=0.05)

    assert counts.n == 6
    assert_allclose(TangoSources().compute_ends(counts, 0.05)[1], 1 - 0.05 ** (1 / 6), rtol=1e-9)
    assert_allclose(compute_p_value_of_at_least(counts, 0.05), 0.95**6, rtol=1e-12)
    assert pair.verdict.p_value_equivalent == pytest.approx(0.95**6, rel=1e-12)
    assert pair.interval is None


def test_naive_rows_in_any_order() -> None:
    sizes = np.array([4, 30, 2, 9])
    source = np.repeat(np.arange(4), sizes)[RNG.permutation(45)]
    a, b = (RNG.random((2, 45)) < 0.3).astype(float)

    counts = count_pair_over_sources(a, b, source)

    k = len(sizes)
    of_source = [(a[source == i], b[source == i]) for i in range(k)]
    psi = [(np.sum(x != y) + 4 / k) / (len(x) + 4 / k) for x, y in of_source]
    n = k * sum(psi) / sum(p / len(x) for p, (x, _) in zip(psi, of_source, strict=True))
    assert_allclose(counts.n, n, rtol=1e-12)
    assert_allclose(counts.difference, np.mean([(x - y).mean() for x, y in of_source]), rtol=1e-12)
    assert_allclose(counts.both, n * np.mean([(x * y).mean() for x, y in of_source]), rtol=1e-12)
    assert counts.n_instances == 45


def test_degenerate_other_data_keep_their_interval() -> None:
    tables = [(1, 0, 30), (8, 2, 50)]
    losses, block = lay_out(tables)
    trained = compare(tables, n_train=None)
    in_clusters = compare(tables, cluster=[str(i // 4) for i in range(80)])
    other = thetahat.evaluate(
        {name: [each / 2 for each in of_model] for name, of_model in losses.items()},
        block=block,
        blocks="source",
        n_train=0,
        target="these_sources",
    ).comparisons[0]

    variances = [
        None if each.interval is None else each.interval.variance
        for each in (trained, in_clusters, other)
    ]
    assert variances == ["theta_B", "theta_A_clusters", "theta_A"]


def test_invalid_it_is_named_for_models_that_were_trained_on_the_sources() -> None:
    with pytest.raises(EvaluationError, match="not trained on any of these instances"):
        compare([(1, 0, 30), (8, 2, 50)], n_train=None, intervals=["tango_sources"])
    losses, _ = lay_out([(1, 0, 30)])
    with pytest.raises(EvaluationError, match="tango_sources is for source blocks"):
        thetahat.evaluate(losses, blocks="holdout", intervals=["tango_sources"])


def test_exact_its_coverage_is_that_of_sources_of_such_sizes() -> None:
    near, far = compare([(1, 0, 3), (8, 2, 500)]), compare([(1, 0, 30), (8, 2, 5000)])

    assert near.interval is not None
    assert near.interval.expected_coverage is not None
    assert near.interval.expected_coverage.design.startswith(
        "2 sources, 3 rows in the smallest source, 500 rows in the largest source: "
    )
    assert near.interval.expected_coverage.table == "/studies/paired_source_rates_coverage"
    assert far.interval is not None
    assert far.interval.expected_coverage_missing == (
        "No studied design is like this one: it has 30 rows in the smallest source, and the "
        "nearest study has 5."
    )
    assert TangoSources.info.name == near.interval.method
