"""Claims, tables and figures: how they are judged, and their JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from thetahat.analyses.studies.claims import (
    ClaimCase,
    ClaimRow,
    RelativeBound,
    decide,
    explain_undecided,
    judge,
    pick_least_certain,
)
from thetahat.analyses.studies.result import FigureAxis, StudyFigure, make_series, make_table
from thetahat.values.json_values import to_json
from thetahat.values.monte_carlo_number import MonteCarloNumber

SAFE = ClaimRow(
    sentence="theta_B errs to the safe side",
    reference="geras2013",
    place="Figure 2",
    quantity="bias",
    measured="mean of theta_B minus the variance, K = {k}",
    at_least=0.0,
)


def build_case(value: MonteCarloNumber | None, fields: Mapping[str, str | float]) -> ClaimCase[str]:
    """Return a case with one number, the bias."""
    return ClaimCase({"bias": value}.__getitem__, fields)


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
def test_by_hand_a_figure_decides(
    figure: float | None, error: float | None, bounds: dict[str, float], wanted: str
) -> None:
    # inside by z = 3 standard errors, outside by as much, or neither
    assert decide(MonteCarloNumber(figure, error), **bounds) == wanted


def test_exact_a_claim_as_data() -> None:
    (claim,) = judge((SAFE,), [build_case(MonteCarloNumber(0.5, 0.1), {"k": 10})])

    assert to_json(claim) == {
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


def test_exact_rows_are_judged_case_by_case() -> None:
    cases = [build_case(MonteCarloNumber(1.0, 0.0), {"k": k}) for k in (2, 5)]
    other = replace(SAFE, sentence="K = {k}", place="p. {k}")

    claims = judge((SAFE, other), [*cases, build_case(None, {"k": 9})])

    assert [claim.text for claim in claims] == [SAFE.sentence, "K = 2", SAFE.sentence, "K = 5"]
    assert [claim.place for claim in claims] == ["Figure 2", "p. 2", "Figure 2", "p. 5"]


def test_by_hand_a_bound_may_depend_on_the_case() -> None:
    row = replace(
        SAFE, at_least=RelativeBound("level", plus=-0.05), at_most=RelativeBound("sd", times=0.5)
    )
    (claim,) = judge(
        (row,), [build_case(MonteCarloNumber(0.91, 0.0), {"k": 1, "level": 0.95, "sd": 2})]
    )

    # 0.95 - 0.05 and 0.5 * 2
    assert claim.at_least == pytest.approx(0.9)
    assert claim.at_most == 1.0
    assert claim.verdict == "holds"


@pytest.mark.parametrize(
    ("value", "repetitions", "can_hold_early", "wanted", "error"),
    [
        (1.0, 100, False, "holds", 0.1),
        (1.0, 99, False, "undecided", None),
        (1.0, 99, True, "holds", 0.1),
        (-1.0, 99, True, "undecided", None),
        (-1.0, 100, True, "fails", 0.1),
    ],
)
def test_exact_too_few_repetitions_do_not_decide(
    *, value: float, repetitions: int, can_hold_early: bool, wanted: str, error: float | None
) -> None:
    row = replace(SAFE, fewest_repetitions=100, can_hold_early=can_hold_early)
    case = build_case(MonteCarloNumber(value, 0.1), {"k": 1, "repetitions": repetitions})
    (claim,) = judge((row,), [case])

    assert claim.verdict == wanted
    assert (claim.figure, claim.standard_error) == (value, error)


def test_exact_tables_and_figures_hold_no_number_that_json_cannot() -> None:
    rows: list[dict[str, Any]] = [
        {"k": 2, "value": MonteCarloNumber(1.5, math.inf)},
        {"k": "all", "value": math.nan},
    ]
    table = make_table("t", "T", {"k": "K", "value": "V", "none": "N"}, rows)
    series = make_series("s", np.array([1.0, 2.0]), [0.5, None], error=[math.nan, 0.1])
    figure = StudyFigure(
        name="f",
        title="F",
        x=FigureAxis(title="x", scale="log"),
        y=FigureAxis(title="y"),
        series=(series,),
    )

    assert to_json(table)["rows"] == [
        {"k": 2, "value": {"value": 1.5, "standard_error": None}, "none": None},
        {"k": "all", "value": None, "none": None},
    ]
    assert to_json(figure)["series"] == [
        {"name": "s", "x": [1.0, 2.0], "y": [0.5, None], "error": [None, 0.1], "style": "line"}
    ]
    assert to_json(figure)["x"] == {"title": "x", "scale": "log", "labels": []}


def test_exact_the_least_certain_number_decides_a_claim_of_several() -> None:
    def decide_each(numbers: list[MonteCarloNumber]) -> str:
        verdicts = {decide(number, at_least=0.0) for number in numbers}
        return next(v for v in ("fails", "undecided", "holds") if v in verdicts)

    cases = [(1.0, 0.1), (0.2, 0.1), (-0.2, 0.1), (-1.0, 0.1), (5.0, 0.0), (0.0, 0.0), (-1.0, 0.0)]
    for first in cases:
        for second in cases:
            numbers = [MonteCarloNumber(*first), MonteCarloNumber(*second)]
            verdict = decide(pick_least_certain(numbers), at_least=0.0)
            assert verdict == decide_each(numbers), (first, second)
    unknown = MonteCarloNumber(2.0, None)
    assert pick_least_certain([MonteCarloNumber(-1.0, 0.1), unknown]) == unknown


def test_by_hand_why_a_claim_is_undecided() -> None:
    near = explain_undecided(MonteCarloNumber(1.3, 0.2), at_least=1.0, at_most=9.0)
    at_bound = explain_undecided(MonteCarloNumber(1.001, 0.2), at_least=1.0)
    unknown = explain_undecided(MonteCarloNumber(1.0, None), at_least=0.0)

    # 1.5 standard errors from 1; (3 / 1.5)^2 = 4
    assert "1.5 standard errors from the bound 1," in near
    assert "4 times as many repetitions decide it" in near
    assert "more than 100 times" in at_bound
    assert "unknown" in unknown
