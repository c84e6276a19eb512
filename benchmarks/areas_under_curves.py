"""The area under the ROC curve and its bootstrap beside scikit-learn's, in one run, as ratios.

CPU time of this process, one BLAS thread. scikit-learn's loop is timed on 100 resamples.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from thetahat.layout import layout_of
from thetahat.measuring.measured import measure
from thetahat.measuring.spreads import spreads
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.base import Judged, Metric
from thetahat.metrics.roc_auc import RocAuc
from thetahat.types import BlockKind

N, B, TIMED = 10_000, 10_000, 100


def clock(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds and the answer."""
    start = time.process_time()
    answer = call()
    return time.process_time() - start, answer


def loop(score: Callable[..., float], y: np.ndarray, s: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    for _ in range(TIMED):
        index = rng.integers(0, N, N)
        score(y[index], s[index])


def main() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    continuous = rng.normal(size=N) + y
    layout = layout_of(BlockKind.HOLDOUT, np.zeros(N, dtype=np.intp))
    cases: list[tuple[str, Metric, Callable[..., float]]] = [
        ("roc_auc", RocAuc(n_resamples=B), roc_auc_score),
        ("average_precision", AveragePrecision(n_resamples=B), average_precision_score),
    ]
    for what, scores in (("continuous", continuous), ("2 decimals", np.round(continuous / 8, 2))):
        judged = Judged(task="classification", truth=y, output=y, scores=scores, classes=(0, 1))
        for name, metric, peer_of in cases:
            measure(metric, judged.rows(slice(0, N)), layout, 1)  # compiled now
            ours, _ = clock(lambda m=metric, j=judged: measure(m, j, layout, 1))
            peer, _ = clock(lambda p=peer_of, s=scores: loop(p, y, s))
            peer *= B / TIMED
            print(
                f"{name:18s} {what:10s} {B} resamples of {N}: loop {peer:6.1f} s  "
                f"ours {ours:5.2f} s  ratio {peer / ours:6.1f}"
            )
        plain = RocAuc(n_resamples=0)
        ours, found = clock(lambda j=judged, m=plain: spreads(measure(m, j, layout, 1)))
        print(f"DeLong, {what}: {ours * 1e3:.1f} ms, variance {found['delong'].value:.3e}")


if __name__ == "__main__":
    main()
