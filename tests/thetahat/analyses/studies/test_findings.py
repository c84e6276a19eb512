"""Claims, tables and figures as the wire has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from thetahat.analyses.studies import (
    FigureAxis,
    FigureSeries,
    MonteCarloNumber,
    StudyClaim,
    StudyFigure,
    StudyTable,
    decide,
)


@pytest.mark.parametrize(
    ("figure", "error", "bounds", "wanted"),
    [
        (1.0, 0.3, {"at_least": 0.0}, "holds"),  # inside by 3.3 errors
        (1.0, 0.4, {"at_least": 0.0}, "undecided"),  # by 2.5
        (-1.0, 0.4, {"at_least": 0.0}, "undecided"),
        (-1.0, 0.3, {"at_least": 0.0}, "fails"),
        (1.0, 0.3, {"at_most": 0.0}, "fails"),
        (0.95, 0.005, {"at_least": 0.93, "at_most": 0.97}, "holds"),
        (0.95, 0.01, {"at_least": 0.93, "at_most": 0.97}, "undecided"),
        (0.90, 0.005, {"at_least": 0.93, "at_most": 0.97}, "fails"),
        (2.0, 0.0, {"at_least": 2.0}, "holds"),  # closed form, at the bound
        (1.9, 0.0, {"at_least": 2.0}, "fails"),
        (None, 0.1, {"at_least": 0.0}, "undecided"),
        (1.0, None, {"at_least": 0.0}, "undecided"),
        (math.nan, 0.1, {"at_least": 0.0}, "undecided"),
        (math.inf, 0.1, {"at_least": 0.0}, "undecided"),
        (1.0, 0.1, {}, "holds"),
    ],
)
def test_golden_a_figure_decides(
    figure: float | None, error: float | None, bounds: dict[str, float], wanted: str
) -> None:
    # inside by z = 3 standard errors, outside by as much, or neither
    assert decide(MonteCarloNumber(figure, error), **bounds) == wanted


def test_exact_a_claim_as_data() -> None:
    claim = StudyClaim(
        text="theta_B errs to the safe side",
        reference="geras2013",
        place="Figure 2",
        measured="mean of theta_B minus the variance, K = 10",
        figure=MonteCarloNumber(0.5, 0.1),
        at_least=0.0,
    )

    assert claim.as_data() == {
        "text": "theta_B errs to the safe side",
        "reference": "geras2013",
        "place": "Figure 2",
        "verdict": "holds",
        "measured": "mean of theta_B minus the variance, K = 10",
        "figure": 0.5,
        "standard_error": 0.1,
        "at_least": 0.0,
        "at_most": None,
    }


def test_exact_tables_and_figures_hold_no_number_that_json_cannot() -> None:
    rows: list[dict[str, Any]] = [
        {"k": 2, "value": MonteCarloNumber(1.5, math.inf)},
        {"k": "all", "value": math.nan},
    ]
    table = StudyTable(name="t", title="T", columns={"k": "K", "value": "V"}, rows=rows)
    series = FigureSeries("s", np.array([1.0, 2.0]), [0.5, None], error=[math.nan, 0.1])
    figure = StudyFigure(
        name="f", title="F", x=FigureAxis("x", "log"), y=FigureAxis("y"), series=(series,)
    )

    assert table.as_data()["rows"] == [
        {"k": 2, "value": {"value": 1.5, "standard_error": None}},
        {"k": "all", "value": None},
    ]
    assert figure.as_data()["series"] == [
        {"name": "s", "x": [1.0, 2.0], "y": [0.5, None], "error": [None, 0.1], "style": "line"}
    ]
    assert figure.as_data()["x"] == {"title": "x", "scale": "log", "labels": []}
