"""The one text of a cell, with plain hyphens and spaces; markup is added by each renderer."""

from __future__ import annotations

from thetahat_presentation.document import (
    NUMERIC,
    Bar,
    Cell,
    Decision,
    Interval,
    Name,
    Number,
    Pair,
    Percent,
    PercentRange,
    PValue,
)
from thetahat_presentation.numbers import (
    MISSING,
    format_estimate,
    format_interval,
    format_number,
    format_p_value,
    format_percent,
    format_with_error,
)
from thetahat_presentation.renderers.bars import draw_bar


def cell_text(cell: Cell) -> str:
    """Return what a cell says."""
    match cell:
        case str():
            return cell
        case Name(text):
            return text
        case Pair(first, second):
            return f"{first} \N{MINUS SIGN} {second}"
        case Number():
            return _write_number(cell)
        case Interval():
            return _write_interval(cell)
        case Decision(value):
            return value.replace("_", " ")
        case Bar():
            return draw_bar(cell)
        case PValue(value):
            return format_p_value(value)
        case Percent() | PercentRange():
            return _write_percent(cell)


def _write_interval(cell: Interval) -> str:
    text, ends = format_interval(cell.estimate, cell.lower, cell.upper, cell.standard_error)
    return ends if cell.estimate is None else f"{text}: {ends}"


def _write_percent(cell: Percent | PercentRange) -> str:
    if isinstance(cell, PercentRange):
        shares = dict.fromkeys(format_percent(share) for share in (cell.least, cell.largest))
        return MISSING if cell.least is None else " to ".join(shares)
    error = cell.standard_error
    bracket = "" if error is None else f" (± {format_percent(error)})"
    return f"{format_percent(cell.share)}{bracket}"


def is_numeric(cell: Cell) -> bool:
    """Return whether a cell has a number, in which a hyphen is a minus sign."""
    return isinstance(cell, NUMERIC)


def _write_number(cell: Number) -> str:
    value = cell.value
    if not isinstance(value, float) or cell.standard_error is None:
        return format_number(value)
    if cell.shows_error:
        return format_with_error(value, cell.standard_error)
    return format_estimate(value, cell.standard_error)
