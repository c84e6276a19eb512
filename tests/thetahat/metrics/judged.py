"""Truth and predictions for the tests of metrics."""

from __future__ import annotations

from typing import Any

import numpy as np

from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric


def binary(truth: Any, scores: Any, cut: float = 0.5) -> TruthAndPredictions:
    score_array = np.asarray(scores, dtype=np.float64)
    return TruthAndPredictions(
        task="classification",
        truth=np.asarray(truth, dtype=np.intp),
        output=(score_array >= cut).astype(np.intp),
        scores=score_array,
        classes=(0, 1),
    )


def labelled(truth: Any, output: Any, n_classes: int = 2) -> TruthAndPredictions:
    return TruthAndPredictions(
        task="classification",
        truth=np.asarray(truth, dtype=np.intp),
        output=np.asarray(output, dtype=np.intp),
        classes=tuple(range(n_classes)),
    )


def values(truth: Any, output: Any) -> TruthAndPredictions:
    return TruthAndPredictions(
        task="regression",
        truth=np.asarray(truth, dtype=np.float64),
        output=np.asarray(output, dtype=np.float64),
    )


def draw_judged(name: str, seed: int, n: int = 40, n_classes: int = 2) -> TruthAndPredictions:
    """Predictions with something right in them, and ties among the scores."""
    rng = np.random.default_rng(seed)
    if METRICS[name].task == "regression":
        target = rng.normal(size=n)
        return values(target, target + rng.normal(size=n))
    truth = rng.integers(0, n_classes, n)
    truth[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)  # two of each, at least
    scores = np.round(rng.normal(size=(n, n_classes)) + np.eye(n_classes)[truth], 1)
    return TruthAndPredictions(
        task="classification",
        truth=truth,
        output=scores.argmax(axis=1),
        scores=scores[:, 1] - scores[:, 0] if n_classes == 2 else scores,
        classes=tuple(range(n_classes)),
    )


def every_case() -> list[tuple[str, Metric, int]]:
    """Each metric with its defaults, and in its other forms: name, metric, classes."""
    several: list[tuple[str, Metric, int]] = []
    for name, kind in METRICS.items():
        several.append((name, kind(), 2))
    of_three = ("roc_auc", "average_precision", "balanced_accuracy", "matthews", "cohen_kappa")
    several += [(name, METRICS[name](), 3) for name in of_three]
    build: Any = METRICS["f1"]
    several.append(("f1", build(positive=0), 3))
    averages = ("macro", "micro", "weighted")
    several += [("f1", build(average=a), c) for a in averages for c in (2, 3)]
    for name in ("precision", "recall", "specificity"):
        several.append((name, METRICS[name](positive=0), 3))  # type: ignore[call-arg]
    several.append(("roc_auc", METRICS["roc_auc"](positive=0), 2))  # type: ignore[call-arg]
    return several


def under(statistic: WeightedMetric, weights: Any) -> float:
    """The metric under one set of weights."""
    return float(statistic.resampled(np.asarray(weights, dtype=np.float64)[None])[0])
