"""What is true of every figure of every kind, at 2 models and at 200."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import pytest
from jsonschema import ValidationError  # type: ignore[import-untyped]

from tests.service.figures.results import evaluation
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.figure import Figure
from thetahat_service.figures.style import Style
from thetahat_service.kinds.examples import RESULT, read_examples

EXAMPLES = read_examples(RESULT)
RESULTS: dict[str, dict[str, Any]] = {
    **EXAMPLES,
    "two models": evaluation(2),
    "200 models": evaluation(200),
    "many blocks": evaluation(3, n_blocks=150),
}
FIGURES = {
    f"{kind}-{figure.name}": figure
    for kind, result in RESULTS.items()
    for figure in list_figures(result)
}
EVERY = pytest.mark.parametrize("figure", FIGURES.values(), ids=FIGURES)
SHAPES = {  # one figure of each sort: drawing each of them would take long
    re.sub(r"_\d+$", "", name): figure
    for name, figure in FIGURES.items()
    if not name.startswith("200")
}
DRAWN = pytest.mark.parametrize("figure", SHAPES.values(), ids=SHAPES)
SVG = "{http://www.w3.org/2000/svg}"


def texts(image: bytes) -> list[str]:
    """Return the texts of an SVG."""
    return ["".join(element.itertext()) for element in ET.fromstring(image).iter(f"{SVG}text")]


@DRAWN
def test_exact_a_specification_is_valid_vega_lite(figure: Figure) -> None:
    spec = figure.build_spec(Style(theme="dark", has_caption=True))

    chart = alt.Chart.from_dict(spec)  # refuses what the schema of Vega-Lite does not allow

    assert chart.to_dict(validate=True)["title"]["text"] == figure.title


def test_invalid_the_schema_refuses_a_wrong_channel() -> None:
    spec = list_figures(RESULTS["two models"])[0].build_spec(Style())
    spec["layer"][0]["mark"]["type"] = "beam"

    with pytest.raises(ValidationError, match="beam"):
        alt.Chart.from_dict(spec).to_dict(validate=True)


@EVERY
def test_property_a_figure_has_its_words(figure: Figure) -> None:
    assert figure.title
    assert len(figure.caption) > 40
    assert figure.alt.endswith(".")
    assert figure.name.replace("_", "").isalnum()
    assert figure.name == figure.name.lower()


@pytest.mark.parametrize("kind", RESULTS)
def test_property_names_are_unique(kind: str) -> None:
    names = [figure.name for figure in list_figures(RESULTS[kind])]

    # A study draws only the figures that its preset has, and the example's has none. A Ladder
    # publishes one score.
    assert names or kind == "ladder" or RESULTS[kind].get("figures") == []
    assert len(names) == len(set(names))


def test_exact_a_title_that_is_too_long_has_several_lines() -> None:
    figure = list_figures(RESULTS["two models"])[2]

    narrow, wide = (figure.build_spec(Style(width=width))["title"]["text"] for width in (360, 720))

    assert narrow == ["model 0 and model 1 by school: a few", "schools, or most?"]
    assert wide == figure.title


@DRAWN
def test_exact_an_svg_has_the_title_and_is_as_wide_as_it_should_be(figure: Figure) -> None:
    svg = draw(figure.build_spec(Style(width=600)), "svg")
    root = ET.fromstring(svg)

    assert root.findtext(f"{SVG}title") == figure.title
    assert root.findtext(f"{SVG}desc") == figure.alt
    assert any(figure.title[:20] in text for text in texts(svg))
    assert 0.85 * 600 <= float(root.get("width", "0")) <= 1.1 * 600


def test_exact_the_same_specification_gives_the_same_bytes() -> None:
    figure = list_figures(RESULTS["two models"])[0]

    assert draw(figure.build_spec(Style()), "svg") == draw(figure.build_spec(Style()), "svg")
    assert draw(figure.build_spec(Style()), "png").startswith(b"\x89PNG")
    assert draw(figure.build_spec(Style()), "pdf").startswith(b"%PDF")


def test_exact_a_pdf_carries_its_font() -> None:
    pdf = draw(list_figures(RESULTS["two models"])[0].build_spec(Style()), "pdf")

    assert b"LiberationSans" in pdf
    assert b"/FontFile" in pdf
