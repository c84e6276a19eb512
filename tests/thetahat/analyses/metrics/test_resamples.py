"""Rows of a kind counted together, beside rows counted one by one: the same resamples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.thetahat.analyses.metrics.readings import folds, holdout, measured
from tests.thetahat.metrics.judged import draw_judged
from thetahat.analyses.metrics import bootstrap as module
from thetahat.metrics import METRICS
from thetahat.metrics.base import Metric, MetricOfKinds, TruthAndPredictions
from thetahat.values.layout import Layout
from thetahat.values.types import FloatArray

N = 1200
BY_BLOCK = np.arange(N) % 3
LAYOUTS = {
    "one set": holdout(N),
    "folds in order": folds(np.sort(BY_BLOCK)),
    "folds among each other": folds(BY_BLOCK),
}


def judged_of(name: str, n_classes: int = 2) -> TruthAndPredictions:
    judged = draw_judged(name, 3, N, n_classes)
    scores = None if judged.scores is None else np.round(judged.scores)
    return replace(judged, scores=scores)


def with_few_resamples(name: str) -> Metric:
    made: Any = METRICS[name]
    metric: Metric = made(n_resamples=100)
    return metric


def values_of(metric: Metric, judged: TruthAndPredictions, layout: Layout) -> FloatArray:
    replicates = measured(metric, judged, layout).replicates
    assert replicates is not None
    return replicates.values


def counts_kinds(metric: Metric, judged: TruthAndPredictions, layout: Layout) -> bool:
    units = module._choose_units(layout)
    assert units is not None
    rows = np.arange(layout.n_rows)
    return module._RowKinds.build([(rows, metric.statistic(judged))], layout, units) is not None


@pytest.mark.about(*(f"metrics/{name}" for name in METRICS))
@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_naive_kinds_and_rows_give_the_same_replicates(
    name: str, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric, judged = with_few_resamples(name), judged_of(name)
    by_row = values_of(metric, judged, layout)
    monkeypatch.setattr(module, "MANY_DRAWS", 1)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 1000)

    by_kind = values_of(metric, judged, layout)

    evaluate_kinds = isinstance(metric.statistic(judged), MetricOfKinds)
    assert counts_kinds(metric, judged, LAYOUTS["one set"]) is evaluate_kinds is (name != "r2")
    assert_allclose(by_kind, by_row, rtol=1e-13, atol=0 if name == "roc_auc" else 1e-14)


@pytest.mark.about("metrics/roc_auc", "metrics/f1")
@pytest.mark.parametrize("name", ["roc_auc", "f1"])
def test_degenerate_a_block_without_a_class_stays_out(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout, metric, judged = LAYOUTS["folds in order"], METRICS[name](), judged_of(name)
    truth = np.where(np.arange(N) < N // 3, 0, judged.truth)
    judged = replace(judged, truth=truth, output=np.where(truth == 0, 0, judged.output))
    by_row = values_of(metric, judged, layout)
    monkeypatch.setattr(module, "MANY_DRAWS", 1)

    assert_allclose(values_of(metric, judged, layout), by_row, rtol=1e-13)


@pytest.mark.about("metrics/roc_auc")
def test_exact_where_rows_are_counted_one_by_one() -> None:
    metric, judged = METRICS["roc_auc"](), judged_of("roc_auc")
    many_kinds = replace(judged, scores=np.arange(N, dtype=np.float64))
    clusters = holdout(N, cluster=np.arange(N) // 2)

    assert counts_kinds(metric, judged, holdout(N))
    assert not counts_kinds(metric, many_kinds, holdout(N))
    assert not counts_kinds(metric, judged, clusters)
    assert not counts_kinds(metric, judged_of("roc_auc", 3), holdout(N))


@pytest.mark.about("metrics/roc_auc")
def test_naive_of_several_rankings_each_row_is_a_kind() -> None:
    statistic = METRICS["roc_auc"]().statistic(judged_of("roc_auc", 3))
    counts = np.random.default_rng(1).integers(0, 3, (5, N)).astype(np.float64)

    assert isinstance(statistic, MetricOfKinds)
    assert_array_equal(statistic.kinds()[0], np.arange(N))
    assert statistic.kinds()[1] == N
    assert_array_equal(statistic.resampled_by_kind(counts), statistic.resampled(counts))
