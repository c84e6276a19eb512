r"""The populations of both example settings, as Figures 1 and 5 of the paper show them.

In one dimension the figure has the densities; in two it has, for each class, the curves on which
the density of the features given the class is a half and a tenth of its largest value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from scipy.special import log_ndtr, ndtr

from thetahat.analyses.studies.result import (
    FigureAxis,
    FigureSeries,
    SeriesStyle,
    StudyFigure,
    make_series,
)
from thetahat.values.types import FloatArray

SPREAD: Final = 1 / math.sqrt(2)
"""The paper's gamma in both figures: a standard deviation in one dimension, a variance in two."""
X: Final = np.linspace(-4.0, 4.0, 81)
LEVELS: Final[tuple[tuple[float, str, SeriesStyle], ...]] = (
    (0.5, "half", "line"),
    (0.1, "tenth", "dashed"),
)
DOMAINS: Final = {"source": (-1.0, math.sqrt(SPREAD)), "target": (0.0, 1.0)}
"""The mean of the first feature, and the standard deviation of both."""
N_DIRECTIONS: Final = 72
GRID: Final = 201
HALVINGS: Final = 40


def build_figure_1() -> StudyFigure:
    """Return the densities of source and target in one dimension."""
    source = np.exp(-(((X + 1) / SPREAD) ** 2) / 2) / (SPREAD * math.sqrt(2 * math.pi))
    target = np.exp(-(X**2) / 2) / math.sqrt(2 * math.pi)
    return StudyFigure(
        name="figure_1",
        title="Source and target of the example setting",
        x=FigureAxis(title="x"),
        y=FigureAxis(title="density"),
        series=(
            make_series("target, N(0, 1)", X, target),
            make_series("source, N(-1, 1/2)", X, source),
        ),
        note="Figure 1 of the paper, with g = 1/√2. The source has the higher density from "
        "-3.64 to -0.36; the paper names -3 to -1/2, which lies inside.",
    )


def list_figures_5() -> Iterator[StudyFigure]:
    """Yield the class-conditional densities in two dimensions, of the source and of the target."""
    for domain, (mean, deviation) in DOMAINS.items():
        yield StudyFigure(
            name=f"figure_5_{domain}",
            title=f"Classes of the {domain} in two dimensions",
            x=FigureAxis(title="first feature"),
            y=FigureAxis(title="second feature"),
            series=tuple(_list_curves(mean, deviation)),
            note="Figure 5 of the paper, with gamma = 1/√2, which is a variance here: the curves "
            "on which the density given the class is a half and a tenth of its largest value.",
        )


def _list_curves(mean: float, deviation: float) -> Iterator[FigureSeries]:
    for label in (1, -1):
        for level, words, style in LEVELS:
            points = trace_level(label, mean, deviation, level)
            name = f"y = {label}, {words}"
            x, y = points.T
            yield make_series(name, x, y, style=style, quantity=f"y = {label}")


def compute_log_density(label: int, x: FloatArray, mean: float, deviation: float) -> FloatArray:
    """Return the logarithm of the density of (..., 2) features given the class, but for a constant.

    Class 1 has the probability Phi(-x_1) Phi(-x_2).
    """
    log_probability = log_ndtr(-x[..., 0]) + log_ndtr(-x[..., 1])
    if label != 1:
        log_probability = np.log1p(-ndtr(-x[..., 0]) * ndtr(-x[..., 1]))
    squares = (x[..., 0] - mean) ** 2 + x[..., 1] ** 2
    return np.asarray(log_probability - squares / (2 * deviation**2))


def trace_level(label: int, mean: float, deviation: float, level: float) -> FloatArray:
    """Return (N_DIRECTIONS + 1, 2) points of a closed curve around the largest density.

    The density is a share ``level`` of the largest one there. Each point is found by halving along
    a line from the place of the largest density.
    """
    reach = 6 * deviation
    steps = np.linspace(-reach, reach, GRID)
    grid = np.stack(np.meshgrid(mean + steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)
    densities = compute_log_density(label, grid, mean, deviation)
    centre, limit = grid[int(np.argmax(densities))], float(densities.max()) + math.log(level)
    angles = np.linspace(0, 2 * math.pi, N_DIRECTIONS + 1)
    directions = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    low, high = np.zeros(len(angles)), np.full(len(angles), reach)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        at = centre + middle[:, None] * directions
        inside = compute_log_density(label, at, mean, deviation) > limit
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.asarray(centre + low[:, None] * directions)
