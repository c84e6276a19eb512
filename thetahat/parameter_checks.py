"""Checks of methods' parameters: each raises ``InvalidParameter`` with the parameter's name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from thetahat.errors import InvalidParameter

HIGHEST_LEVEL: Final = 1 - 1e-9
"""The highest confidence level. Beyond it the tail probability of one of many pairs is rounding."""


def check_level(level: float) -> None:
    """Raise if a confidence level is not above 0 and at most ``HIGHEST_LEVEL``."""
    if not 0 < level <= HIGHEST_LEVEL:
        near = f" (did you mean {level / 100:g}?)" if 50 <= level < 100 else ""
        raise InvalidParameter(
            f"The level must be above 0 and at most {HIGHEST_LEVEL!r}, and is {level!r}{near}.",
            loc=("level",),
            value=_convert_to_json_value(level),
        )


def require(is_valid: bool, name: str, value: object, requirement: str) -> None:  # noqa: FBT001 - an assertion
    """Raise unless a parameter is valid; ``requirement`` says what it must be: ``must be even``."""
    if not is_valid:
        shown = list(value) if isinstance(value, tuple) else value
        raise InvalidParameter(f"{name} {requirement}; got {shown!r}.", loc=(name,), value=shown)


def check_choice(name: str, value: str | None, choices: Sequence[str]) -> None:
    """Raise if the value is not one of the choices; None means the default and passes."""
    if value is not None and value not in choices:
        listed = ", ".join(choices[:-1])
        known = f"{listed} or {choices[-1]}" if listed else choices[-1]
        raise InvalidParameter(f"{name} must be {known}; got {value!r}.", loc=(name,), value=value)


def check_at_least(name: str, value: int, least: int) -> None:
    """Raise if a count is too small."""
    if value < least:
        raise InvalidParameter(
            f"{name} must be at least {least}; got {value}.", loc=(name,), value=value
        )


MAX_SPLITS: Final = 100_000
"""The most splits, folds, resamples or repeats of a scheme or of an estimator that trains learners:
with one millisecond a fit they take two minutes."""
MOST_GROUPS: Final = 200
"""Groups of one column or intersection. Each has an interval at a level that falls with their
number, and a reader can act on few; a column with more is mostly an id."""
MOST_SEEDS: Final = 50
"""Trainings of a learner on one split. With 50 its random numbers make up a fiftieth of what
they do with one; what is left is due to the data, and more seeds would not help."""
MAX_ROWS: Final = 10_000_000
"""The most rows that a parameter may count: of a draw, a test part, a gap, neighbours. One column
of so many numbers takes 80 megabytes."""
MAX_COLUMNS: Final = 20_000
"""The most columns that a generator draws or that a step keeps; a preparation step may not make
more either."""
MAX_DRAWN: Final = 200_000_000
"""The most numbers in one draw of a generator, rows times columns: 1.6 gigabytes."""


def check_count(name: str, count: int, least: int) -> None:
    """Raise if a number of trainings is below ``least`` or above ``MAX_SPLITS``."""
    check_at_least(name, count, least)
    check_range(name, count, least, MAX_SPLITS)


def check_range(name: str, value: int | None, least: int, most: int) -> None:
    """Raise if a count is outside the range; None means the default and passes."""
    if value is not None and not least <= value <= most:
        raise InvalidParameter(
            f"{name} must be from {least} to {most}; got {value}.", loc=(name,), value=value
        )


def check_probability(name: str, value: float | None, *, zero: bool = False) -> None:
    """Raise if the value is not between 0 and 1; 0 passes only if ``zero`` is set, 1 never.

    None means the default and passes.
    """
    if value is not None and not (0 < value < 1 or (zero and value == 0)):
        least = "at least" if zero else "above"
        raise InvalidParameter(
            f"{name} must be {least} 0 and below 1; got {value}.", loc=(name,), value=value
        )


def check_positive(name: str, value: float) -> None:
    """Raise if the value is not a finite number above 0."""
    if not (math.isfinite(value) and value > 0):
        raise InvalidParameter(
            f"{name} must be a finite number above 0; got {value}.",
            loc=(name,),
            value=_convert_to_json_value(value),
        )


def check_not_negative(name: str, value: float | None) -> None:
    """Raise if the value is not a finite number of at least 0; None passes."""
    if value is not None and not (math.isfinite(value) and value >= 0):
        raise InvalidParameter(
            f"{name} must be a finite number of at least 0; got {value}.",
            loc=(name,),
            value=_convert_to_json_value(value),
        )


def _convert_to_json_value(value: float) -> float | str:
    """Return the value as JSON can hold it: infinity and NaN as text."""
    return value if math.isfinite(value) else str(value)
