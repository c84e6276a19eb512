"""Pairs, tied models and diagrams after a test of all models."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

from tests.thetahat.analyses.losses.tables import result_of, table_of
from tests.thetahat.multiple_tests.many import DEMSAR_AUC, DEMSAR_NAMES, by_source, in_a_holdout
from thetahat.analyses.losses import ChosenMethod
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.multiple_tests.base import find_groups
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind, FloatArray

BY_SCORES = ("friedman", "iman_davenport", "quade", "aligned_ranks")


def demsar() -> LossTable:
    losses = -np.array(DEMSAR_AUC)
    layout = build_layout(BlockKind.SOURCE, np.arange(14))
    return table_of(layout, dict(zip(DEMSAR_NAMES, losses.T, strict=True)))


def omnibus_of(table: LossTable, name: str, params: Any = None, **choices: Any) -> dict[str, Any]:
    method: Any = MULTIPLE_TESTS[name]
    entry = ChosenMethod(name, name, method(**(params or {})))
    result = result_of(table, variances=(), tests=(), omnibus=(entry,), **choices)
    omnibus: dict[str, Any] = result["omnibus"][name]
    return omnibus


@pytest.mark.outside(
    "Demsar (2006), section 3.2.2: z and p of Friedman's ranks against C4.5, Holm; critical "
    "difference of Bonferroni-Dunn"
)
def test_golden_demsar_2006_against_a_control() -> None:
    friedman = omnibus_of(demsar(), "friedman", {"ties": "none"}, control="C4.5")

    by_name = {pair["a"]: pair for pair in friedman["pairs"]}
    assert all(pair["b"] == "C4.5" for pair in friedman["pairs"])
    for name, z, p in (
        ("C4.5+m+cf", 2.4153526805476195, 0.0157),
        ("C4.5+m", 2.3421601750764793, 0.0192),
        ("C4.5+cf", 0.5123475382979799, 0.6084),
    ):
        assert by_name[name]["z"] == pytest.approx(-z, rel=1e-6)
        assert by_name[name]["p_value"] == pytest.approx(p, abs=1e-4)
    # Holm by hand: 3, 2 and 1 times; the second is below the first
    assert by_name["C4.5+m+cf"]["p_value_adjusted"] == pytest.approx(0.0472, abs=2e-4)
    assert by_name["C4.5+m"]["p_value_adjusted"] == pytest.approx(0.0472, abs=2e-4)
    assert friedman["tied_with"] == "C4.5"
    assert friedman["tied"] == [["C4.5+cf", "C4.5"]]

    for level, difference in ((0.95, 1.1681425306400992), (0.9, 1.0383797396494523)):
        dunn = omnibus_of(
            demsar(),
            "friedman",
            {"ties": "none"},
            control="C4.5",
            correction="bonferroni",
            level=level,
        )
        assert dunn["diagram"]["critical_difference"] == pytest.approx(difference, rel=1e-6)


def test_by_hand_values() -> None:
    """Ranks by source 1, 2, 3 three times and 2, 1, 3: means 1.25, 1.75, 3; error sqrt(1/2)."""
    rows = {"a": [0.0, 0.0, 0.0, 2.0], "b": [1.0, 1.0, 1.0, 1.0], "c": [2.0, 2.0, 2.0, 3.0]}
    table = table_of(build_layout(BlockKind.SOURCE, np.arange(4)), rows)

    friedman = omnibus_of(table, "friedman", correction="none")

    assert [(pair["a"], pair["b"]) for pair in friedman["pairs"]] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    z = [pair["z"] for pair in friedman["pairs"]]
    np.testing.assert_allclose(z, [-0.5 * 2**0.5, -1.75 * 2**0.5, -1.25 * 2**0.5], rtol=1e-13)
    p = [pair["p_value"] for pair in friedman["pairs"]]
    np.testing.assert_allclose(p, 2 * special.ndtr(z), rtol=1e-13)
    assert p == [pair["p_value_adjusted"] for pair in friedman["pairs"]]
    # 1.96 / sqrt 2 = 1.386: a and b are tied, and b and c
    assert friedman["diagram"]["critical_difference"] == pytest.approx(1.9599640 / 2**0.5)
    assert friedman["diagram"]["groups"] == [["a", "b"], ["b", "c"]]
    assert friedman["diagram"]["values"] == friedman["mean_ranks"]
    assert (friedman["tied"], friedman["tied_with"]) == ([["a", "b"]], "a")


@pytest.mark.parametrize("seed", [371, 372])
def test_naive_formulas_of_garcia_2010(seed: int) -> None:
    """The formulas of z in Garcia et al. (2010), section 3, as scmamp has them."""
    losses = np.random.default_rng(seed).normal(size=(11, 5))
    n, k = losses.shape
    aligned = stats.rankdata(losses - losses.mean(axis=1, keepdims=True)).reshape(n, k)
    q = stats.rankdata(np.ptp(losses, axis=1))
    w = q @ stats.rankdata(losses, axis=1) / (n * (n + 1) / 2)
    theirs = {
        "aligned_ranks": (aligned.mean(axis=0), math.sqrt(k * (n + 1) / 6)),
        "quade": (w, math.sqrt(k * (k + 1) * (2 * n + 1) * (k - 1) / (18 * n * (n + 1)))),
    }
    for name, (scores, error) in theirs.items():
        outcome = omnibus_of(by_source(losses), name, {"post_hoc": "garcia"})

        for pair in outcome["pairs"]:
            z = (scores[int(pair["a"][1])] - scores[int(pair["b"][1])]) / error
            assert pair["z"] == pytest.approx(z, rel=1e-10)
        codes = [caution["code"] for caution in outcome["cautions"]]
        assert ("liberal_post_hoc" in codes) == (name == "aligned_ranks")


def scores_of(name: str, losses: FloatArray) -> FloatArray:
    table = in_a_holdout(losses) if name == "cochran_q" else by_source(losses)
    outcome = MULTIPLE_TESTS[name]().test(table, np.random.default_rng(0))
    assert outcome.post_hoc is not None
    return np.array(outcome.post_hoc.scores)


@pytest.mark.parametrize("name", [*BY_SCORES, "cochran_q"])
def test_exact_errors_are_those_of_all_permutations_within_rows(name: str) -> None:
    """Three rows of three models: 216 orders, over which z has variance 1 for every pair."""
    orders = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    losses = np.array([[0.0, 1.0, 1.0], [2.0, 3.0, 7.0], [5.0, 5.5, 9.0]])
    if name == "cochran_q":
        losses = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    table = in_a_holdout(losses) if name == "cochran_q" else by_source(losses)
    outcome = MULTIPLE_TESTS[name]().test(table, np.random.default_rng(0))
    assert outcome.post_hoc is not None
    scores = [
        scores_of(name, np.stack([losses[0][x], losses[1][y], losses[2][z]]))
        for x in orders
        for y in orders
        for z in orders
    ]
    for a, b in ((0, 1), (0, 2), (1, 2)):
        d = np.array(scores)[:, a] - np.array(scores)[:, b]
        assert math.sqrt((d**2).mean()) == pytest.approx(outcome.post_hoc.standard_error, rel=1e-12)


def test_limit_without_ties_the_error_is_the_published_one() -> None:
    losses = np.random.default_rng(373).normal(size=(9, 4))

    corrected, none = (
        omnibus_of(by_source(losses), "friedman", {"ties": ties}) for ties in ("corrected", "none")
    )

    for ours, theirs in zip(corrected["pairs"], none["pairs"], strict=True):
        assert ours["z"] == pytest.approx(theirs["z"], rel=1e-12)


@pytest.mark.calibration
@pytest.mark.parametrize("name", ["quade", "aligned_ranks"])
def test_calibrated_size_of_a_pair(name: str) -> None:
    """Exchangeable models, 30 rows of five: z above 1.96 with chance .05, 4.5 errors and .005.

    All ten pairs of 400 tables. The published errors give about .01 and .44 here.
    """
    rng, n_tables = np.random.default_rng(374), 400
    method: Any = MULTIPLE_TESTS[name]
    a, b = np.triu_indices(5, 1)
    published = method(post_hoc="garcia").test(by_source(rng.random((30, 5))), rng).post_hoc
    shares = np.empty((2, n_tables))
    for i in range(n_tables):
        table = by_source(rng.normal(size=(30, 5)) + rng.normal(size=(30, 1)))
        outcome = method().test(table, rng).post_hoc
        apart = np.abs(np.array(outcome.scores)[a] - np.array(outcome.scores)[b])
        for j, error in enumerate((outcome.standard_error, published.standard_error)):
            shares[j, i] = (apart > 1.959964 * error).mean()
    error = shares[0].std() / math.sqrt(n_tables)
    assert abs(shares[0].mean() - 0.05) < 4.5 * error + 0.005
    assert shares[1].mean() > 0.35 if name == "aligned_ranks" else shares[1].mean() < 0.02


def test_property_every_test_of_many_names_the_tied_models() -> None:
    losses = np.random.default_rng(375).random((60, 4)) < np.array([0.1, 0.15, 0.5, 0.8])

    omnibus = result_of(in_a_holdout(losses))["omnibus"]

    assert set(omnibus) == set(MULTIPLE_TESTS)
    for outcome in omnibus.values():
        assert all(set(group) <= {"m0", "m1", "m2", "m3"} for group in outcome["tied"])
        assert outcome["tied"][0][0] in {"m0", "m1"}
        assert "m3" not in outcome["tied"][0]
        assert outcome["alpha"] == 0.05
        if "diagram" in outcome:
            assert set(outcome["diagram"]) == {
                "score",
                "values",
                "alpha",
                "critical_difference",
                "groups",
            }
    assert json.loads(json.dumps(omnibus, allow_nan=False)) == omnibus


def test_property_the_request_s_level_decides_who_is_tied() -> None:
    losses = np.random.default_rng(376).random((40, 4)) < np.array([0.2, 0.3, 0.5, 0.6])

    for name in MULTIPLE_TESTS:
        strict, loose = (
            omnibus_of(in_a_holdout(losses), name, level=level) for level in (0.5, 0.999)
        )
        assert len(strict["tied"][0]) <= len(loose["tied"][0])
        assert (strict["alpha"], loose["alpha"]) == (0.5, 0.001)
    own = omnibus_of(in_a_holdout(losses), "nemenyi", {"alpha": 0.2}, level=0.99)
    assert own["alpha"] == 0.2


def test_degenerate_no_difference() -> None:
    outcome = omnibus_of(in_a_holdout(np.ones((12, 3))), "quade", correction="bonferroni")

    assert [pair["z"] for pair in outcome["pairs"]] == [None] * 3
    assert [pair["p_value_adjusted"] for pair in outcome["pairs"]] == [1.0] * 3
    assert outcome["tied"] == [["m0", "m1", "m2"]]
    assert outcome["diagram"]["critical_difference"] is None


def test_exact_groups_without_a_critical_difference() -> None:
    differ = np.zeros((5, 5), dtype=np.bool_)
    for i, j in ((0, 2), (0, 3), (0, 4), (1, 4), (3, 4), (2, 4)):
        differ[i, j] = differ[j, i] = True
    names = ["a", "b", "c", "d", "e"]

    assert find_groups(differ, names) == [["a", "b"], ["b", "c", "d"], ["e"]]
    assert find_groups(np.zeros((3, 3), dtype=np.bool_), names[:3]) == [["a", "b", "c"]]
    assert find_groups(~np.eye(2, dtype=np.bool_), names[:2]) == [["a"], ["b"]]
