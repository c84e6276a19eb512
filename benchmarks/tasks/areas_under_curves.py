"""Areas under curves: their bootstrap and their jackknife, beside loops over scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.rows import Bench, BenchmarkRow
from thetahat.analyses.bootstrap.resampling import bootstrap_statistic
from thetahat.analyses.metrics.metric_values import measure
from thetahat.analyses.metrics.variances import estimate_variances
from thetahat.metrics.average_precision import AveragePrecision
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.roc_auc import RocAuc
from thetahat.numerics.bootstrap.resamples import HashedResamples
from thetahat.statistics import Sample
from thetahat.statistics.auc import Auc
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind


def measure_rows(bench: Bench) -> Iterator[BenchmarkRow]:
    rng = np.random.default_rng(1)
    b, timed = (200, 5) if bench.short else (10_000, 50)
    for setting in ("continuous scores", "scores of two decimals"):
        for n in (100, 300) if bench.short else (100, 1000, 10_000):
            y = rng.integers(0, 2, n)
            scores = rng.normal(size=n) + y
            if "two" in setting:
                scores = np.round(scores / 8, 2)
            layout = build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp))
            judged = TruthAndPredictions(
                task="classification", truth=y, output=y, scores=scores, classes=(0, 1)
            )
            metrics: tuple[tuple[str, Metric, Callable[..., float]], ...] = (
                ("area under the ROC curve", RocAuc(n_resamples=b), roc_auc_score),
                ("average precision", AveragePrecision(n_resamples=b), average_precision_score),
            )
            for name, metric, score in metrics:
                yield bench.compare(
                    task=f"{name}, bootstrap",
                    use="Estimates a metric of ranking with its bootstrap intervals.",
                    size=n,
                    unit="rows",
                    setting=f"{setting}, {b} resamples; difference: of the metric",
                    ours=partial(measure, metric, judged, layout, 1),
                    peer="scikit-learn's score, in a loop",
                    peer_call=partial(_score_resamples, score, y, scores, timed),
                    peer_share=timed / b,
                    difference=lambda own, theirs: abs(float(own.pooled) - theirs),
                    tolerance=1e-9,
                    bytes_read=8.0 * n * b,
                )
            yield bench.compare(
                task="statistic auc, bootstrap",
                use="Bootstraps the area under the ROC curve as the kind `bootstrap` does.",
                size=n,
                unit="rows",
                setting=f"{setting}, {b} resamples",
                ours=partial(_bootstrap_area, scores, y, b),
                peer="roc_auc_score, in a loop",
                peer_call=partial(_score_resamples, roc_auc_score, y, scores, timed),
                peer_share=timed / b,
                difference=lambda own, theirs: abs(float(own.estimate) - theirs),
                tolerance=1e-9,
                bytes_read=8.0 * n * b,
            )
            few = min(n, timed)
            yield bench.compare(
                task="area under the ROC curve, jackknife",
                use="Influence of each row on the area: the acceleration of BCa, and DeLong.",
                size=n,
                unit="rows",
                setting=setting,
                ours=partial(_influences, judged),
                peer="roc_auc_score without each row",
                peer_call=partial(_leave_out, y, scores, few),
                peer_share=few / n,
                difference=partial(_compare_jackknife, judged),
                tolerance=0.1,
                bytes_read=16.0 * n,
            )
            yield bench.compare(
                task="variance of the area by DeLong",
                use="An interval for the area under the ROC curve without resamples.",
                size=n,
                unit="rows",
                setting=setting,
                ours=partial(_delong, judged, layout),
                peer="numpy, all pairs of the two classes",
                peer_call=partial(_delong_by_pairs, y, scores),
                difference=lambda own, theirs: abs(own / theirs - 1),
                tolerance=1e-6,
                bytes_read=16.0 * n,
            )


def _score_resamples(
    score: Callable[..., float], y: np.ndarray, scores: np.ndarray, count: int
) -> float:
    """Return the score of all rows, after those of resamples."""
    rng, n = np.random.default_rng(2), len(y)
    for _ in range(count):
        index = rng.integers(0, n, n)
        score(y[index], scores[index])
    return float(score(y, scores))


def _bootstrap_area(scores: np.ndarray, y: np.ndarray, b: int) -> object:
    sample = Sample(scores, y.astype(float))
    return bootstrap_statistic(Auc(), sample, HashedResamples(np.array([0, len(y)]), 1, b))


def _influences(judged: TruthAndPredictions) -> np.ndarray:
    statistic = RocAuc().statistic(judged)
    return np.asarray(statistic.influence() / len(judged.truth))


def _leave_out(y: np.ndarray, scores: np.ndarray, count: int) -> np.ndarray:
    every = np.arange(len(y))
    kept = (np.delete(every, row) for row in range(count))
    return np.array([roc_auc_score(y[rest], scores[rest]) for rest in kept])


def _compare_jackknife(
    judged: TruthAndPredictions, influences: np.ndarray, without: np.ndarray
) -> float:
    value = RocAuc().statistic(judged).value()
    gaps = np.abs(value - without - influences[: len(without)])
    return float(gaps.max() / np.abs(influences).max())


def _delong(judged: TruthAndPredictions, layout: Layout) -> float:
    estimates = estimate_variances(measure(RocAuc(n_resamples=0), judged, layout, 1))
    value = estimates["delong"].value
    assert value is not None
    return float(value)


def _delong_by_pairs(y: np.ndarray, scores: np.ndarray) -> float:
    positive, negative = scores[y == 1], scores[y == 0]
    wins = np.less.outer(negative, positive) + 0.5 * np.equal.outer(negative, positive)
    first, second = wins.mean(axis=0), wins.mean(axis=1)
    return float(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
