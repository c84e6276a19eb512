"""A look in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thetahat.analyses.series.design import SeriesDesign, Unit
from thetahat.analyses.series.statements import Statement
from thetahat.sequential.base import LookOutcome
from thetahat.values.number_text import count_noun, format_alike, format_number, format_percent


def write_sentence(
    design: SeriesDesign, outcome: LookOutcome, holding: Sequence[Statement], rows: int
) -> str:
    """Return what a look has shown, with its interval."""
    start = f"After {count_noun(rows, 'row')}"
    if design.unit is Unit.CLUSTER:
        start += f" in {count_noun(outcome.n, 'cluster')}"
    if outcome.lower is None or outcome.upper is None:
        return f"{start} there is no interval. {outcome.reason}"
    error = (outcome.standard_deviation or 0.0) / math.sqrt(max(outcome.n, 1))
    mean, low, high = format_alike([outcome.estimate or 0.0, outcome.lower, outcome.upper], error)
    what = "the mean difference" if design.is_pair else f"the mean of {design.models[0]}"
    numbers = (
        f"{what} is {mean}, with a {format_percent(design.level)} interval from {low} to {high} "
        "that holds for all looks together"
    )
    return f"{start} {_write_statements(design, holding)}: {numbers}."


def _write_statements(design: SeriesDesign, holding: Sequence[Statement]) -> str:
    first = design.models[0]
    if design.is_pair:
        other = design.models[1]
    else:
        other = f"the reference of {format_number(design.question.reference)}"
    margin = format_number(design.margin or 0.0)
    words = {
        Statement.EQUIVALENT: f"{first} is within {margin} of {other}",
        Statement.BETTER: f"{first} is better than {other}",
        Statement.WORSE: f"{first} is worse than {other}",
        Statement.NOT_WORSE: f"{first} is not worse than {other} by {margin} or more",
        Statement.FUTILE: "the goal is unlikely to be reached at the planned end",
    }
    shown = [held for held in holding if held is not Statement.NOT_WORSE or len(holding) == 1]
    shown = shown or list(holding)
    if not shown:
        return f"nothing is decided about {first} and {other}"
    return " and ".join(words[held] for held in shown)
