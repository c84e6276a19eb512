"""Whole evaluations of losses: of one model, over many blocks, and all pairs of many models."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import orjson
import scipy.stats

import thetahat
from benchmarks.rows import Bench, BenchmarkRow

STATS: Any = scipy.stats  # whose types depend on each argument
USE = "`thetahat.evaluate` of one model: all variance estimates and intervals that apply."
USE_BLOCKS = "`thetahat.evaluate` of two models over more and more blocks of two rows."
USE_PAIRS = (
    "`thetahat.evaluate` of many models: every pair with every test that applies, corrected for"
    " their number."
)
FLIPS = 10_000
PAIRS_TIMED = 5


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    for n in (10**3, 10**4) if bench.short else (10**3, 10**4, 10**5, 10**6, 10**7, 10**8):
        block = np.repeat(np.arange(10), n // 10)
        losses = rng.random(n)
        yield bench.compare(
            task="evaluation of one model",
            use=USE,
            size=n,
            unit="losses",
            setting="ten random blocks",
            ours=partial(_evaluate, {"a": losses}, block),
            peer="pandas: one t interval of the means of blocks (far less work)",
            peer_call=partial(_interval_by_script, losses, block),
            difference=_compare_means,
            tolerance=1e-10,
            bytes_read=8 * n,
        )
    for blocks in (2, 100, 1000) if bench.short else (2, 10, 100, 1000, 10**4, 10**5):
        n = max(20, 2 * blocks)
        first, second = rng.normal(size=(2, n))
        block = np.arange(n) % blocks
        for kind in ("random", "source"):
            yield bench.compare(
                task=f"evaluation over many {kind} blocks",
                use=USE_BLOCKS,
                size=blocks,
                unit="blocks",
                ours=partial(_evaluate, {"a": first, "b": second}, block, kind),
                peer="pandas: one t interval of the means of blocks (far less work)",
                peer_call=partial(_interval_by_script, first, block),
                difference=_compare_means,
                tolerance=1e-10,
                bytes_read=16 * n,
            )
    n = 200 if bench.short else 1000
    for n_models in (2, 5) if bench.short else (2, 8, 30, 100, 200):
        shared = rng.normal(size=n)
        by_name = {f"m{i}": np.abs(shared + rng.normal(size=n) + i / 1e3) for i in range(n_models)}
        pairs = [(i, j) for i in range(n_models) for j in range(i + 1, n_models)]
        timed = pairs[:PAIRS_TIMED]
        yield bench.compare(
            task="comparison of all pairs of models",
            use=USE_PAIRS,
            size=n_models,
            unit="models",
            setting=f"{n} losses of each, one test set",
            ours=partial(_evaluate, by_name, np.zeros(n, dtype=int), "holdout"),
            peer="scipy: t, Wilcoxon and sign test, 10 000 flips by numpy, in a loop",
            peer_call=partial(_test_pairs, list(by_name.values()), timed),
            peer_share=len(timed) / len(pairs),
            difference=_compare_signed_mean,
            tolerance=1e-10,
            flops=float(n) * n_models**2,
            note=_describe_size,
        )


def _evaluate(losses: dict[str, np.ndarray], block: np.ndarray, kind: str = "random") -> Any:
    return thetahat.to_json(thetahat.evaluate(losses, blocks=kind, block=block))


def _interval_by_script(losses: np.ndarray, block: np.ndarray) -> tuple[float, Any]:
    import pandas as pd  # type: ignore[import-untyped]

    means = pd.Series(losses).groupby(block).mean().to_numpy()
    error = means.std(ddof=1) / len(means) ** 0.5
    reach = STATS.t.ppf(0.975, len(means) - 1) * error
    return float(losses.mean()), (means.mean() - reach, means.mean() + reach)


def _compare_means(result: Any, expected: tuple[float, Any]) -> float:
    (model, *_) = result["models"].values()
    return float(abs(model["mean"]["pooled"] - expected[0]))


def _test_pairs(rows: list[np.ndarray], pairs: list[tuple[int, int]]) -> float:
    """Return the mean difference of the first pair, after all tests of each."""
    rng = np.random.default_rng(2)
    for i, j in pairs:
        d = rows[i] - rows[j]
        STATS.ttest_rel(rows[i], rows[j])
        STATS.wilcoxon(d)
        STATS.binomtest(int((d > 0).sum()), max(1, int((d != 0).sum())))
        for _ in range(10):
            d @ (1.0 - 2.0 * rng.integers(0, 2, (len(d), FLIPS // 10)))
    return float((rows[0] - rows[1]).mean())


def _compare_signed_mean(result: Any, expected: float) -> float:
    means = [model["mean"]["pooled"] for model in result["models"].values()]
    return float(abs(means[0] - means[1] - expected))


def _describe_size(result: Any) -> str:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"result {len(orjson.dumps(result)) / 1e6:.1f} MB, process at most {peak:.0f} MB so far"
