"""Statements about two models whose losses are identical."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from thetahat.analyses.losses.identical_losses import IdenticalUnits, count_identical_units
from thetahat.analyses.losses.result import Verdict
from thetahat.distributions import LEAST_P_VALUE
from thetahat.errors import InvalidParameter
from thetahat.values.block_losses import BlockLosses
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, Target

UNIT = BlockNoun(singular="instance", plural="instances")


def judge(values: Any, **options: Any) -> Verdict:
    options = {"blocks": "holdout", "better": "lower", "margin": 0.05, **options}
    (pair,) = thetahat.evaluate({"new": values, "old": values}, **options).comparisons
    return pair.verdict


def units(layout: Layout, target: Target, width: float | None = 1.0) -> IdenticalUnits:
    zeros = np.zeros(layout.n_rows if layout.has_rows else layout.n_splits)
    losses = BlockLosses(
        layout,
        values=zeros if layout.has_rows else None,
        scores=None if layout.has_rows else zeros,
    )
    return count_identical_units(losses, target, None if width is None else (0.0, width))


@pytest.mark.parametrize(
    ("n", "decision"),
    [(1, "undecided"), (58, "undecided"), (59, "equivalent")],  # .95^58 = .051, .95^59 = .048
)
def test_by_hand_the_number_of_instances_decides(n: int, decision: str) -> None:
    verdict = judge([0.0] * n)

    assert verdict.decision == decision
    assert verdict.p_value == 1
    assert verdict.p_value_equivalent == verdict.p_value_not_worse
    assert verdict.p_value_equivalent is not None
    assert_allclose(verdict.p_value_equivalent, 0.95**n, rtol=1e-12)


@pytest.mark.outside("the issue about inference at the edges: 26 % for n = 10, 5.8 % for 50")
@pytest.mark.parametrize(("n", "expected"), [(10, 0.26), (50, 0.058)])
def test_golden_the_upper_bound_of_the_discordance(n: int, expected: float) -> None:
    found = IdenticalUnits(
        n_units=n, noun=UNIT, n_independent=n, reach=1.0, target=Target.THESE_MODELS
    )

    bound = found.compute_bound(0.05)
    assert bound is not None
    assert_allclose(bound, expected, rtol=0.01)
    p_value = found.compute_p_value(bound)
    assert p_value is not None
    assert_allclose(p_value, 0.05, rtol=1e-12)


@pytest.mark.parametrize(("n", "p"), [(5, 0.2), (20, 0.05), (20, 0.1), (100, 0.05)])
def test_exact_copies_by_chance_show_a_false_margin_in_at_most_alpha(n: int, p: float) -> None:
    """The new model errs alone with probability p, which is the margin: none of n may differ."""
    chance = (1 - p) ** n

    assert (judge([0.0] * n, margin=p).decision == "equivalent") == (chance < 0.05)


def test_gh_33_the_gate_does_not_pass_on_one_identical_item() -> None:
    result = thetahat.evaluate(
        {"old": [1.0], "new": [1.0]},
        blocks="holdout",
        better="higher",
        margin=0.001,
        gate=thetahat.Gate(model="new", against="old", require=thetahat.Requirement.EQUIVALENT),
    )

    assert result.gate is not None
    assert result.gate.outcome == "undecided"
    assert "2995 instances without a difference" in result.gate.sentence  # .999^2995 < .05


def test_exact_without_a_range_there_is_no_statement() -> None:
    verdict = judge([0.3] * 1000)

    assert (verdict.decision, verdict.p_value_equivalent) == ("undecided", None)
    assert "no spread and no known range" in verdict.reason


def test_exact_a_range_of_the_request_bounds_the_difference() -> None:
    verdict = judge([0.3] * 1000, range=(0, 2))

    assert verdict.decision == "equivalent"
    assert verdict.p_value_not_worse is not None
    assert_allclose(verdict.p_value_not_worse, 0.975**1000, rtol=1e-9)


def test_invalid_a_range_without_one_of_the_losses() -> None:
    with pytest.raises(InvalidParameter, match=r"range is 0 to 0\.2"):
        judge([0.3] * 5, range=(0, 0.2))


def test_exact_a_constant_difference_shows_no_margin() -> None:
    (pair,) = thetahat.evaluate(
        {"new": [0.5] * 100, "old": [0.4] * 100},
        blocks="holdout",
        better="lower",
        margin=0.2,
        range=(0, 1),
    ).comparisons

    assert pair.verdict.decision == "worse"
    assert (pair.verdict.p_value_equivalent, pair.verdict.p_value_not_worse) == (None, None)


def test_by_hand_the_units_of_each_target() -> None:
    sources = build_layout(BlockKind.SOURCE, [0, 0, 0, 1, 1, 2, 2, 2, 2], n_train=0)
    folds = build_layout(BlockKind.RANDOM, np.repeat(range(5), 4))
    clusters = build_layout(BlockKind.HOLDOUT, [0] * 6, cluster=[0, 0, 0, 1, 1, 2])
    scores = build_score_layout(BlockKind.RANDOM, np.full(5, 80.0), np.full(5, 20.0), None, 1)
    of_sources = build_score_layout(BlockKind.SOURCE, np.full(5, 80.0), np.full(5, 20.0), None, 1)

    found = {
        "new source": units(sources, Target.NEW_SOURCE),  # 3 sources
        "these sources": units(sources, Target.THESE_SOURCES),  # 3 times the smallest
        "their instances": units(sources, Target.THESE_MODELS),
        "folds": units(folds, Target.THESE_SOURCES),  # 20 / (1 + 5 x 4/16)
        "models of folds": units(folds, Target.THESE_MODELS),
        "clusters": units(clusters, Target.THESE_MODELS),  # the largest is 3/2 of the mean
        "scores": units(scores, Target.THESE_SOURCES),  # 5 / (1 + 5 x 1/4)
        "scores of sources": units(of_sources, Target.THESE_SOURCES),
        "scores of models": units(scores, Target.THESE_MODELS),
        "other population": units(folds, Target.NEW_POPULATION),
        "no range": units(folds, Target.THESE_MODELS, None),
        "infinite": units(folds, Target.THESE_MODELS, np.inf),
    }

    assert {name: (u.n_units, u.n_independent, u.reach) for name, u in found.items()} == {
        "new source": (3, 3, 1.0),
        "these sources": (9, 6.0, 1.0),
        "their instances": (9, 9.0, 1.0),
        "folds": (20, 20 / 2.25, 1.0),
        "models of folds": (20, 20.0, 1.0),
        "clusters": (3, 3.0, 1.5),
        "scores": (5, pytest.approx(5 / 2.25), 1.0),
        "scores of sources": (5, pytest.approx(5 / 2.25), None),
        "scores of models": (5, pytest.approx(5 / 2.25), None),
        "other population": (20, 20.0, None),
        "no range": (20, 20.0, None),
        "infinite": (20, 20.0, None),
    }


def test_by_hand_clusters_in_sources_count_by_the_source_with_fewest() -> None:
    layout = build_layout(
        BlockKind.SOURCE,
        [0, 0, 0, 0, 1, 1, 1, 1],
        cluster=["a", "a", "a", "b", "c", "d", "e", "f"],
        n_train=0,
    )

    found = units(layout, Target.THESE_SOURCES)
    # two clusters in the first source, of three and one rows: the largest is 1.5 times the mean
    assert (found.n_units, found.n_independent, found.reach) == (6, 4.0, 1.5)


def test_exact_sources_and_clusters_in_words() -> None:
    by_source = judge([[0.0, 1.0]] * 4, blocks="source", n_train=0, unit="school")
    by_cluster = judge([0.0, 1.0] * 40, cluster=np.repeat(range(8), 10))

    assert by_source.target == Target.NEW_SOURCE
    assert "on all 4 schools" in by_source.reason
    assert "59 schools without a difference" in by_source.reason
    assert "on all 8 clusters" in by_cluster.reason
    assert by_cluster.decision == "undecided"


def test_exact_a_margin_beyond_the_range_is_certain() -> None:
    assert judge([0.0, 1.0], margin=1.5).p_value_equivalent == LEAST_P_VALUE
    different = {"new": [0.0, 1.0, 1.0], "old": [0.0, 1.0, 0.0]}
    (pair,) = thetahat.evaluate(different, blocks="holdout", better="lower", margin=1.5).comparisons
    assert pair.verdict.p_value_not_worse == pair.verdict.p_value_equivalent == LEAST_P_VALUE


def test_exact_clusters_of_unequal_size_keep_the_level() -> None:
    """Only the two large clusters of ten ever differ: 40 of 56 rows, each in half the samples."""
    sizes = np.array([20, 20, *[2] * 8])
    layout = build_layout(BlockKind.HOLDOUT, [0] * 56, cluster=np.repeat(range(10), sizes))

    p_value = units(layout, Target.THESE_MODELS).compute_p_value(40 / 56 * 0.5)

    # none differs in a quarter of the samples; by the number of clusters alone it would be .013
    assert p_value is not None
    assert p_value >= 0.25


def make_clusters_with_equal_means(
    rng: np.random.Generator, n_clusters: int, offset: float
) -> tuple[dict[str, Any], Any]:
    """Return two models whose losses vary inside clusters, all of the mean offset + 0.1."""
    tenths = rng.integers(-9, 10, size=(2, n_clusters, 5))
    tenths[:, :, -1] = 5 - tenths[:, :, :-1].sum(axis=2)
    a, b = (offset + tenths / 10).reshape(2, -1)
    return {"new": a, "old": b}, np.repeat(np.arange(n_clusters), 5)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("blocks", ["holdout", "source", "random"])
def test_gh_33_clusters_with_equal_means_show_nothing(blocks: str, offset: float) -> None:
    """Their rounding is no spread, and their instances do not take their place."""
    rng = np.random.default_rng(33)
    sizes = {"holdout": None, "source": 0, "random": 15}
    for n_clusters in (2, 4):
        losses, cluster = make_clusters_with_equal_means(rng, n_clusters, offset)
        in_blocks = {} if blocks == "holdout" else {"block": cluster}
        result = thetahat.evaluate(
            losses,
            blocks=blocks,
            better="lower",
            cluster=cluster,
            n_train=sizes[blocks],
            margin=0.5,
            gate=thetahat.Gate(model="new", against="old", require=thetahat.Requirement.NOT_WORSE),
            **in_blocks,
        )

        (pair,) = result.comparisons
        assert pair.interval is None
        assert all(not model.recommended for model in result.models.values())
        assert result.gate is not None
        assert result.gate.outcome == "undecided"
        assert {caution.code for caution in result.cautions} >= {"equal_means"}


def test_by_hand_clusters_with_equal_means_count_as_units() -> None:
    """Of C clusters without a difference of means, one of 2 has the p-value (1 - 2 / 20)^C."""
    losses, cluster = make_clusters_with_equal_means(np.random.default_rng(1), 40, 0.0)
    options: Any = {"blocks": "holdout", "better": "lower", "cluster": cluster, "margin": 2.0}

    (pair,) = thetahat.evaluate(losses, **options).comparisons
    assert pair.verdict.decision == "undecided"
    (pair,) = thetahat.evaluate(losses, range=(-10.0, 10.0), **options).comparisons
    assert pair.verdict.decision == "equivalent"
    assert pair.verdict.p_value_equivalent is not None
    assert_allclose(pair.verdict.p_value_equivalent, 0.9**40, rtol=1e-12)
    assert "on all 40 clusters" in pair.verdict.reason


def test_by_hand_equal_differences_of_clusters_have_the_sign_test() -> None:
    losses, cluster = make_clusters_with_equal_means(np.random.default_rng(2), 6, 0.0)
    losses["new"] = losses["new"] - 0.3

    (pair,) = thetahat.evaluate(
        losses, blocks="holdout", better="lower", cluster=cluster
    ).comparisons
    assert pair.verdict.decision == "better"
    assert pair.verdict.p_value == 2 ** (1 - 6)
    assert "on each of the 6 clusters the mean difference is -0.3" in pair.verdict.reason


def test_by_hand_a_source_of_one_cluster_has_no_spread_within() -> None:
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(4), 50)
    losses = {"new": rng.random(200), "old": rng.random(200)}

    (pair,) = thetahat.evaluate(
        losses,
        blocks="source",
        block=cluster,
        cluster=cluster,
        n_train=0,
        better="lower",
        target="these_sources",
    ).comparisons
    assert pair.interval is None
    assert pair.verdict.p_value is None


def test_by_hand_named_variances_are_those_of_the_request() -> None:
    losses, cluster = make_clusters_with_equal_means(np.random.default_rng(4), 4, 0.0)

    (pair,) = thetahat.evaluate(
        losses, blocks="holdout", better="lower", cluster=cluster, variances=["iid"]
    ).comparisons
    assert pair.interval is not None
    assert pair.interval.variance == "iid"
    assert "ignores_clusters" in {caution.code for caution in pair.interval.cautions}


def test_a_difference_without_spread_between_sources_says_what_its_interval_is_about() -> None:
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(4, 10))
    a = rng.normal(size=(4, 10)) + rng.normal(size=(4, 1))
    b = a + 0.3 + noise - noise.mean(axis=1, keepdims=True)
    choices: dict[str, Any] = {"blocks": "source", "n_train": 0}
    (pair,) = thetahat.evaluate({"a": a, "b": b}, **choices).comparisons
    assert pair.verdict.target is Target.THESE_SOURCES
    (caution,) = pair.cautions
    assert caution.message == (
        "The mean loss of a less that of b is -0.3 for each of the 4 sources. Without spread "
        "between sources there is no interval that rests on them, and intervals are about these "
        "sources, not about a new one."
    )
    (asked,) = thetahat.evaluate({"a": a, "b": b}, target="these_sources", **choices).comparisons
    assert not asked.cautions
