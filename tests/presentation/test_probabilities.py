"""Tables of probabilities, from requests to what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.presentation.reading import row_of, table_of
from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.document import Pair
from thetahat_presentation.numbers import format_number
from thetahat_presentation.showing import show

RNG = np.random.default_rng(40)
P = RNG.beta(1.5, 2, 120).round(3)
Y = (RNG.random(120) < P).astype(int).tolist()
SCORES = {"new": P.tolist(), "old": np.clip(P + RNG.normal(0, 0.3, 120), 0.01, 0.99).tolist()}


@pytest.fixture(scope="module")
def result() -> Any:
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "brier",
        "y": Y,
        "scores": SCORES,
        "probabilities": {"thresholds": [0.4], "bins": 10, "band_resamples": 200},
    }
    return run_kind(body).result


def get_cell(cell: Any) -> list[Any]:
    return [cell.estimate, cell.lower, cell.upper]


def get_estimate(estimate: Any) -> list[Any]:
    return [estimate["estimate"], estimate["lower"], estimate["upper"]]


def find_row(result: Any, caption: str, place: int = 0) -> Any:
    return table_of(show(result), caption).rows[place]


def test_exact_the_sentences_are_findings(result: Any) -> None:
    sentences = show(result).findings.sentences

    assert result["comparisons"][0]["probabilities"]["sentence"] in sentences
    for name, model in result["models"].items():
        assert f"{name}: {model['probabilities']['sentence']}" in sentences


def test_exact_the_table_of_events(result: Any) -> None:
    model = result["models"]["new"]["probabilities"]
    row = find_row(result, "Probabilities of 1 (120 rows)")

    assert [row[1].value, row[2].value] == [model["rate"], model["mean_probability"]]
    assert get_cell(row[3]) == get_estimate(model["in_the_large"])
    assert get_cell(row[4]) == get_estimate(model["recalibration"]["slope"])
    assert get_cell(row[5]) == get_estimate(model["recalibration"]["intercept"])
    assert row[6].value == model["spiegelhalter"]["p_value"]


@pytest.mark.parametrize(("score", "title"), [("brier", "Brier score"), ("log", "log loss")])
def test_exact_the_tables_of_parts(result: Any, score: str, title: str) -> None:
    parts = result["models"]["old"]["probabilities"]["parts"][score]
    row = row_of(table_of(show(result), f"Parts of the {title}"), "old")
    pair = result["comparisons"][0]["probabilities"]["parts"][score]
    cells = find_row(result, f"Differences of the {title} and its parts")

    assert row[1] == format_number(parts["score"])
    assert row[2] == format_number(parts["miscalibration"])
    assert row[5] == format_number(parts["discrimination"])
    for place, part in enumerate(("score", "miscalibration", "discrimination"), start=1):
        assert get_cell(cells[place]) == get_estimate(pair[part])


def test_exact_the_tables_of_thresholds(result: Any) -> None:
    rates = result["models"]["new"]["probabilities"]["thresholds"][0]
    differences = result["comparisons"][0]["probabilities"]["thresholds"][0]
    row = find_row(result, "Rates if the event is predicted from a probability on")
    of_pair = find_row(result, "Differences of these rates")

    assert row[2].value == rates["positive"]
    assert of_pair[0] == Pair(result["comparisons"][0]["a"], result["comparisons"][0]["b"])
    for place, name in enumerate(("sensitivity", "specificity", "ppv", "npv")):
        assert get_cell(row[3 + place]) == get_estimate(rates[name])
        assert get_cell(of_pair[2 + place]) == get_estimate(differences[name])


def test_exact_the_table_of_bins(result: Any) -> None:
    binned = result["models"]["new"]["probabilities"]["binned"]
    row = find_row(result, "Calibration errors of bins")

    assert [row[1].value, row[2].value] == [
        binned["expected_calibration_error"],
        binned["if_calibrated"],
    ]
    assert row[4].value == binned["debiased_squared_error"]


def test_exact_missing_numbers_have_their_reasons() -> None:
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "zero_one",
        "y": ["a", "b", "a", "b"] * 3,
        "predictions": {"m": ["a", "b", "b", "b"] * 3},
        "scores": {"m": [0, 1, 1, 0.5] * 3},
        "probabilities": True,
    }
    document = show(run_kind(body).result)
    events = table_of(document, "Probabilities of b (12 rows)")
    log = table_of(document, "Parts of the log loss")

    assert any("have a probability of 0 or 1" in note for note in events.notes)
    assert any("had an outcome of probability 0" in note for note in log.notes)


def test_exact_errors_of_bins_and_z_tests_in_clusters_say_why_they_have_no_p() -> None:
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "zero_one",
        "y": ["a", "b", "a", "b"] * 10,
        "predictions": {"m": ["a", "b", "b", "b"] * 10},
        "scores": {"m": [0.2, 0.9, 0.6, 0.7] * 10},
        "cluster": [i // 4 for i in range(40)],
        "probabilities": {"bins": 5},
    }
    result = run_kind(body).result
    binned = result["models"]["m"]["probabilities"]["binned"]
    document = show(result)

    assert binned.get("if_calibrated") is None
    section = document.find_section("probabilities")
    assert section is not None
    (events,) = [table for table in section.tables if "b (40" in table.caption]
    for table in (events, table_of(document, "Calibration errors of bins")):
        assert any("Rows of a cluster depend on each other" in note for note in table.notes)


def test_exact_classes_are_shown_one_by_one() -> None:
    rng = np.random.default_rng(41)
    p = rng.dirichlet([1, 1, 1], 60).round(4)
    body = {
        "kind": "predictions",
        "blocks": "holdout",
        "loss": "brier",
        "y": rng.choice(["a", "b", "c"], 60).tolist(),
        "scores": {"m": (p / p.sum(axis=1, keepdims=True)).tolist()},
        "probabilities": {"each_class": True, "band_resamples": 100},
    }
    result = run_kind(body).result
    section = show(result).find_section("probabilities")
    assert section is not None

    table = section.more[0]
    assert [row[0].text for row in table.rows] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert table_of(show(result), "Probabilities of the most probable class (60 rows)").rows


def test_exact_a_result_without_probabilities_has_no_section() -> None:
    result = run_kind(
        {
            "kind": "predictions",
            "blocks": "holdout",
            "loss": "brier",
            "y": Y,
            "scores": SCORES,
        }
    ).result

    assert show(result).find_section("probabilities") is None
