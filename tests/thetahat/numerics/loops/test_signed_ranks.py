"""Signed ranks by compiled loops, beside those of whole arrays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.analyses.losses.tables import table_of
from thetahat.analyses.losses.pairs import build_batches
from thetahat.numerics.loops import paired_units as unit_loops
from thetahat.numerics.loops import signed_ranks as rank_loops
from thetahat.numerics.loops import sorted_rows as row_loops
from thetahat.paired_tests import _signed_ranks, _units
from thetahat.paired_tests._signed_ranks import SignedRanks, Zeros, rank_sorted, sort_keys
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray


def ranked(values: FloatArray, roundings: FloatArray) -> SignedRanks:
    keys = sort_keys(values)
    keys.sort()
    return rank_sorted(keys, values, roundings, 0, "wilcox")


@pytest.mark.parametrize("style", ["plain", "ties", "ambiguous"])
def test_naive_rank_sums_in_one_pass(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=300) if style == "plain" else rng.integers(1, 20, 300) / 4
    values *= rng.choice([-1.0, 1.0], 300)
    roundings = np.full(300, 1e-12)
    roundings[::2] = 0.3 if style == "ambiguous" else 1e-12
    plain = ranked(values, roundings)
    monkeypatch.setattr(_signed_ranks, "MANY_SIZES", 1)

    ranks = ranked(values, roundings)

    assert (ranks.ranks is None) == (style != "ambiguous")
    assert (ranks.positive, ranks.negative) == (plain.positive, plain.negative)
    assert ranks.has_ties == plain.has_ties == (style != "plain")
    assert_allclose(ranks.variance, plain.variance, rtol=1e-14)
    assert ranks.n_ranked == 300


@pytest.mark.parametrize("style", ["plain", "ties", "zeros", "ambiguous"])
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "demsar_split"])
def test_naive_ranks_of_many_pairs_and_of_one(
    style: str, zeros: Zeros, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(2, 300)) if style == "plain" else rng.integers(1, 20, (2, 300)) / 4
    a[a == b] += 0.25 if style == "ties" else 0.0
    a[0], b[0] = (1e15, 1e15 + 1) if style == "ambiguous" else (a[0], b[0])
    table = table_of(
        build_layout(BlockKind.HOLDOUT, np.zeros(300, dtype=np.intp)), {"a": a, "b": b}
    )
    test = Wilcoxon(zeros=zeros)
    ((pair,), batch) = next(iter(build_batches(table, None)))
    plain = test.test(pair.losses, Alternative.TWO_SIDED, rng)
    monkeypatch.setattr(_signed_ranks, "MANY_SIZES", 1)

    outcome = test.test(pair.losses, Alternative.TWO_SIDED, rng)

    assert (outcome.statistic, outcome.unit) == (plain.statistic, plain.unit)
    assert outcome.p_value == pytest.approx(plain.p_value, rel=1e-12)
    assert dict(outcome.details) | {"z": 0} == dict(plain.details) | {"z": 0}
    (batched,) = test.test_many(batch, Alternative.TWO_SIDED, lambda *_: rng)
    assert batched == outcome


@given(st.lists(st.integers(-5, 5).filter(bool), min_size=1, max_size=40))
def test_property_rank_sums_uncompiled(values: list[int]) -> None:
    given_values = np.array(values, dtype=np.float64)
    keys = sort_keys(given_values)
    keys.sort()
    out, bits = np.empty(2), np.empty(7, dtype=np.uint64)
    room = (bits, bits.view(np.float64), out)
    assert not rank_loops.add_ranks(keys, 0.5, 0.5, *room)
    plain = ranked(given_values, np.full(len(values), 0.5))

    assert out[0] == plain.positive
    n = len(values)
    assert_allclose((n * (n + 1) * (2 * n + 1) / 6 - out[1] / 12) / 4, plain.variance, rtol=1e-13)
    gaps = np.diff((keys >> np.uint64(1)).view(np.float64))
    assert rank_loops.add_ranks(keys, 2.0, 0.5, *room) == bool(np.isin(gaps, [1.0, 2.0]).any())


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=40), st.integers(0, 2**32))
def test_property_keys_uncompiled(values: list[int], seed: int) -> None:
    difference = np.array(values, dtype=np.float64)
    a, b = np.random.default_rng(seed).uniform(-1, 1, (2, len(values)))
    keys, out = np.empty(len(values), dtype=np.uint64), np.empty(2)
    bits = difference.view(np.uint64)
    n = rank_loops.fill_keys(difference, bits, a, b, 1.5, keys, out)

    roundings = 1.5 * np.maximum(np.abs(a), np.abs(b))
    present = np.abs(difference) > roundings
    assert keys[:n].tolist() == sort_keys(difference[present]).tolist()
    assert out[0] == roundings.max(where=present, initial=0.0)
    assert out[1] == roundings.min(where=present, initial=np.inf)


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_property_rows_uncompiled(n_pairs: int, n_units: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, (n_pairs, n_units)) / 2
    keys = np.sort(sort_keys(values), axis=1)
    out, bits = np.empty((2, n_pairs)), np.empty(n_units, dtype=np.uint64)
    rank_loops.add_rows(keys, bits, bits.view(np.float64), out)

    plain = _signed_ranks._sum_positive_ranks_by_arrays(keys)
    assert [row.tolist() for row in plain] == out.tolist()


@given(st.integers(1, 70), st.integers(1, 64), st.integers(0, 2**32))
def test_property_rows_sorted_side_by_side(n_pairs: int, n_units: int, seed: int) -> None:
    """Gaps with ties and zeros too, and of sizes whose exponents go up to the sign's bit."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_pairs, n_units)) * 10.0 ** rng.integers(-3, 4, n_units)
    values[rng.uniform(size=values.shape) < 0.02] = 0.25
    values[rng.uniform(size=values.shape) < 0.02] = 0.0
    values[0, 0] *= 1e300
    keys = np.sort(sort_keys(values), axis=1)

    sums, gaps = row_loops.positive_sums_of_rows(values)

    expected, least = _signed_ranks._sum_positive_ranks_by_arrays(keys)
    assert gaps.tolist() == least.tolist()
    assert sums[gaps > 0].tolist() == expected[gaps > 0].tolist()


def test_naive_rows_sorted_as_written() -> None:
    values = np.random.default_rng(1).normal(size=(70, 5)) * [1e-3, 1, 10, 1e200, 1e-200]
    keys, (sums, gaps) = np.zeros((5, 64), dtype=np.int64), np.empty((2, 70))
    room = keys, keys.view(np.uint64), keys.view(np.float64)
    row_loops.sort_rows(values, values.view(np.uint64), row_loops.network(5), *room, sums, gaps)

    expected = _signed_ranks._sum_positive_ranks_by_arrays(np.sort(sort_keys(values), axis=1))
    assert (sums.tolist(), gaps.tolist()) == (expected[0].tolist(), expected[1].tolist())


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8, 13])
def test_exact_the_network_sorts_every_pattern_of_zeros_and_ones(n: int) -> None:
    """Which proves that it sorts all numbers: the zero-one principle."""
    patterns = np.arange(2**n)[:, None] >> np.arange(n) & 1
    for i, j in row_loops.network(n):
        low, high = patterns[:, [i, j]].min(axis=1), patterns[:, [i, j]].max(axis=1)
        patterns[:, i], patterns[:, j] = low, high

    assert i < j if n > 1 else len(row_loops.network(n)) == 0
    assert (np.diff(patterns, axis=1) >= 0).all()


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_property_what_is_rounding_uncompiled(n_pairs: int, n_units: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    of_models, positions = rng.uniform(size=(4, n_units)), rng.integers(0, 4, (n_pairs, 2))
    differences = rng.integers(-2, 3, (n_pairs, n_units)) / 2
    values, dropped = differences.copy(), np.zeros(n_pairs)
    n_signs = np.empty((2, n_pairs), dtype=np.intp)
    unit_loops.count_signs(of_models, positions, values, dropped, *n_signs)
    assert (values == differences).all()
    unit_loops.zero_rows_with_rounding_errors(of_models, positions, dropped, values)

    plain = _units._zero_rounding_errors_by_arrays(differences, of_models, positions)
    compiled = unit_loops.zero_rounding_errors(differences, of_models, positions)
    assert_allclose(dropped, np.abs(differences - values).sum(axis=1), rtol=1e-14)
    largest = [of_models[both].max() for both in positions]
    for arrays in (plain, compiled):
        for first, other in zip((values, largest, dropped, *n_signs), arrays, strict=True):
            assert_allclose(first, other, rtol=1e-14)


@pytest.mark.parametrize("by_network", [False, True])
@pytest.mark.parametrize("style", ["plain", "ties", "zero_one", "mixed"])
def test_naive_ranks_of_many_rows(
    style: str, monkeypatch: pytest.MonkeyPatch, *, by_network: bool
) -> None:
    """The loops and whole arrays, with the same outcomes in every part."""
    rng = np.random.default_rng(8)
    losses = rng.normal(size=(5, 40)) if style == "plain" else rng.integers(0, 2, (5, 40)) * 1.0
    losses[2:] += rng.integers(0, 3, (3, 40)) / 4 if style == "ties" else 0.0
    losses[4] += 2.0 if style == "ties" else 0.0  # ties without zeros
    losses[2:] += rng.normal(size=(3, 40)) if style == "mixed" else 0.0
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(40, dtype=np.intp))
    table = table_of(layout, {f"m{i}": row for i, row in enumerate(losses)})
    ((pairs, batch),) = build_batches(table, None)
    plain = list(Wilcoxon().test_many(batch, Alternative.TWO_SIDED, lambda *_: rng))
    assert plain == [Wilcoxon().test(pair.losses, Alternative.TWO_SIDED, rng) for pair in pairs]
    batch.batch_cache.clear()
    monkeypatch.setattr(_units, "MANY_VALUES", 1)
    monkeypatch.setattr(_signed_ranks, "_sum_positive_ranks_by_arrays", rank_loops.positive_sums)
    if by_network:
        monkeypatch.setattr(_signed_ranks, "MANY_SIZES", 41)

    assert list(Wilcoxon().test_many(batch, Alternative.TWO_SIDED, lambda *_: rng)) == plain
