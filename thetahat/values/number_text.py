"""Numbers in sentences, with the digits that a person would write, and names of methods."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thetahat_presentation import numbers
from thetahat_presentation.numbers import count as count_noun
from thetahat_presentation.numbers import format_count
from thetahat_presentation.numbers import format_level as format_percent

__all__ = [
    "count_noun",
    "find_error",
    "format_alike",
    "format_count",
    "format_number",
    "format_p_value",
    "format_percent",
    "format_to_error",
    "name_method",
    "name_target",
]


def format_number(value: float) -> str:
    """Return a number with four significant digits, or all digits of a whole part below 10^6.

    0.02, 0.3333, 12 346, 1 235 000; numbers below 10^-4 or from 10^12 on have a power of ten.
    """
    return numbers.format_number(float(value)) if math.isfinite(value) else f"{value:.4g}"


def format_to_error(value: float, standard_error: float) -> str:
    """Return a number with the decimals of its standard error's second significant digit.

    Where the error is 0, undefined or so large that no digit of the number is certain, the number
    has four significant digits.
    """
    return format_alike([value], standard_error)[0]


def format_alike(values: Sequence[float], standard_error: float) -> list[str]:
    """Return numbers of one interval, all with the digits of ``format_to_error``."""
    if not all(map(math.isfinite, values)):
        return [format_number(value) for value in values]
    return numbers.format_alike(values, standard_error)


def find_error(standard_error: float | None, lower: float | None, upper: float | None) -> float:
    """Return the error that decides on the digits of an interval: about a quarter of its length.

    A standard error of its own comes first. Without one, and with an open end, it is 0.
    """
    if standard_error:
        return standard_error
    return 0.0 if lower is None or upper is None else (upper - lower) / 4


def format_p_value(p_value: float, alpha: float) -> str:
    """Return ``p = 0.013``, or ``p < 0.001``, with enough digits to show the side of alpha."""
    if p_value < 0.001 <= alpha:
        return "p < 0.001"
    for digits in range(2, 8):
        text = f"{p_value:.{digits}g}"
        if (float(text) < alpha) == (p_value < alpha):
            break
    return f"p = {text}"


# What follows is imported when a sentence has such a name, which few results have.


def name_method(name: str) -> str:
    """Return the name of a method as people write it: Nadeau-Bengio for ``nadeau_bengio``."""
    from thetahat_presentation.wording import name_method as write  # noqa: PLC0415 - seldom needed

    return write(name)


def name_target(target: str) -> str:
    """Return a target as a noun: a new source for ``new_source``."""
    from thetahat_presentation.targets import name_target as write  # noqa: PLC0415 - seldom needed

    return write(target)


def write_share(share: float) -> str:
    """Return a share below 1 in percent, which is not rounded up to 100 %."""
    for digits in (2, 3, 4, 6):
        text = f"{100 * share:.{digits}g}"
        if share >= 1 or float(text) < 100:
            return f"{float(text):g} %"
    return "more than 99.9999 %"
