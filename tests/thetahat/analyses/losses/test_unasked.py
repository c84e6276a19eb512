"""What fits but takes very long is done where it is named, and listed where it is not."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat import evaluate, to_json
from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.method_selection import select
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.paired_tests.bayesian_signed_rank import BayesianSignedRank
from thetahat.paired_tests.bootstrap_difference import BootstrapDifference
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind
from thetahat.variances import VARIANCES


def _holdout(n: int) -> Layout:
    return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))


def test_exact_the_bootstrap_of_many_units_is_left_out_with_its_reason() -> None:
    assert BootstrapDifference().too_slow_by_default(_holdout(1000)) is None
    layout = _holdout(1001)
    selection = select("tests", None, PAIRED_TESTS, layout, Choices())
    reasons = {entry.name: entry.reason for entry in selection.left_out}
    assert reasons["bootstrap_difference"].startswith(
        "bootstrap_difference: resampling 1001 instances takes as long as all other methods"
    )
    assert "bootstrap_difference" not in {entry.name for entry in selection.methods}


@pytest.mark.parametrize("clusters", [1000, 1001])
def test_exact_the_bootstrap_of_many_clusters_is_left_out(clusters: int) -> None:
    block = np.zeros(2 * clusters, dtype=np.intp)
    layout = build_layout(BlockKind.HOLDOUT, block, cluster=np.arange(2 * clusters) % clusters)
    selection = select("variances", None, VARIANCES, layout, Choices())
    names = {entry.name for entry in selection.methods}
    assert ("cluster_bootstrap" in names) is (clusters == 1000)
    assert "cluster_robust" in names


@pytest.mark.parametrize("n", [1000, 1001])
def test_exact_an_evaluation_of_many_numbers_lists_what_it_leaves_out(n: int) -> None:
    losses = dict(zip("ab", np.random.default_rng(1).random((2, n)), strict=True))
    result = to_json(evaluate(losses, blocks="holdout", block=np.zeros(n, dtype=int)))
    left_out = {e["name"]: e["reason"] for e in result["not_applicable"]}
    comparison = result["comparisons"][0]
    resampled = {"basic", "bca", "percentile", "studentised"}
    built = {interval["method"] for interval in result["models"]["a"]["intervals"]}
    assert built >= resampled if n == 1000 else not built & resampled
    assert ("bootstrap_difference" in comparison["tests"]) is (n == 1000)
    assert (resampled | {"bootstrap_difference"} <= left_out.keys()) is (n == 1001)

    named = to_json(
        evaluate(losses, blocks="holdout", block=np.zeros(n, dtype=int), intervals=["percentile"])
    )
    (interval,) = named["models"]["a"]["intervals"]
    assert interval["n_resamples"] == 9999 if n == 1000 else interval["n_resamples"] > 9900


def test_exact_named_methods_are_run_whatever_their_cost() -> None:
    tests = (ChosenMethod("boot", "bootstrap_difference", BootstrapDifference()),)
    selection = select("tests", tests, PAIRED_TESTS, _holdout(300_301), Choices())
    assert [entry.key for entry in selection.methods] == ["boot"]


@pytest.mark.parametrize(("blocks", "too_much"), [(2000, False), (2001, True)])
def test_exact_draws_over_many_blocks_are_left_out(blocks: int, *, too_much: bool) -> None:
    layout = build_layout(BlockKind.SOURCE, np.arange(blocks))
    assert (BayesianSignedRank().too_slow_by_default(layout) is not None) is too_much
