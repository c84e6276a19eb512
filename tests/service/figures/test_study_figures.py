"""Figures of studies: curves are drawn as they are listed, and every interval has its name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from thetahat.analyses.studies.result import FigureAxis, FigureSeries, StudyFigure, make_series
from thetahat.values.json_values import to_json
from thetahat_service.figures.drawing import draw
from thetahat_service.figures.study import build_study
from thetahat_service.figures.style import Style


def draw_figure(*series: FigureSeries) -> str:
    """Return the SVG of a study's figure with two numerical axes."""
    x, y = FigureAxis(title="x"), FigureAxis(title="y")
    figure = to_json(StudyFigure(name="f", title="F", x=x, y=y, series=series))
    result: Any = {"study": {"preset": "p", "repetitions": 1}, "figures": [figure]}
    (built,) = build_study(result)
    return draw(built.build_spec(Style()), "svg").decode()


def test_exact_a_closed_curve_is_drawn_in_the_order_of_its_points() -> None:
    angles = np.linspace(0, 2 * np.pi, 73)
    svg = draw_figure(make_series("circle", np.cos(angles), np.sin(angles)))

    (path,) = re.findall(r'aria-roledescription="line mark"[^>]* d="M([^"]*)"', svg)
    points = np.array([point.split(",") for point in path.split("L")], dtype=float)
    centred = points - (points.max(axis=0) + points.min(axis=0)) / 2
    drawn = centred / centred.max(axis=0) * [1, -1]  # SVG counts downwards
    assert_allclose(drawn, np.stack([np.cos(angles), np.sin(angles)], axis=1), atol=0.01)


def test_exact_the_rows_of_coverage_have_the_names_of_the_intervals() -> None:
    names = ["normal:bayle", "recommended"]
    svg = draw_figure(
        make_series("10-fold", [0.9, 1.0], [0.97, 0.95], labels=names),
        make_series("holdout", [1.1, 1.0], [0.8, 0.9], labels=names),
        make_series("level", [0.5, 1.5], [0.95, 0.95], style="dashed"),
    )

    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    rows = [text for text in texts if text in {"10-fold", "holdout", *names}]
    assert rows == ["10-fold", *names, "holdout", *reversed(names)]
