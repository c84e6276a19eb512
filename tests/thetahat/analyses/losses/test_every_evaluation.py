"""What holds of every evaluation, whatever its layout and its losses."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.analyses.losses.tables import result_of, table_of
from thetahat.analyses.losses.verdicts import ORDER
from thetahat.refit_estimators import EVERY_VARIANCE
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat.values.words import choose_words

DECISIONS = {*ORDER, "undecided"}


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    kind = draw(st.sampled_from(BlockKind))
    sizes = draw(st.lists(st.integers(1, 6), min_size=2, max_size=7))
    if kind is BlockKind.HOLDOUT:
        n = draw(st.integers(1, 12))
        cluster = [i // 2 for i in range(n)] if n > 2 and draw(st.booleans()) else None
        return build_layout(kind, [0] * n, cluster=cluster)
    if kind is BlockKind.SUBSAMPLES:
        return draw(subsamples(sizes))
    if draw(st.booleans()) and kind is BlockKind.RANDOM:
        repeats = draw(st.integers(1, 3))
        j = len(sizes) * repeats
        return build_score_layout(kind, np.full(j, 90.0), np.full(j, 10.0), None, repeats)
    block = np.repeat(np.arange(len(sizes)), sizes)
    repeats = draw(st.integers(1, 3))
    n = len(block)
    return build_layout(
        kind,
        np.tile(block, repeats),
        repeat=np.repeat(np.arange(repeats), n),
        instance=np.tile(np.arange(n), repeats) if draw(st.booleans()) else None,
        cluster=np.tile(np.arange(n) // 2, repeats) if n > 2 and draw(st.booleans()) else None,
    )


@st.composite
def subsamples(draw: st.DrawFn, sizes: list[int]) -> Layout:
    """Test parts that overlap, with and without what may be known of them."""
    kind, j = BlockKind.SUBSAMPLES, len(sizes)
    if draw(st.booleans()):
        return build_score_layout(kind, np.full(j, 90.0), np.full(j, 10.0), None, 1)
    row = np.concatenate([np.arange(size) + split for split, size in enumerate(sizes)])
    return build_layout(
        kind,
        np.repeat(np.arange(j), sizes),
        instance=row if draw(st.booleans()) else None,
        cluster=row // 2 if row.max() > 1 and draw(st.booleans()) else None,
        n_train=9.0 if draw(st.booleans()) else None,
    )


@st.composite
def tables(draw: st.DrawFn) -> LossTable:
    layout = draw(layouts())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = layout.n_rows if layout.has_rows else layout.n_splits
    n_models = draw(st.integers(1, 4))
    styles = st.sampled_from(["zero_one", "normal", "constant", "copy", "large", "shifted"])
    models: dict[str, BlockLosses] = {}
    last = rng.normal(size=n)
    for i in range(n_models):
        last = _losses(draw(styles), n, rng, last)
        values, scores = (last, None) if layout.has_rows else (None, last)
        models[f"m{i}"] = BlockLosses(layout, values=values, scores=scores)
    higher = not layout.has_rows and draw(st.booleans())
    return LossTable(layout, models, loss_range=None).with_words(
        choose_words(layout.kind, higher_is_better=higher)
    )


def _losses(style: str, n: int, rng: np.random.Generator, last: FloatArray) -> FloatArray:
    return {
        "zero_one": rng.integers(0, 2, n).astype(np.float64),
        "normal": rng.normal(size=n),
        "constant": np.full(n, 0.3),
        "copy": last,
        "large": 1e8 + rng.normal(size=n),
        "shifted": last + 0.25,
    }[style]


def _choices() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "level": st.sampled_from([0.05, 0.5, 0.9, 0.95, 0.999]),
            "margin": st.sampled_from([None, 1e-6, 0.1, 10.0]),
            "alternative": st.sampled_from(["two_sided", "less", "greater"]),
            "correction": st.sampled_from(["holm", "benjamini_hochberg", "none"]),
            "control": st.sampled_from([None, "m0"]),
            "clip": st.booleans(),
            "range": st.sampled_from([None, (-1e9, 1e9)]),
        }
    )


NEVER = {name for name, method in EVERY_VARIANCE.items() if method.info.never_recommended}


@given(tables(), _choices())
def test_property_result_is_json_with_one_recommended_interval_per_target(
    table: LossTable, choices: dict[str, Any]
) -> None:
    result = result_of(table, **choices)

    assert json.loads(json.dumps(result, allow_nan=False)) == result
    held = [m["intervals"] for m in result["models"].values()]
    for intervals in held + [c["intervals"] for c in result["comparisons"]]:
        targets = {i["target"] for i in intervals if i["variance"] not in NEVER}
        recommended = Counter(i["target"] for i in intervals if i["recommended"])
        assert recommended == dict.fromkeys(targets, 1)
    for interval in (i for intervals in held for i in intervals):
        low, high = interval["lower"], interval["upper"]
        assert None in (low, high) or low <= high
    for comparison in result["comparisons"]:
        verdict = comparison["verdict"]
        assert verdict["decision"] in DECISIONS
        assert set(verdict["also"]) <= DECISIONS
        planned = verdict["plan"] is not None or verdict["plan_reason"] is not None
        assert planned == (verdict["decision"] == "undecided")


@given(tables(), _choices())
def test_property_verdict_says_what_the_two_sided_interval_says(
    table: LossTable, choices: dict[str, Any]
) -> None:
    """For one pair: better is below 0 of losses and above 0 of scores, worse the other way."""
    alone = {**choices, "alternative": "two_sided", "clip": False, "correction": "none"}
    for comparison in result_of(table, **alone)["comparisons"]:
        interval, verdict = comparison["interval"], comparison["verdict"]
        if interval is None or verdict["method"] in (None, "sign"):
            continue
        decisions = {verdict["decision"], *verdict["also"]}
        below, above = interval["upper"] < 0, interval["lower"] > 0
        better, worse = (above, below) if table.higher_is_better else (below, above)
        assert ("better" in decisions, "worse" in decisions) == (better, worse)


@given(tables())
def test_property_swapping_two_models_changes_the_sign_alone(table: LossTable) -> None:
    names = list(table.models)[:2]
    if len(names) < 2:
        return
    part = LossTable(table.layout, {n: table.models[n] for n in names})
    other = LossTable(table.layout, {n: table.models[n] for n in reversed(names)})

    (first,), (second,) = (result_of(t)["comparisons"] for t in (part, other))

    flipped = {"better": "worse", "worse": "better", "undecided": "undecided"}
    assert second["verdict"]["decision"] == flipped[first["verdict"]["decision"]]
    assert second["difference"] == pytest.approx(-first["difference"], rel=1e-9, abs=1e-15)
    p_values = [comparison["verdict"]["p_value"] for comparison in (first, second)]
    if None in p_values:  # subsamples whose training sizes are not known have no variance
        assert p_values == [None, None]
        assert table.layout.n_train is None
    else:
        assert p_values[1] == pytest.approx(p_values[0], rel=1e-6)


@given(tables(), st.integers(0, 2**62))
def test_property_same_seed_same_numbers_and_input_untouched(table: LossTable, seed: int) -> None:
    for losses in table.models.values():
        for given_values in (losses.values, losses.scores):
            if given_values is not None:
                given_values.setflags(write=False)

    assert result_of(table, seed) == result_of(table, seed)


def test_degenerate_two_instances() -> None:
    table = table_of(build_layout(BlockKind.RANDOM, [0, 1]), {"a": [0.0, 1.0], "b": [1.0, 1.5]})

    result = result_of(table)
    assert result["comparisons"][0]["verdict"]["decision"] in DECISIONS
    json.dumps(result, allow_nan=False)


def test_degenerate_one_instance_in_a_holdout() -> None:
    table = table_of(build_layout(BlockKind.HOLDOUT, [0]), {"a": [0.0], "b": [1.0]})

    result = result_of(table)
    assert result["comparisons"][0]["verdict"]["decision"] == "undecided"
    (best,) = [i for i in result["models"]["a"]["intervals"] if i["recommended"]]
    assert best["method"] == "wilson"
