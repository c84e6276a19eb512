"""Which units the resamples hold."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from thetahat.numerics.bootstrap.draws import indices_by_numpy
from thetahat.numerics.bootstrap.equal_units import MergedResamples, merged_or_hashed
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.numerics.loops.bootstrap import count_draws, draw_indices, gather_sums
from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.hashes import STEP, mix
from thetahat.numerics.thresholds import MANY_DRAWS

STARTS = np.array([0, 5, 6, 13], dtype=np.intp)
KEYS = np.arange(1, 41, dtype=np.uint64) * np.uint64(2**40 + 7)


@pytest.mark.outside("Java's SplittableRandom(0), as in Vigna's splitmix64.c: first two outputs")
def test_golden_the_hash_is_splitmix64() -> None:
    states = STEP * np.array([1, 2], dtype=np.uint64)

    assert [hex(int(x)) for x in mix(states)] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4"]


@pytest.mark.parametrize("starts", [STARTS, STARTS + 7, np.array([0, 1]), np.array([3, 64, 129])])
def test_naive_compiled_and_uncompiled_and_numpy_draw_the_same(starts: np.ndarray) -> None:
    fast = np.empty((len(KEYS), starts[-1] - starts[0]), dtype=np.uint32)
    plain = np.empty_like(fast)
    compiled(draw_indices)(starts, KEYS, fast)
    with np.errstate(over="ignore"):
        draw_indices(starts, KEYS, plain)

    assert_array_equal(fast, indices_by_numpy(starts, KEYS))
    assert_array_equal(plain, fast)


def _mixed(x: int) -> int:
    """Return splitmix64's mix in Python's own whole numbers."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def test_naive_a_half_that_would_be_unfair_is_hashed_again() -> None:
    # the state of the first pair is 0 here, and so is its hash: both halves give 0 x 13, which
    # is below 2^32 mod 13 = 9
    step, keys, starts = int(STEP), np.array([-int(STEP) % 2**64], dtype=np.uint64), STARTS[[0, 3]]
    expected = [
        (_mixed((0xBF58476D1CE4E5B9 * half + step) % 2**64) >> 32) * 13 >> 32 for half in (1, 2)
    ]

    fast, plain = np.empty((1, 13), dtype=np.uint32), np.empty((1, 13), dtype=np.uint32)
    compiled(draw_indices)(starts, keys, fast)
    with np.errstate(over="ignore"):
        draw_indices(starts, keys, plain)
    by_numpy = indices_by_numpy(starts, keys)
    assert [by_numpy[0, 0], by_numpy[0, 7]] == expected
    assert expected != [0, 0]
    assert_array_equal(fast, by_numpy)
    assert_array_equal(plain, by_numpy)


def test_naive_sums_and_counts_of_drawn_units() -> None:
    indices = indices_by_numpy(STARTS, KEYS)
    column = np.random.default_rng(1).normal(size=13)
    sums, counts = np.zeros(len(KEYS)), np.zeros((len(KEYS), 13))
    compiled(gather_sums)(column, indices, sums)
    compiled(count_draws)(indices, counts)

    for row, drawn in enumerate(indices):
        assert_allclose(sums[row], column[drawn].sum(), rtol=1e-12, atol=1e-13)
        assert_array_equal(counts[row], np.bincount(drawn, minlength=13))
    plain_sums, plain_counts = np.zeros_like(sums), np.zeros_like(counts)
    gather_sums(column, indices, plain_sums)
    count_draws(indices, plain_counts)
    assert_array_equal(plain_sums, sums)
    assert_array_equal(plain_counts, counts)


@pytest.mark.parametrize(
    "starts",
    [
        np.array([0, 700, 1500]),
        np.array([0, 4096]),
        np.array([0, 5000, 5700, 5703, 14_000]),
        np.array([0, 20, 8200, 8210, 8220]),
    ],
)
def test_exact_large_and_small_inputs_draw_the_same(starts: np.ndarray) -> None:
    n = int(starts[-1])
    small, large = (HashedResamples(starts, 9, b) for b in (100, MANY_DRAWS))
    columns = np.random.default_rng(2).normal(size=(n, 2))

    assert_array_equal(small.counts(40, 60), large.counts(40, 60))
    which = np.array([3, 50, 99])
    assert_array_equal(small.redraw_counts(which, 2), large.redraw_counts(which, 2))
    assert_allclose(small.sums(columns, 3, 9), large.sums(columns, 3, 9), rtol=1e-10, atol=1e-10)
    assert_allclose(large.sums(columns, 3, 9), large.counts(3, 9) @ columns, rtol=1e-10, atol=1e-10)
    for start, stop in pairwise(starts):
        assert_array_equal(large.counts(40, 60)[:, start:stop].sum(axis=1), stop - start)


def test_exact_sums_do_not_depend_on_how_resamples_are_chunked() -> None:
    starts = np.array([0, 300, 9000])
    large = HashedResamples(starts, 4, MANY_DRAWS)
    column = np.random.default_rng(3).gamma(2.0, size=(9000, 1))
    whole = large.sums(column, 0, 1500)

    parts = [large.sums(column, a, b) for a, b in pairwise((0, 1, 700, 1030, 1500))]
    assert_array_equal(np.concatenate(parts), whole)
    again = HashedResamples(starts, 4, MANY_DRAWS).sums(column, 1200, 1201)
    assert_array_equal(again, whole[1200:1201])


def test_exact_a_resample_is_a_function_of_its_number() -> None:
    hashed = HashedResamples(STARTS, 5, 200)
    rows = np.repeat([0.0, 1.0, 2.0], 100)[:, None]
    merged = merged_or_hashed(rows, np.array([0, 300]), 5, 200)

    assert isinstance(merged, MergedResamples)
    for resamples in (hashed, merged):
        whole = resamples.counts(0, 200)
        parts = [resamples.counts(a, b) for a, b in ((0, 63), (63, 64), (64, 130), (130, 200))]
        assert_array_equal(np.concatenate(parts), whole)
    other = HashedResamples(STARTS, 6, 200)
    assert not np.array_equal(other.counts(0, 200), hashed.counts(0, 200))


def test_calibrated_every_unit_is_as_likely_and_draws_are_independent() -> None:
    n, b = 13, 40_000
    counts = HashedResamples(STARTS, 7, b).counts(0, b)

    for k, (start, stop) in enumerate(pairwise(STARTS)):
        size = int(stop - start)
        part = counts[:, start:stop]
        assert_array_equal(part.sum(axis=1), size)
        # a count is binomial(n_k, 1 / n_k): mean 1, variance 1 - 1 / n_k; z = 5
        error = np.sqrt((1 - 1 / size) / b)
        assert_allclose(part.mean(axis=0), 1, atol=5 * error + 1e-12, err_msg=str(k))
        if size > 1:
            covariances = np.cov(part.T, ddof=0)
            expected = np.eye(size) - 1 / size
            assert_allclose(covariances, expected, atol=5 * 2.5 / np.sqrt(b))
    assert n == counts.shape[1]


def test_calibrated_units_in_cells_are_as_likely_and_draws_are_independent() -> None:
    n, b = 2 * 4096 + 1024 + 64 + 3, 600
    counts = HashedResamples(np.array([0, n]), 7, b).counts(0, b)

    # chi-squared of the totals, and of all counts, with n - 1 degrees of freedom each; z = 5
    total = counts.sum(axis=0)
    slack = 5 * np.sqrt(2 * (n - 1))
    assert abs(((total - b) ** 2).sum() / b - (n - 1)) < slack
    assert abs(((counts - 1) ** 2).sum() / b - (n - 1)) < slack / np.sqrt(b)
    # the sum of any values has the variance of n draws: of runs of units, and of every other one
    for values in (np.arange(n) / n, np.arange(n) < 4096, np.arange(n) % 2, np.arange(n) >= n - 67):
        drawn = counts @ values
        assert drawn.mean() == pytest.approx(values.sum(), abs=5 * np.sqrt(n * values.var() / b))
        assert drawn.var(ddof=1) == pytest.approx(n * values.var(), rel=5 * np.sqrt(2 / b))


def test_calibrated_merged_counts_have_the_distribution_of_drawn_ones() -> None:
    values = np.concatenate([np.zeros(300), np.ones(100), np.zeros(150), np.ones(250)])
    starts, b = np.array([0, 400, 800]), 4000
    merged = merged_or_hashed(values[:, None], starts, 3, b)

    assert isinstance(merged, MergedResamples)
    assert_array_equal(merged.starts, [0, 2, 4])
    assert_array_equal(merged.members, [300, 100, 150, 250])
    assert_array_equal(merged.take(values[:, None])[:, 0], [0, 1, 0, 1])
    ones = merged.counts(0, b)[:, [1, 3]]
    # binomial(400, 1/4) and binomial(400, 5/8); variances 75 and 93.75; z = 5
    assert_allclose(ones.mean(axis=0), [100, 250], atol=5 * np.sqrt(93.75 / b))
    assert_allclose(ones.var(axis=0), [75, 93.75], rtol=5 * np.sqrt(2 / b))


def test_exact_units_are_merged_only_if_many_are_equal() -> None:
    rng = np.random.default_rng(4)
    starts = np.array([0, 1000])
    continuous = rng.normal(size=(1000, 1))
    late = np.concatenate([np.zeros(600), rng.normal(size=400)])[:, None]
    many_patterns = rng.integers(0, 2, (1000, 8)).astype(np.float64)
    in_small_strata = (np.zeros((1000, 1)), np.arange(0, 1001, 2))

    for rows, bounds in ((r, starts) for r in (continuous, late, many_patterns)):
        assert isinstance(merged_or_hashed(rows, bounds, 1, 99), HashedResamples)
    assert isinstance(merged_or_hashed(*in_small_strata, 1, 99), HashedResamples)


@pytest.mark.parametrize("n_values", [2, 40, 300])
@pytest.mark.parametrize("border", [0, 16_000])
def test_naive_kinds_are_the_different_rows_of_each_stratum(n_values: int, border: int) -> None:
    rng = np.random.default_rng(9)
    starts = np.unique([0, border, 40_000])
    first = rng.integers(0, n_values, 40_000) / 4
    rows = np.stack([first, -first], axis=1)

    merged, of_one_column = (merged_or_hashed(r, starts, 3, 99) for r in (rows, rows[:, :1]))

    assert isinstance(merged, MergedResamples)
    assert isinstance(of_one_column, MergedResamples)
    assert_array_equal(of_one_column.examples, merged.examples)
    assert_array_equal(of_one_column.members, merged.members)
    kinds: dict[tuple[int, float, float], list[int]] = {}
    for unit, (a, b) in enumerate(rows.tolist()):
        kinds.setdefault((int(0 < border <= unit), a, b), []).append(unit)
    expected = [kinds[key] for key in sorted(kinds)]
    assert_array_equal(merged.examples, [units[0] for units in expected])
    assert_array_equal(merged.members, [len(units) for units in expected])
    assert_array_equal(
        merged.starts,
        np.cumsum([0, *[sum(k[0] == j for k in kinds) for j in range(len(starts) - 1)]]),
    )
