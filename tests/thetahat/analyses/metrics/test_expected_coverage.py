"""The coverage that recommended intervals of metrics reached in the nearest studied design."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.analyses.metrics.readings import difference, folds, holdout, reading
from tests.thetahat.metrics.judged import binary
from thetahat.analyses.metrics import expected_coverage
from thetahat.intervals.base import Interval
from thetahat.metrics.base import Metric, TruthAndPredictions
from thetahat.metrics.f1 import F1
from thetahat.metrics.matthews import Matthews
from thetahat.metrics.roc_auc import RocAuc
from thetahat.values.types import Alternative, Target
from thetahat_presentation.wording import name_method

STUDY: dict[str, Any] = json.loads(
    Path(expected_coverage.__file__).with_name("metric_coverage.json").read_text()
)
ROWS: list[dict[str, Any]] = STUDY["rows"]


def judged(n: int, share: float, seed: int = 0) -> TruthAndPredictions:
    rng = np.random.default_rng(seed)
    truth = (np.arange(n) < share * n).astype(int)
    return binary(truth, truth + rng.normal(0.0, 1.0, n))


def recommended(intervals: Any, target: Target = Target.THESE_MODELS) -> Interval:
    (interval,) = [each for each in intervals if each.recommended and each.target is target]
    return interval  # type: ignore[no-any-return]


def cells(metric: str, of: str, scheme: str, n: int, data: str, interval: Interval) -> list[float]:
    label = f"{interval.method}:{interval.variance}/{interval.mean.value}"
    return [
        row["coverage"][label][0]
        for row in ROWS
        if (row["metric"], row["of"], row["scheme"], row["n"], row["data"], row["target"])
        == (metric, of, scheme, n, data, interval.target.value)
        and label in row["coverage"]
    ]


def test_exact_each_learner_has_its_own_row() -> None:
    """A row that took another's numbers has all of them; single shares may agree by chance."""
    of_learners = [json.dumps(row) for row in ROWS if row["of"] == "model"]

    assert len(of_learners) == len(set(of_learners)) > 300


def test_exact_agreements_of_independent_rows_have_the_recommended_interval() -> None:
    """Not those of clusters and of repeats, which have no limits of shares."""
    agreements = [
        row["coverage"].keys()
        for row in ROWS
        if row["metric"] in {"cohen_kappa", "matthews"}
        and (row["of"], row["target"]) == ("model", "these_models")
        and row["scheme"] in {"holdout", "5-fold", "leave_one_source_out"}
    ]

    assert len(agreements) == 40
    assert all("limits_of_shares:influence/pooled" in labels for labels in agreements)


@pytest.mark.parametrize(("share", "data"), [(0.5, "balanced"), (0.14, "rare")])
@pytest.mark.parametrize(("metric", "name"), [(F1(), "f1"), (Matthews(), "matthews")])
def test_naive_a_model_has_the_average_of_the_nearest_cells(
    metric: Metric, name: str, share: float, data: str
) -> None:
    layout = folds(np.arange(200) % 5)
    interval = recommended(reading(metric, judged(200, share), layout).intervals)

    expected = cells(name, "model", "5-fold", 200, data, interval)
    coverage = interval.expected_coverage
    assert expected
    assert coverage is not None
    assert_allclose(coverage.coverage, np.mean(expected))
    assert (coverage.least, coverage.largest) == (min(expected), max(expected))
    assert coverage.design.startswith(f"{name_method(name)}, five folds, 200 rows")
    assert coverage.table == "/studies/metric_coverage"


def test_naive_a_difference_has_that_of_studied_differences() -> None:
    layout = folds(np.arange(200) % 5)
    read = difference(RocAuc(), judged(200, 0.5), judged(200, 0.5, seed=1), layout)
    interval = recommended(read.intervals)

    expected = cells("roc_auc", "difference", "5-fold", 200, "balanced", interval)
    assert expected
    assert interval.expected_coverage is not None
    assert_allclose(interval.expected_coverage.coverage, np.mean(expected))


def test_exact_few_positives_in_a_small_sample_have_a_caution() -> None:
    models = judged(50, 0.14), judged(50, 0.14, seed=1)
    interval = recommended(difference(Matthews(), *models, folds(np.arange(50) % 5)).intervals)

    coverage = interval.expected_coverage
    assert coverage is not None
    assert coverage.coverage < 0.85
    (caution,) = [one for one in interval.cautions if one.code == "covers_too_rarely"]
    assert "with few of one class" in caution.message


@pytest.mark.parametrize("choices", [{"level": 0.9}, {"alternative": Alternative.LESS}])
def test_exact_other_levels_and_one_side_have_the_coverage_of_the_studied_interval(
    choices: dict[str, Any],
) -> None:
    layout = folds(np.arange(200) % 5)
    studied, read = (
        reading(RocAuc(), judged(200, 0.5), layout, **options) for options in ({}, choices)
    )

    coverages = [
        {one.target: one.expected_coverage for one in of.intervals if one.recommended}
        for of in (studied, read)
    ]
    assert coverages[0] == coverages[1]
    assert any(coverages[0].values())


def test_exact_only_recommended_intervals_have_it() -> None:
    read = reading(Matthews(), judged(60, 0.5), holdout(60))

    assert any(one.expected_coverage for one in read.intervals)
    for one in read.intervals:
        assert one.recommended or one.expected_coverage is None
