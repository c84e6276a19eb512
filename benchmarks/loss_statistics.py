"""The statistics of losses beside what a user would write or call, in one run, as ratios.

CPU time of this process, median of five, one BLAS thread. Prints the largest difference too; the
time of a throw-away prototype on a machine with AVX-512, which the aims were set by: where a peer
is two or three times as fast as it was there, the time says more than the ratio; and the floor of
this machine in this run, one read of the losses by a compiled loop, or one sort of as many keys.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

from collections.abc import Callable
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy.stats
from numba import njit

from benchmarks.clock import clock
from thetahat.analyses.losses.pair_moments import pair_moments
from thetahat.analyses.losses.pairs import batches
from thetahat.numerics.loops.compile_ahead import compile_all
from thetahat.paired_tests import _sign_flips
from thetahat.paired_tests._sign_flips import random_sums
from thetahat.paired_tests.base import LazyOutcomes, PairBatch, PairedLosses
from thetahat.paired_tests.permutation import Permutation
from thetahat.paired_tests.theta_t import ThetaT
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.moments import Moments
from thetahat.values.types import Alternative, BlockKind, FloatArray

TWO = Alternative.TWO_SIDED
WILCOXON: Any = scipy.stats.wilcoxon  # whose types depend on each argument
FLIPS: Any = scipy.stats.permutation_test
T_TEST: Any = scipy.stats.ttest_rel


def show(  # noqa: PLR0913 - one argument per column
    what: str,
    peer: float,
    ours: float,
    gap: float,
    prototype: float | None = None,
    floor: float | None = None,
) -> None:
    """Print one line; times in seconds, but for the prototype's milliseconds."""
    suffix = "" if prototype is None else f"  prototype {prototype:g} ms"
    suffix += "" if floor is None else f"  floor {floor * 1e3:.2f} ms"
    print(
        f"{what:58s} peer {peer * 1e3:9.2f} ms  ours {ours * 1e3:8.2f} ms  "
        f"ratio {peer / ours:7.1f}  difference {gap:.1e}{suffix}",
        flush=True,
    )


def sum_values(values: FloatArray) -> float:
    """Return the sum of four quarters side by side, as fast as memory gives them."""
    n, total = len(values) // 4, 0.0
    a, b, c, d = values[:n], values[n : 2 * n], values[2 * n : 3 * n], values[3 * n : 4 * n]
    for i in range(n):
        total += a[i] + b[i] + c[i] + d[i]
    return total


def time_floor(*arrays: FloatArray) -> float:
    """Return the CPU seconds of one pass over all arrays."""
    loop = njit(fastmath={"reassoc", "contract"})(sum_values)  # not cached: a script has no module
    loop(arrays[0][:4])
    return clock(lambda: [loop(values) for values in arrays])[0]


def build_holdout(n: int) -> Layout:
    """Return the layout of one test set of n instances."""
    return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))


def build_pair(a: FloatArray, b: FloatArray) -> PairedLosses:
    """Return the paired losses of two models on one test set."""
    layout = build_holdout(len(a))
    first, second = BlockLosses(layout, values=a), BlockLosses(layout, values=b)
    return PairedLosses(first, second, first.minus(second))


def compute_variances_by_masks(losses: FloatArray, block: np.ndarray) -> FloatArray:
    """Return the variance within each block, as most people write it."""
    return np.array([losses[block == k].var(ddof=1) for k in range(10)])


def compute_variances_as_printed(losses: FloatArray) -> FloatArray:
    """Return the variances within ten runs by the second moments as printed: all three of them."""
    rows = losses.reshape(10, -1)
    n, size = rows.shape
    squares, sums = (rows**2).mean(axis=1), rows.sum(axis=1)
    within = (sums**2 - (rows**2).sum(axis=1)) / (size * (size - 1))
    between = (sums.sum() ** 2 - (sums**2).sum()) / (n * (n - 1) * size**2)
    return np.asarray(squares - within + 0 * between)


def compute_moments(layout: Layout, losses: FloatArray) -> Moments:
    """Return the moments, the check for NaN included."""
    return BlockLosses(layout, values=losses).moments


def compare_moments(rng: np.random.Generator) -> None:
    """Rows 1a and 1b: ten blocks of one model; and 100 000 tiny ones."""
    cases = ((10**6, False, 1.1), (10**7, False, 9.4), (10**6, True, 3.3), (10**7, True, None))
    for n, shuffled, prototype in cases:
        block = np.repeat(np.arange(10), n // 10)
        block = rng.permutation(block) if shuffled else block
        losses = rng.gamma(2.0, size=n)
        layout = build_layout(BlockKind.RANDOM, block)
        order, floor = np.argsort(layout.block_labels), time_floor(losses)
        ours, result = clock(partial(compute_moments, layout, losses))
        within = next(result.by_repeat()).within_variances[order]
        peers: list[tuple[str, Callable[[], FloatArray]]] = [
            ("a mask per block", partial(compute_variances_by_masks, losses, block))
        ]
        if not shuffled:
            peers.append(("as printed", partial(compute_variances_as_printed, losses)))
        for name, call in peers:
            peer, expected = clock(call, 3)
            gap = float(np.abs(within / expected - 1).max())
            what = f"moments, {'shuffled' if shuffled else 'contiguous'}, n = {n:.0e}, {name}"
            show(what, peer, ours, gap, prototype, floor)
    losses = rng.gamma(2.0, size=10**6)
    layout = build_layout(BlockKind.RANDOM, np.repeat(np.arange(10**5), 10))
    ours, result = clock(partial(compute_moments, layout, losses))
    within = next(result.by_repeat()).within_variances
    peer, expected = clock(lambda: losses.reshape(-1, 10).var(axis=1, ddof=1), 3)
    gap = float(np.abs(within / expected - 1).max())
    floor = time_floor(losses)
    show("moments, 1e5 blocks of 10, numpy by rows", peer, ours, gap, None, floor)


def compare_pair_variances(rng: np.random.Generator) -> None:
    """Row 1d: all 28 pairs of 8 models, the variance of the differences within blocks."""
    n = 10**6
    block = np.repeat(np.arange(10), n // 10)
    layout = build_layout(BlockKind.RANDOM, block)
    columns = rng.gamma(2.0, size=(n, 8))
    models = [BlockLosses(layout, values=np.ascontiguousarray(c)) for c in columns.T]
    places = [(i, j) for i in range(8) for j in range(i + 1, 8)]

    def loops() -> FloatArray:
        return np.array(
            [
                [(columns[s : s + n // 10, i] - columns[s : s + n // 10, j]).var(ddof=1)
                 for s in range(0, n, n // 10)]
                for i, j in places
            ]
        )  # fmt: skip

    def compute_ours() -> FloatArray:
        result: list[Any] = list(pair_moments(models, len(places))(np.array(places)))
        return np.array([m.centred_squares / (m.sizes - 1) for m in result])

    peer, expected = clock(loops, 3)
    ours, result = clock(compute_ours)
    gap = float(np.abs(result / expected - 1).max())
    floor = time_floor(*(losses.rows for losses in models))
    show("variances within blocks of 28 pairs of 8 models x 1e6", peer, ours, gap, 31, floor)
    shuffled = build_layout(BlockKind.RANDOM, rng.permutation(block))
    models = [BlockLosses(shuffled, values=losses.rows) for losses in models]
    by_mask, own = shuffled.split_of_row() == 0, models[0].minus(models[1])
    expected = own.rows[by_mask].var(ddof=1)
    slow, _ = clock(lambda: [own.rows[shuffled.split_of_row() == k].var() for k in range(10)], 3)
    ours, result = clock(compute_ours)
    gap = abs(float(result[0, 0] / expected) - 1)
    show("  of random blocks, masks of differences (from one pair)", slow * 28, ours, gap)


def compare_signed_ranks(rng: np.random.Generator) -> None:
    """Wilcoxon: two large samples."""
    for n in (10**5, 10**6):
        for what, a in (("", rng.gamma(2.0, size=n)), (", ties", rng.integers(0, 9, n) / 8)):
            b = rng.gamma(2.0, size=n) if not what else rng.integers(0, 9, n) / 8
            pair, test = build_pair(a, b), Wilcoxon(method="normal")
            peer, theirs = clock(partial(WILCOXON, a, b, method="asymptotic"), 3)
            ours, result = clock(partial(test.test, pair, TWO, rng))
            gap = max(abs(theirs.pvalue - result.p_value), abs(theirs.statistic - result.statistic))
            prototype = {"100000": 2.8, "1000000": 43.0, "1000000, ties": 35.0}.get(f"{n}{what}")
            keys = np.abs(a - b).view(np.uint64)
            floor, _ = clock(partial(np.sort, keys))
            show(f"Wilcoxon, n = {n:.0e}{what}, scipy", peer, ours, gap, prototype, floor)


def draw_table(n_models: int, n: int, rng: np.random.Generator) -> tuple[FloatArray, LossTable]:
    """Models on one test set."""
    losses, layout = rng.normal(size=(n_models, n)), build_holdout(n)
    models = {f"{i}": BlockLosses(layout, values=row) for i, row in enumerate(losses)}
    return losses, LossTable(layout, models)


def compute_p_values(test: Wilcoxon | ThetaT, pair_batches: list[PairBatch]) -> FloatArray:
    """Return the p-values of all pairs, with nothing kept from the last time."""
    rng, parts = np.random.default_rng(1), []
    for batch in pair_batches:
        batch.batch_cache.clear()
        result = test.test_many(batch, TWO, rng)
        assert isinstance(result, LazyOutcomes)
        parts.append(result.p_values)
    return np.concatenate(parts)


def compare_small_tests(rng: np.random.Generator) -> None:
    """All pairs of many models: 5050 exact signed-rank tests, and 10 011 paired t tests."""
    losses, table = draw_table(101, 30, rng)
    i, j = np.triu_indices(101, 1)
    exact, pair_batches = Wilcoxon(method="exact"), [batch for _, batch in batches(table, None)]
    peer, theirs = clock(lambda: WILCOXON(losses[i] - losses[j], axis=1, method="exact"), 3)
    fifty, _ = clock(lambda: [WILCOXON(losses[0] - x, method="exact") for x in losses[1:51]], 3)
    ours, result = clock(partial(compute_p_values, exact, pair_batches))
    gap = float(np.abs(theirs.pvalue - result).max())
    show("5050 exact Wilcoxon, n = 30, scipy axis=1", peer, ours, gap, 2.4)
    show("5050 exact Wilcoxon, n = 30, scipy loop (from 50)", fifty * 101, ours, gap, 2.4)
    with_details, outcomes = clock(
        lambda: [list(exact.test_many(batch, TWO, rng)) for batch in pair_batches]
    )
    gap = float(np.abs(theirs.pvalue - [o.p_value for batch in outcomes for o in batch]).max())
    show("  as 5050 outcomes with their details, scipy loop", fifty * 101, with_details, gap)

    losses, table = draw_table(142, 100, rng)
    i, j = np.triu_indices(142, 1)
    prepared, pair_batches = clock(lambda: [batch for _, batch in batches(table, None)], 3)
    peer, theirs = clock(lambda: T_TEST(losses[i], losses[j], axis=1), 3)
    fifty, _ = clock(lambda: [T_TEST(losses[0], x) for x in losses[1:51]], 3)
    ours, result = clock(partial(compute_p_values, ThetaT(), pair_batches))
    gap = float(np.abs(theirs.pvalue - result).max())
    show("10 011 paired t, n = 100, scipy axis=1", peer, ours, gap)
    show("10 011 paired t, n = 100, scipy loop (from 50)", fifty * len(i) / 50, ours, gap)
    print(f"  beforehand, for all tests: differences, moments, pairs {prepared * 1e3:.1f} ms")


def compare_sign_flips(rng: np.random.Generator) -> None:
    """Sign flips, N = B = 1e4: one pair, and all pairs of 20 models."""
    n = b = 10**4
    difference = rng.normal(size=n)

    def loop() -> FloatArray:
        signs = np.random.default_rng(2)
        return np.array([difference @ (1.0 - 2.0 * signs.integers(0, 2, n)) for _ in range(b)])

    peer, sums = clock(loop, 3)
    ours, result = clock(lambda: random_sums(difference, b, np.random.default_rng(2)))
    gap = abs(float(sums.std() / result.std()) - 1)
    show("sign flips, n = B = 1e4, numpy loop (spread of the null)", peer, ours, gap, 59)
    with patch.object(_sign_flips, "MANY_FLIPS", n * b + 1):
        numpy_only, same = clock(lambda: random_sums(difference, b, np.random.default_rng(2)))
    gap = float(np.abs(result - same).max() / np.abs(result).max())
    show("sign flips, n = B = 1e4, our numpy path", numpy_only, ours, gap)
    few = 200
    theirs, outcome = clock(
        lambda: FLIPS(
            (difference, np.zeros(n)),
            lambda x, y, axis: np.mean(x - y, axis=axis),
            permutation_type="samples",
            n_resamples=few,
            vectorized=True,
            rng=np.random.default_rng(3),
        ),
        1,
    )
    test = Permutation(n_resamples=b)
    pair = build_pair(difference, np.zeros(n))
    ours, p_value = clock(lambda: test.test(pair, TWO, np.random.default_rng(2)).p_value)
    gap = abs(outcome.pvalue - p_value)
    show("sign-flip test, n = B = 1e4, scipy (from 200)", theirs * b / few, ours, gap)


def main() -> None:
    compile_all()
    rng = np.random.default_rng(1)
    compare_moments(rng)
    compare_pair_variances(rng)
    compare_signed_ranks(rng)
    compare_small_tests(rng)
    compare_sign_flips(rng)


if __name__ == "__main__":
    main()
