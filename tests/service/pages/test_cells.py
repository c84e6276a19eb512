"""Cells of tables as pages draw them."""

from __future__ import annotations

import re

import pytest

from tests.cases import each
from thetahat_presentation.document import Bar, Cell, Decision, Name, Number
from thetahat_service.pages.cells import EDGE, WIDTH, draw_interval, write_cell


@each(
    "value,place",
    [(0.0, EDGE), (10.0, WIDTH - EDGE), (5.0, WIDTH / 2), (2.5, EDGE + (WIDTH - 2 * EDGE) / 4)],
)
def test_by_hand_a_point_is_at_its_share_of_the_width(value: float, place: float) -> None:
    (centre,) = re.findall(r'cx="([^"]+)"', draw_interval(Bar(None, None, value, 0.0, 10.0)))

    assert float(centre) == pytest.approx(place, abs=0.05)


def test_exact_an_interval_is_a_line_with_two_ends() -> None:
    drawing = draw_interval(Bar(2.0, 8.0, 5.0, 0.0, 10.0))

    assert 'd="M47 9H173M47 5V13M173 5V13"' in drawing
    assert "aria-hidden" in drawing
    assert "style" not in drawing  # the pages allow no style of an element


def test_exact_an_open_end_has_an_arrow_at_the_edge() -> None:
    drawing = draw_interval(Bar(None, 8.0, 5.0, 0.0, 10.0))

    assert 'd="M5 9H173M9 5L5 9L9 13M173 5V13"' in drawing


def test_degenerate_a_scale_without_length_and_a_point_without_interval() -> None:
    assert 'cx="110"' in draw_interval(Bar(1.0, 1.0, 1.0, 1.0, 1.0))
    assert "path" not in draw_interval(Bar(None, None, 1.0, 0.0, 2.0))
    assert "circle" not in draw_interval(Bar(None, None, None, 0.0, 2.0))


@each(
    "cell,text",
    [
        (Decision("not_worse"), '<span class="decision decision-not_worse">not worse</span>'),
        (Decision('"<b>'), '<span class="decision decision-&#34;&lt;b&gt;">&#34;&lt;b&gt;</span>'),
        (Number(-0.5), "\N{MINUS SIGN}0.5"),
        (Name("<script>"), "<script>"),  # the template escapes it
    ],
)
def test_exact_other_cells_are_texts(cell: Cell, text: str) -> None:
    assert write_cell(cell) == text
