"""Tables of groups, from requests to what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.presentation.reading import row_of, table_of
from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.numbers import format_percent
from thetahat_presentation.showing import show

RNG = np.random.default_rng(38)
GROUP = ["x", "y", None] * 40
OLD = (RNG.random(120) < 0.3).astype(int).tolist()
NEW = [0 if group == "x" else value for group, value in zip(GROUP, OLD, strict=True)]


@pytest.fixture(scope="module")
def result() -> Any:
    losses = {"new": NEW, "old": OLD}
    body = {"kind": "losses", "blocks": "holdout", "losses": losses, "groups": {"g": GROUP}}
    return run_kind(body).result


def test_exact_the_table_of_a_pair(result: Any) -> None:
    document = show(result)
    groups = result["comparisons"][0]["groups"]["g"]
    row = row_of(table_of(document, "Mean loss of new and old by g"), "x")
    missing = row_of(table_of(document, "Mean loss of new and old by g"), "missing")

    assert groups["sentence"] in document.findings.sentences
    assert row[:3] == ["x", "40", "0.000"]  # with the digits of its interval
    assert row[4].lstrip("-\N{MINUS SIGN}") == row[3]  # the new model makes no errors there
    assert row[-1] == "new is better"
    assert missing[-1] == "not clear"


def test_exact_the_tables_of_a_model(result: Any) -> None:
    document = show(result)
    groups = result["models"]["old"]["groups"]["g"]
    worst = groups["worst"]
    row = row_of(table_of(document, "Worst group by g"), "old")
    mean = max(item["mean"] for item in groups["items"])

    assert row[2:4] == [f"{mean:.3f}", f"{worst['upper_bound']:.3f}"]
    for item in groups["items"][:2]:
        of_group = row_of(table_of(document, "old by g"), item["group"]["g"])
        assert float(of_group[2]) == pytest.approx(item["mean"], abs=0.01)


def test_exact_the_table_of_gaps(result: Any) -> None:
    gap = result["models"]["old"]["groups"]["g"]["gaps"]["largest"]
    row = table_of(show(result), "Gaps of old by g").rows[0]

    assert row[1].value == gap["estimate"]  # type: ignore[union-attr]
    assert (row[2].lower, row[2].upper) == (gap["lower"], gap["upper"])  # type: ignore[union-attr]


@pytest.mark.parametrize("include", [[], ["group_gaps"]])
def test_exact_the_gaps_of_the_differences_of_a_pair(include: list[str]) -> None:
    losses = {"a": [i % 3 / 2 for i in range(120)], "b": [i % 5 / 4 for i in range(120)]}
    body = {"kind": "losses", "blocks": "holdout", "losses": losses, "groups": {"g": GROUP}}
    result = run_kind({**body, "include": include}).result
    (pair,) = result["comparisons"]
    gaps = pair["groups"]["g"]["gaps"]
    name = f"{pair['a']} minus {pair['b']}"
    document = show(result)
    if include:
        table = table_of(document, f"Gaps of {name} by g")
        row = table.rows[0][-2:]
    else:
        table = table_of(document, "Largest gaps by g")
        (row,) = [row[-2:] for row in table.rows if row[0].text == name]  # type: ignore[union-attr]

    assert row[0].value == gaps["largest"]["estimate"]  # type: ignore[union-attr]
    assert row[1].lower == gaps["largest"]["lower"]  # type: ignore[union-attr]
    share = format_percent(gaps["expected_coverage"]["coverage"])
    assert any(f"in {share} of simulated samples of such data" in note for note in table.notes)


def test_exact_the_table_of_gaps_has_metrics() -> None:
    y = [*OLD[:114], *[1] * 6]
    body = {"kind": "predictions", "blocks": "holdout", "y": y, "predictions": {"m": NEW}}
    options = {"loss": "zero_one", "metrics": ["recall", "specificity"]}
    groups = {"g": [*["x", "y"] * 57, *["z"] * 6]}  # the last has no negatives
    result = run_kind({**body, **options, "groups": groups}).result
    gaps = result["models"]["m"]["groups"]["g"]["metric_gaps"]
    table = table_of(show(result), "Gaps of m by g")
    cells: dict[Any, Any] = {row[0]: row for row in table.rows}
    rows = {str(name.text): row for name, row in cells.items()}

    assert table.columns[3:] == ["Recall", "95 % interval", "Specificity", "95 % interval"]
    assert "Those of each metric do as well." in table.notes
    assert len(gaps["specificity"]["items"]) == 1
    for metric, place in (("recall", 3), ("specificity", 5)):
        for gap in gaps[metric]["items"]:
            row = rows[f"{gap['group']['g']} minus {gap['against']['g']}"]
            assert row[place].value == gap["estimate"]
            assert (row[place + 1].lower, row[place + 1].upper) == (gap["lower"], gap["upper"])
    assert (rows["z minus x"][5].value, rows["z minus x"][6].lower) == (None, None)


def test_exact_the_largest_gaps_without_all_others() -> None:
    y = [*OLD[:114], *[1] * 6]
    body = {"kind": "predictions", "blocks": "holdout", "y": y, "predictions": {"m": NEW, "o": y}}
    groups = {"g": [*["x", "y"] * 57, *["z"] * 6]}
    options = {"loss": "zero_one", "metrics": ["recall", "specificity"], "include": []}
    result = run_kind({**body, **options, "groups": groups}).result
    found = result["models"]["m"]["groups"]["g"]
    table = table_of(show(result), "Largest gaps by g")
    cells: dict[Any, Any] = {(row[0].text, row[1]): row for row in table.rows}  # type: ignore[union-attr]

    gaps = {"Mean loss": found["gaps"], "Recall": found["metric_gaps"]["recall"]}
    for measure, each in gaps.items():
        largest, row = each["largest"], cells["m", measure]
        assert "items" not in each
        assert row[2].text == f"{largest['group']['g']} minus {largest['against']['g']}"
        assert row[3].value == largest["estimate"]
        assert (row[4].lower, row[4].upper) == (largest["lower"], largest["upper"])

    alone = run_kind({**body, **options, "groups": {"g": ["x"] * 120}}).result
    of_groups = next(each for each in show(alone).sections if each.name == "groups")
    assert "Gaps by g: Fewer than two groups have a variance." in of_groups.sentences


@pytest.mark.parametrize("include", [[], ["group_gaps"]])
def test_exact_groups_without_a_gap_are_in_the_notes(include: list[str]) -> None:
    losses = [0 if group == "x" else value for group, value in zip(GROUP, OLD, strict=True)]
    body = {
        "kind": "losses",
        "blocks": "holdout",
        "losses": {"m": losses},
        "groups": {"g": GROUP},
        "cluster": [place // 2 for place in range(120)],
        "include": include,
    }
    caption = "Gaps of m by g" if include else "Largest gaps by g"
    notes = table_of(show(run_kind(body).result), caption).notes

    subject = "Mean loss" if include else "Mean loss of m"
    assert f"{subject}: Groups without a variance have no gaps: g = x." in notes


def test_exact_a_single_model_has_its_worst_group() -> None:
    body = {"kind": "losses", "blocks": "holdout", "losses": {"m": OLD}, "groups": {"g": GROUP}}
    result = run_kind(body).result
    sentence = result["models"]["m"]["groups"]["g"]["worst"]["sentence"]

    assert sentence in show(result).findings.sentences


def test_exact_a_result_without_groups_has_no_section() -> None:
    result = run_kind({"kind": "losses", "blocks": "holdout", "losses": {"m": OLD}}).result

    assert show(result).find_section("groups") is None
