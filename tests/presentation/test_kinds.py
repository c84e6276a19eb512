"""What is said of results of each kind: sentences and tables."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

import pytest

from tests.presentation.reading import outcome_of, table_of, texts_of
from tests.service.figures.results import evaluation
from tests.service.figures.results import interval as interval_of
from tests.service.kinds.run_requests import run_kind
from tests.service.pages.test_scores_and_units import SCHOOLS
from thetahat.analyses.bootstrap.intervals import choose_headline_interval
from thetahat.intervals import INTERVALS
from thetahat_presentation.kinds.bootstrap import HEADLINE_INTERVALS
from thetahat_presentation.parts.headlines import describe_selected
from thetahat_presentation.parts.methods import list_method_tables
from thetahat_presentation.parts.metrics import list_metric_tables
from thetahat_presentation.parts.model_table import tabulate_models
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.parts.population import list_population_tables
from thetahat_presentation.parts.studied import list_calibration_tables
from thetahat_presentation.showing import show
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.figure import Figure
from thetahat_service.kinds.examples import RESULT, read_examples
from thetahat_service.pages.evaluation_page import place_figures

RESULTS: Final = read_examples(RESULT)


def make_study(verdicts: list[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "kind": "study",
        "study": {"repetitions": 6},
        "claims": [{"verdict": each, "text": each, "measured": "m"} for each in verdicts],
        "tables": [{"name": "intervals", "title": "", "columns": {}, "rows": rows}],
    }


def outcome_of_result(result: dict[str, Any]) -> list[str]:
    return outcome_of(show(result))


def make_interval_row(coverage: float | None, level: float = 0.95) -> dict[str, Any]:
    return {"level": level, "coverage": {"value": coverage, "standard_error": 0.1}}


def test_exact_a_study_says_how_many_claims_hold_fail_and_are_undecided() -> None:
    claims = ["holds"] * 3 + ["fails"] + ["undecided"] * 2

    sentences = outcome_of_result(make_study(claims, []))

    assert sentences[0] == ("Of 6 claims of the source, 3 hold, 1 fails and 2 are undecided.")
    assert sentences[-1] == "The study has 6 repetitions."


def test_exact_a_study_without_claims_says_how_often_its_intervals_cover() -> None:
    rows = [make_interval_row(0.9), make_interval_row(0.96), make_interval_row(None)]

    sentences = outcome_of_result(make_study([], rows))

    coverage = "contained the truth of the target in 90 to 96 % of the repetitions."
    assert sentences == [
        f"The 2 intervals of level 95 % {coverage}",
        "The study has 6 repetitions.",
    ]


@pytest.mark.parametrize(("n_raters", "says_so"), [(2, False), (3, True)])
def test_limit_several_differences_of_kappas_hold_at_once(n_raters: int, *, says_so: bool) -> None:
    ratings = {f"r{k}": [int(i % (k + 2) == 0) for i in range(60)] for k in range(n_raters)}
    ratings["truth"] = [int(i % 2 == 0) for i in range(60)]
    result = run_kind({"kind": "agreement", "truth": "truth", "ratings": ratings}).result

    note = " ".join(table_of(show(result), "Kappa with truth, compared").notes)
    assert ("All 3 hold at once." in note) == says_so


def test_exact_agreement_shows_how_often_rates_and_differences_covered() -> None:
    ratings = {f"r{k}": [int(i % (k + 2) == 0) for i in range(60)] for k in range(2)}
    ratings["truth"] = [int(i % 2 == 0 and i % 10 > 0) for i in range(60)]
    result = run_kind({"kind": "agreement", "truth": "truth", "ratings": ratings}).result
    (section,) = [each for each in show(result).sections if each.name == "main"]
    rows = texts_of(section.more[0])
    designs = [row[-1] for row in rows if "Difference of kappa of r0 and r1" in row[0]]
    of_rates = [row[-1] for row in rows if "Sensitivity of r0 and truth" in row[0]]

    (difference,) = result["differences"]
    assert designs == [difference["expected_coverage"]["design"]]
    assert of_rates == [result["pairs"][0]["sensitivity"]["expected_coverage"]["design"]]


def test_exact_a_study_counts_the_recommended_intervals_alone_where_it_has_them() -> None:
    recommended = {**make_interval_row(1.0), "interval": "recommended"}

    first, _ = outcome_of_result(make_study([], [make_interval_row(0.5), recommended]))

    assert first == (
        "The recommended interval of level 95 % contained the truth of the target in "
        "100 % of the repetitions."
    )


@pytest.mark.parametrize(("meaning", "words"), [("size", "equal"), ("power", "unequal")])
def test_exact_a_study_says_how_often_its_tests_reject(meaning: str, words: str) -> None:
    rows = [{"is": meaning, "rejected": {"value": 0.05, "standard_error": 0.01}}]
    study = make_study([], [])

    first, _ = outcome_of_result(
        {**study, "tables": [{"name": "tests", "title": "", "columns": {}, "rows": rows}]}
    )

    assert first == (
        f"The test found a difference between {words} models in 5 % of the repetitions."
    )


def test_degenerate_a_study_with_neither_claims_nor_intervals_has_a_sentence() -> None:
    study = make_study([], [])

    assert outcome_of_result(study) == ["The study has 6 repetitions. It shows 1 table."]
    assert outcome_of_result({**study, "tables": []}) == ["The study has 6 repetitions."]


def test_exact_a_rounding_error_is_no_standard_error() -> None:
    cell = {"value": 0.1, "standard_error": 4.2e-18}
    table = {
        "name": "errors",
        "title": "Errors",
        "note": "",
        "columns": {"truth": "Truth", "value": "Value"},
        "rows": [{"truth": "new_source", "value": cell}],
    }

    shown = table_of(show({**make_study([], []), "tables": [table]}), "Errors")

    assert texts_of(shown)[0][1] == "0.1"


def test_exact_the_curves_of_many_learners_are_counted_in_one_sentence() -> None:
    result = deepcopy(RESULTS["learning_curve"])
    name, curve = next(iter(result["curves"].items()))
    result["curves"] = {f"{name}_{place}": deepcopy(curve) for place in range(7)}
    result["models"] = {each: next(iter(result["models"].values())) for each in result["curves"]}
    for each in list(result["curves"].values())[:2]:
        each["saturation"]["decision"] = "saturated"
    for each in list(result["curves"].values())[2:]:
        each["saturation"]["decision"] = "not_saturated"

    result["comparisons"] = []
    result["summary"]["sentences"] = []
    _, sentence = outcome_of_result(result)

    assert sentence == (
        "Of 7 learners, more rows would not help for 2 and more rows would still help for 5."
    )


@pytest.mark.parametrize(
    ("decisions", "headline"),
    [
        (["saturated", "saturated"], "More rows would not help a and b."),
        (
            ["undecided", "not_saturated"],
            "More rows would still help b. It is undecided whether more rows would help a.",
        ),
        (
            ["no_improvement_seen", "saturated"],
            (
                "More rows would not help b. The last step showed no improvement of a, which shows "
                "nothing."
            ),
        ),
    ],
)
def test_exact_a_learning_curve_answers_whether_more_rows_help(
    decisions: list[str], headline: str
) -> None:
    result = deepcopy(RESULTS["learning_curve"])
    curve = next(iter(result["curves"].values()))
    result["curves"] = {
        name: {**deepcopy(curve), "saturation": {"decision": decision, "reason": "Because."}}
        for name, decision in zip("ab", decisions, strict=True)
    }
    result["models"] = {}

    assert show(result).headline == headline


def test_exact_a_selection_says_what_it_chooses_and_by_how_much_it_is_too_good() -> None:
    result = deepcopy(RESULTS["selection"])
    result["chosen"]["name"] = "ridge[penalty=1]"
    result["bias"] |= {"estimate": -0.25, "interval": None}

    assert show(result).headline == (
        "The selection chooses ridge[penalty=1]. On rows that the choice has not seen, the error "
        "is 0.25 below the internal one."
    )


@pytest.mark.parametrize(
    ("selected", "headline"),
    [
        ([0.5, 0.5], "Both estimators of the risk in the target population select penalty 0.5."),
        (
            [0.5, 2.0],
            (
                "The estimators of the risk in the target population do not agree; they select "
                "penalty 0.5 by weighted and penalty 2 by controlled."
            ),
        ),
    ],
)
def test_exact_risks_answer_what_they_select(selected: list[float], headline: str) -> None:
    result = deepcopy(RESULTS["importance_weighting"])
    for risk, value in zip(result["risks"].values(), selected, strict=True):
        risk["selected"] = value

    assert show(result).headline == headline


def test_exact_a_curve_has_the_intervals_of_the_question() -> None:
    result = RESULTS["learning_curve"]
    target = result["summary"]["target"]

    table = table_of(show(result), "Mean loss at each training size")
    figure = next(each for each in list_figures(result) if each.name == "learning_curve")

    points = [point for curve in result["curves"].values() for point in curve["points"]]
    assert all(target in point["recommended"] for point in points)
    assert table.columns[-1] == "95 % interval on data like these"
    assert "95\N{NO-BREAK SPACE}% confidence intervals for data like these" in figure.caption


def test_exact_a_selection_says_what_the_error_of_the_choice_is() -> None:
    summary = {
        "better": "lower",
        "level": 0.95,
        "models": [{"name": "selected", "estimate": 1.0123, "lower": 0.712, "upper": 1.718}],
    }

    assert describe_selected(summary) == (
        "The mean loss of the learner that is chosen is 1.01 (95 % interval 0.71 to 1.72)."
    )


def test_exact_metrics_are_sorted_by_their_value_with_a_column_for_each_target() -> None:
    result: Any = evaluation(3)
    result["unit"] = {"singular": "task", "plural": "tasks"}
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

    table, _ = list_metric_tables(ModelsResult(result, {}))

    assert [row[2] for row in texts_of(table)] == ["0.900", "0.800", "0.700"]
    assert list(table.columns[3:]) == [
        "95 % interval on a new task",
        "95 % interval of these trained models",
    ]


def test_exact_the_loss_in_the_target_population_has_a_table() -> None:
    result: Any = evaluation(2)
    assert not any(table.rows for table in list_population_tables(ModelsResult(result, {})))
    risk = {"standard_error": 0.1, "interval": {"lower": 0.8, "upper": 1.2}}
    for model in result["models"].values():
        model["risks"] = {"weighted": {"estimate": 1.0, **risk}}
    result["comparisons"][0]["risks"] = {"weighted": {"difference": -0.5, **risk}}

    models, pairs = list_population_tables(ModelsResult(result, {}))

    assert [row[1:] for row in texts_of(models)] == [["Weighted", "1.00", "0.80 to 1.20"]] * 2
    assert texts_of(pairs)[0][1:3] == ["Weighted", "-0.50"]


def test_exact_measured_coverage_of_the_intervals_has_a_table() -> None:
    result: Any = evaluation(2)
    assert list_calibration_tables(ModelsResult(result, {})) == []
    result["calibration"] = {"repetitions": 20, "note": "The samples share rows."}
    cells = {
        "coverage": {"value": 0.9, "standard_error": 0.067},
        "width": {"value": 2.4, "standard_error": 0.15},
    }
    first = next(iter(result["models"].values()))
    next(iter(first["recommended"].values()))["calibration"] = cells

    (table,) = list_calibration_tables(ModelsResult(result, {}))

    assert [row[3:] for row in texts_of(table)] == [["0.900 (± 0.067)", "2.40 (± 0.15)"]]
    assert table.notes[0].startswith("From 20 samples.")


def test_degenerate_models_without_intervals_are_not_called_intervals() -> None:
    result: Any = evaluation(2)
    for model in result["models"].values():
        model["recommended"] = {}
        model.pop("prediction", None)
    for pair in result["comparisons"]:
        pair["interval"] = None
    view = ModelsResult(result, {})

    assert view.main_target is None
    assert "interval" not in tabulate_models(view).caption
    assert view.describe_scope().startswith("No interval of a mean could be built")


def test_exact_the_scope_is_the_target_of_the_verdicts() -> None:
    result: Any = evaluation(2)
    result["summary"]["target"] = "new_source"
    for pair in result["comparisons"]:
        pair["interval"] = {**pair["interval"], "target": "these_sources"}

    assert "on these schools" in ModelsResult(result, {}).describe_scope()


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

    tables = list_method_tables(ModelsResult(result, SCHOOLS))

    intervals = next(table for table in tables if table.caption.startswith("Intervals of "))
    assert "95 % interval" in intervals.columns
    assert "on a new school" in {row[2] for row in texts_of(intervals)}
    shown = [table for table in tables if table.caption != "Methods that were not used"]
    assert not any(
        "new source" in cell for table in shown for row in texts_of(table) for cell in row
    )


def test_exact_probabilities_of_bayesian_tests_have_a_column_of_their_own() -> None:
    result: Any = deepcopy(RESULTS["losses"])
    bayesian = {"target": "these_sources", "p_left": 0.7, "p_rope": 0.2, "p_right": 0.1}
    plain = {"target": "these_sources", "statistic": 2.0, "p_value": 0.04}
    result["comparisons"][0]["tests"] = {"bayesian_sign": bayesian, "sign": plain}

    table = next(
        t for t in list_method_tables(ModelsResult(result, {})) if t.caption.startswith("Tests of ")
    )

    assert table.columns[-1] == "Below / inside / above"
    assert {row[0]: row[-1] for row in texts_of(table)} == {
        "Bayesian sign": "0.7 / 0.2 / 0.1",
        "Sign": "–",
    }
    assert texts_of(table)[0][4] == "–"


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

    table, _ = list_metric_tables(ModelsResult(result, {}))
    figure = next(each for each in list_figures(result) if each.name == "metric_matthews")

    assert texts_of(table)[0][2:] == ["0.870", "0.890: 0.780 to 0.980", "0.780 to 0.980"]
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
        Figure(name=name, title=name, caption="", alt="", view=lambda _: {})
        for name in ("differences", "critical_differences_friedman", "critical_differences_quade")
    ]

    document = show(result, SCHOOLS)

    assert len(document.first_sentences) == 1
    assert [each.name for each in place_figures(shown, document).by_section["pairs"]] == [
        "differences",
        "critical_differences_friedman",
    ]


def test_exact_a_bootstrap_names_the_interval_that_the_library_ranks_first() -> None:
    assert choose_headline_interval(HEADLINE_INTERVALS) == HEADLINE_INTERVALS[0]
    ranked = [name for name in INTERVALS if choose_headline_interval([name]) is not None]
    order = []
    while ranked:
        best = choose_headline_interval(ranked)
        assert best is not None
        order.append(best)
        ranked.remove(best)

    assert tuple(order) == HEADLINE_INTERVALS


def test_by_hand_the_components_of_a_vector_have_a_covariance_of_each_pair() -> None:
    def component(name: str, estimate: float, error: float, bias: float) -> dict[str, Any]:
        ends = interval_of(estimate - 2 * error, estimate + 2 * error)
        interval = {**ends, "method": "percentile", "level": 0.95}
        numbers = {"estimate": estimate, "standard_error": error, "bias": bias}
        return {"name": name, **numbers, "intervals": [interval]}

    result = {
        "kind": "bootstrap",
        "statistic": "mean_vector",
        "n": 12,
        "n_resamples": 100,
        "components": [component("x", 1.5, 0.25, -0.5), component("y", 3.0, 0.5, 0.125)],
        "covariance_of_components": [[0.0625, -0.03], [-0.03, 0.25]],
    }

    document = show(result)

    estimates = texts_of(table_of(document, "The mean vector"))
    assert [row[:4] for row in estimates] == [
        ["x", "1.50", "0.25", "-0.5"],
        ["y", "3.00", "0.5", "0.125"],
    ]
    assert texts_of(table_of(document, "Covariance")) == [
        ["x", "0.0625", "-0.03"],
        ["y", "-0.03", "0.25"],
    ]


def test_exact_a_claim_has_its_verdict_and_what_was_measured() -> None:
    claim = {
        "text": "The variance is too small.",
        "verdict": "holds",
        "measured": "ratio of the means",
        "figure": 0.8125,
        "standard_error": 0.0125,
        "reference": "nadeau2003",
        "place": "section 3",
    }

    (row,) = texts_of(table_of(show({**make_study([], []), "claims": [claim]}), "Claims"))

    assert row[:4] == [claim["text"], "holds", "ratio of the means", "0.812"]
    assert row[5] == "nadeau2003, section 3"


def test_exact_losses_on_the_target_are_compared_with_the_best_of_all_learners() -> None:
    chosen = {"selected_learner": "log", "selected": 1.0, "estimate": 0.1, "standard_error": 0.05}
    chosen |= {"interval": None, "target_risk": 0.16, "regret": 0.0, "cautions": []}
    best = {"selected_learner": "ridge", "selected": 10.0, "target_risk": 0.12, "cautions": []}
    result = {**RESULTS["importance_weighting"], "risks": {"weighted": chosen}, "oracle": best}

    rows = texts_of(table_of(show(result), "What each estimator of the risk selects"))

    assert [row[-2:] for row in rows] == [["0.16", "0.04"], ["0.12", "0"]]
