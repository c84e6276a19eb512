"""The statistics of losses beside what a user would write or call, in one run, as ratios.

CPU time of this process, median of five, one BLAS thread. Prints the largest difference too.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.stats

from thetahat.block_losses import BlockLosses
from thetahat.comparisons.base import PairedLosses
from thetahat.comparisons.permutation import Permutation
from thetahat.comparisons.wilcoxon import Wilcoxon
from thetahat.layout import layout_of
from thetahat.types import Alternative, BlockKind


def clock(call: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """Median CPU seconds and the last answer."""
    times, answer = [], None
    for _ in range(repeats):
        start = time.process_time()
        answer = call()
        times.append(time.process_time() - start)
    return statistics.median(times), answer


def show(what: str, peer: float, ours: float, difference: float) -> None:
    print(
        f"{what:52s} peer {peer * 1e3:9.2f} ms  ours {ours * 1e3:9.2f} ms  "
        f"ratio {peer / ours:7.2f}  difference {difference:.1e}"
    )


def by_masks(losses: np.ndarray, block: np.ndarray) -> np.ndarray:
    """Return the variance within each block, as most people write it."""
    return np.array([losses[block == k].var(ddof=1) for k in range(10)])


def main() -> None:
    rng = np.random.default_rng(1)
    for shuffled in (False, True):
        n = 1_000_000
        block = np.arange(n) % 10
        block = rng.permutation(block) if shuffled else np.sort(block)
        losses = rng.gamma(2.0, size=n)
        peer, masks = clock(lambda b=block, e=losses: by_masks(e, b))
        layout = layout_of(BlockKind.RANDOM, block)
        ours, moments = clock(lambda lay=layout, e=losses: BlockLosses(lay, values=e).moments)
        within = next(moments.by_repeat()).within_variances[np.argsort(layout.block_labels)]
        order = "shuffled" if shuffled else "contiguous"
        gap = float(np.abs(within - masks).max())
        show(f"moments of 10 blocks, n = 1e6, {order}", peer, ours, gap)

    for n in (10_000, 1_000_000):
        a, b = rng.gamma(2.0, size=n), rng.gamma(2.0, size=n)
        layout = layout_of(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
        first, second = BlockLosses(layout, values=a), BlockLosses(layout, values=b)
        pair = PairedLosses(first, second, first.minus(second))
        peer, scipys = clock(lambda x=a, y=b: scipy.stats.wilcoxon(x, y, method="asymptotic"))
        test = Wilcoxon(method="normal", correction=False)
        ours, outcome = clock(lambda p=pair, t=test: t.test(p, Alternative.TWO_SIDED, rng))
        show(f"Wilcoxon signed rank, n = {n:.0e}", peer, ours, abs(scipys.pvalue - outcome.p_value))

    n, resamples = 10_000, 1000
    difference = pair_difference = rng.normal(size=n)
    layout = layout_of(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
    zero = BlockLosses(layout, values=np.zeros(n))
    first = BlockLosses(layout, values=pair_difference)
    pair = PairedLosses(first, zero, first.minus(zero))

    def loop() -> float:
        signs = np.random.default_rng(2)
        seen = [abs(difference @ (1.0 - 2.0 * signs.integers(0, 2, n))) for _ in range(resamples)]
        return (np.sum(np.array(seen) >= abs(difference.sum())) + 1) / (resamples + 1)

    peer, p_loop = clock(loop)
    flips = Permutation(n_resamples=resamples)
    ours, outcome = clock(lambda: flips.test(pair, Alternative.TWO_SIDED, np.random.default_rng(2)))
    show("sign flips, n = 1e4, B = 1000, numpy loop", peer, ours, abs(p_loop - outcome.p_value))


if __name__ == "__main__":
    main()
