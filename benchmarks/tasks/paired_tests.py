"""Paired tests of two models, and of all pairs of many, beside scipy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.rows import Bench, BenchmarkRow, largest_difference
from thetahat.analyses.losses.pairs import build_batches
from thetahat.paired_tests._sign_flips import random_sums
from thetahat.paired_tests.base import IntermediateResults, PairBatch, PairedLosses, TestOutcome
from thetahat.paired_tests.permutation import Permutation
from thetahat.paired_tests.theta_t import ThetaT
from thetahat.paired_tests.wilcoxon import Wilcoxon
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray

TWO = Alternative.TWO_SIDED
WILCOXON: Any = scipy.stats.wilcoxon  # whose types depend on each argument
FLIPS: Any = scipy.stats.permutation_test
T_TEST: Any = scipy.stats.ttest_rel


def build_holdout(n: int) -> Layout:
    """Return the layout of one test set of n instances."""
    return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))


def build_pair(a: FloatArray, b: FloatArray) -> PairedLosses:
    """Return the paired losses of two models on one test set."""
    layout = build_holdout(len(a))
    first, second = BlockLosses(layout, values=a), BlockLosses(layout, values=b)
    return PairedLosses(first, second, first.minus(second))


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    yield from _measure_signed_ranks(bench, rng)
    yield from _measure_all_pairs(bench, rng)
    yield from _measure_sign_flips(bench, rng)


def _measure_signed_ranks(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    for setting in ("", "with ties"):
        for n in (10**3, 10**4) if bench.short else (10**3, 10**4, 10**5, 10**6):
            drawn = rng.integers(0, 9, (2, n)) / 8 if setting else rng.gamma(2.0, size=(2, n))
            a, b = drawn
            test = Wilcoxon(method="normal")
            yield bench.compare(
                task="Wilcoxon's signed-rank test" + (f", {setting}" if setting else ""),
                use="Asks which of two models has smaller losses, without a normal distribution.",
                size=n,
                unit="losses",
                ours=partial(_test_ranks, test, build_pair(a, b)),
                peer="scipy.stats.wilcoxon",
                peer_call=partial(_scipy_ranks, a, b),
                tolerance=1e-9,
                bytes_read=16 * n,
            )


def _test_ranks(test: Wilcoxon, pair: PairedLosses) -> list[float | None]:
    result = test.test(pair, TWO, np.random.default_rng(1))
    return [result.p_value, result.statistic]


def _scipy_ranks(a: FloatArray, b: FloatArray) -> list[float]:
    result = WILCOXON(a, b, method="asymptotic")
    return [result.pvalue, result.statistic]


def draw_table(n_models: int, n: int, rng: np.random.Generator) -> tuple[FloatArray, LossTable]:
    """Return the losses of models on one test set, as an array and as a table."""
    losses, layout = rng.normal(size=(n_models, n)), build_holdout(n)
    models = {f"{i}": BlockLosses(layout, values=row) for i, row in enumerate(losses)}
    return losses, LossTable(layout, models)


def compute_p_values(test: Wilcoxon | ThetaT, pair_batches: list[PairBatch]) -> FloatArray:
    """Return the p-values of all pairs, with nothing kept from the last time."""
    rng, p_values = np.random.default_rng(1), []
    for batch in pair_batches:
        anew = replace(batch, batch_cache=IntermediateResults())
        for outcome in test.test_many(anew, TWO, lambda *_: rng):
            assert isinstance(outcome, TestOutcome)
            p_values.append(outcome.p_value)
    return np.array(p_values, dtype=np.float64)


def _measure_all_pairs(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    cases: tuple[tuple[str, Wilcoxon | ThetaT, Any, int], ...] = (
        ("exact signed-rank tests of all pairs", Wilcoxon(method="exact"),
         partial(WILCOXON, method="exact"), 30),
        ("paired t tests of all pairs", ThetaT(), _test_differences, 100),
    )  # fmt: skip
    for task, test, peer, n in cases:
        for n_models in (5, 20) if bench.short else (5, 32, 101, 200, 1000):
            losses, table = draw_table(n_models, n, rng)
            i, j = np.triu_indices(n_models, 1)
            differences = losses[i] - losses[j]
            pair_batches = [batch for _, batch in build_batches(table, None)]
            few, many = differences[:50], differences[:50_000]
            for name, call, share in (
                ("scipy, axis=1", partial(_scipy_p_values, peer, many), len(many) / len(i)),
                ("scipy, a loop", partial(_loop_p_values, peer, few), len(few) / len(i)),
            ):
                yield bench.compare(
                    task=task,
                    use="p-values of every pair of models, as in a table of all comparisons.",
                    size=n_models,
                    unit="models",
                    setting=f"{n} losses of each",
                    ours=partial(compute_p_values, test, pair_batches),
                    peer=name,
                    peer_call=call,
                    peer_share=share,
                    difference=lambda own, theirs: largest_difference(own[: len(theirs)], theirs),
                    tolerance=1e-8,
                    bytes_read=differences.nbytes,
                )


def _test_differences(d: FloatArray, axis: int = -1) -> Any:
    return T_TEST(d, 0 * d, axis=axis)


def _scipy_p_values(test: Any, differences: FloatArray) -> FloatArray:
    return np.asarray(test(differences, axis=1).pvalue)


def _loop_p_values(test: Any, differences: FloatArray) -> FloatArray:
    return np.array([test(row).pvalue for row in differences])


def _measure_sign_flips(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    b = 1000 if bench.short else 10_000
    for n in (100, 1000) if bench.short else (100, 1000, 10_000):
        difference = rng.normal(size=n)
        yield bench.compare(
            task="sign flips",
            use="Null distribution of a mean difference whose signs are random.",
            size=n,
            unit="losses",
            setting=f"{b} flips; difference: of the spread of the null",
            ours=partial(random_sums, difference, b, np.random.default_rng(2)),
            peer="numpy, a loop",
            peer_call=partial(_flip_in_loop, difference, b // 10),
            peer_share=0.1,
            difference=lambda own, theirs: abs(float(own.std() / theirs.std()) - 1),
            tolerance=0.3 if bench.short else 0.15,
            bytes_read=n * b / 8,
        )
        few = 200
        yield bench.compare(
            task="sign-flip test",
            use="p-value of a mean difference by random sign flips.",
            size=n,
            unit="losses",
            setting=f"{b} flips; difference: of two p-values from other flips",
            ours=partial(
                _test_flips, Permutation(n_resamples=b), build_pair(difference, 0 * difference)
            ),
            peer="scipy.stats.permutation_test",
            peer_call=partial(_scipy_flips, difference, few),
            peer_share=few / b,
            tolerance=0.2,
            bytes_read=n * b / 8,
        )


def _flip_in_loop(difference: FloatArray, b: int) -> FloatArray:
    signs = np.random.default_rng(2)
    n = len(difference)
    return np.array([difference @ (1.0 - 2.0 * signs.integers(0, 2, n)) for _ in range(b)])


def _test_flips(test: Permutation, pair: PairedLosses) -> float:
    result = test.test(pair, TWO, np.random.default_rng(2)).p_value
    assert result is not None
    return result


def _scipy_flips(difference: FloatArray, b: int) -> float:
    outcome = FLIPS(
        (difference, np.zeros_like(difference)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=b,
        vectorized=True,
        rng=np.random.default_rng(3),
    )
    return float(outcome.pvalue)
