"""Means over resamples, beside scipy.stats.bootstrap and a numpy loop."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.rows import Bench, BenchmarkRow
from thetahat.numerics.bootstrap import SharedResamples, draw_difference_replicates
from thetahat.numerics.bootstrap.interval_ends import bca_reach
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind

APART = "difference: relative, of two standard errors from different resamples"
SHARE = 0.2


def build_shared_resamples(*values: np.ndarray) -> SharedResamples:
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(values[0]), dtype=np.intp))
    models = {f"m{i}": BlockLosses(layout, values=v) for i, v in enumerate(values)}
    return SharedResamples(models, seed=1)


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    for n in (100, 1000) if bench.short else (100, 1000, 10_000):
        b = 1000 if bench.short else 10_000
        x, y = rng.gamma(2.0, size=(2, n))
        first, second = ((rng.random(n) < share).astype(float) for share in (0.3, 0.35))
        shared: dict[str, Any] = {
            "size": n,
            "unit": "losses",
            "setting": f"{b} resamples; {APART}",
            "peer_share": SHARE,
            "difference": _apart,
            "tolerance": 0.15,
            "bytes_read": 8.0 * n * b,
        }
        use = "Standard error of a model's mean loss, and its bootstrap intervals."
        few = int(b * SHARE)
        yield bench.compare(
            task="bootstrap of a mean", use=use, ours=partial(_mean_error, x, b),
            peer="scipy.stats.bootstrap, batch=100", peer_call=partial(_scipy_error, (x,), few),
            **shared,
        )  # fmt: skip
        yield bench.compare(
            task="bootstrap of a mean, beside a loop", use=use, ours=partial(_mean_error, x, b),
            peer="numpy, a loop", peer_call=partial(_loop_error, x, few), **shared,
        )  # fmt: skip
        use = "Standard error of the difference of two models on the same instances."
        yield bench.compare(
            task="bootstrap of a paired difference", use=use,
            ours=partial(_difference_error, x, y, b), peer="scipy.stats.bootstrap, paired",
            peer_call=partial(
                _scipy_error, (x, y), few, _mean_difference, paired=True
            ),
            **shared,
        )  # fmt: skip
        yield bench.compare(
            task="bootstrap of a difference of 0/1 losses", use=use,
            ours=partial(_difference_error, first, second, b), peer="scipy.stats.bootstrap",
            peer_call=partial(_scipy_error, (first - second,), few), **shared,
        )  # fmt: skip
    yield from _measure_many_models(bench, rng)
    yield from _measure_bca(bench, rng)


def _measure_many_models(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    n, b = (200, 500) if bench.short else (10_000, 1000)
    for n_models in (2, 5) if bench.short else (2, 10, 50):
        many = rng.gamma(2.0, size=(n_models, n))
        few = b // 5
        yield bench.compare(
            task="bootstrap of many models",
            use="Standard errors of several models over the same resamples.",
            size=n_models,
            unit="models",
            setting=f"{n} losses of each, {b} resamples; {APART}",
            ours=partial(_mean_error, many, b),
            peer="scipy.stats.bootstrap, axis=1",
            peer_call=partial(_scipy_error_of_second, many, few),
            peer_share=few / b,
            difference=_apart,
            tolerance=0.3,
            flops=2.0 * n * b * n_models,
        )


def _measure_bca(bench: Bench, rng: np.random.Generator) -> Iterator[BenchmarkRow]:
    for n in (50, 100) if bench.short else (100, 1000, 5000):
        x = rng.gamma(2.0, size=n)
        replicates = build_shared_resamples(x).of_model("m0", 9999)
        known: Any = SimpleNamespace(
            bootstrap_distribution=replicates.estimate + replicates.deviations
        )
        yield bench.compare(
            task="ends of the BCa interval",
            use="The bias-corrected bootstrap interval, from the same replicates.",
            size=n,
            unit="losses",
            ours=partial(_lower_end, replicates),
            peer="scipy.stats.bootstrap, method='BCa'",
            peer_call=partial(_scipy_lower_end, x, known),
            tolerance=1e-8,
        )


def _mean_difference(a: np.ndarray, c: np.ndarray, axis: int) -> Any:
    return (a - c).mean(axis)


def _apart(own: float, theirs: float) -> float:
    return abs(float(theirs) / own - 1)


def _mean_error(values: np.ndarray, b: int) -> float:
    rows = np.atleast_2d(values)
    name = f"m{min(1, len(rows) - 1)}"
    return float(build_shared_resamples(*rows).of_model(name, b).variance ** 0.5)


def _difference_error(x: np.ndarray, y: np.ndarray, b: int) -> float:
    """Return the standard error of one difference, resampled as in the paired bootstrap test."""
    first, second = build_shared_resamples(x, y).models.values()
    return float(draw_difference_replicates(first.minus(second), 1, b, None).variance ** 0.5)


def _scipy_error(
    values: tuple[np.ndarray, ...], b: int, statistic: Any = np.mean, **rest: Any
) -> float:
    result: Any = scipy.stats.bootstrap(
        values, statistic, n_resamples=b, method="percentile", batch=100, rng=2, **rest
    )
    return float(result.standard_error)


def _loop_error(x: np.ndarray, b: int) -> float:
    rng, n = np.random.default_rng(2), len(x)
    return float(np.std([x[rng.integers(0, n, n)].mean() for _ in range(b)], ddof=1))


def _scipy_error_of_second(many: np.ndarray, b: int) -> float:
    result: Any = scipy.stats.bootstrap(
        (many,), np.mean, n_resamples=b, method="percentile", axis=1, batch=10, rng=2
    )
    return float(result.standard_error[1])


def _lower_end(replicates: Any) -> float:
    reach = bca_reach(np.sort(replicates.deviations), replicates.acceleration, 0.025)
    return float(replicates.estimate + reach[0][0])


def _scipy_lower_end(x: np.ndarray, known: Any) -> float:
    result: Any = scipy.stats.bootstrap(
        (x,), np.mean, n_resamples=0, method="BCa", bootstrap_result=known
    )
    return float(result.confidence_interval.low)
