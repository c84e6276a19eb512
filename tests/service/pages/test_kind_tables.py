"""What the pages say of results of each kind: sentences, tables and figures."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

import pytest

from tests.service.figures.results import evaluation
from tests.service.figures.results import interval as interval_of
from tests.service.kinds.run_requests import run_kind
from tests.service.pages.test_scores_and_units import SCHOOLS
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.kinds.examples import RESULT, read_examples
from thetahat_service.pages.evaluation_page import (
    ShownFigure,
    describe_result,
    describe_scope,
    place_figures,
)
from thetahat_service.pages.headlines import describe_selected
from thetahat_service.pages.kind_tables import describe_outcome, list_main_tables
from thetahat_service.pages.method_tables import (
    list_calibration_tables,
    list_method_tables,
    list_metric_tables,
    list_population_tables,
)
from thetahat_service.pages.result_view import ResultView
from thetahat_service.pages.texts import typeset

SPACE: Final = "\N{NO-BREAK SPACE}"
RESULTS: Final = read_examples(RESULT)


def make_study(verdicts: list[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "kind": "study",
        "study": {"repetitions": 6},
        "claims": [{"verdict": verdict} for verdict in verdicts],
        "tables": [{"name": "intervals", "rows": rows}],
    }


def make_interval_row(coverage: float | None, level: float = 0.95) -> dict[str, Any]:
    return {"level": level, "coverage": {"value": coverage, "standard_error": 0.1}}


def test_exact_a_study_says_how_many_claims_hold_fail_and_are_undecided() -> None:
    claims = ["holds"] * 3 + ["fails"] + ["undecided"] * 2

    sentences = describe_outcome(make_study(claims, []))

    assert sentences[0] == ("Of 6 claims of the source, 3 hold, 1 fails and 2 are undecided.")
    assert sentences[-1] == "The study has 6 repetitions."


def test_exact_a_study_without_claims_says_how_often_its_intervals_cover() -> None:
    rows = [make_interval_row(0.9), make_interval_row(0.96), make_interval_row(None)]

    sentences = describe_outcome(make_study([], rows))

    coverage = f"contained the truth of the target in 90 to 96{SPACE}% of the repetitions."
    assert sentences == [
        f"The 2 intervals of level 95{SPACE}% {coverage}",
        "The study has 6 repetitions.",
    ]


def test_exact_a_study_counts_the_recommended_intervals_alone_where_it_has_them() -> None:
    recommended = {**make_interval_row(1.0), "interval": "recommended"}

    first, _ = describe_outcome(make_study([], [make_interval_row(0.5), recommended]))

    assert first == (
        f"The recommended interval of level 95{SPACE}% contained the truth of the target in "
        f"100{SPACE}% of the repetitions."
    )


@pytest.mark.parametrize(("meaning", "words"), [("size", "equal"), ("power", "unequal")])
def test_exact_a_study_says_how_often_its_tests_reject(meaning: str, words: str) -> None:
    rows = [{"is": meaning, "rejected": {"value": 0.05, "standard_error": 0.01}}]
    study = make_study([], [])

    first, _ = describe_outcome({**study, "tables": [{"name": "tests", "rows": rows}]})

    assert first == (
        f"The test found a difference between {words} models in 5{SPACE}% of the repetitions."
    )


def test_degenerate_a_study_with_neither_claims_nor_intervals_has_a_sentence() -> None:
    study = make_study([], [])

    assert describe_outcome(study) == ["The study has 6 repetitions. It shows 1 table."]
    assert describe_outcome({**study, "tables": []}) == ["The study has 6 repetitions."]


def test_exact_a_rounding_error_is_no_standard_error() -> None:
    cell = {"value": 0.1, "standard_error": 4.2e-18}
    table = {
        "name": "errors",
        "title": "Errors",
        "note": "",
        "columns": {"truth": "Truth", "value": "Value"},
        "rows": [{"truth": "new_source", "value": cell}],
    }

    (shown,) = list_main_tables({**make_study([], []), "tables": [table]})

    assert shown.rows[0][1] == "0.1"


def test_exact_the_curves_of_many_learners_are_counted_in_one_sentence() -> None:
    result = deepcopy(RESULTS["learning_curve"])
    name, curve = next(iter(result["curves"].items()))
    result["curves"] = {f"{name}_{place}": deepcopy(curve) for place in range(7)}
    result["models"] = {each: next(iter(result["models"].values())) for each in result["curves"]}
    for each in list(result["curves"].values())[:2]:
        each["saturation"]["decision"] = "saturated"
    for each in list(result["curves"].values())[2:]:
        each["saturation"]["decision"] = "not_saturated"

    (sentence,) = describe_outcome(result)

    assert sentence == (
        "Of 7 learners, more rows would not help for 2 and more rows would still help for 5."
    )


def test_exact_a_curve_has_the_intervals_of_the_question() -> None:
    result = RESULTS["learning_curve"]
    target = result["summary"]["target"]

    (table, *_) = list_main_tables(result)
    figure = next(each for each in list_figures(result) if each.name == "learning_curve")

    points = [point for curve in result["curves"].values() for point in curve["points"]]
    assert all(target in point["recommended"] for point in points)
    assert {row[-1] for row in table.rows} == {"on data like these"}
    assert f"95{SPACE}% confidence intervals for data like these" in figure.caption


def test_exact_a_selection_says_what_the_error_of_the_choice_is() -> None:
    summary = {
        "better": "lower",
        "level": 0.95,
        "models": [{"name": "selected", "estimate": 1.0123, "lower": 0.712, "upper": 1.718}],
    }

    assert describe_selected(summary) == (  # type: ignore[arg-type]
        f"The mean loss of the learner that is chosen is 1.01 (95{SPACE}% interval 0.71 to 1.72)."
    )


def test_exact_metrics_are_sorted_by_their_value_with_a_column_for_each_target() -> None:
    result: Any = evaluation(3)
    for value, model in zip((0.7, 0.9, 0.8), result["models"].values(), strict=True):
        interval = {"lower": value - 0.1, "upper": value + 0.1, "standard_error": 0.05}
        model["metrics"] = {
            "roc_auc": {
                "higher_is_better": True,
                "mean": "macro",
                "estimate": {"macro": value, "pooled": value},
                "standard_error": 0.05,
                "recommended": {"these_models": interval, "new_source": interval},
            }
        }

    (table,) = list_metric_tables(result, "task")

    assert [row[2] for row in table.rows] == ["0.900", "0.800", "0.700"]
    assert list(table.columns[3:]) == [
        f"95{SPACE}% interval on a new task",
        f"95{SPACE}% interval of these trained models",
    ]


def test_exact_the_loss_in_the_target_population_has_a_table() -> None:
    result: Any = evaluation(2)
    assert list_population_tables(result) == []
    risk = {"standard_error": 0.1, "interval": {"lower": 0.8, "upper": 1.2}}
    for model in result["models"].values():
        model["risks"] = {"weighted": {"estimate": 1.0, **risk}}
    result["comparisons"][0]["risks"] = {"weighted": {"difference": -0.5, **risk}}

    models, pairs = list_population_tables(result)

    assert [row[1:] for row in models.rows] == [["weighted", "1.00", "0.80 to 1.20"]] * 2
    assert list(pairs.rows[0][1:3]) == ["weighted", "−0.50"]


def test_exact_measured_coverage_of_the_intervals_has_a_table() -> None:
    result: Any = evaluation(2)
    assert list_calibration_tables(result, "source") == []
    result["calibration"] = {"repetitions": 20, "note": "The samples share rows."}
    cells = {
        "coverage": {"value": 0.9, "standard_error": 0.067},
        "width": {"value": 2.4, "standard_error": 0.15},
    }
    first = next(iter(result["models"].values()))
    next(iter(first["recommended"].values()))["calibration"] = cells

    (table,) = list_calibration_tables(result, "source")

    assert [row[3:] for row in table.rows] == [["0.900 (± 0.067)", "2.40 (± 0.15)"]]
    assert table.note.startswith("From 20 samples.")


def test_degenerate_models_without_intervals_are_not_called_intervals() -> None:
    result: Any = evaluation(2)
    for model in result["models"].values():
        model["recommended"] = {}
        model.pop("prediction", None)
    for pair in result["comparisons"]:
        pair["interval"] = None
    view = ResultView(result, {})

    assert view.main_target is None
    assert "interval" not in view.tabulate_models().caption
    assert describe_scope(view).startswith("No interval could be built")


def test_exact_the_scope_is_the_target_of_the_verdicts() -> None:
    result: Any = evaluation(2)
    result["summary"]["target"] = "new_source"
    for pair in result["comparisons"]:
        pair["interval"] = {**pair["interval"], "target": "these_sources"}

    assert "on data like these" in describe_scope(ResultView(result, {}))


@pytest.mark.parametrize("kind", sorted(RESULTS))
def test_property_every_kind_has_a_headline_that_is_a_sentence(kind: str) -> None:
    headline = describe_result(RESULTS[kind], {}).headline

    assert headline[0].isupper() or headline.split()[0] in RESULTS[kind].get("models", {})
    assert headline.endswith(".")
    assert " 1 repetitions" not in headline


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        (
            "the difference is -0.1 (95 % interval -2 to -1)",
            "the difference is −0.1 (95~% interval −2 to −1)",
        ),
        ("lr -3 is better than x-2.", "lr -3 is better than x-2."),
    ],
)
def test_exact_negative_numbers_have_minus_signs_and_names_keep_their_hyphens(
    sentence: str, shown: str
) -> None:
    assert typeset(sentence) == shown.replace("~", SPACE)


def test_exact_the_figure_of_a_metric_has_its_title_on_the_axis() -> None:
    result: Any = evaluation(2)
    metric = {
        "higher_is_better": True,
        "mean": "macro",
        "estimate": {"macro": 0.8, "pooled": 0.8},
        "standard_error": 0.05,
        "recommended": {},
    }
    for model in result["models"].values():
        model["metrics"] = {"roc_auc": metric, "f1": metric, "mine": metric}

    captions = {figure.name: figure.caption for figure in list_figures(result)}

    assert "its area under the ROC curve over" in captions["metric_roc_auc"]
    assert "its F1 score over" in captions["metric_f1"]
    assert "its mine over" in captions["metric_mine"]


def test_exact_tables_of_methods_have_the_word_for_a_source_and_the_level() -> None:
    result: Any = run_kind(SCHOOLS).result

    tables = list_method_tables(result, "school")

    intervals = next(table for table in tables if table.caption.startswith("Intervals of "))
    assert f"95{SPACE}% interval" in intervals.columns
    assert "on a new school" in {row[2] for row in intervals.rows}
    shown = [table for table in tables if table.caption != "Methods that were not used"]
    assert not any("new source" in cell for table in shown for row in table.rows for cell in row)


def test_exact_probabilities_of_bayesian_tests_have_a_column_of_their_own() -> None:
    result: Any = deepcopy(RESULTS["losses"])
    bayesian = {"target": "these_sources", "p_left": 0.7, "p_rope": 0.2, "p_right": 0.1}
    plain = {"target": "these_sources", "statistic": 2.0, "p_value": 0.04}
    result["comparisons"][0]["tests"] = {"bayesian_sign": bayesian, "sign": plain}

    table = next(t for t in list_method_tables(result) if t.caption.startswith("Tests of "))

    assert table.columns[-1] == "Below / inside / above"
    assert {row[0]: row[-1] for row in table.rows} == {
        "bayesian_sign": "0.7 / 0.2 / 0.1",
        "sign": "–",
    }
    assert table.rows[0][4] == "–"


def test_exact_an_interval_about_another_mean_has_its_estimate() -> None:
    result: Any = evaluation(1)
    ends = interval_of(0.88, 0.1) | {"standard_error": 0.05}
    metric = {
        "higher_is_better": True,
        "mean": "pooled",
        "estimate": {"macro": 0.89, "pooled": 0.87},
        "standard_error": 0.05,
        "recommended": {
            "these_sources": {**ends, "estimate": 0.89},
            "these_models": {**ends, "estimate": 0.87},
        },
    }
    next(iter(result["models"].values()))["metrics"] = {"matthews": metric}

    (table,) = list_metric_tables(result, "source")
    figure = next(each for each in list_figures(result) if each.name == "metric_matthews")

    assert list(table.rows[0][2:]) == ["0.870", "0.890: 0.780 to 0.980", "0.780 to 0.980"]
    assert "its Matthews correlation coefficient over" in figure.caption


def test_exact_verdicts_without_intervals_are_said_once_with_the_figure_of_a_test() -> None:
    result: Any = deepcopy(run_kind(SCHOOLS).result)
    result["provenance"] = {"methods": []}
    result["models"]["third"] = deepcopy(result["models"]["weak"])
    result["comparisons"] = [
        {**pair, "a": a, "b": b, "interval": None}
        for pair in result["comparisons"]
        for a, b in (("weak", "strong"), ("weak", "third"))
    ]
    shown = [
        ShownFigure(name=name, title=name, caption="", alt="")
        for name in ("differences", "critical_differences_friedman", "critical_differences_quade")
    ]

    sections = describe_result(result, SCHOOLS)

    assert len(sections.sentences) == 1
    assert [each.name for each in place_figures(shown, sections).pairs] == [
        "differences",
        "critical_differences_friedman",
    ]
