"""Few candidates of many, their order, and those in a training part: by hand, and by numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from thetahat.kernels import nearest_rows
from thetahat.kernels.nearest_rows import chosen_by_kernel, ranked_by_kernel, taken_by_kernel

RNG = np.random.default_rng(20_261_130)


def test_golden_two_smallest_of_nine_by_hand() -> None:
    near = np.array([[5, 2, 8, 1, 9, 7, 6, 4, 0.5]], dtype=np.float32)

    found, counts, bounds = chosen_by_kernel(near, 2)

    # as 9 < 2 x 8 each of the columns is a group, and the second smallest value is the bound
    assert bounds.tolist() == [1]
    assert sorted(found[0, : counts[0]].tolist()) == [3, 8]


def test_golden_groups_by_hand() -> None:
    near = np.array([[5, 2, 8, 1, 0, 7, 6, 4, 3]], dtype=np.float32)

    found, counts, bounds = chosen_by_kernel(near, 1)

    # groups of two, of columns 0 and 4, 1 and 5, 2 and 6, 3 and 7, and column 8 by itself
    assert bounds.tolist() == [0]
    assert found[0, : counts[0]].tolist() == [4]


@pytest.mark.parametrize("values", [7, 10**6])
@pytest.mark.parametrize(("n", "length"), [(28, 7), (517, 7), (3000, 11)])
def test_naive_all_up_to_the_bound_are_found(n: int, length: int, values: int) -> None:
    near = RNG.integers(0, values, (20, n)).astype(np.float32)

    found, counts, bounds = chosen_by_kernel(near, length)

    for row, columns, count, bound in zip(near, found, counts, bounds, strict=True):
        wanted = np.flatnonzero(row <= bound)
        assert len(wanted) >= length
        if count:
            assert_array_equal(np.sort(columns[:count]), wanted)
        else:
            assert len(wanted) + 64 > found.shape[1]
    assert counts.any() or values == 7


def test_degenerate_many_alike_have_no_room() -> None:
    near = np.zeros((2, 500), dtype=np.float32)
    near[1] = np.arange(500) % 250
    short = np.arange(80, dtype=np.float32)[None] % 4
    leftover = np.zeros((1, 79), dtype=np.float32)

    # of row 1, whose 15 groups begin with 0, 1, 2 and so on, the two zeros and the two ones
    assert chosen_by_kernel(near, 3)[1].tolist() == [0, 4]
    assert chosen_by_kernel(short, 20)[1].tolist() == [20]
    assert chosen_by_kernel(leftover, 8)[1].tolist() == [79]


@pytest.mark.parametrize("p", [1, 7, 8, 9, 30, 128])
def test_exact_squares_have_the_bits_of_numpy(p: int) -> None:
    rows, queries = RNG.normal(size=(90, p)), RNG.normal(size=(5, p))
    found = np.tile(np.arange(90), (5, 1))

    nearest, squares = ranked_by_kernel(queries, rows, found, np.full(5, 90), 90)

    gaps = rows - queries[:, None]
    wanted = (gaps * gaps).sum(axis=2)
    assert_array_equal(squares, np.sort(wanted, axis=1))
    assert_array_equal(nearest, np.argsort(wanted, axis=1, kind="stable"))


def test_exact_of_rows_equally_far_the_lowest_comes_first() -> None:
    rows = RNG.integers(0, 2, (40, 2)).astype(np.float64)
    found = RNG.permutation(40)[None]

    nearest, squares = ranked_by_kernel(np.zeros((1, 2)), rows, found, np.full(1, 33), 20)

    some = np.sort(found[0, :33])
    order = some[np.argsort((rows[some] ** 2).sum(axis=1), kind="stable")]
    assert_array_equal(nearest[0], order[:20])
    assert_array_equal(squares[0], (rows[order[:20]] ** 2).sum(axis=1))


def test_golden_taken_by_hand() -> None:
    lists = np.array([[1, 2, 3], [0, 2, 3], [3, 1, 0], [2, 1, 0]])
    squares = np.array([[1.0, 2, 3], [1, 4, 5], [1, 4, 9], [1, 5, 9]])
    below = np.array([9.0, 4, 9.5, 9])
    inside = np.array([[True, False, True, True], [False, False, False, True]])
    tests, parts = np.array([3, 1, 2, 2]), np.array([0, 0, 0, 1])

    rows, of_rows, unsure = taken_by_kernel(lists, squares, below, tests, parts, inside, 2)

    # row 3 takes 2 and 0, but others may be at 9 too, as at 4 of row 1, which takes 0 and 2; row 2
    # takes 3 and 0, and in the other part has 3 alone
    assert rows.tolist() == [[2, 0], [0, 2], [3, 0], [3, 0]]
    assert of_rows.tolist() == [[1, 9], [1, 4], [1, 9], [1, 0]]
    assert unsure.tolist() == [True, True, False, True]


def test_exact_the_loops_are_the_same_uncompiled() -> None:
    near, rows = RNG.exponential(size=(2, 70)).astype(np.float32), RNG.normal(size=(70, 9))
    found, counts, bounds = chosen_by_kernel(near, 4)
    nearest, squares = ranked_by_kernel(rows[:2], rows, found, counts, 4)
    inside, tests = np.arange(70)[None] % 3 > 0, np.arange(2)
    below, parts = np.full(2, squares.max()), np.zeros(2, dtype=np.intp)
    taken = taken_by_kernel(nearest, squares, below, tests, parts, inside, 2)
    loops: Any = nearest_rows

    plain = np.zeros_like(found), np.zeros_like(counts), np.zeros_like(bounds)
    own = np.zeros_like(nearest), np.zeros_like(squares)
    first = tuple(np.zeros_like(part) for part in taken)
    keys = near.view(np.int32), 4, 70 // 4, plain[2].view(np.int32)
    loops.choose(*keys, plain[1], plain[0])
    loops.rank(rows[:2], rows, found, counts, *own)
    loops.take(nearest, squares, below, tests, parts, inside, *first)

    assert_array_equal(plain[0], found)
    assert_array_equal(plain[1], counts)
    assert_array_equal(plain[2], bounds)
    assert_array_equal(own[0], nearest)
    assert_array_equal(own[1], squares)
    for ours, theirs in zip(first, taken, strict=True):
        assert_array_equal(ours, theirs)
