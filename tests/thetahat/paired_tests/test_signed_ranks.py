"""Signed ranks of many pairs, beside those of one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thetahat.analyses.losses.tables import table_of
from thetahat.analyses.losses.pairs import build_batches
from thetahat.paired_tests import _units
from thetahat.paired_tests._signed_ranks import SignedRanks, Zeros, rank_values
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.layout import build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray


def ranked(values: FloatArray, roundings: FloatArray) -> SignedRanks:
    return rank_values(values, roundings, "wilcox")


@pytest.mark.parametrize("style", ["plain", "ties", "zeros", "ambiguous"])
@pytest.mark.parametrize("zeros", ["wilcox", "pratt", "demsar_split"])
def test_naive_ranks_of_many_pairs_and_of_one(style: str, zeros: Zeros) -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(2, 300)) if style == "plain" else rng.integers(1, 20, (2, 300)) / 4
    a[a == b] += 0.25 if style == "ties" else 0.0
    a[0], b[0] = (1e15, 1e15 + 1) if style == "ambiguous" else (a[0], b[0])
    table = table_of(
        build_layout(BlockKind.HOLDOUT, np.zeros(300, dtype=np.intp)), {"a": a, "b": b}
    )
    test = Wilcoxon(zeros=zeros)
    ((pair,), batch) = next(iter(build_batches(table, None)))
    outcome = test.test(pair.losses, Alternative.TWO_SIDED, rng)

    (batched,) = test.test_many(batch, Alternative.TWO_SIDED, lambda *_: rng)
    assert batched == outcome


@given(st.integers(1, 6), st.integers(1, 9), st.integers(0, 2**32))
def test_naive_what_is_rounding(n_pairs: int, n_units: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    of_models, positions = rng.uniform(size=(4, n_units)), rng.integers(0, 4, (n_pairs, 2))
    differences = rng.integers(-2, 3, (n_pairs, n_units)) / 2

    values, dropped, n_positive, n_negative = _units._zero_rounding_errors(
        differences, of_models, positions
    )

    for row, (a, b) in enumerate(positions):
        slack = [max(of_models[a, i], of_models[b, i]) for i in range(n_units)]
        kept = [d if abs(d) > s else 0.0 for d, s in zip(differences[row], slack, strict=True)]
        assert values[row].tolist() == kept
        assert dropped[row] == sum(abs(differences[row])) - sum(map(abs, kept))
        assert n_positive[row] == sum(d > 0 for d in kept)
        assert n_negative[row] == sum(d < 0 for d in kept)


@pytest.mark.parametrize("style", ["plain", "ties", "zero_one", "mixed"])
def test_naive_ranks_of_many_rows(style: str) -> None:
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
