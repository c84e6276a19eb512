"""Widths of texts: those of the renderer."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
import vl_convert

from tests.service.figures.results import evaluation
from thetahat_service.figures.catalogue import list_figures
from thetahat_service.figures.letter_widths import measure_text
from thetahat_service.figures.rendering import render
from thetahat_service.figures.style import Style

SVG = "{http://www.w3.org/2000/svg}"


def measure_by_renderer(text: str, size: int, weight: str) -> float:
    """Return the width of a picture that holds a text and nothing else."""
    values = {
        "text": text, "x": 0, "y": 0, "font": "Liberation Sans", "fontSize": size,
        "fontWeight": weight, "align": "left",
    }  # fmt: skip
    mark = {
        "type": "text",
        "encode": {"enter": {key: {"value": value} for key, value in values.items()}},
    }
    spec = {"width": 1, "height": 1, "padding": 0, "autosize": "pad", "marks": [mark]}
    match = re.search(r'width="([\d.]+)"', vl_convert.vega_to_svg(spec))
    assert match
    return float(match[1])


@pytest.mark.parametrize("weight", ["normal", "bold"])
@pytest.mark.parametrize(
    "text", ["mean − ridge", "95 % (0.12 to 0.34)", "HistGradientBoostingRegressor", "θ ≥ 1.5"]
)
def test_against_vl_convert_the_width_of_a_text(text: str, weight: str) -> None:
    expected = measure_by_renderer(text, 1000, weight)  # in whole pixels

    width = measure_text(text, 1000, is_bold=weight == "bold")

    assert width == pytest.approx(expected, rel=0.02)  # the renderer moves pairs such as "Te"


def test_degenerate_a_letter_without_an_entry_has_no_width() -> None:
    assert measure_text("学校", 12) is None


def test_exact_labels_of_an_svg_keep_their_room_in_another_font() -> None:
    svg = render(list_figures(evaluation(3))[0].build_spec(Style()), "svg")

    labels = {text.text: text for text in ET.fromstring(svg).iter(f"{SVG}text")}

    # By hand: m, o d e, l, the space, and 0, in widths of an em
    expected = 12 * (0.833 + 3 * 0.556 + 0.222 + 0.278 + 0.556)
    label = labels["model 0"]
    assert float(label.get("textLength", "0")) == pytest.approx(expected, abs=0.06)
    assert label.get("lengthAdjust") == "spacingAndGlyphs"
