"""Many pairs at once: the numbers are those of one pair at a time."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import build_pairs, named, result_of, scores_of, table_of
from thetahat.analyses.losses import pairs as pairs_module
from thetahat.analyses.losses.pair_moments import make_pair_moments
from thetahat.analyses.losses.pairs import build_batches, list_places
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.paired_tests._signed_ranks import Zeros
from thetahat.paired_tests.base import TestOutcome
from thetahat.paired_tests.permutation import Permutation
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray

ALIKE = [name for name in PAIRED_TESTS if name != "bayesian_signed_rank"]
"""The tests whose pairs share a stream of random numbers; that one has a stream for each pair."""


def losses_of(style: str, n: int, rng: np.random.Generator, last: FloatArray) -> FloatArray:
    return {
        "zero_one": rng.integers(0, 2, n).astype(np.float64),
        "normal": rng.normal(size=n),
        "tied": rng.integers(0, 4, n) / 4,
        "copy": last,
        "nearly": last * (1 + 1e-15 * rng.integers(-2, 3, n)),
        "shifted": last + 0.25,
        "large": 1e8 + rng.normal(size=n),
        "constant": np.full(n, 0.3),
    }[style]


STYLES = ("zero_one", "normal", "tied", "copy", "nearly", "shifted", "large", "constant")


@st.composite
def tables(draw: st.DrawFn) -> LossTable:
    sizes = draw(st.lists(st.integers(1, 9), min_size=2, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    styles = draw(st.lists(st.sampled_from(STYLES), min_size=2, max_size=5))
    kind = draw(st.sampled_from([BlockKind.RANDOM, BlockKind.SOURCE, BlockKind.HOLDOUT]))
    block = np.zeros(sum(sizes), dtype=np.intp)
    if kind is not BlockKind.HOLDOUT:
        block = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    n, repeats = len(block), draw(st.integers(1, 2))
    repeats = 1 if kind is BlockKind.HOLDOUT else repeats
    layout = build_layout(
        kind,
        np.tile(block, repeats),
        repeat=np.repeat(np.arange(repeats), n),
        instance=np.tile(np.arange(n), repeats) if draw(st.booleans()) else None,
        cluster=np.tile(np.arange(n) // 2, repeats) if n > 2 and draw(st.booleans()) else None,
    )
    models: dict[str, FloatArray] = {}
    last = rng.normal(size=layout.n_rows)
    for i, style in enumerate(styles):
        last = losses_of(style, layout.n_rows, rng, last)
        models[f"m{i}"] = last
    return table_of(layout, models)


def one_by_one(
    name: str, table: LossTable, alternative: Alternative
) -> list[TestOutcome | EvaluationError]:
    outcomes: list[TestOutcome | EvaluationError] = []
    for pair in build_pairs(table, None):
        try:
            outcomes.append(
                PAIRED_TESTS[name]().test(pair.losses, alternative, make_random_stream(7, name))
            )
        except EvaluationError as error:
            outcomes.append(error)
    return outcomes


def assert_alike(ours: Any, other: Any) -> None:
    if isinstance(ours, dict):
        assert set(ours) == set(other)
        for key, item in ours.items():
            assert_alike(item, other[key])
    elif isinstance(ours, float):
        assert_allclose(ours, other, rtol=1e-9, atol=1e-13)
    else:
        assert ours == other


def assert_same(ours: TestOutcome | EvaluationError, other: TestOutcome | EvaluationError) -> None:
    if isinstance(ours, EvaluationError) or isinstance(other, EvaluationError):
        assert (type(ours), str(ours)) == (type(other), str(other))
        return
    codes = [[caution.code for caution in outcome.cautions] for outcome in (ours, other)]
    assert codes[0] == codes[1]
    assert (ours.unit, ours.degrees_of_freedom) == (other.unit, other.degrees_of_freedom)
    assert_alike(ours.statistic, other.statistic)
    assert_alike(ours.p_value, other.p_value)
    assert_alike(dict(ours.details), dict(other.details))


@pytest.mark.parametrize("name", ALIKE)
@given(table=tables(), alternative=st.sampled_from(list(Alternative)))
def test_naive_a_batch_is_its_pairs_one_by_one(
    name: str, table: LossTable, alternative: Alternative
) -> None:
    method = PAIRED_TESTS[name]()
    if method.inapplicable(table.layout) is not None:
        return
    expected = one_by_one(name, table, alternative)

    outcomes = [
        outcome
        for _, batch in build_batches(table, None)
        for outcome in method.test_many(batch, alternative, partial(make_random_stream, 7, name))
    ]

    for ours, other in zip(outcomes, expected, strict=True):
        assert_same(ours, other)


@given(
    table=tables(),
    alternative=st.sampled_from(list(Alternative)),
    method=st.sampled_from(["exact", "normal", "auto"]),
    zeros=st.sampled_from(["wilcox", "pratt", "zsplit", "demsar_split"]),
    correction=st.booleans(),
)
def test_exact_every_form_of_wilcoxon_tests_a_pair_in_a_batch_as_it_does_alone(
    table: LossTable,
    alternative: Alternative,
    method: Literal["exact", "normal", "auto"],
    zeros: Zeros,
    *,
    correction: bool,
) -> None:
    test = Wilcoxon(method=method, zeros=zeros, correction=correction)
    if test.inapplicable(table.layout) is not None:
        return
    rng = make_random_stream(7, "wilcoxon")
    for pairs_of_batch, batch in build_batches(table, None):
        outcomes = test.test_many(batch, alternative, lambda *_: rng)
        for pair, outcome in zip(pairs_of_batch, outcomes, strict=True):
            assert_same(outcome, test.test(pair.losses, alternative, rng))


def wide_table(n_models: int = 6, n: int = 90, seed: int = 1) -> LossTable:
    rng = np.random.default_rng(seed)
    block = rng.permutation(np.arange(n) % 5)
    shared = rng.normal(size=n)
    models = {f"m{i}": shared + rng.normal(size=n) + 0.05 * i for i in range(n_models)}
    return table_of(build_layout(BlockKind.RANDOM, block), models)


@pytest.mark.parametrize("kind", ["near", "apart", "huge"])
def test_naive_sums_of_models_make_the_sums_of_pairs(kind: str) -> None:
    table = wide_table()
    models = {name: losses.rows.copy() for name, losses in table.models.items()}
    if kind == "near":  # nothing but rounding on most units, which a pair takes as 0
        models["m1"] = models["m0"].copy()
        models["m1"][::3] += np.random.default_rng(2).normal(size=30) * 1e-3
        models["m1"][1::3] *= 1 + 2e-16
    if kind == "huge":
        models["m0"][7] = 1e130
    table = table_of(table.layout, models)
    method = Permutation(n_resamples=999)
    batch = next(build_batches(table, None))[1]
    outcomes = method.test_many(batch, Alternative.TWO_SIDED, partial(make_random_stream, 3, "x"))

    for pair, outcome in zip(batch.pairs, outcomes, strict=True):
        alone = method.test(pair, Alternative.TWO_SIDED, make_random_stream(3, "x"))
        assert outcome.details["method"] == "random"
        assert outcome.p_value == alone.p_value


def test_exact_a_p_value_does_not_depend_on_the_other_pairs() -> None:
    table = wide_table()
    two = LossTable(table.layout, {n: table.models[n] for n in ("m0", "m1")})

    first, other = (result_of(t)["comparisons"][0] for t in (table, two))

    for key, outcome in other["tests"].items():
        assert_alike(first["tests"][key]["p_value"], outcome["p_value"])
    assert first["tests"]["permutation"]["p_value"] == other["tests"]["permutation"]["p_value"]
    for field in ("estimate", "standard_error"):
        assert first["interval"][field] == pytest.approx(other["interval"][field], rel=1e-10)


def test_exact_batching_does_not_change_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    table = wide_table()
    whole = result_of(table, include="tests")
    monkeypatch.setattr(pairs_module, "NUMBERS_IN_2_MB", 2 * 90)

    assert len(list(build_batches(table, None))) == 8
    assert result_of(table, include="tests") == whole


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("at_once", [2**20, 50])
def test_naive_moments_of_pairs(
    shift: float, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thetahat.analyses.losses import pair_moments as module

    monkeypatch.setattr(module, "NUMBERS_IN_1_MB", at_once)
    table = wide_table()
    rows = {n: m.rows + shift * (i % 2) for i, (n, m) in enumerate(table.models.items())}
    table = table_of(table.layout, {**rows, "copy": rows["m0"], "near": rows["m0"] * (1 + 1e-9)})
    models = list(table.models.values())

    chosen = list_places(table.names, None)
    of_pairs = make_pair_moments(models, 28)(np.array(chosen))

    for (i, j), moments in zip(chosen, of_pairs, strict=True):
        direct = models[i].minus(models[j]).moments
        digits_lost = {table.names[i], table.names[j]} <= {"m0", "copy", "near"}
        assert (moments is None) == digits_lost
        if moments is None:
            continue
        assert_allclose(moments.means, direct.means, rtol=1e-9, atol=1e-9)
        assert moments.centred_squares is not None
        assert direct.centred_squares is not None
        assert_allclose(moments.centred_squares, direct.centred_squares, rtol=1e-9)
        assert_allclose(moments.sizes, direct.sizes)


@pytest.mark.parametrize("at_once", [2**20, 20_000])
def test_limit_a_first_loss_far_out_costs_no_digits(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thetahat.analyses.losses import pair_moments as module

    monkeypatch.setattr(module, "NUMBERS_IN_1_MB", at_once)
    rng = np.random.default_rng(6)
    layout = build_layout(BlockKind.RANDOM, np.repeat(np.arange(2), 50_000))
    losses = rng.gamma(2.0, size=(4, 100_000))
    losses[0, 50_000] = 1e4  # squares about it are 50 000 times those about the mean
    table = table_of(layout, {f"m{i}": row for i, row in enumerate(losses)})
    models = list(table.models.values())

    chosen = list_places(table.names, None)
    of_pairs = make_pair_moments(models, 6)(np.array(chosen))

    for (i, j), moments in zip(chosen, of_pairs, strict=True):
        direct = models[i].minus(models[j]).moments
        assert moments is not None
        assert moments.centred_squares is not None
        assert direct.centred_squares is not None
        assert_allclose(moments.centred_squares, direct.centred_squares, rtol=3e-14)
        assert_allclose(moments.means, direct.means, rtol=1e-10)


def test_exact_moments_of_zero_one_pairs_are_whole_numbers() -> None:
    rng = np.random.default_rng(5)
    layout = build_layout(BlockKind.RANDOM, rng.permutation(np.arange(400) % 4))
    table = table_of(layout, {f"m{i}": rng.integers(0, 2, 400) for i in range(4)})
    models = list(table.models.values())
    chosen = list_places(table.names, None)
    of_pairs = make_pair_moments(models, 6)(np.array(chosen))

    for (i, j), moments in zip(chosen, of_pairs, strict=True):
        direct = models[i].minus(models[j]).moments
        assert moments is not None
        assert (moments.means == direct.means).all()


def test_degenerate_moments_of_equal_models_are_unknown() -> None:
    layout = build_layout(BlockKind.RANDOM, np.arange(40) % 4)
    rng = np.random.default_rng(7)
    a = rng.normal(size=40)
    table = table_of(layout, {"a": a, "copy": a, "c": rng.normal(size=40)})
    of_pairs = make_pair_moments(list(table.models.values()), 3)(
        np.array(list_places(table.names, None))
    )

    assert [moments is None for moments in of_pairs] == [True, False, False]


def test_degenerate_no_moments_of_pairs_without_rows_or_with_a_control() -> None:
    scores = scores_of({"a": [0.1, 0.2], "b": [0.3, 0.1], "c": [0.3, 0.5]})
    two = np.array([[0, 1], [1, 2]])
    assert make_pair_moments(list(scores.models.values()), 3)(two) == [None, None]
    assert make_pair_moments(list(wide_table().models.values()), 5)(two) == [None, None]


def test_invalid_a_named_test_that_no_pair_can_have() -> None:
    with pytest.raises(UnsupportedCombination, match="all 0 or 1"):
        result_of(wide_table(), tests=named("tests", "mcnemar"))
