from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.naive.loss_matrices import RAGGED, losses_of, repeats_of
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout, build_score_layout
from thetahat.values.types import BlockKind


def layout() -> Layout:
    return build_layout(BlockKind.RANDOM, [0, 0, 1, 1])


def scores_layout() -> Layout:
    return build_score_layout(BlockKind.RANDOM, np.full(2, 6.0), np.full(2, 3.0), None, 1)


def test_exact_moments_of_both_forms() -> None:
    rows = losses_of(RAGGED)
    by_scores = BlockLosses(scores_layout(), scores=np.array([0.25, 0.75]))

    assert_allclose(rows.moments.means, [2, 3, 7], rtol=1e-15)
    assert rows.moments is rows.moments  # computed once
    assert_allclose(by_scores.moments.means, [0.25, 0.75], rtol=1e-15)


def test_exact_differences() -> None:
    a, b = (BlockLosses(layout(), values=np.array(v)) for v in ([1.0, 2, 3, 4], [4.0, 2, 2, 0]))
    c, d = (BlockLosses(scores_layout(), scores=np.array(v)) for v in ([0.5, 0.25], [0.25, 0.5]))
    difference = c.minus(d).scores

    assert_array_equal(a.minus(b).rows, [-3, 0, 1, 4])
    assert difference is not None
    assert_array_equal(difference, [0.25, -0.25])


def test_invalid_difference_of_two_forms() -> None:
    a = BlockLosses(layout(), values=np.zeros(4))
    b = BlockLosses(scores_layout(), scores=np.zeros(2))

    with pytest.raises(InvalidParameter, match="losses of the same form"):
        a.minus(b)
    with pytest.raises(InsufficientData, match="one loss per instance"):
        _ = b.rows


def test_exact_instance_means() -> None:
    losses = repeats_of([[[1.0, 2.0], [4.0]], [[3.0], [0.0, 7.0]]], instance=[0, 1, 2, 0, 1, 2])

    assert_allclose(losses.compute_instance_means(), [2, 1, 5.5], rtol=1e-15)
    assert_array_equal(losses_of(RAGGED).compute_instance_means(), losses_of(RAGGED).rows)


def test_exact_instance_means_far_from_zero() -> None:
    rows = [[2.0**40, 2.0**40 + 0.25], [2.0**40 + 0.75]]
    losses = repeats_of([rows, rows], instance=[0, 1, 2, 0, 1, 2])

    assert_array_equal(losses.compute_instance_means() - 2.0**40, [0, 0.25, 0.75])


def test_invalid_repeats_of_unnamed_instances() -> None:
    with pytest.raises(InsufficientData, match="without an instance column") as caught:
        repeats_of([RAGGED, RAGGED]).compute_instance_means()
    assert caught.value.loc == ("instance",)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf"), 1e141, -1e200])
def test_invalid_losses_not_finite_or_beyond_squaring(bad: float) -> None:
    with pytest.raises(InvalidParameter, match=r"finite and at most 1e\+140") as caught:
        BlockLosses(layout(), values=np.array([0.0, 1.0, bad, bad]))
    assert caught.value.loc == ("losses", 2)
    assert caught.value.message.startswith(f"Loss 2 is {bad}.")
    assert caught.value.value == str(bad)


def test_limit_differences_of_the_largest_losses_have_moments() -> None:
    a = BlockLosses(layout(), values=np.array([1e140, -1e140, 1e140, 0.0]))
    b = BlockLosses(layout(), values=np.array([-1e140, 1e140, 0.0, 0.0]))
    (blocks,) = a.minus(b).moments.yield_repeats()

    assert np.isfinite(blocks.within_variances).all()


def test_invalid_shape() -> None:
    with pytest.raises(InvalidParameter, match="There are 3 losses for 4 rows"):
        BlockLosses(layout(), values=np.zeros(3))
    with pytest.raises(InvalidParameter, match="There are 4 losses for 2 splits"):
        BlockLosses(scores_layout(), scores=np.zeros(4))
    with pytest.raises(InvalidParameter, match="There are 0 losses for 2 splits"):
        BlockLosses(layout())


def test_exact_table_keeps_the_request_s_order() -> None:
    losses = losses_of(RAGGED)
    table = LossTable(losses.layout, {"z": losses, "a": losses})

    assert table.names == ("z", "a")
    with pytest.raises(InsufficientData, match="no model"):
        LossTable(losses.layout, {})


def test_limit_largest_losses_keep_finite_moments() -> None:
    moments = BlockLosses(layout(), values=np.array([1e140, -1e140, 1e140, 0.0])).moments
    (blocks,) = moments.yield_repeats()

    assert np.isfinite(blocks.within_variances).all()
    assert np.isfinite(blocks.between_variance)
