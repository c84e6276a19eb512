"""The coverage study at a small size: its cells, its averages, its claims."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.record_names import make_record_name
from thetahat.analyses.studies.result import StudyClaim
from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.generators.linear_model import LinearModelGenerator
from thetahat.intervals import INTERVALS
from thetahat.refit_estimators import REFIT_ESTIMATORS
from thetahat.tables.data import Data, build_data
from thetahat.tables.sparse import NumberedNames, build_sparse_columns
from thetahat.values.json_values import to_json
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat.variances import VARIANCES
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_replications.presets.interval_coverage.best_interval import find_best_intervals
from thetahat_replications.presets.interval_coverage.cell_selection import average
from thetahat_replications.presets.interval_coverage.claims import judge_coverage
from thetahat_replications.presets.interval_coverage.paired_comparison import (
    compare_with_recommended,
    divide_pairs,
)
from thetahat_replications.presets.interval_coverage.preset import CoverageStudy, IntervalCoverage
from thetahat_replications.presets.interval_coverage.tables import summarise_cells


def _small(*populations: str, refits: bool = False) -> CoverageStudy:
    preset = IntervalCoverage(sizes=(24,), populations=populations, refits=refits, metrics=False)
    return preset.plan({}, 3)


@pytest.mark.about("presets/interval_coverage")
def test_exact_any_cut_gives_the_same_records() -> None:
    study = _small("new sources")
    whole = study.run(0, 3)
    first, rest = study.run(0, 1), study.run(1, 3)
    for name, values in whole.items():
        np.testing.assert_array_equal(values, np.concatenate([first[name], rest[name]]))


@pytest.mark.about("presets/interval_coverage")
def test_exact_every_scheme_target_and_interval_has_its_row() -> None:
    study = _small("curve with heavy tails", refits=True)
    result = study.finish(study.run(0, 2))
    best, summary, cells = (to_json(table)["rows"] for table in result.tables)
    assert {row["scheme"] for row in best} <= {row["scheme"] for row in summary}
    schemes = {row["scheme"] for row in summary}
    assert schemes == {
        "holdout",
        "5-fold",
        "10-fold",
        "repeated_k_fold",
        "random_subsampling",
        "five_by_two",
        "leave_one_out",
        "refits",
    }
    for scheme in schemes:
        assert any(r["scheme"] == scheme and r["interval"] == "recommended" for r in summary)
    names = {row["interval"] for row in summary if row["scheme"] == "refits"}
    assert {"location_shifted_bootstrap", "normal:conservative_z"} <= names
    assert len(cells) == len(summary)  # one cell alone
    assert {claim.reference for claim in result.claims} == {"", "schulz2024"}
    assert all(to_json(figure)["series"] for figure in result.figures)


WITHOUT_A_ROW = {
    "catoni": "by request only: its bound of the variance is the request's",
    "median_of_means": "by request only, as it is longer than the others",
    "trimmed_mean": "by request only: it is about another quantity",
    "newcombe": "for differences of two models with zero-one losses",
    "tango": "same",
    "tango_clusters": "same",
    "tango_folds": "same",
    "tango_sources": "same",
    "price_bonett": "for zero-one losses of models that were trained on none of the sources",
    "wild_cluster": "by request only, and for 12 clusters at most",
    "newey_west": "for rows in the order of time, which the populations do not have",
    "newey_west_small_sample": "same",
    "block_bootstrap": "same",
    "prediction_powered": "for labels beside the grades of a judge",
    "prediction_powered_clusters": "same",
    "quadratic": "by request only: its terms and coefficients are the request's",
    "theta_1": "a variance of no mean, on which no interval is built",
    "theta_A_clusters": "so few rows have one cluster in a block",
    "theta_B_clusters": "same",
    "theta_gamma_kl": "one for each pair of sources",
    "theta_omega_k": "one for each source",
}
"""Methods of which the study has no interval, and why."""


@pytest.mark.about("presets/interval_coverage")
def test_exact_every_method_of_the_service_has_its_row() -> None:
    whole = _small("two classes", "new sources", "line in clusters", refits=True)
    cells = [cell for cell in whole.cells if cell.learner != "nearest_neighbours"]
    study = CoverageStudy(cells, whole.level)
    rows = to_json(study.finish(study.run(0, 1)).tables[1])["rows"]
    parts = {part for row in rows for part in row["interval"].split(":")}
    assert {*INTERVALS, *REFIT_ESTIMATORS, *VARIANCES} - parts == set(WITHOUT_A_ROW)
    in_clusters = {row["interval"] for row in rows if row["scheme"] == "clusters cut, holdout"}
    assert {"student_t:cluster_robust", "normal:cluster_bootstrap", "student_t:iid"} <= in_clusters
    assert not {"wilson", "clopper_pearson"} & in_clusters


@pytest.mark.about("presets/interval_coverage")
def test_limit_the_plain_interval_is_narrower_and_covers_no_more_often() -> None:
    study = _small("curve with heavy tails")
    rows = {
        (row["scheme"], row["interval"]): row
        for row in to_json(study.finish(study.run(0, 5)).tables[1])["rows"]
    }
    for scheme in ("5-fold", "10-fold"):
        plain, corrected = (
            rows[scheme, f"student_t:{name}"] for name in ("theta_4", "nadeau_bengio")
        )
        assert plain["relative_width"] < corrected["relative_width"]
        covered = [row["covers_expected_at_n"]["value"] for row in (plain, corrected)]
        assert covered[0] <= covered[1]


@pytest.mark.about("presets/interval_coverage")
def test_exact_every_risk_has_its_row_under_true_and_estimated_weights() -> None:
    study = _small("little shifted", "much shifted")
    result = study.finish(study.run(0, 3))
    rows = to_json(result.tables[2])["rows"]
    assert {(row["population"], row["scheme"], row["interval"]) for row in rows} == {
        (population, f"5-fold, {weights} weights", f"normal:{risk}")
        for population in ("little shifted", "much shifted")
        for weights in ("true", "estimated")
        for risk in WEIGHTED_RISKS
    }
    assert {row["target"] for row in rows} == {"new_population"}
    assert [claim.place for claim in result.claims] == ["the variance of the weights"] * 2
    assert not result.figures  # none is recommended that widths could be relative to


# By hand: two populations, two intervals.
@pytest.mark.about("presets/interval_coverage")
def test_by_hand_averages() -> None:
    recommended = {"a": 2.0, "b": 4.0}

    def row(population: str, interval: str, coverage: float, width: float) -> dict:  # type: ignore[type-arg]
        fields = {"population": population, "learner": "l", "n": 5, "scheme": "s", "target": "t"}
        number = MonteCarloNumber(coverage, 0.03)
        fields |= {"interval": interval, "coverage": number, "covers_expected_at_n": number}
        score = MonteCarloNumber(2 * width, 0.1)
        return {
            **fields,
            "width": MonteCarloNumber(width, 0.1),
            "score": score,
            "relative_score": MonteCarloNumber(width / recommended[population], 0.1 * width),
            "built": MonteCarloNumber(1.0, 0.0),
        }

    rows = [
        row("a", "recommended", 0.94, 2.0),
        row("b", "recommended", 0.90, 4.0),
        row("a", "x", 0.99, 3.0),
        row("b", "x", 0.85, 5.0),
    ]
    summary: Any = summarise_cells(rows, 0.95)
    by_interval = {row["interval"]: row for row in summary}
    assert by_interval["x"]["coverage"].value == pytest.approx(0.92)
    assert by_interval["x"]["coverage"].standard_error == pytest.approx(math.sqrt(2 * 0.03**2) / 2)
    assert by_interval["x"]["least"] == 0.85
    assert by_interval["x"]["undercoverage"] == pytest.approx(0.05)  # 0 and .1
    assert by_interval["x"]["relative_width"] == pytest.approx((1.5 + 1.25) / 2)
    assert by_interval["recommended"]["relative_width"] == 1
    score = by_interval["x"]["relative_score"]
    assert score.value == pytest.approx((1.5 + 1.25) / 2)
    assert score.standard_error == pytest.approx(math.hypot(0.3, 0.5) / 2)
    claims = judge_coverage(summary, (), (), 0.95)
    assert [claim.verdict for claim in claims] == ["undecided"]


def test_degenerate_averages_of_nothing() -> None:
    assert average([]).value is None
    assert average([MonteCarloNumber(0.5, None), MonteCarloNumber(0.7, 0.1)]) == MonteCarloNumber(
        0.6, None
    )


@pytest.mark.about("presets/interval_coverage")
def test_exact_a_data_set_is_one_more_population() -> None:
    rng = np.random.default_rng(1)
    data: Data = LinearModelGenerator().draw_sources(1, rng).draw(DrawSize(n=60), rng)
    preset = IntervalCoverage(
        sizes=(24,), populations=("new sources",), refits=False, metrics=False
    )
    study = preset.plan({"rows": data}, 1)
    assert [cell.population for cell in study.cells][-1] == "the data set"
    assert study.cells[-1].learner == "ridge"
    assert study.cells[-1].study.run(0, 1)
    with pytest.raises(EvaluationError, match="draws of 31 rows need at least 62"):
        IntervalCoverage(sizes=(24, 31)).plan({"rows": data}, 1)


@pytest.mark.about("presets/interval_coverage")
def test_exact_copies_are_left_out_and_counts_get_naive_bayes() -> None:
    rng = np.random.default_rng(1)
    matrix = csr_array(rng.poisson(1.0, size=(60, 8)).astype(np.float64))
    counts = build_sparse_columns("w", matrix, NumberedNames("w", 8))
    labels = np.where(np.arange(60) % 2, "a", "b").tolist()
    copies = [0, 0, *range(58)]
    data = build_data({"words": counts}, labels, "classification", cluster=copies)
    preset = IntervalCoverage(
        sizes=(24,), populations=("new sources",), refits=False, metrics=False
    )
    study = preset.plan({"labelled_rows": data}, 1)
    cell = study.cells[-1]
    assert (cell.population, cell.learner) == ("the data set of classes", "multinomial_naive_bayes")
    population = cell.study.population
    assert isinstance(population, DataAsPopulation)
    assert population.data.n == 58  # rows 0, 1 and 2 are one
    assert population.data.y.tolist() == data.y[[0, *range(3, 60)]].tolist()
    assert cell.study.run(0, 1)
    with pytest.raises(
        EvaluationError, match="has 58 rows without copies, and draws of 30 rows need"
    ):
        IntervalCoverage(sizes=(24, 30)).plan({"labelled_rows": data}, 1)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"sizes": (10,)}, "sizes"),
        ({"sizes": (60, 50)}, "sizes"),
        ({"level": 1.0}, "level"),
        ({"populations": ("moon",)}, "populations"),
    ],
)
def test_invalid_parameters_are_named(wrong: dict, place: str) -> None:  # type: ignore[type-arg]
    with pytest.raises(EvaluationError) as refused:
        IntervalCoverage(**wrong)
    assert refused.value.loc[0] == place


# By hand: the larger of two sizes, a difference.
@pytest.mark.about("presets/interval_coverage")
def test_by_hand_claims_of_clusters() -> None:
    def row(interval: str, n: int, coverage: float, population: str = "line in clusters") -> dict:  # type: ignore[type-arg]
        fields = {"population": population, "scheme": "clusters cut, 5-fold", "interval": interval}
        return {
            **fields,
            "n": n,
            "target": "these_models",
            "coverage": MonteCarloNumber(coverage, 0.003),
        }

    robust = "student_t:cluster_robust"
    rows = [
        row(robust, 50, 0.80),
        row(robust, 200, 0.94),
        row("normal:bayle_all_pairs", 200, 0.80),
        row(robust, 200, 0.93, "classes in clusters"),
    ]
    covers, ignores, cut = judge_coverage((), rows, (), 0.95)
    assert covers.figure == 0.94
    assert ignores.figure == pytest.approx(0.14)
    assert ignores.standard_error == pytest.approx(0.003 * math.sqrt(2))
    assert [claim.verdict for claim in (covers, ignores, cut)] == ["holds", "holds", "fails"]


def _summary_row(interval: str, coverage: float, score: float, **fields: object) -> dict:  # type: ignore[type-arg]
    row = {"scheme": "s", "target": "t", "interval": interval, "cells": 2, "relative_width": score}
    row |= {"coverage": MonteCarloNumber(coverage, 0.003), "undercoverage": max(0.95 - coverage, 0)}
    row |= {"more_coverage": MonteCarloNumber(coverage - 0.9, 0.002)}
    row |= {"relative_score": MonteCarloNumber(score, 0.004), "built": MonteCarloNumber(1.0, 0.0)}
    return {**row, **fields}


def find_best(rows: Any) -> Any:
    return find_best_intervals(rows)


def judge_best(best: Any) -> tuple[StudyClaim, ...]:
    return judge_coverage((), (), [best], 0.95)


# By hand: five intervals.
@pytest.mark.about("presets/interval_coverage")
def test_by_hand_the_best_is_the_least_score_of_those_that_cover() -> None:
    rows = [
        _summary_row("recommended", 0.90, 1.0),
        _summary_row("covers", 0.945, 0.9),
        _summary_row("covers better, is wide", 0.95, 1.2),
        _summary_row("short", 0.91, 0.6),
        _summary_row("rare", 0.95, 0.5, built=MonteCarloNumber(0.7, 0.01)),
        _summary_row("elsewhere", 0.95, 0.5, cells=1),
    ]
    (best,) = find_best(rows)
    assert best["best"] == "covers"
    assert best["lacking"].value == pytest.approx(0.05 - 0.005)
    assert best["lacking"].standard_error == pytest.approx(0.002)
    assert [claim.verdict for claim in judge_best(best)] == ["fails", "fails"]
    lacking = [_summary_row("recommended", 0.88, 1.0), _summary_row("wide", 0.905, 1.4)]
    (best,) = find_best([*lacking, _summary_row("less wide", 0.89, 1.2)])
    assert best["best"] == "less wide"  # .060 is within .02 of the least, .045; .070 is not
    kept = [_summary_row("recommended", 0.94, 1.0), _summary_row("x", 0.95, 1.1)]
    (best,) = find_best(kept)
    assert best["best"] == "recommended"
    assert judge_best(best) == ()  # nothing to compare with
    same = [_summary_row("recommended", 0.94, 1.0), _summary_row("its name", 0.94, 1.0)]
    (best,) = find_best(same[::-1])
    assert best["best"] == "its name"
    assert judge_best(best) == ()


def test_degenerate_nothing_recommended_or_nothing_to_compare() -> None:
    unknown = _summary_row("recommended", 0.9, 1.0, relative_score=MonteCarloNumber(None, None))
    assert find_best([unknown, _summary_row("x", 0.9, 1.0, scheme="other")]) == []


def test_by_hand_the_ratio_of_two_means_of_the_same_draws() -> None:
    a, b = np.array([2.0, 4.0, 6.0, np.nan]), np.array([1.0, 2.0, 5.0, 7.0])

    ratio = divide_pairs(a, b)

    # means 4 and 8/3, so 1.5; the residuals a - 1.5 b are .5, 1 and -1.5
    assert ratio.value == pytest.approx(1.5)
    assert ratio.standard_error == pytest.approx(math.sqrt((0.25 + 1 + 2.25) / 2 / 3) / (8 / 3))
    assert divide_pairs(a[:0], b[:0]).value is None


def test_naive_the_error_of_a_ratio_of_pairs_is_the_deviation_over_studies() -> None:
    rng = np.random.default_rng(5)
    common = rng.gamma(4.0, size=(2000, 100))
    a, b = common * rng.uniform(0.9, 1.1, size=common.shape), common
    ratios = [divide_pairs(x, y) for x, y in zip(a, b, strict=True)]

    deviation = np.std([ratio.value for ratio in ratios if ratio.value is not None])
    errors = [ratio.standard_error for ratio in ratios if ratio.standard_error is not None]
    assert np.mean(errors) == pytest.approx(deviation, rel=0.05)


def test_naive_intervals_are_compared_on_the_same_draws() -> None:
    (cell,) = [cell for cell in _small("line").cells if cell.learner == "ridge"]
    records = cell.study.run(0, 4)
    comparisons = compare_with_recommended(records, frozenset(), 0.95)

    same = comparisons["10-fold", "these_models", "recommended"]
    assert (same["relative_score"].value, same["relative_score"].standard_error) == (1, 0)
    assert same["more_coverage"].value == 0

    def score(interval: str) -> Any:
        place = ("10-fold", "ridge", "intervals", interval, "these_models", "pooled")
        lower, upper = (records[make_record_name(*place, end)] for end in ("lower", "upper"))
        truth = records[make_record_name("10-fold", "ridge", "truths", "fold_models")]
        missed = np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0)
        return (upper - lower + 40 * missed).mean()

    of_wald = comparisons["10-fold", "these_models", "normal:bayle_within"]["relative_score"]
    assert of_wald.value == pytest.approx(score("normal:bayle_within") / score("recommended"))


@pytest.mark.about("presets/interval_coverage")
def test_exact_leave_one_out_is_judged_by_the_models_that_it_fits() -> None:
    study = _small("line")
    rows = to_json(study.finish(study.run(0, 2)).tables[2])["rows"]

    own = [
        row for row in rows if row["scheme"] == "leave_one_out" and row["target"] == "these_models"
    ]
    assert own
    assert all("coverage" in row for row in own)
