"""Means over resamples beside scipy.stats.bootstrap and a numpy loop, in one run, as ratios.

CPU time of this process, median of five, one BLAS thread. Prints the relative difference of the
standard errors, which come from different resamples, so it is about sqrt(1 / B). Prints also the
time of a prototype on a machine with AVX-512, from which the targets were derived: where the peer
is two or three times as fast here as there, the time says more than the ratio.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.clock import clock
from thetahat.numerics.bootstrap import SharedResamples, draw_difference_replicates
from thetahat.numerics.bootstrap.interval_ends import bca_reach
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind


def show(  # noqa: PLR0913 - two times, two standard errors, and the prototype's milliseconds
    what: str, peer: float, ours: float, theirs: float, own: float, prototype: float
) -> None:
    print(
        f"{what:46s} peer {peer * 1e3:9.1f} ms  ours {ours * 1e3:8.1f} ms  "
        f"ratio {peer / ours:7.1f}  standard errors apart by {abs(theirs / own - 1):.1e}  "
        f"prototype {prototype:g} ms",
        flush=True,
    )


def build_shared_resamples(*values: np.ndarray) -> SharedResamples:
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(len(values[0]), dtype=np.intp))
    return SharedResamples(
        {f"m{i}": BlockLosses(layout, values=v) for i, v in enumerate(values)}, seed=1
    )


def build_scipy_call(
    values: tuple[np.ndarray, ...], b: int, statistic: Any = np.mean, **rest: Any
) -> Callable[[], Any]:
    return lambda: scipy.stats.bootstrap(
        values, statistic, n_resamples=b, method="percentile", rng=2, **rest
    )


def estimate_error(shared: SharedResamples, name: str, b: int) -> float:
    return float(shared.of_model(name, b).variance ** 0.5)


def estimate_difference_error(values: tuple[np.ndarray, ...], b: int) -> float:
    """Return the standard error of one difference, resampled as in the paired bootstrap test."""
    a, c = build_shared_resamples(*values).models.values()
    return float(draw_difference_replicates(a.minus(c), 1, b, None).variance ** 0.5)


def main() -> None:
    rng = np.random.default_rng(1)
    n = b = 10_000
    x, y = rng.gamma(2.0, size=n), rng.gamma(2.0, size=n)
    estimate_error(build_shared_resamples(x), "m0", b)  # compiles the loops
    ours, own = clock(lambda: estimate_error(build_shared_resamples(x), "m0", b))
    peer, result = clock(build_scipy_call((x,), b, batch=100))
    show("mean, n = B = 1e4, scipy batch=100", peer, ours, result.standard_error, own, 170)
    peer, result = clock(build_scipy_call((x,), b), repeats=1)
    show("mean, n = B = 1e4, scipy default", peer, ours, result.standard_error, own, 170)

    def loop() -> float:
        draw = np.random.default_rng(2)
        return float(np.std([x[draw.integers(0, n, n)].mean() for _ in range(b)], ddof=1))

    peer, theirs = clock(loop)
    show("mean, n = B = 1e4, numpy loop", peer, ours, theirs, own, 170)

    ours, own = clock(lambda: estimate_difference_error((x, y), b))
    peer, result = clock(
        build_scipy_call((x, y), b, lambda a, c, axis: (a - c).mean(axis), paired=True, batch=100)
    )
    what = "paired difference, n = B = 1e4, scipy paired"
    show(what, peer, ours, result.standard_error, own, 167)

    p, q = ((rng.random(n) < share).astype(float) for share in (0.3, 0.35))
    ours, own = clock(lambda: estimate_difference_error((p, q), b))
    peer, result = clock(build_scipy_call((p - q,), b, batch=100))
    show("paired 0/1 losses, n = B = 1e4, scipy", peer, ours, result.standard_error, own, 3.4)

    many = rng.gamma(2.0, size=(10, n))
    ours, own = clock(lambda: estimate_error(build_shared_resamples(*many), "m3", 1000))
    peer, result = clock(build_scipy_call((many,), 1000, axis=1, batch=10))
    what = "10 models, n = 1e4, B = 1e3, scipy axis=1"
    show(what, peer, ours, result.standard_error[3], own, 200)

    replicates = build_shared_resamples(x[:1000]).of_model("m0", 9999)
    ours, ends = clock(
        lambda: bca_reach(np.sort(replicates.deviations), replicates.acceleration, 0.025)
    )
    distribution = replicates.estimate + replicates.deviations
    replicated: Any = SimpleNamespace(bootstrap_distribution=distribution)  # the same replicates
    peer, result = clock(
        lambda: scipy.stats.bootstrap(
            (x[:1000],), np.mean, n_resamples=0, method="BCa", bootstrap_result=replicated
        )
    )
    gap = abs(result.confidence_interval.low - replicates.estimate - ends[0][0])
    print(f"BCa ends on the same replicates: ratio {peer / ours:.1f}, ends apart by {gap:.1e}")


if __name__ == "__main__":
    main()
