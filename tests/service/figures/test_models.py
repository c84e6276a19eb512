"""Figures of models and their differences: their numbers are those of the result."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.service.figures.results import evaluation, interval
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.style import PALETTES, WIDE_LETTER, Json, Style

SVG = "{http://www.w3.org/2000/svg}"


def figure_of(result: dict[str, Any], name: str) -> Json:
    """Return the specification of one figure."""
    figure = next(figure for figure in list_figures(result) if figure.name == name)
    return figure.build_spec(Style())


def rows_of(spec: Json) -> list[Json]:
    """Return the rows of a specification's own data."""
    rows: list[Json] = spec["data"]["values"]
    return rows


def test_exact_the_forest_has_the_intervals_of_the_result() -> None:
    result = evaluation(5)

    rows = rows_of(figure_of(result, "forest"))

    drawn = {
        (row["model"], row["target"]): (row["estimate"], row["lower"], row["upper"]) for row in rows
    }
    for name, model in result["models"].items():
        for target, word in (("new_source", "a new school"), ("these_sources", "these schools")):
            result_interval = model["recommended"][target]
            assert drawn[name, word] == (
                result_interval["estimate"],
                result_interval["lower"],
                result_interval["upper"],
            )
        result_interval = model["prediction"]
        assert drawn[name, "one more school, by itself"][1:] == (
            result_interval["lower"],
            result_interval["upper"],
        )
    assert len(rows) == 15


def test_exact_models_are_sorted_by_mean_and_the_best_one_is_on_top() -> None:
    result = evaluation(12)
    best_first = sorted(result["models"], key=lambda name: result["models"][name]["mean"]["macro"])

    spec = figure_of(result, "forest")
    assert list(dict.fromkeys(row["model"] for row in rows_of(spec))) == best_first

    spec = figure_of({**result, "summary": {**result["summary"], "better": "higher"}}, "forest")
    assert list(dict.fromkeys(row["model"] for row in rows_of(spec))) == best_first[::-1]


def test_exact_a_target_has_one_colour_in_every_figure() -> None:
    palette = PALETTES["light"]
    scale = figure_of(evaluation(2), "forest")["layer"][0]["encoding"]["color"]["scale"]
    colours = dict(zip(scale["domain"], scale["range"], strict=True))

    assert colours["a new school"] == palette.vermilion
    assert colours["these schools"] == palette.blue
    assert colours["one more school, by itself"] == palette.lighten(palette.vermilion)


@pytest.mark.parametrize("name", ["forest", "differences"])
def test_property_the_labels_of_200_models_do_not_overlap(name: str) -> None:
    result = evaluation(200)
    labels = set(result["models"])

    svg = draw(figure_of(result, name), "svg")

    positions = []
    for text in ET.fromstring(svg).iter(f"{SVG}text"):
        if text.text in labels:
            place = re.match(r"translate\(([-.\d]+),([-.\d]+)\)", text.get("transform", ""))
            size = re.match(r"([\d.]+)px", text.get("font-size", ""))
            assert place
            assert size
            positions.append((float(place[2]), float(size[1])))
    positions.sort()
    assert len(positions) == (200 if name == "forest" else 199)
    gaps = [(lower - upper, size) for (upper, size), (lower, _) in pairwise(positions)]
    assert all(gap >= size for gap, size in gaps)


def test_exact_a_very_long_interval_is_cut_with_a_mark() -> None:
    result = evaluation(6, margin=None)
    result["comparisons"][3]["interval"] = interval(0.0, 50.0)

    spec = figure_of(result, "differences")
    (cut,) = [row for row in rows_of(spec) if row["beyond_left"]]

    assert (cut["lower"], cut["upper"]) == (-50.0, 50.0)
    assert -1 < cut["from"] < cut["to"] < 1
    assert "arrowhead" in spec["usermeta"]["caption"]


def test_exact_differences_have_the_intervals_and_the_margin() -> None:
    result = evaluation(4)

    spec = figure_of(result, "differences")

    drawn = {
        (row["a"], row["b"]): (row["estimate"], row["lower"], row["upper"]) for row in rows_of(spec)
    }
    for comparison in result["comparisons"]:
        bar = comparison["interval"]
        assert drawn[comparison["a"], comparison["b"]] == (
            bar["estimate"],
            bar["lower"],
            bar["upper"],
        )
    assert spec["layer"][0]["data"]["values"] == [{"left": -0.02, "right": 0.02}]


def test_exact_beyond_the_margin_differs_from_better() -> None:
    result = evaluation(3)
    pairs = [(-0.06, "better"), (-0.04, "better"), (0.06, "worse")]
    for comparison, (difference, decision) in zip(result["comparisons"], pairs, strict=True):
        comparison["interval"] = interval(difference, 0.03)
        comparison["verdict"]["decision"] = decision

    rows = rows_of(figure_of(result, "differences"))

    assert [row["verdict"] for row in rows] == [
        "better, by more than the margin",
        "better, by more than the margin",
        "better",
    ]


def test_exact_the_better_model_of_a_pair_is_first() -> None:
    result = evaluation(3)
    worse = result["comparisons"][0]
    worse["interval"] = interval(0.06, 0.03)
    worse["verdict"]["decision"] = "worse"

    rows = rows_of(figure_of(result, "differences"))

    (row,) = [each for each in rows if {each["a"], each["b"]} == {worse["a"], worse["b"]}]
    assert (row["a"], row["b"]) == (worse["b"], worse["a"])
    assert row["verdict"].startswith("better")
    assert row["estimate"] == -worse["interval"]["estimate"]
    assert row["upper"] == -worse["interval"]["lower"]


def test_exact_of_very_many_pairs_those_with_the_best_model_are_shown() -> None:
    result = evaluation(12)
    best = result["summary"]["best_model"]
    expected = {}
    for comparison in result["comparisons"]:
        bar = comparison["interval"]
        if comparison["a"] == best:
            expected[comparison["b"]] = (-bar["estimate"], -bar["upper"], -bar["lower"])
        elif comparison["b"] == best:
            expected[comparison["a"]] = (bar["estimate"], bar["lower"], bar["upper"])

    spec = figure_of(result, "differences")

    drawn = {row["pair"]: (row["estimate"], row["lower"], row["upper"]) for row in rows_of(spec)}
    assert drawn == expected
    assert "Of 66 pairs" in spec["usermeta"]["caption"]
    assert {row["verdict"] for row in rows_of(spec)} <= {
        "undecided",
        "worse",
        "worse, by more than the margin",
    }


def test_naive_differences_by_source_are_those_of_the_means() -> None:
    result = evaluation(2)
    a, b = (result["models"][name]["mean"]["blocks"] for name in ("model 0", "model 1"))
    expected = sorted(
        (x - y, label) for x, y, label in zip(a, b, result["block_labels"], strict=True)
    )

    spec = figure_of(result, "by_source")

    assert [(row["difference"], row["block"]) for row in rows_of(spec)] == expected
    n_better = sum(difference < 0 for difference, _ in expected)
    assert (
        f"model 0 is better in {n_better} and worse in {20 - n_better}"
        in spec["usermeta"]["caption"]
    )


def test_exact_the_better_model_is_first_by_source() -> None:
    result = evaluation(2)
    means = {name: model["mean"]["macro"] for name, model in result["models"].items()}
    best = min(means, key=means.__getitem__)
    for pair in (("model 0", "model 1"), ("model 1", "model 0")):
        result["comparisons"][0] |= {"a": pair[0], "b": pair[1]}

        caption = figure_of(result, "by_source")["usermeta"]["caption"]

        assert f"{best} is better in" in caption


def test_degenerate_a_model_without_an_interval_is_a_dot() -> None:
    result = evaluation(2)
    for model in result["models"].values():
        model |= {"recommended": {}, "prediction": None}
    result["comparisons"][0]["interval"] = None

    rows = rows_of(figure_of(result, "forest"))

    assert [(row["lower"], row["upper"]) for row in rows] == [(None, None)] * 2
    assert all(row["from"] == row["to"] == row["estimate"] for row in rows)
    assert draw(figure_of(result, "differences"), "svg").startswith(b"<svg")


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (-0.5, 0.25, "interval −0.50 to 0.25"),
        (None, 0.25, "at most 0.25 by its interval"),
        (-0.5, None, "at least −0.5 by its interval"),
    ],
)
def test_exact_the_text_for_those_who_do_not_see_it_has_the_ends(
    lower: float | None, upper: float | None, words: str
) -> None:
    result = evaluation(2)
    result["comparisons"][0]["interval"] |= {"lower": lower, "upper": upper}

    figures = {figure.name: figure for figure in list_figures(result)}

    assert words in figures["differences"].alt


def test_exact_long_names_that_differ_at_their_ends_stay_different_on_a_telephone() -> None:
    style = Style(width=340)
    n = int(style.label_limit / WIDE_LETTER)
    name = "ridge[penalty=0.00000000000001]"
    assert len(name) > n
    result = evaluation(2)
    result["models"] = {name: result["models"]["model 0"], "b": result["models"]["model 1"]}
    result["comparisons"] = []

    figure = next(each for each in list_figures(result) if each.name == "forest")
    texts = ET.fromstring(draw(figure.build_spec(style), "svg")).itertext()

    assert f"{name[: n // 3]}…{name[n // 3 + 1 - n :]}" in list(texts)
