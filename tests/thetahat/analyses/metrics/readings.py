"""Metrics read over layouts, for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.thetahat.metrics.judged import binary
from thetahat.analyses.losses import Choices, ChosenMethod, evaluate
from thetahat.analyses.losses.parts import Parts
from thetahat.analyses.metrics.inference import MetricInference, infer_metric
from thetahat.analyses.metrics.metric_values import MetricValues, measure
from thetahat.analyses.metrics.result import compute_metrics
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import to_json
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind


def holdout(n: int, **columns: Any) -> Layout:
    return build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp), **columns)


def folds(block: Any, **columns: Any) -> Layout:
    return build_layout(BlockKind.RANDOM, np.asarray(block), **columns)


def sources(block: Any, **columns: Any) -> Layout:
    return build_layout(BlockKind.SOURCE, np.asarray(block), **columns)


def measured(metric: Metric, judged: TruthAndPredictions, layout: Layout) -> MetricValues:
    return measure(metric, judged, layout, 7)


def reading(
    metric: Metric, judged: TruthAndPredictions, layout: Layout, **choices: Any
) -> MetricInference:
    return infer_metric(
        metric, measured(metric, judged, layout), Choices(**choices), is_difference=False
    )


def difference(
    metric: Metric, a: TruthAndPredictions, b: TruthAndPredictions, layout: Layout, **choices: Any
) -> MetricInference:
    both = measured(metric, a, layout).minus(measured(metric, b, layout))
    return infer_metric(metric, both, Choices(**choices), is_difference=True)


def interval_of(of: MetricInference, method: str, variance: str | None) -> Interval:
    (interval,) = [i for i in of.intervals if (i.method, i.variance) == (method, variance)]
    return interval


def tree(
    metric: Metric, models: dict[str, TruthAndPredictions], layout: Layout, **choices: Any
) -> dict[str, Any]:
    """The JSON value of a result with one metric, without variances and tests of the losses."""
    rng = np.random.default_rng(14)
    losses = {name: BlockLosses(layout, values=rng.normal(size=layout.n_rows)) for name in models}
    without = Choices(variances=(), intervals=(), tests=(), omnibus=())
    key = metric.info.name
    entry = ChosenMethod(key, key, metric)
    metrics = compute_metrics([entry], models, layout, tuple(models), Choices(**choices), 7)
    result = evaluate(LossTable(layout, losses), without, 7, Parts(metrics=metrics))
    written: dict[str, Any] = to_json(result)
    return written


def noisy(seed: int, n: int, shift: float = 1.0) -> TruthAndPredictions:
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    return binary(truth, rng.normal(size=n) + shift * truth, cut=shift / 2)


def codes(cautions: Sequence[Any]) -> set[str]:
    return {c["code"] if isinstance(c, dict) else c.code for c in cautions}


def known(value: object) -> float:
    assert isinstance(value, float)
    return value


def ends(interval: Interval) -> list[float]:
    return [known(interval.lower), known(interval.upper)]
