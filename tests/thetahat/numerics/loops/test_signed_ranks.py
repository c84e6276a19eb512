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
from thetahat.paired_tests import _signed_ranks, _units
from thetahat.paired_tests._signed_ranks import SignedRanks, Zeros, rank_sorted, sort_keys
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray


def ranked(values: FloatArray, roundings: FloatArray) -> SignedRanks:
    keys = sort_keys(values)
    keys.sort()
    return rank_sorted(keys, values, roundings, 0, "wilcox")


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


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_property_rows_uncompiled(n_pairs: int, n_units: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(-3, 4, (n_pairs, n_units)) / 2
    keys = np.sort(sort_keys(values), axis=1)
    out, bits = np.empty((2, n_pairs)), np.empty(n_units, dtype=np.uint64)
    rank_loops.add_rows(keys, bits, bits.view(np.float64), out)

    plain = _signed_ranks._sum_positive_ranks_by_arrays(keys)
    assert [row.tolist() for row in plain] == out.tolist()


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


@pytest.mark.parametrize("style", ["plain", "ties", "zero_one", "mixed"])
def test_naive_ranks_of_many_rows(style: str, monkeypatch: pytest.MonkeyPatch) -> None:
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

    assert list(Wilcoxon().test_many(batch, Alternative.TWO_SIDED, lambda *_: rng)) == plain
