"""Figures drawn from their numbers."""

from __future__ import annotations

import re
from typing import Any, Literal
from xml.etree import ElementTree as ET

import pytest

from service.figures.drawing import COLOURS, draw
from thetahat.analyses.studies import FigureAxis, FigureSeries, StudyFigure, make_series
from thetahat.values.json_values import to_json

LINES = to_json(
    StudyFigure(
        name="lines",
        title="Cost in $ of theta_B",
        x=FigureAxis(title="K", scale="log"),
        y=FigureAxis(title="variance"),
        series=(
            make_series("theta_B", [2, 4, 8], [0.4, None, 0.2], [0.01, None, 0.02]),
            make_series("truth", [2, 8], [0.3, 0.3], style="dashed"),
            make_series("found", [3, 5], [0.1, 0.2], style="points"),
        ),
    )
)
BARS = to_json(
    StudyFigure(
        name="bars",
        title="Bias",
        x=FigureAxis(title="", labels=("LDA", "CART")),
        y=FigureAxis(title="bias"),
        series=(
            make_series("10-fold", [0, 1], [0.1, -0.2], [0.01, 0.02], style="bars"),
            make_series("leave-one-out", [0, 1], [0.2, -0.1], style="bars"),
        ),
    )
)


def texts(picture: bytes) -> list[str]:
    found = ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    return [one.text or "" for one in found]


def test_exact_the_words_are_in_the_picture() -> None:
    words = texts(draw(LINES, "svg"))

    assert {"Cost in $ of theta_B", "K", "variance", "theta_B", "truth", "found"} <= set(words)
    assert not [word for word in words if "mathdefault" in word]
    assert {"LDA", "CART", "10-fold", "leave-one-out"} <= set(texts(draw(BARS, "svg")))


@pytest.mark.parametrize("figure", [LINES, BARS], ids=["lines", "bars"])
@pytest.mark.parametrize("form", ["svg", "png"])
def test_exact_the_same_numbers_give_the_same_bytes(
    figure: dict[str, Any], form: Literal["svg", "png"]
) -> None:
    picture = draw(figure, form)

    assert picture == draw(figure, form)
    assert picture.startswith(b"<?xml" if form == "svg" else b"\x89PNG")


def test_exact_a_picture_says_nothing_of_when_it_was_drawn() -> None:
    assert not re.search(rb"<dc:date>", draw(BARS, "svg"))


def test_degenerate_one_series_of_many_points_without_errors() -> None:
    line = make_series("s", list(range(100)), [1.0] * 100)
    figure = StudyFigure(
        name="f", title="F", x=FigureAxis(title="x"), y=FigureAxis(title="y"), series=(line,)
    )

    words = texts(draw(to_json(figure), "svg"))

    assert "s" not in words  # a legend of one says nothing


@pytest.mark.parametrize(
    ("widths", "numbers"),
    [
        ([0.66, 1.69], ["0.8", "1", "1.2", "1.4", "1.6"]),  # less than a decade
        ([0.363, 5.21], ["0.5", "1", "2", "5"]),
        ([1.7, 9e15], ["1e+08"]),  # powers of ten
    ],
)
def test_exact_a_logarithmic_axis_has_several_plain_numbers(
    widths: list[float], numbers: list[str]
) -> None:
    points = make_series("s", widths, [1.0, 2.0], style="points")
    figure = StudyFigure(
        name="f",
        title="F",
        x=FigureAxis(title="x", scale="log"),
        y=FigureAxis(title="y"),
        series=(points,),
    )

    words = texts(draw(to_json(figure), "svg"))

    assert set(numbers) <= set(words)


def styles(picture: bytes) -> list[str]:
    """Return the styles of the dashed lines and curves inside the axes."""
    dashed = [one.get("style", "") for one in ET.fromstring(picture).iter() if "d" in one.attrib]
    return [style for style in dashed if "stroke-dasharray" in style]


def drawn(*series: FigureSeries) -> bytes:
    figure = StudyFigure(
        name="f", title="F", x=FigureAxis(title="x"), y=FigureAxis(title="y"), series=series
    )
    return draw(to_json(figure), "svg")


def test_exact_several_dashed_lines_go_with_the_others_in_turn() -> None:
    dashed = [make_series(f"{name} late", [0, 1], [2, 3], style="dashed") for name in "ab"]
    plain = [make_series(name, [0, 1], [1, 2]) for name in "ab"]

    found = styles(drawn(*plain, *dashed))

    # each on its own and once more in the legend
    assert [sum(colour in style for style in found) for colour in COLOURS[:3]] == [2, 2, 0]
    alone = styles(drawn(*plain, dashed[0]))
    assert all("#333333" in style for style in alone)
    assert len(alone) == 2


def test_limit_long_names_take_fewer_columns() -> None:
    """And more rows: the picture grows, and no name leaves it."""
    heights = []
    for length in (5, 30, 80):
        names = ["n" * length + str(i) for i in range(6)]
        picture = drawn(*(make_series(name, [0, 1], [1, 2]) for name in names))
        assert set(names) <= set(texts(picture))
        box = ET.fromstring(picture).get("viewBox", "").split()
        heights.append(float(box[3]))
        lines = re.findall(r'<path d="M ([-.0-9]+) ', picture.decode())
        assert min(float(at) for at in lines) >= 0
    assert heights == sorted(set(heights))
