"""Few candidates of many, their order, and those in a training part: by hand, and by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.numerics.loops import nearest_rows
from thetahat.numerics.loops.nearest_rows import (
    near_by_kernel,
    ranked_by_kernel,
    smallest_by_kernel,
)

RNG = np.random.default_rng(20_261_130)


def test_by_hand_groups() -> None:
    near = np.array([[5, 2, 8, 1, 0, 7, 6, 4, 3]], dtype=np.float32)
    nearest = np.zeros((1, 9), dtype=np.intp)

    of_one, first = smallest_by_kernel(near, 1)
    of_two, second = smallest_by_kernel(near, 2)
    counts = near_by_kernel(near, of_one, np.array([3], dtype=np.float32), nearest)

    # 9 // 4 = 2 columns a group: 0 and 4, 1 and 5, 2 and 6, 3 and 7, and column 8 is of none
    assert (of_one.tolist(), first.tolist()) == ([[0, 2, 6, 1]], [0])
    # 9 // 8 = 1: each column is a group
    assert (of_two.tolist(), second.tolist()) == (near.tolist(), [1])
    assert sorted(nearest[0, : counts[0]].tolist()) == [1, 3, 4, 8]


@pytest.mark.parametrize("values", [7, 10**6])
@pytest.mark.parametrize(("n", "length"), [(28, 7), (517, 7), (3000, 11)])
def test_naive_all_up_to_the_limit_are_found(n: int, length: int, values: int) -> None:
    near = RNG.integers(0, values, (20, n)).astype(np.float32)
    nearest = np.zeros((20, 150), dtype=np.intp)

    smallest, bounds = smallest_by_kernel(near, length)
    counts = near_by_kernel(near, smallest, bounds + 1, nearest)

    for row, columns, count, bound in zip(near, nearest, counts, bounds, strict=True):
        wanted = np.flatnonzero(row <= bound + 1)
        assert np.count_nonzero(row <= bound) >= length
        if count:
            assert_array_equal(np.sort(columns[:count]), wanted)
        else:
            assert len(wanted) > 150 - 32
    assert counts.any() or values == 7


@pytest.mark.parametrize(("n", "most"), [(79, 78), (64, 60)])
def test_degenerate_rows_beyond_the_limit_are_not_found(n: int, most: int) -> None:
    near = np.zeros((1, n), dtype=np.float32)
    smallest, bounds = smallest_by_kernel(near, 2)

    assert near_by_kernel(near, smallest, bounds, np.zeros((1, most), dtype=np.intp)) == [0]
    assert near_by_kernel(near, smallest, bounds, np.zeros((1, n), dtype=np.intp)) == [n]
    assert near_by_kernel(near, smallest, bounds - 1, np.zeros((1, n), dtype=np.intp)) == [0]


@pytest.mark.parametrize("p", [1, 7, 8, 9, 30, 128])
def test_exact_squares_have_the_bits_of_numpy(p: int) -> None:
    rows, queries = RNG.normal(size=(90, p)), RNG.normal(size=(5, p))
    candidates = np.tile(np.arange(90), (5, 1))

    nearest, squares = ranked_by_kernel(queries, rows, candidates, np.full(5, 90), 90)

    gaps = rows - queries[:, None]
    wanted = (gaps * gaps).sum(axis=2)
    assert_array_equal(squares, np.sort(wanted, axis=1))
    assert_array_equal(nearest, np.argsort(wanted, axis=1, kind="stable"))


def test_exact_of_rows_equally_far_the_lowest_comes_first() -> None:
    rows = RNG.integers(0, 2, (40, 2)).astype(np.float64)
    candidates = RNG.permutation(40)[None]

    nearest, squares = ranked_by_kernel(np.zeros((1, 2)), rows, candidates, np.full(1, 33), 20)

    nearest_first = np.sort(candidates[0, :33])
    order = nearest_first[np.argsort((rows[nearest_first] ** 2).sum(axis=1), kind="stable")]
    assert_array_equal(nearest[0], order[:20])
    assert_array_equal(squares[0], (rows[order[:20]] ** 2).sum(axis=1))


@pytest.mark.parametrize("p", [3, 9, 300])
def test_exact_the_loops_are_the_same_uncompiled(p: int) -> None:
    near, rows = RNG.exponential(size=(2, 70)).astype(np.float32), RNG.normal(size=(70, p))
    smallest, bounds = smallest_by_kernel(near, 4)
    candidates = np.zeros((2, 70), dtype=np.intp)
    counts = near_by_kernel(near, smallest, bounds, candidates)
    nearest, squares = ranked_by_kernel(rows[:2], rows, candidates, counts, 4)
    loops: Any = nearest_rows

    few, columns, n_found = (
        np.zeros_like(smallest),
        np.zeros_like(candidates),
        np.zeros_like(counts),
    )
    own = np.zeros_like(nearest), np.zeros_like(squares)
    keys = [part.view(np.int32) for part in (near, few, bounds)]
    loops.find_smallest(*keys[:2])
    loops.find_near(*keys, n_found, columns)
    loops.rank(rows[:2], rows, *loops._list_blocks(p), candidates, counts, *own)

    assert_array_equal(few, smallest)
    assert_array_equal(columns, candidates)
    assert_array_equal(n_found, counts)
    assert_array_equal(own[0], nearest)
    assert_array_equal(own[1], squares)
    every = np.full(2, np.finfo(np.float32).max, dtype=np.float32).view(np.int32)
    for most in (20, 69):  # too little room in the middle, and for the last
        loops.find_near(*keys[:2], every, n_found, columns[:, :most])
        assert not n_found.any()
