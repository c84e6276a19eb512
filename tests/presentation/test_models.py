"""Results that compare models: tables, verdicts and cautions."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import thetahat
from tests.architecture.sources import ROOT
from tests.presentation.reading import caution, row_of, table_of, texts_of
from thetahat.cautions import HEAVY_TAILED_LOSSES
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words
from thetahat_presentation.document import Caution, Document
from thetahat_presentation.parts.cautions import Place, group_cautions
from thetahat_presentation.parts.models import ModelsResult
from thetahat_presentation.renderers.text import Page
from thetahat_presentation.showing import show

RESULTS = ROOT / "tests" / "clients" / "results"


def stored(name: str) -> Any:
    content: Any = json.loads((Path(RESULTS) / f"{name}.json").read_text())
    return content


@pytest.fixture
def schools() -> Any:
    return stored("schools_left_out")


def test_exact_the_table_of_left_out_schools(schools: Any) -> None:
    table = table_of(show(schools), "Mean loss of each model")

    # From the stored result: macro .618084, pooled .608106, and its three intervals.
    assert row_of(table, "ridge") == [
        *("ridge", "0.618", "0.608", "0.558 to 0.678", "0.574 to 0.663", "0.13 to 1.10"),
    ]
    assert list(table.columns) == [
        *("Model", "Mean loss", "Pooled mean", "Interval on a new source"),
        *("Interval on data like these", "One more source"),
    ]
    assert "4059 instances in 65 blocks." in table.notes
    meaning = "A new source (the expected loss on one source that is not in the data): "
    start = f"{meaning}Student t interval from the variance theta gamma, 64 degrees of freedom"
    assert any(note.startswith(start) for note in table.notes)


def test_exact_models_with_different_degrees_of_freedom_share_one_note(schools: Any) -> None:
    degrees = iter([185.026, 2.0121, *[50.0] * len(schools["models"])])
    for model in schools["models"].values():
        model["recommended"]["these_sources"]["degrees_of_freedom"] = next(degrees)

    notes = table_of(show(schools), "Mean loss of each model").notes

    (note,) = [note for note in notes if note.startswith("Data like these")]
    method = "Student t interval from the variance theta B"
    assert f": {method}, 2 to 185 degrees of freedom, about the mean loss" in note
    assert note.count("theta B") == 1


def test_exact_only_recommended_intervals_and_predictions_are_shown(schools: Any) -> None:
    ridge = schools["models"]["ridge"]
    ridge["intervals"].append(
        {**ridge["intervals"][0], "recommended": False, "lower": 123.0, "upper": 456.0}
    )

    assert "123" not in Page().write(show(schools))
    table = table_of(show(stored("random_folds")), "Mean loss of each model")
    assert not any("One more" in column for column in table.columns)


def test_exact_every_pair_has_its_verdict_in_words(schools: Any) -> None:
    sentences = show(schools).sentences[-6:]

    for sentence, pair in zip(sentences, schools["comparisons"], strict=True):
        assert sentence.startswith(pair["verdict"]["reason"].rstrip("."))
    plan = "0.02, 491 sources (426 more) give a chance of 80 % to show it."
    assert sentences[-1].endswith(plan)


def test_exact_a_pair_that_is_worse_is_turned_with_the_ends_of_its_interval() -> None:
    result = make_pair("worse", 0.5, 0.2, 0.8)

    (row,) = texts_of(table_of(show(result), "Difference of each pair"))

    assert row == ["b − a", "-0.50", "-0.80 to -0.20", "b is better", "0.02"]
    open_ends = make_pair("worse", 0.5, 0.2, None)
    (row,) = texts_of(table_of(show(open_ends), "Difference of each pair"))
    assert row[2] == "at most -0.20"


def test_exact_the_corrected_p_value_has_the_name_of_its_correction() -> None:
    result = make_pair("better", -0.5, -0.8, -0.2)
    result["comparisons"][0]["verdict"]["p_value_adjusted"] = 0.04
    named = copy.deepcopy(result)
    named["summary"]["correction"] = "holm"

    table = table_of(show(named), "Difference of each pair")

    assert list(table.columns[-2:]) == ["Verdict", "p (Holm)"]
    assert texts_of(table)[0][-1] == "0.04"
    assert table_of(show(result), "Difference").columns[-1] == "p, corrected"
    requested = table_of(show(result, {"correction": "benjamini_hochberg"}), "Difference")
    assert requested.columns[-1] == "p (Benjamini-Hochberg)"


def test_exact_a_difference_beyond_the_margin_says_so() -> None:
    result = make_pair("better", -0.5, -0.8, -0.2)
    result["comparisons"][0]["is_beyond_margin"] = True

    table = table_of(show(result, {"margin": 0.1}), "Difference of each pair")

    assert texts_of(table)[0][3] == "a is better, and by more than the margin"
    assert any("allows for the number of pairs" in note for note in table.notes)
    assert "The margin is 0.1: smaller differences do not matter." in table.notes


def make_pair(
    decision: str, estimate: float, lower: float | None, upper: float | None
) -> dict[str, Any]:
    """Return the result of two models."""
    interval = {"target": "these_sources", "estimate": estimate, "standard_error": 0.15}
    interval |= {"lower": lower, "upper": upper, "cautions": []}
    verdict = {"decision": decision, "p_value": 0.02, "p_value_adjusted": None, "reason": "So."}
    pair = {"a": "a", "b": "b", "difference": estimate, "interval": interval}
    models: Any = {
        name: {"mean": {"macro": mean, "pooled": mean}, "n": 9, "blocks": 3, "recommended": {}}
        for name, mean in (("a", 1.0), ("b", 1.0 - estimate))
    }
    ranked = [{"name": n, "estimate": m["mean"]["macro"]} for n, m in models.items()]
    summary = {"best_model": "a", "target": "these_sources", "better": "lower", "level": 0.95}
    summary |= {"sentences": ["a is the best."], "models": ranked, "comparisons": []}
    return {
        "kind": "losses",
        "summary": summary,
        "models": models,
        "comparisons": [{**pair, "verdict": verdict, "cautions": []}],
        "cautions": [],
    }


def test_exact_names_of_models_are_never_rewritten() -> None:
    result = make_pair("better", -0.5, -0.8, -0.2)
    result["unit"] = {"singular": "school", "plural": "schools"}
    result["models"]["new source"] = result["models"].pop("b")
    result["comparisons"][0]["b"] = "new source"

    rows = [row[0] for row in texts_of(table_of(show(result), "Mean loss"))]

    assert "new source" in rows
    assert "new school" not in rows


def messages_of(document: Document) -> list[str]:
    return [caution.message for caution in document.cautions]


def test_exact_cautions_of_one_code_are_one_fact(schools: Any) -> None:
    cautions = show(schools).cautions

    # theta_gamma's value is in its caution, so each of the four models has another sentence.
    (alike,) = [each for each in cautions if "its value" in each.message]
    assert alike.subject == "all models (on a new source, one more source)"
    assert cautions[0].message == schools["cautions"][0]["message"]
    assert len({each.code for each in cautions}) == len(cautions) == 5


def test_exact_the_most_serious_caution_is_shown_and_the_others_are_counted(schools: Any) -> None:
    codes = {"a": "info", "b": "warning", "c": "warning", "d": "serious", "e": "warning"}
    schools["cautions"] = [caution(*pair) for pair in codes.items()]
    schools["comparisons"] = []
    for model in schools["models"].values():
        model["recommended"], model["prediction"] = {}, None
    document = show(schools)

    assert [each.code for each in document.cautions] == ["d", "b", "c", "e", "a"]
    assert [each.code for each in document.doubts] == ["d", "b", "c"]
    text = Page().write(document)
    assert "- Serious: Say d. Do it.\n" in text
    assert "Say b" not in text
    assert "4 more cautions (b; c; e; 1 other) and all numbers: show_all=True or --all." in text
    assert "more caution" not in Page().write(document, show_all=True)


def test_exact_of_one_code_the_most_serious_caution_is_shown(schools: Any) -> None:
    schools["comparisons"] = []
    for name, model in schools["models"].items():
        severity = "serious" if name == "forest" else "info"
        part = {"level": 0.95, "lower": 0, "upper": 1, "method": "m"}
        model["recommended"] = {"new_source": {**part, "cautions": [caution("x", severity)]}}
    schools["cautions"] = []
    first = show(schools).cautions[0]

    assert (first.severity, first.subject) == ("serious", "all models (on a new source)")


def show_heavy_tails(result: Any, names: Sequence[str]) -> str:
    """Return the caution on heavy tails of a result that has one for each of these models."""
    raised = [
        HEAVY_TAILED_LOSSES(
            choose_words(BlockKind.HOLDOUT),
            model=name,
            n=60,
            skewness=0.5 + i / 100,
            share=f"{50 + i} %",
        )
        for i, name in enumerate(names)
    ]
    result["cautions"] = [{**asdict(each), "severity": each.severity.value} for each in raised]
    (found,) = [each for each in show(result).cautions if each.code == HEAVY_TAILED_LOSSES.code]
    assert found.message.startswith(raised[0].message)
    return found.message.removeprefix(raised[0].message).strip()


def test_exact_cautions_of_one_code_say_what_the_others_are_about(schools: Any) -> None:
    of_one = show_heavy_tails(schools, ["a"])
    of_three = show_heavy_tails(schools, ["a", "b", "c d"])
    of_thirty = show_heavy_tails(schools, [f"m{i}" for i in range(30)])

    assert of_one == ""
    assert of_three == "The same is said of 'b' (0.51, 51 %) and 'c d' (0.52, 52 %)."
    # of many models the names alone
    listed = ", ".join(f"'m{i}'" for i in range(1, 29))
    assert of_thirty == f"The same is said of {listed} and 'm29'."


def test_exact_cautions_that_name_no_model_add_their_own_sentences() -> None:
    shares = {"ridge": "0.8", "forest": "0.7", "tree": "0.7"}

    def merge(shares: Mapping[str, str]) -> Caution:
        (found,) = group_cautions(
            (Place(name), {"code": "x", "message": f"It is low. The interval covered in {share}."})
            for name, share in shares.items()
        )
        return found

    few, many = merge(shares), merge({f"m{i}": f"0.{i}" for i in range(9)})

    assert few.subject == "ridge, forest, tree"
    assert few.message == (
        "It is low. The interval covered in 0.8. Also: The interval covered in 0.7."
    )
    assert many.message.endswith("in 0.0. 8 more cautions like this one have other values.")


def test_exact_cautions_of_methods_that_are_not_shown_come_with_all_of_them() -> None:
    result = make_pair("better", -0.5, -0.8, -0.2)
    result["models"]["a"]["variances"] = {
        "v": {"cautions": [caution("hidden", "serious")], "value": 1.0, "usable": True}
        | {"target": "these_sources", "standard_error": 1.0}
    }
    document = show(result)

    assert document.cautions == []
    assert [each.code for each in document.all_cautions] == ["hidden"]


# Many models


@pytest.fixture(scope="module")
def thirty_models() -> Any:
    """Return the result of thirty models on ten sources, in a shuffled order."""
    rng = np.random.default_rng(1)
    shared = rng.normal(size=(10, 20)) ** 2
    losses = {
        f"model_{i:02d}": list(shared * (1 + 0.05 * i) + 0.3 * rng.normal(size=(10, 20)) ** 2)
        for i in rng.permutation(30)
    }
    result: Any = thetahat.to_json(thetahat.evaluate(losses, blocks="source", pairs="all"))
    return {"kind": "losses", **result}


def test_exact_the_failure_of_a_learner_is_no_caution(schools: Any) -> None:
    failure = {"code": "not_converged", "message": "It did not converge.", "loc": ["learners", "x"]}
    shown = show({**schools, "failures": {"x": failure, "y": {"0.5": failure}}})

    assert "not_converged" not in {each.code for each in shown.all_cautions}


def test_exact_models_are_sorted_and_the_best_fifteen_are_shown(thirty_models: Any) -> None:
    text = Page().write(show(thirty_models))
    table = text.partition("Mean loss on a new source")[2].partition("\n\n")[0]
    shown = [line.split()[0] for line in table.splitlines() if line.startswith("model_")]
    means = {name: model["mean"]["macro"] for name, model in thirty_models["models"].items()}

    assert shown == sorted(means, key=means.__getitem__)[:15]
    assert "15 more models follow these." in table
    assert len(table_of(show(thirty_models), "Mean loss of each model").rows) == 30


def test_exact_thirty_models_fill_at_most_forty_lines(thirty_models: Any) -> None:
    document = show(thirty_models)

    assert len(Page(80, 80).write(document).splitlines()) <= 40
    everything = Page().write(document, show_all=True)
    assert sum(" it is not clear which of " in line for line in everything.splitlines()) > 100


def test_exact_models_that_share_a_letter_do_not_differ(thirty_models: Any) -> None:
    table = table_of(show(thirty_models), "Mean loss of each model")
    letters = {row[0]: row[-1] for row in texts_of(table)}
    test = thirty_models["omnibus"]["nemenyi"]
    ranks, critical = test["mean_ranks"], test["critical_difference"]

    assert table.columns[-1] == "Groups"
    assert any(f"critical difference {critical:.2f} of mean ranks" in n for n in table.notes)
    for a, b in combinations(letters, 2):
        assert bool(set(letters[a]) & set(letters[b])) == (abs(ranks[a] - ranks[b]) < critical)


def test_exact_of_many_comparisons_those_of_the_best_model_come_first(thirty_models: Any) -> None:
    document = show(thirty_models)
    best = thirty_models["summary"]["best_model"]
    table = table_of(document, f"Difference of {best} and each other model on a new source")
    others = table_of(document, "Difference of each other pair")

    assert len(table.rows) == 29
    assert len(others.rows) == 200
    assert "206 more pairs are in the result as JSON." in others.notes
    assert any(note.startswith("Of all 435 comparisons, in ") for note in table.notes)
    by_pair = {frozenset({p["a"], p["b"]}): p for p in thirty_models["comparisons"]}
    for name, difference, ends, *_ in texts_of(table):
        first, second = name.split(" − ")
        pair = by_pair[frozenset({first, second})]
        sign = 1 if pair["a"] == first else -1
        expected = sorted(sign * pair["interval"][end] for end in ("lower", "upper"))
        assert float(difference) == pytest.approx(sign * pair["difference"], abs=0.006)
        assert [float(end) for end in ends.split(" to ")] == pytest.approx(expected, abs=0.006)


def test_exact_all_models_against_a_control_are_around_it(thirty_models: Any) -> None:
    control = "model_05"
    pairs = [p for p in thirty_models["comparisons"] if control in {p["a"], p["b"]}]
    turned = [{**p, "a": p["b"], "b": p["a"]} if p["a"] == control else p for p in pairs]

    assert ModelsResult({**thirty_models, "comparisons": turned}, {}).reference == control


def test_exact_tests_of_all_models_name_those_that_may_be_the_best(thirty_models: Any) -> None:
    table = table_of(show(thirty_models), "Tests of all models at once")
    row = row_of(table, "Model confidence set")
    inside = set(thirty_models["omnibus"]["model_confidence_set"]["set"])
    best = thirty_models["summary"]["best_model"]

    assert table.columns[-1] == f"Not shown to differ from {best}"
    assert set(re.findall(r"model_\d\d", row[-1])) == inside - {best}
    assert row_of(table, "Cross validation with confidence")[1] == "of these trained models"


@pytest.mark.parametrize(
    ("options", "is_named"),
    [({}, True), ({"level": 0.9}, False), ({"alternative": "less"}, False)],
)
def test_exact_the_simulated_share_is_named_for_intervals_like_the_simulated_ones(
    options: dict[str, Any], *, is_named: bool
) -> None:
    rng = np.random.default_rng(4)
    losses = {name: (rng.random((10, 20)) < 0.3).astype(float) for name in "ab"}
    result: Any = thetahat.to_json(thetahat.evaluate(losses, blocks="random", **options))
    recommended = result["models"]["a"]["recommended"]["these_sources"]
    share = recommended["expected_coverage"]["coverage"]

    notes = " ".join(table_of(show({"kind": "losses", **result}), "Mean loss").notes)

    assert (f"covers in {100 * round(share, 3):.3g} % of simulated samples" in notes) == is_named
    assert ("simulated samples" in notes) == is_named


def test_exact_a_gate_comes_first() -> None:
    result = make_pair("better", -0.5, -0.8, -0.2)
    result["gate"] = {"outcome": "pass", "sentence": "a is better than b."}

    assert Page().write(show(result)).splitlines()[0] == "Gate: pass. a is better than b."


def test_exact_what_all_numbers_leave_out_is_not_said_of_each_again() -> None:
    result = thetahat.to_json(
        thetahat.evaluate({"a": [[0, 1, 1, 0]], "b": [[1, 1, 0, 1]]}, blocks="holdout")
    )
    codes = json.dumps(result)
    assert "no_training_variance" in codes
    assert "ignores_training_variance" in codes

    text = " ".join(Page().write(show({"kind": "losses", **result}), show_all=True).split())

    assert text.count("how much results change with other training data") == 1


def test_exact_the_headline_says_that_an_equivalent_model_is_better_all_the_same() -> None:
    rng = np.random.default_rng(20_261_128)
    old = rng.normal(1, 0.3, 400)
    new = old + 0.05 + rng.normal(0, 0.1, 400)
    like_old = old + rng.normal(0, 0.1, 400)

    for models, wanted in (
        ({"new": new, "old": old}, "old is equivalent to new, and better by less than the margin"),
        ({"old": old, "new": new}, "old is equivalent to new, and better by less than the margin"),
        ({"old": old, "like": like_old}, "are equivalent"),
    ):
        result = thetahat.evaluate(models, margin=0.2, blocks="holdout").to_dict()
        assert show(result).headline.endswith(f"{wanted}.")
