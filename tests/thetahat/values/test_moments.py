from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tests.thetahat.naive import variances as naive
from tests.thetahat.naive.loss_matrices import (
    FIVE_BY_NINE,
    RAGGED,
    block_rows,
    losses_of,
    repeats_of,
)
from thetahat.errors import InsufficientData
from thetahat.values.layout import build_layout, build_score_layout
from thetahat.values.moments import BlockMoments, compute_moments_of_rows, compute_moments_of_scores
from thetahat.values.types import BlockKind


def of_blocks(rows: list[list[float]]) -> BlockMoments:
    (blocks,) = losses_of(rows).moments.yield_repeats()
    return blocks


def test_by_hand_ragged() -> None:
    # means 2, 3, 7; squares about them 2, 6, 2; V 2, 3, 2/3; V/M 1, 1, 1/6
    blocks = of_blocks(RAGGED)

    assert_allclose(blocks.sizes, [2, 3, 4])
    assert_allclose(blocks.means, [2, 3, 7], rtol=1e-15)
    assert_allclose(blocks.within_variances, [2, 3, 2 / 3], rtol=1e-14)
    assert_allclose(blocks.mean_sampling_variance, 13 / 18, rtol=1e-14)
    assert_allclose(blocks.between_variance, 7, rtol=1e-14)
    assert_allclose(blocks.macro_mean, 4, rtol=1e-15)
    assert_allclose(blocks.pooled_mean, 41 / 9, rtol=1e-15)
    assert_allclose(blocks.total_centred_squares, 488 / 9, rtol=1e-14)
    assert blocks.n_blocks == 3
    assert blocks.n_losses == 9


def test_by_hand_means_of_repeats_of_different_shape() -> None:
    # repeat 0 has block means 2, 3, 7 of 2, 3, 4; repeat 1 has 1, 3 of 2, 1: macro (4 + 2)/2
    moments = repeats_of([RAGGED, [[0, 2], [3]]]).moments

    assert moments.n_splits == 5
    assert_allclose(moments.means, [2, 3, 7, 1, 3], rtol=1e-15)
    assert_allclose(moments.macro_mean, 3, rtol=1e-15)
    assert_allclose(moments.pooled_mean, 46 / 12, rtol=1e-15)
    assert [part.n_blocks for part in moments.yield_repeats()] == [3, 2]


@pytest.mark.parametrize("far", [False, True])
@given(data=st.data())
def test_naive_exact_arithmetic(*, far: bool, data: st.DataObject) -> None:
    rows = data.draw(block_rows(far=far))
    exact = naive.exact(rows)
    blocks = of_blocks(rows)
    losses = [e for block in exact for e in block]
    total = naive.variance(losses) * (len(losses) - 1)
    spread = float(max(losses) - min(losses))

    last_bits = 1e-15 * spread
    assert_allclose(blocks.means, [float(naive.mean(b)) for b in exact], rtol=1e-15, atol=last_bits)
    assert_allclose(
        blocks.within_variances,
        [float(naive.variance(b)) for b in exact],
        rtol=1e-12,
        atol=1e-28 * spread**2,
    )
    assert_allclose(
        blocks.between_variance,
        float(naive.variance([naive.mean(b) for b in exact])),
        rtol=1e-12,
        atol=1e-28 * spread**2,
    )
    assert_allclose(blocks.pooled_mean, float(naive.mean(losses)), rtol=1e-15, atol=last_bits)
    assert_allclose(blocks.total_centred_squares, float(total), rtol=1e-12)


def test_exact_shuffled_rows_and_many_splits_take_the_same_values() -> None:
    """Above 4096 splits one reduceat takes the loop's place; a stable sort undoes any order."""
    rng = np.random.default_rng(77)
    block = np.repeat(np.arange(5000), rng.integers(1, 4, size=5000))
    values = rng.gamma(2.0, size=len(block)) + 1e8
    order = rng.permutation(len(block))
    many = compute_moments_of_rows(values, build_layout(BlockKind.RANDOM, block))
    shuffled_layout = build_layout(BlockKind.RANDOM, block[order])
    shuffled = compute_moments_of_rows(values[order], shuffled_layout)

    label = np.array(shuffled_layout.block_labels)
    assert many.centred_squares is not None
    assert shuffled.centred_squares is not None
    shifted = values - 1e8
    for k in range(0, 5000, 97):
        part = shifted[block == k]
        assert_allclose(many.means[k] - 1e8, part.mean(), atol=2e-8)
        assert_allclose(many.centred_squares[k], ((part - part.mean()) ** 2).sum(), atol=1e-12)
    assert_allclose(shuffled.means, many.means[label], rtol=1e-15)
    assert_allclose(shuffled.centred_squares, many.centred_squares[label], rtol=1e-9, atol=1e-14)


@pytest.mark.parametrize("n_blocks", [4, 5000])
def test_exact_a_far_block_costs_the_others_no_digits(n_blocks: int) -> None:
    # one loss of 2^50 in the first block; the others have squares 0.5 about their means
    rows = [[2.0**50, 0.0], *([0.125, 1.125] for _ in range(n_blocks - 1))]
    blocks = of_blocks(rows)

    assert_allclose(blocks.within_variances[1:], 0.5, rtol=1e-15)
    assert_allclose(blocks.within_variances[0], 2.0**99, rtol=1e-15)


def test_exact_scores_know_the_means_alone() -> None:
    layout = build_score_layout(
        BlockKind.RANDOM, np.full(3, 6.0), np.array([2.0, 3.0, 4.0]), None, 1
    )
    (blocks,) = compute_moments_of_scores(np.array([2.0, 3.0, 7.0]), layout).yield_repeats()

    assert_allclose(blocks.between_variance, 7, rtol=1e-15)
    assert_allclose(blocks.pooled_mean, 41 / 9, rtol=1e-15)
    for name in ("within_variances", "total_centred_squares"):
        with pytest.raises(InsufficientData, match="one loss per instance"):
            getattr(blocks, name)


def test_degenerate_equal_losses_have_no_spread_at_all() -> None:
    blocks = of_blocks([[0.1] * 7, [0.1] * 3])

    assert blocks.between_variance == 0
    assert not blocks.within_variances.any()
    assert blocks.total_centred_squares == 0


def test_degenerate_zero_one_losses_are_exact_fractions() -> None:
    blocks = of_blocks(FIVE_BY_NINE)

    assert_allclose(blocks.means, [float(Fraction(s, 9)) for s in (3, 1, 4, 1, 6)], rtol=1e-15)


def test_invalid_too_few() -> None:
    with pytest.raises(InsufficientData, match="Block 1 has one instance") as caught:
        _ = of_blocks([[1, 2], [3]]).within_variances
    assert caught.value.loc == ("block", 1)
    (single,) = losses_of([[1, 2, 3]], BlockKind.HOLDOUT).moments.yield_repeats()
    with pytest.raises(InsufficientData, match="needs two blocks"):
        _ = single.between_variance


def test_invalid_layout_without_rows() -> None:
    layout = build_score_layout(BlockKind.RANDOM, np.full(2, 6.0), np.full(2, 3.0), None, 1)

    with pytest.raises(InsufficientData, match="has no rows"):
        compute_moments_of_rows(np.zeros(6), layout)


@given(st.integers(2, 300), st.floats(-1e9, 1e9), st.integers(0, 2**32))
def test_exact_means_and_variances_are_those_of_numpy(n: int, shift: float, seed: int) -> None:
    deviations = shift + np.random.default_rng(seed).normal(size=n)
    blocks = BlockMoments(np.full(n, 4.0), 0.0, deviations, deviations**2)

    assert blocks.macro_mean == deviations.mean()
    assert blocks.between_variance == deviations.var(ddof=1)
    assert blocks.mean_sampling_variance == (deviations**2 / 3 / 4).mean()
