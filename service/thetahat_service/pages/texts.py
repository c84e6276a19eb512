"""Words, numbers and times as pages write them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from thetahat.values.number_text import (
    format_count,
    format_number,
    format_to_error,
)
from thetahat_service.figures.words import write_level

_PERCENT: Final = re.compile(r"(?<=\d) %")
_NEGATIVE: Final = re.compile(r"(?<=\b(?:is|to|of) )-(?=\d)|(?<=\binterval )-(?=\d)")
"""The hyphen of a negative number in a sentence; a hyphen in a name stays."""
MISSING: Final = "–"

TARGETS: Final = {
    "these_sources": "on data like these",
    "new_source": "on a new {unit}",
    "these_models": "of these trained models",
    "new_population": "in the target population",
}
"""What a number is about, as the end of a sentence; ``unit`` is the word for a source."""

KINDS: Final = {
    "losses": "Losses",
    "predictions": "Predictions",
    "cross_validation": "Cross-validation",
    "selection": "Selection",
    "learning_curve": "Learning curve",
    "importance_weighting": "Importance weighting",
    "weights": "Importance weights",
    "bootstrap": "Bootstrap",
    "study": "Study",
}

STATES: Final = {
    "queued": "Queued",
    "running": "Running",
    "succeeded": "Finished",
    "failed": "Failed",
    "cancelled": "Cancelled",
}


def describe_target(target: str | None, unit: str = "source") -> str:
    """Return a target in words; ``unit`` is what the request calls a source."""
    if target is None:
        return ""
    return TARGETS.get(target, target.replace("_", " ")).format(unit=unit)


def describe_kind(kind: str) -> str:
    """Return the name of a kind of evaluation."""
    return KINDS.get(kind, capitalise(kind.replace("_", " ")))


def describe_state(state: str) -> str:
    """Return the state of an evaluation in a word."""
    return STATES.get(state, capitalise(state))


def capitalise(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def count(n: int, noun: str) -> str:
    """Return a number with its noun, as ``1 table`` or ``3 tables``."""
    return f"{format_count(n)} {noun if n == 1 else f'{noun}s'}"


def write_number(value: Any) -> str:
    """Return a number with at most four significant digits, and a missing one as a dash."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return format_count(value)
    if isinstance(value, float):
        return _replace_hyphen(format_number(value))
    return str(value)


def write_percent(share: float) -> str:
    """Return a share as a percentage with at most one decimal, on one line."""
    return write_level(round(share, 3))


def write_estimate(value: float | None, standard_error: float | None) -> str:
    """Return an estimate with the digits that its standard error leaves certain."""
    if value is None:
        return MISSING
    if standard_error is None:
        return write_number(value)
    return _replace_hyphen(format_to_error(value, standard_error))


def write_interval(lower: float | None, upper: float | None, standard_error: float | None) -> str:
    """Return the ends of an interval; an open end is written in words."""
    if lower is None and upper is None:
        return MISSING
    low, high = (write_estimate(end, standard_error) for end in (lower, upper))
    if lower is None:
        return f"at most {high}"
    if upper is None:
        return f"at least {low}"
    return f"{low} to {high}"


def write_ends(interval: Mapping[str, Any] | None, standard_error: float | None = None) -> str:
    """Return the ends of an interval of a result, or a dash where there is none."""
    if interval is None:
        return MISSING
    error = standard_error if standard_error is not None else interval.get("standard_error")
    return write_interval(interval["lower"], interval["upper"], error)


def write_p_value(p_value: float | None) -> str:
    """Return a p-value with two significant digits, or the bound that it is below."""
    if p_value is None:
        return MISSING
    return "< 0.001" if p_value < 0.001 else f"{p_value:.2g}"


def write_moment(moment: datetime | None) -> str:
    """Return a time in UTC, to the minute."""
    return "" if moment is None else f"{moment.astimezone(UTC):%-d %b %Y, %H:%M} UTC"


def write_duration(seconds: float | None) -> str:
    """Return a duration in the unit that suits it."""
    if seconds is None:
        return MISSING
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        return f"{seconds:.0f} seconds" if seconds >= 1.5 else "1 second"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def write_bytes(size: int) -> str:
    """Return a size in bytes with a unit."""
    number = float(size)
    for unit in ("bytes", "kB", "MB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} GB"


def typeset(sentence: str) -> str:
    """Return a sentence with minus signs, and with percentages that no line break divides."""
    text = _PERCENT.sub("\N{NO-BREAK SPACE}%", sentence)
    return _NEGATIVE.sub("\N{MINUS SIGN}", text)


def join_words(words: list[str]) -> str:
    """Return words as a list of a sentence: ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _replace_hyphen(text: str) -> str:
    """Return a number with a minus sign in the place of the hyphen."""
    return text.replace("-", "−", 1) if text.startswith("-") else text
