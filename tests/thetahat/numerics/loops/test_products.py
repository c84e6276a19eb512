"""Sums of products of models, block by block, beside products of whole matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from thetahat.analyses.losses import pair_moments as module
from thetahat.numerics.loops import products as loops
from thetahat.numerics.loops.compiling import compiled, compiled_with_reordered_sums
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray


def layout_for(n: int, n_blocks: int, *, shuffled: bool) -> Layout:
    block = np.arange(n) % n_blocks if shuffled else np.arange(n) * n_blocks // n
    return build_layout(BlockKind.RANDOM, block)


def by_matrices(
    losses: FloatArray, layout: Layout, about: FloatArray
) -> tuple[FloatArray, FloatArray]:
    split = layout.get_split_of_row()
    own = [losses[:, split == k] - about[k][:, None] for k in range(len(about))]
    return np.array([x.sum(axis=1) for x in own]), np.array([x @ x.T for x in own])


def whole_numbers(m: int, n_blocks: int, n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    losses = rng.integers(-9, 9, (m, n)).astype(np.float64)
    return losses, rng.integers(-9, 9, (n_blocks, m)).astype(np.float64)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("n", "m", "n_blocks"), [(40_001, 3, 7), (9000, 6, 2), (9000, 9, 2), (5000, 32, 900)]
)
def test_naive_products_in_one_pass(n: int, m: int, n_blocks: int, *, shuffled: bool) -> None:
    losses = 1e8 + np.random.default_rng(1).gamma(2.0, size=(m, n))
    layout = layout_for(n, n_blocks, shuffled=shuffled)
    assert layout.starts is not None
    about = np.array([losses[:, layout.get_split_of_row() == k][:, 0] for k in range(n_blocks)])
    models = [np.repeat(losses[0], 2)[::2], *losses[1:]]  # the first is not in one piece

    sums, products = loops.block_products(models, layout.order, layout.starts, about)

    expected = by_matrices(losses, layout, about)
    assert_allclose(sums, expected[0], rtol=1e-11, atol=1e-9)
    assert_allclose(products, expected[1], rtol=1e-11, atol=1e-9)


@given(
    st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(0, 2**32), st.integers(1, 99)
)
def test_property_products_uncompiled(block: list[int], seed: int, at_once: int) -> None:
    """Every line of the loop, as plain Python; sums of whole numbers are exact."""
    layout = build_layout(BlockKind.RANDOM, np.array([*block, *range(4)]))
    assert layout.starts is not None
    losses, about = whole_numbers(3, 4, layout.n_rows, seed)
    order = np.arange(layout.n_rows) if layout.order is None else layout.order
    sums, products, held = np.zeros((4, 3)), np.zeros((4, 4, 4)), np.zeros((4, 5))

    loops.of_blocks(tuple(losses), order, at_once, layout.starts, about, held, sums, products)

    expected = by_matrices(losses, layout, about)
    below = np.tril_indices(3)
    assert (sums == expected[0]).all()
    assert (products[:, *below] == expected[1][:, *below]).all()


@given(st.lists(st.integers(1, 9), min_size=2, max_size=6), st.integers(1, 5), st.integers(1, 20))
def test_property_products_of_runs_uncompiled(sizes: list[int], pairs: int, at_once: int) -> None:
    """In fours, and the last two; sums of whole numbers are exact."""
    layout = build_layout(BlockKind.RANDOM, np.repeat(np.arange(len(sizes)), sizes))
    assert layout.starts is not None
    m, k = 2 * pairs, len(sizes)
    losses, about = whole_numbers(m, k, layout.n_rows, pairs)
    sums, products = np.zeros((k, m)), np.zeros((k, m, m))

    loops.of_runs(tuple(losses), at_once, layout.starts, about, sums, products)

    expected = by_matrices(losses, layout, about)
    below = np.tril_indices(m)
    assert (sums == expected[0]).all()
    assert (products[:, *below] == expected[1][:, *below]).all()


@pytest.mark.parametrize("shuffled", [False, True])
def test_naive_products_of_either_way(*, shuffled: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    losses = np.random.default_rng(2).gamma(2.0, size=(5, 30_000))
    losses[0, 0] = 1e4  # squares about it would lose digits
    layout = layout_for(30_000, 3, shuffled=shuffled)
    by_loop = module._Products(list(losses), layout)
    monkeypatch.setattr(module, "MANY_LOSSES", 10**9)

    plain = module._Products(list(losses), layout)

    assert_allclose(by_loop.squares, plain.squares, rtol=1e-12)
    assert_allclose(by_loop.products, plain.products, rtol=1e-11, atol=1e-8)
    assert_allclose(by_loop.sums, plain.sums, rtol=1e-12)


def test_exact_not_a_number_stays_one() -> None:
    """The additions may change places, but nothing is assumed of what is added."""
    losses = np.ones((3, 2000))
    losses[1, 700] = np.nan
    sums, products = loops.block_products(
        list(losses), None, np.array([0, 1000, 2000]), np.zeros((2, 3))
    )

    assert np.isnan(sums).tolist() == [[False, True, False], [False] * 3]
    assert np.isnan(products[0]).sum() == 5
    assert (products[1] == 1000).all()


def test_exact_a_loop_in_any_order_is_compiled_once() -> None:
    assert compiled_with_reordered_sums(loops.of_blocks) is compiled_with_reordered_sums(
        loops.of_blocks
    )
    assert compiled_with_reordered_sums(loops.of_blocks) is not compiled(loops.of_blocks)
