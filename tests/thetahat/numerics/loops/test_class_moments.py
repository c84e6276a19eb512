"""Sums by class and distances to classes: by hand, and beside plain loops of numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.numerics.loops import class_moments
from thetahat.numerics.loops.class_moments import distances_by_kernel, moments_by_kernel

RNG = np.random.default_rng(20_261_122)


def test_by_hand_two_classes() -> None:
    X = np.array([[1.0, 2], [3, 4], [5, 6], [7, 8]])
    rows, codes = np.array([0, 1, 3]), np.array([1, 0, 0, 1])

    sums, squares = moments_by_kernel(X, rows, codes, np.array([1.0, 2, 9, 10]), 2)

    # class 0 has 2 x (3, 4); class 1 has (1, 2) and 10 x (7, 8); row 2 is not asked for
    assert sums.tolist() == [[6, 8], [71, 82]]
    assert squares.tolist() == [[18, 32], [491, 644]]


def test_by_hand_distances() -> None:
    X = np.array([[1.0, 2], [3, 4], [5, 6]])
    means, variances = np.array([[1.0, 2], [3, 3]]), np.array([[1.0, 4], [2, 1]])

    apart = distances_by_kernel(X, np.array([0, 2]), means, variances)

    # row 2 to the first mean: 16/1 + 16/4 = 20; row 0 to the second: 4/2 + 1/1 = 3, row 2: 2 + 9
    assert apart.tolist() == [[0, 20], [3, 11]]


@pytest.mark.parametrize("n", [1, 64, 131])
@pytest.mark.parametrize("p", [1, 7])
def test_naive_sums_and_distances(n: int, p: int) -> None:
    X, y, w = RNG.normal(size=(200, p)), RNG.integers(0, 3, 200), RNG.exponential(size=200)
    rows, means = RNG.choice(200, n, replace=False), RNG.normal(size=(3, p))
    variances = RNG.exponential(size=(3, p))

    sums, squares = moments_by_kernel(X, rows, y, w, 3)
    apart = distances_by_kernel(X, rows, means, variances)

    for c in range(3):
        mine = rows[y[rows] == c]
        assert_allclose(sums[c], w[mine] @ X[mine], rtol=1e-12, atol=1e-13)
        assert_allclose(squares[c], w[mine] @ X[mine] ** 2, rtol=1e-12, atol=1e-13)
        wanted = ((X[rows] - means[c]) ** 2 / variances[c]).sum(axis=1)
        assert_allclose(apart[c], wanted, rtol=1e-12)


def test_exact_the_loops_are_the_same_uncompiled() -> None:
    X, y, w = RNG.normal(size=(80, 3)), RNG.integers(0, 2, 80), RNG.exponential(size=80)
    rows, means = np.arange(2, 79), RNG.normal(size=(2, 3))
    (sums, squares), out = np.zeros((2, 2, 3)), np.empty((2, 77))
    loops: Any = class_moments
    loops.add_moments(X, rows, y, w, sums, squares)
    loops.write_distances(X, rows, means, np.full((2, 3), 0.5), out)

    assert_array_equal((sums, squares), moments_by_kernel(X, rows, y, w, 2))
    assert_array_equal(out, distances_by_kernel(X, rows, means, np.full((2, 3), 2.0)))
