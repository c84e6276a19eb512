"""Numbers in the captions of figures, with minus signs and spaces that no line break divides."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.numbers import format_ends, format_level, format_number, set_minus

SIDES: Final = {"two_sided": "", "less": ", one-sided", "greater": ", one-sided"}
"""What is said of intervals by their alternative."""


def phrase(value: float | None) -> str:
    """Return a number as text; None becomes ``unknown``."""
    return "unknown" if value is None else set_minus(format_number(value))


def write_level(level: float) -> str:
    """Return a confidence level."""
    return format_level(level).replace(" ", "\N{NO-BREAK SPACE}")


def write_ends(lower: float | None, upper: float | None) -> str:
    """Return the ends of an interval as ``0.12 to 0.34``; an end may be open."""
    if lower is None and upper is None:
        return "none"
    return set_minus(format_ends(lower, upper))


def describe_ends(lower: float | None, upper: float | None) -> str:
    """Return an interval in words; an end may be open."""
    if lower is None and upper is None:
        return "without an interval"
    ends = write_ends(lower, upper)
    return f"{ends} by its interval" if lower is None or upper is None else f"interval {ends}"
