"""Figures of coverage against width, relative to the recommended interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from thetahat.analyses.studies.result import (
    FigureAxis,
    StudyFigure,
    make_series,
    make_series_of_numbers,
)
from thetahat.values.monte_carlo_number import MonteCarloNumber

Point: TypeAlias = tuple[float, MonteCarloNumber, str]
"""The relative width of an interval, its coverage, and its label."""


def build_coverage_figure(
    name: str, title: str, points: Mapping[str, Sequence[Point]], level: float
) -> StudyFigure | None:
    """Return the figure of points by series, with a line at the level; None without points."""
    all_widths = [width for of_series in points.values() for width, *_ in of_series]
    if not all_widths:
        return None
    series = [
        make_series_of_numbers(
            key,
            [width for width, *_ in of_series],
            [coverage for _, coverage, _ in of_series],
            "points",
            labels=[label for *_, label in of_series],
        )
        for key, of_series in points.items()
    ]
    ends = [min(all_widths), max(all_widths)]
    nominal = make_series("nominal", ends, [level, level], style="dashed")
    return StudyFigure(
        name=name,
        title=title,
        x=FigureAxis(title="width relative to the recommended interval", scale="log"),
        y=FigureAxis(title="share of repetitions"),
        series=(*series, nominal),
        note="Numbers are averages over the cells.",
    )
