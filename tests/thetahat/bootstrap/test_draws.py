"""How strata of many units are cut into cells, and what is drawn from these."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.bootstrap.draws import Cells, fill_cell_counts_by_numpy
from thetahat.kernels.cells import add_cell_sums, fill_cell_counts
from thetahat.kernels.compiling import compiled

STARTS, SIZES = (np.array(x, dtype=np.intp) for x in ([5, 37, 53, 70], [32, 16, 1, 4096]))
HELD = np.array([[40, 0, 3, 1300], [0, 31, 17, 4]], dtype=np.intp)
KEYS = np.array([11, 2**63 + 5], dtype=np.uint64)


def _mixed(x: int) -> int:
    """Return splitmix64's mix in Python's own whole numbers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def _draws(key: int, c: int, size: int, count: int) -> list[int]:
    """Return the draws of one cell, one by one."""
    found = []
    for i in range(count):
        state = key + 0x9E3779B97F4A7C15 * (2**32 * (c + 1) + i // 5 + 1)
        found.append((_mixed(state % 2**64) >> 12 * (i % 5)) % size)
    return found


def test_naive_compiled_and_uncompiled_and_numpy_draw_from_cells() -> None:
    counts = np.zeros((2, 4200))
    for b, key in enumerate(KEYS.tolist()):
        for c, (start, size) in enumerate(zip(STARTS.tolist(), SIZES.tolist(), strict=True)):
            for place in _draws(key, c, size, int(HELD[b, c])):
                counts[b, start + place] += 1
    fast, plain, by_numpy = (np.zeros_like(counts) for _ in range(3))
    compiled(fill_cell_counts)(STARTS, SIZES, HELD, KEYS, fast)
    with np.errstate(over="ignore"):
        fill_cell_counts(STARTS, SIZES, HELD, KEYS, plain)
    fill_cell_counts_by_numpy(STARTS, SIZES, HELD, KEYS, by_numpy)

    for found in (fast, plain, by_numpy):
        assert_array_equal(found, counts)


def test_naive_sums_of_draws_from_cells() -> None:
    column = np.random.default_rng(1).normal(size=4200)
    counts, sums, plain = np.zeros((2, 4200)), np.zeros(2), np.zeros(2)
    compiled(fill_cell_counts)(STARTS, SIZES, HELD, KEYS, counts)
    compiled(add_cell_sums)(column, STARTS, SIZES, HELD, KEYS, sums)
    with np.errstate(over="ignore"):
        add_cell_sums(column, STARTS, SIZES, HELD, KEYS, plain)

    assert_allclose(sums, counts @ column, rtol=1e-12)
    assert_array_equal(plain, sums)


@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (4096, [4096]),
        (10_000, [4096, 4096, 1024, 512, 256, 16]),
        (4096 + 4095, [4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]),
    ],
)
def test_golden_a_stratum_is_cut_as_its_size_is_written_in_binary(n: int, sizes: list[int]) -> None:
    cells = Cells(((7, 7 + n), (20_000, 24_096)), 1)

    assert_array_equal(cells.sizes, [*sizes, 4096])
    assert_array_equal(cells.starts, [*(7 + np.cumsum([0, *sizes[:-1]])), 20_000])


def test_exact_draws_of_cells_are_a_function_of_the_resample() -> None:
    cells, other = Cells(((0, 9000),), 3), Cells(((0, 9000),), 3)
    whole = cells.held(np.arange(3000))

    assert_array_equal(whole.sum(axis=1), 9000)
    assert_array_equal(other.held(np.array([5, 1024, 2999])), whole[[5, 1024, 2999]])
    assert not np.array_equal(other.held(np.array([5]), 1), whole[[5]])
    assert not np.array_equal(Cells(((0, 9000),), 4).held(np.array([5])), whole[[5]])


def test_calibrated_draws_of_cells_are_multinomial() -> None:
    b, n = 20_000, 9000
    cells = Cells(((0, n),), 3)
    held, p = cells.held(np.arange(b)), cells.sizes / n

    # mean n p, variance n p (1 - p), covariance - n p q; z = 5
    variance = n * p * (1 - p)
    assert_allclose(held.mean(axis=0), n * p, atol=5 * np.sqrt(variance.max() / b))
    expected = n * (np.diag(p) - np.outer(p, p))
    assert_allclose(np.cov(held.T), expected, atol=5 * variance.max() * np.sqrt(2 / b))
