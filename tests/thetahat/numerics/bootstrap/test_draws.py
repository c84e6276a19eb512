"""How strata of many units are cut into cells, and what is drawn from these."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.numerics.bootstrap.cells import Cells
from thetahat.numerics.bootstrap.draws import fill_cell_counts_by_numpy
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.numerics.loops.cells import add_cell_sums, count_kinds, fill_cell_counts
from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.hashes import mix
from thetahat.numerics.thresholds import MANY_DRAWS

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
    draws = []
    for i in range(count):
        state = key + 0x9E3779B97F4A7C15 * (2**32 * (c + 1) + i // 5 + 1)
        draws.append((_mixed(state % 2**64) >> 12 * (i % 5)) % size)
    return draws


def test_naive_compiled_and_uncompiled_and_numpy_draw_from_cells() -> None:
    counts = np.zeros((2, 4200))
    for b, key in enumerate(KEYS.tolist()):
        for c, (start, size) in enumerate(zip(STARTS.tolist(), SIZES.tolist(), strict=True)):
            for place in _draws(key, c, size, int(HELD[b, c])):
                counts[b, start + place] += 1
    fast, plain, by_numpy = (np.zeros_like(counts) for _ in range(3))
    compiled(fill_cell_counts)(STARTS, SIZES, HELD, KEYS, 0, fast)
    with np.errstate(over="ignore"):
        fill_cell_counts(STARTS, SIZES, HELD, KEYS, 0, plain)
    fill_cell_counts_by_numpy(STARTS, SIZES, HELD, KEYS, 0, by_numpy)

    for draws in (fast, plain, by_numpy):
        assert_array_equal(draws, counts)
    # the last two cells by themselves
    last = np.array(STARTS[2:]), SIZES[2:], np.ascontiguousarray(HELD[:, 2:]), KEYS, 2
    for fill in (compiled(fill_cell_counts), fill_cell_counts_by_numpy):
        drawn_counts = np.zeros_like(counts)
        fill(*last, drawn_counts)
        assert_array_equal(drawn_counts[:, 53:], counts[:, 53:])


def test_naive_sums_of_draws_from_cells() -> None:
    column = np.random.default_rng(1).normal(size=4200)
    counts, sums, plain = np.zeros((2, 4200)), np.zeros(2), np.zeros(2)
    compiled(fill_cell_counts)(STARTS, SIZES, HELD, KEYS, 0, counts)
    compiled(add_cell_sums)(column, STARTS, SIZES, HELD, KEYS, sums)
    with np.errstate(over="ignore"):
        add_cell_sums(column, STARTS, SIZES, HELD, KEYS, plain)

    assert_allclose(sums, counts @ column, rtol=1e-12)
    assert_array_equal(plain, sums)


def test_naive_kinds_of_draws_from_cells() -> None:
    kinds = np.random.default_rng(1).integers(0, 7, 4200).astype(np.uint16)
    counts, fast, plain = np.zeros((2, 4200)), np.ones((2, 8)), np.ones((2, 8))
    compiled(fill_cell_counts)(STARTS, SIZES, HELD, KEYS, 0, counts)
    compiled(count_kinds)(kinds, STARTS, SIZES, HELD, KEYS, fast)
    with np.errstate(over="ignore"):
        count_kinds(kinds, STARTS, SIZES, HELD, KEYS, plain)

    expected = [1 + np.bincount(kinds, weights=row, minlength=8) for row in counts]
    assert_array_equal(fast, expected)
    assert_array_equal(plain, expected)


@pytest.mark.parametrize(
    ("n", "sizes"),
    [
        (4096, [4096]),
        (10_000, [4096, 4096, 1024, 512, 256, 16]),
        (4096 + 4095, [4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1]),
    ],
)
def test_exact_a_stratum_is_cut_as_its_size_is_written_in_binary(n: int, sizes: list[int]) -> None:
    cells = Cells(((7, 7 + n), (20_000, 24_096)))

    assert_array_equal(cells.sizes, [*sizes, 4096])
    assert_array_equal(cells.starts, [*(7 + np.cumsum([0, *sizes[:-1]])), 20_000])
    assert cells.get_stratum_slice(7) == slice(0, len(sizes))
    assert cells.get_stratum_slice(20_000) == slice(len(sizes), len(sizes) + 1)


def test_exact_draws_of_cells_are_a_function_of_the_key() -> None:
    keys = mix(np.arange(1, 3001, dtype=np.uint64))
    whole = Cells(((0, 9000),)).held(keys)

    assert_array_equal(whole.sum(axis=1), 9000)
    assert_array_equal(Cells(((0, 9000),)).held(keys[[5, 1024]]), whole[[5, 1024]])
    assert len(np.unique(whole, axis=0)) == 3000


@pytest.mark.parametrize("n_resamples", [1500, MANY_DRAWS // 2000 + 1])
def test_exact_batches_do_not_change_what_a_cell_holds(
    n_resamples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = np.array([0, 100, 2000])
    whole = HashedResamples(starts, 3, n_resamples).counts(0, 1100)
    monkeypatch.setattr("thetahat.numerics.bootstrap.cells.NUMBERS_IN_2_MB", 4000)
    resamples = HashedResamples(starts, 3, n_resamples)

    assert resamples.counts(0, 1).shape == (1, 2000)
    cells = resamples._cells
    assert cells is not None
    assert cells.at_once < 1000
    for first, stop in ((0, 3), (300, 1100), (2, 700)):
        assert_array_equal(resamples.counts(first, stop), whole[first:stop])


@pytest.mark.parametrize("n_columns", [3, 15])
@pytest.mark.parametrize("n_resamples", [60, MANY_DRAWS])
def test_naive_sums_by_stratum(n_resamples: int, n_columns: int) -> None:
    starts = np.array([0, 700, 800, 811, 6000, 15_000])
    resamples = HashedResamples(starts, 3, n_resamples)
    columns = np.random.default_rng(1).normal(size=(15_000, n_columns))

    sums, counts = resamples.sums_by_stratum(columns, 7, 40), resamples.counts(7, 40)
    for k, (start, stop) in enumerate(pairwise(starts)):
        expected = counts[:, start:stop] @ columns[start:stop]
        assert_allclose(sums[:, k], expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("ends", [[0, 6000], [0, 300, 700], [0, 700, 800, 811, 6000]])
def test_naive_counts_by_kind_are_sums_of_counts(ends: list[int]) -> None:
    resamples = HashedResamples(np.array(ends), 3, MANY_DRAWS)
    kinds = np.random.default_rng(1).integers(0, 40, ends[-1])

    counts_by_kind, counts = resamples.counts_by_kind(kinds, 41, 7, 40), resamples.counts(7, 40)
    expected = [np.bincount(kinds, weights=row, minlength=41) for row in counts]
    assert_array_equal(counts_by_kind, expected)


def test_calibrated_draws_of_cells_are_multinomial() -> None:
    b, n = 20_000, 9000
    cells = Cells(((0, n),))
    held, p = cells.held(mix(np.arange(1, b + 1, dtype=np.uint64))), cells.sizes / n

    # mean n p, variance n p (1 - p), covariance - n p q; z = 5
    variance = n * p * (1 - p)
    assert_allclose(held.mean(axis=0), n * p, atol=5 * np.sqrt(variance.max() / b))
    expected = n * (np.diag(p) - np.outer(p, p))
    assert_allclose(np.cov(held.T), expected, atol=5 * variance.max() * np.sqrt(2 / b))
