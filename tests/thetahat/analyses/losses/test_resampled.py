"""The bootstrap's part in a whole evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import named, normal_table, result_of
from thetahat.numerics.bootstrap import shared_resamples as shared
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import build_score_layout
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words

NAMES = {"basic", "bca", "percentile", "studentised"}


def resampled(part: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {i["method"]: i for i in part["intervals"] if i["method"] in NAMES}


@pytest.mark.parametrize("kind", [BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT])
def test_exact_models_and_pairs_have_default_resampled_intervals(kind: BlockKind) -> None:
    result = result_of(normal_table(1, kind, k=6))

    for part in (result["models"]["m0"], result["comparisons"][0]):
        intervals = resampled(part)
        assert set(intervals) == NAMES
        assert {i["n_resamples"] for i in intervals.values()} == {9999}
        assert not any(i["recommended"] for i in intervals.values())


def test_exact_named_alone_the_best_of_them_is_recommended() -> None:
    chosen = named("intervals", "basic", "studentised")
    result = result_of(normal_table(1, BlockKind.HOLDOUT), intervals=chosen)

    (best,) = [i["method"] for i in result["models"]["m0"]["intervals"] if i["recommended"]]
    assert best == "studentised"
    assert result["comparisons"][0]["interval"]["method"] == "studentised"


def test_exact_variances_by_name_want_what_rests_on_them() -> None:
    result = result_of(normal_table(1), variances=named("variances", "theta_3"))

    assert resampled(result["models"]["m0"]) == {}
    reasons = {e["name"]: e["reason"] for e in result["not_applicable"] if e["name"] in NAMES}
    assert set(reasons) == NAMES
    assert all("the request names variances" in reason for reason in reasons.values())


def test_exact_expensive_intervals_are_not_computed_by_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "MAX_DEFAULT_PRODUCTS", 1)
    result = result_of(normal_table(1))
    assert set(resampled(result["models"]["m0"])) == NAMES
    assert set(resampled(result["comparisons"][0])) == NAMES - {"studentised"}
    assert "studentised" in [e["name"] for e in result["not_applicable"]]

    named_alone = result_of(normal_table(1), intervals=named("intervals", "studentised"))
    assert set(resampled(named_alone["comparisons"][0])) == {"studentised"}


def test_exact_scores_are_mirrored_in_a_difference() -> None:
    rng = np.random.default_rng(2)
    layout = build_score_layout(BlockKind.SOURCE, np.full(12, 90.0), np.full(12, 10.0), None, 1)
    words = choose_words(BlockKind.SOURCE, higher_is_better=True)
    scores = {name: BlockLosses(layout, scores=rng.normal(size=12)) for name in "ab"}
    losses = {
        name: BlockLosses(layout, scores=-s.scores)
        for name, s in scores.items()
        if s.scores is not None
    }

    up = result_of(LossTable(layout, scores).with_words(words))["comparisons"][0]
    down = result_of(LossTable(layout, losses))["comparisons"][0]
    for name, interval in resampled(up).items():
        same = resampled(down)[name]
        assert_allclose(interval["lower"], -same["upper"], rtol=1e-9)
        assert_allclose(interval["upper"], -same["lower"], rtol=1e-9)


def test_degenerate_equal_losses_have_none() -> None:
    table = normal_table(1)
    same = LossTable(table.layout, {"a": table.models["m0"], "b": table.models["m0"]})

    assert resampled(result_of(same)["comparisons"][0]) == {}
