"""The area under the ROC curve and its bootstrap beside scikit-learn's, in one run, as ratios.

CPU time of this process, one BLAS thread: of ours the median of five, of scikit-learn's loop once,
on 100 resamples. The jackknife, which BCa's acceleration rests on, is compared with N evaluations.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.clock import clock
from thetahat.analyses.bootstrap.replicates import StatisticReplicates
from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.variances import estimate_variances
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.roc_auc import RocAuc
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.statistics import Sample
from thetahat.statistics.auc import Auc
from thetahat.values.layout import build_layout
from thetahat.values.types import BlockKind
from thetahat.variances.base import VarianceEstimate

N, B, TIMED = 10_000, 10_000, 100


def score_resamples(score: Callable[..., float], y: np.ndarray, s: np.ndarray) -> None:
    rng = np.random.default_rng(2)
    for _ in range(TIMED):
        index = rng.integers(0, N, N)
        score(y[index], s[index])


def compare_jackknife(y: np.ndarray, s: np.ndarray, judged: TruthAndPredictions) -> None:
    """Print the influence of each row on the area beside a loop that leaves rows out."""
    statistic = RocAuc().statistic(judged)
    ours, influences = clock(lambda: RocAuc().statistic(judged).influence() / N)
    every = np.arange(N)

    def leave_out() -> np.ndarray:
        kept = (np.delete(every, i) for i in range(TIMED))
        return np.array([roc_auc_score(y[rest], s[rest]) for rest in kept])

    peer, values = clock(leave_out, 1)
    gap = np.abs(statistic.value() - values - influences[:TIMED]).max() / np.abs(influences).max()
    peer *= N / TIMED
    print(
        f"roc_auc, jackknife of {N} rows: loop {peer:6.1f} s  ours {ours * 1e3:5.2f} ms  "
        f"ratio {peer / ours:6.0f}  apart by {gap:.1e}"
    )


def bootstrap_auc(sample: Sample) -> StatisticReplicates:
    """Bootstrap the area of one sample as the kind ``bootstrap`` does."""
    return bootstrap_statistic(Auc(), sample, HashedResamples(np.array([0, N]), 1, B))


def _estimate_variances(measured: Callable[[], MetricValues]) -> dict[str, VarianceEstimate]:
    return estimate_variances(measured())


def main() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    continuous = rng.normal(size=N) + y
    layout = build_layout(BlockKind.HOLDOUT, np.zeros(N, dtype=np.intp))
    cases: list[tuple[str, Metric, Callable[..., float]]] = [
        ("roc_auc", RocAuc(n_resamples=B), roc_auc_score),
        ("average_precision", AveragePrecision(n_resamples=B), average_precision_score),
    ]
    for what, scores in (("continuous", continuous), ("2 decimals", np.round(continuous / 8, 2))):
        judged = TruthAndPredictions(
            task="classification", truth=y, output=y, scores=scores, classes=(0, 1)
        )
        for name, metric, score in cases:
            measure(metric, judged.rows(slice(0, N)), layout, 1)  # compiled now
            ours, _ = clock(partial(measure, metric, judged, layout, 1))
            peer, _ = clock(partial(score_resamples, score, y, scores), 1)
            peer *= B / TIMED
            print(
                f"{name:18s} {what:10s} {B} resamples of {N}: loop {peer:6.1f} s  "
                f"ours {ours:5.2f} s  ratio {peer / ours:6.1f}"
            )
        ours, _ = clock(partial(bootstrap_auc, Sample(scores, y.astype(float))))
        peer, _ = clock(partial(score_resamples, roc_auc_score, y, scores), 1)
        print(
            f"statistic auc      {what:10s} {B} resamples of {N}: loop {peer * B / TIMED:6.1f} s  "
            f"ours {ours:5.2f} s  ratio {peer * B / TIMED / ours:6.1f}"
        )
        compare_jackknife(y, scores, judged)
        plain = partial(measure, RocAuc(n_resamples=0), judged, layout, 1)
        ours, estimates = clock(partial(_estimate_variances, plain))
        print(f"DeLong, {what}: {ours * 1e3:.1f} ms, variance {estimates['delong'].value:.3e}")


if __name__ == "__main__":
    main()
