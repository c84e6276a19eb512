"""The coverage study's metrics: what is true of them, what is tabulated, what is claimed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.truths import StudyLearner
from thetahat.cross_validation import build_rows
from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.learners.linear_discriminant import LinearDiscriminant
from thetahat.losses.zero_one import ZeroOne
from thetahat.references import REFERENCES
from thetahat.schemes.leave_one_source_out import LeaveOneSourceOut
from thetahat.schemes.repeated_k_fold import RepeatedKFold
from thetahat.values.json_values import to_json
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.values.types import FloatArray
from thetahat_replications.presets.interval_coverage.metric_claims import judge_metrics
from thetahat_replications.presets.interval_coverage.metric_study import (
    DIFFERENCE,
    MetricCell,
    _draw,
    build_metric_cells,
    build_task_metrics,
)
from thetahat_replications.presets.interval_coverage.metric_tables import (
    compute_metric_findings,
    summarise_metrics,
    tabulate_metrics,
)
from thetahat_replications.presets.interval_coverage.metric_truths import (
    DrawWithFreshRows,
    compute_true_values,
)
from thetahat_replications.presets.interval_coverage.preset import IntervalCoverage

pytestmark = pytest.mark.about("presets/interval_coverage")


def _cell(population: str, n: int = 40) -> MetricCell:
    (cell,) = build_metric_cells((population,), (n,), 0.95, 3)
    return cell


@pytest.fixture(scope="module")
def records() -> dict[str, FloatArray]:
    return _cell("two classes").study.run(0, 3)


def test_exact_any_cut_gives_the_same_records(records: dict[str, FloatArray]) -> None:
    last = _cell("two classes").study.run(2, 3)
    for name, values in last.items():
        np.testing.assert_array_equal(values, records[name][2:])


def test_exact_a_difference_is_true_by_the_difference_of_truths(
    records: dict[str, FloatArray],
) -> None:
    def truth(metric: str, model: str, mean: str, name: str) -> FloatArray:
        return records[
            make_record_name("5-fold", make_record_name(metric, model, mean), "truths", name)
        ]

    for metric in ("roc_auc", "f1"):
        for name in ("model", "fold_models"):
            parts = [
                truth(metric, model, "pooled", name)
                for model in ("linear_discriminant", "gaussian_naive_bayes", DIFFERENCE)
            ]
            np.testing.assert_allclose(parts[2], parts[0] - parts[1], atol=1e-14)


@pytest.mark.outside("scikit-learn's roc_auc_score and f1_score of models fitted here")
def test_against_sklearn_true_values_of_the_models_of_splits() -> None:
    from sklearn.metrics import f1_score, roc_auc_score

    rng = np.random.default_rng(2)
    sources = TwoClassGaussian(n_features=3, n_relevant=2).draw_sources(1, rng)
    data, rest = sources.draw(DrawSize(n=30), rng), sources.draw(DrawSize(n=300), rng)
    splits = list(RepeatedKFold(n_folds=3, n_repeats=2).splits(build_rows(data), 1))
    fitting = StudyLearner(name="lda", learner=LinearDiscriminant(), loss=ZeroOne(), seed=1)
    true_values = compute_true_values(
        build_task_metrics("classification"), fitting, DrawWithFreshRows(data, rest, None), splits
    )

    predictions = []
    for train in [*(split.train for split in splits), np.arange(data.n)]:
        fitted = LinearDiscriminant().fit(
            data.features.rows(train), data.y[train], weights=None, n_classes=2, rng=rng
        )
        predictions.append(fitted.predict(rest.features))
    areas = []
    for fitted_predictions in predictions:
        assert fitted_predictions.scores is not None
        areas.append(roc_auc_score(rest.y, fitted_predictions.scores))
    np.testing.assert_allclose(true_values["roc_auc"].splits, areas[:-1], rtol=1e-12)
    assert true_values["roc_auc"].model == pytest.approx((areas[-1], areas[-1]), rel=1e-12)
    together = [
        f1_score(np.tile(rest.y, 3), np.concatenate([item.output for item in predictions[of]]))
        for of in (slice(3), slice(3, 6))
    ]
    assert true_values["f1"].pooled == pytest.approx(np.mean(together), rel=1e-12)


def test_exact_sources_are_true_by_their_own_rows_and_by_new_ones() -> None:
    rng = np.random.default_rng(4)
    generator = TwoClassGaussian(n_features=3, n_relevant=2, source_spread=1.0)
    sources, size = generator.draw_sources(2, rng), DrawSize(n_sources=2, per_source=150)
    data, rest = sources.draw(DrawSize(n_sources=2, per_source=20), rng), sources.draw(size, rng)

    splits = list(LeaveOneSourceOut().splits(build_rows(data), 1))
    fitting = StudyLearner(name="lda", learner=LinearDiscriminant(), loss=ZeroOne(), seed=1)
    fresh = DrawWithFreshRows(
        data, rest, rest
    )  # the new sources are these, so each is measured twice
    area = compute_true_values(build_task_metrics("classification"), fitting, fresh, splits)[
        "roc_auc"
    ]

    assert area.new_splits is not None
    np.testing.assert_array_equal(area.new_splits, area.splits)
    assert area.new_model == area.model[0]
    assert area.model[0] != area.model[1]  # over sources, and over all rows


def test_exact_every_metric_and_mean_has_its_rows(records: dict[str, FloatArray]) -> None:
    cell = _cell("two classes")
    findings = compute_metric_findings([(cell, records)], 0.95)
    summary, cells = (to_json(table)["rows"] for table in findings.tables)
    assert {row["metric"] for row in cells} == set(build_task_metrics("classification"))
    assert {row["scheme"] for row in summary} == set(cell.study.schemes)
    assert {row["of"] for row in summary} == {"models", DIFFERENCE}
    of_folds = {
        (row["mean"], row["target"], row["interval"])
        for row in summary
        if (row["scheme"], row["metric"], row["of"]) == ("5-fold", "roc_auc", "models")
    }
    assert {
        ("pooled", "these_models", "normal:delong"),
        ("macro", "these_models", "logit:delong_blocks"),
        ("macro", "these_models", "recommended"),
    } <= of_folds
    of_f1 = {row["interval"] for row in summary if row["metric"] == "f1"}
    assert {"percentile", "bca", "normal:influence", "logit:influence"} <= of_f1
    for row in cells:
        assert 0 < row["built"]["value"] <= 1
    # of 40 rows, a fold may have one of a class, whose spread cannot be seen
    assert any(row["built"]["value"] < 1 for row in cells)
    assert all(to_json(figure)["series"] for figure in findings.figures)
    assert {claim.reference for claim in findings.claims} <= {"", *REFERENCES}


def test_exact_a_new_source_is_held_against_new_sources() -> None:
    cell = _cell("new sources", 64)
    rows: Any = tabulate_metrics(cell, cell.study.run(0, 3))
    of = {(r["metric"], r["of"], r["interval"], r["target"]): r for r in rows}
    for model in (DIFFERENCE, "gaussian_naive_bayes"):
        row = of["roc_auc", model, "student_t:between_sources", "new_source"]
        assert row["coverage"].value is not None
        assert row["covers_expected"].value is not None
    assert (
        of["f1", DIFFERENCE, "normal:influence_blocks", "these_models"]["covers_expected"] is None
    )


def test_exact_clusters_are_whole_in_a_fold() -> None:
    cell = _cell("classes in clusters", 100)
    rows: Any = tabulate_metrics(cell, cell.study.run(0, 2))
    of_f1 = {row["interval"] for row in rows if (row["metric"], row["mean"]) == ("f1", "pooled")}
    assert {"logit:cluster_robust", "logit:influence", "percentile"} <= of_f1
    drawn = _draw(cell.study.setting, 100, 1).data
    assert drawn.fold is not None
    assert drawn.cluster is not None
    pairs = set(zip(drawn.cluster.tolist(), drawn.fold.tolist(), strict=True))
    assert len(pairs) == 20  # clusters of 5, each in one fold
    assert np.bincount(drawn.fold).tolist() == [20] * 5


# By hand: two cells, two intervals.
def test_by_hand_averages_of_metrics() -> None:
    def row(population: str, models: str, interval: str, coverage: float, width: float) -> dict:  # type: ignore[type-arg]
        fields = {"population": population, "n": 50, "scheme": "s", "metric": "f1", "of": models}
        fields |= {"mean": "pooled", "target": "these_models", "interval": interval}
        number = MonteCarloNumber(coverage, 0.03)
        fields |= {
            "coverage": number,
            "covers_expected": number,
            "built": MonteCarloNumber(1.0, 0.0),
        }
        return {
            **fields,
            "width": MonteCarloNumber(width, 0.1),
            "score": MonteCarloNumber(2 * width, 0.1),
        }

    summary: Any = summarise_metrics(
        [
            row("a", "x", "recommended", 0.94, 2.0),
            row("a", "y", "recommended", 0.90, 4.0),
            row("a", "x", "bca", 0.92, 3.0),
            row("a", "y", "bca", 0.86, 5.0),
            row("a", DIFFERENCE, "bca", 0.5, 1.0),
        ]
    )
    assert [average["of"] for average in summary] == ["models", "models", DIFFERENCE]
    bca = summary[1]
    assert bca["coverage"].value == pytest.approx(0.89)
    assert bca["coverage"].standard_error == pytest.approx(math.sqrt(2 * 0.03**2) / 2)
    assert bca["coverage_50"].value == pytest.approx(0.89)
    assert (bca["least"], bca["least_at"]) == (0.86, "a, y, 50")
    assert bca["width"].value == pytest.approx(4.0)
    assert bca["relative_width"].value == pytest.approx((1.5 + 1.25) / 2)
    assert summary[2]["relative_width"].value is None  # nothing is recommended there
    assert summary[2]["least_at"] == "a, 50"


def _row(population: str, of: str, interval: str, coverage: float, score: float = 1.0) -> dict:  # type: ignore[type-arg]
    fields = {"population": population, "n": 50, "scheme": "holdout", "metric": "roc_auc", "of": of}
    fields |= {"mean": "pooled", "target": "these_models", "interval": interval}
    return {
        **fields,
        "coverage": MonteCarloNumber(coverage, 0.01),
        "score": MonteCarloNumber(score, 0.02),
    }


# By hand: averages of two learners, differences and ratios of them.
def test_by_hand_claims_of_metrics() -> None:
    rows = [
        _row("few positives", "x", "normal:delong", 0.84, 1.2),
        _row("few positives", "y", "normal:delong", 0.88, 1.4),
        _row("few positives", "x", "logit:delong", 0.94, 1.0),
        _row("few positives", "y", "logit:delong", 0.96, 1.0),
        _row("few positives", "x", "recommended", 0.94),
        _row("few positives", DIFFERENCE, "recommended", 0.80),
        _row("few positives", DIFFERENCE, "normal:delong", 0.93),
        _row("few positives", DIFFERENCE, "bca", 0.83),
    ]
    claims = {claim.measured: claim for claim in judge_metrics(rows, 0.95)}
    figures = {measured: (judged.figure, judged.verdict) for measured, judged in claims.items()}
    own = "coverage of its own target, roc_auc of"
    assert figures == {
        f"{own} models, these_models": (0.94, "holds"),
        f"{own} difference, these_models": (0.80, "fails"),
        "coverage of normal:delong, roc_auc, few positives, 50 rows, holdout": (
            pytest.approx(0.86),
            "holds",
        ),
        "coverage of the logit interval minus that of the other, roc_auc": (
            pytest.approx(0.09),
            "holds",
        ),
        "interval score of the logit interval over that of the other, roc_auc": (
            pytest.approx(1 / 1.3),
            "holds",
        ),
        "coverage of bca minus that of normal, differences, holdout": (
            pytest.approx(-0.10),
            "holds",
        ),
    }
    # two learners' errors of .01, and the two averages' together
    logit = claims["coverage of the logit interval minus that of the other, roc_auc"]
    assert logit.standard_error == pytest.approx(0.01)
    assert all(claim.reference in {"", *REFERENCES} for claim in claims.values())


def test_degenerate_no_claims_of_nothing() -> None:
    assert judge_metrics([], 0.95) == ()
    assert judge_metrics([_row("line", DIFFERENCE, "bca", 0.9)], 0.95) == ()


def test_exact_the_preset_measures_metrics_where_it_is_asked_to() -> None:
    preset = IntervalCoverage(sizes=(24,), populations=("few positives",), refits=False)
    study = preset.plan({}, 3)
    assert [cell.name for cell in study.metric_cells] == ["metrics of few positives, 24"]
    assert study.cells == []
    names = [table.name for table in study.finish(study.run(0, 2)).tables]
    assert names[-2:] == ["metrics", "metric_cells"]
    with pytest.raises(EvaluationError, match="populations must be of"):
        IntervalCoverage(populations=("few positives",), metrics=False)
