"""Numbers in sentences, with the digits that a person would write."""

from __future__ import annotations

import math
from typing import Final

SCIENTIFIC_FROM: Final = 1e12
"""Numbers of that size and larger are written with a power of ten."""
DIGITS_OF_A_DOUBLE: Final = 15


def format_number(value: float) -> str:
    """Return a number with four significant digits, or all digits of a whole part below 10^6.

    0.02, 0.3333, 12 346, 1 235 000; numbers below 10^-4 or from 10^12 on have a power of ten.
    """
    if not 9999.5 <= abs(value) < SCIENTIFIC_FROM:
        return f"{value:.4g}"
    digits = 0 if abs(value) < 1e6 else 3 - math.floor(math.log10(abs(value)))
    return _set_thousands_apart(f"{round(value, digits):.0f}")


def format_to_error(value: float, standard_error: float) -> str:
    """Return a number with the decimals of its standard error's second significant digit.

    Where the error is 0, undefined or so large that no digit of the number is certain, the number
    has four significant digits.
    """
    if not (math.isfinite(standard_error) and standard_error > 0 and math.isfinite(value)):
        return format_number(value)
    decimals = 1 - math.floor(math.log10(standard_error))
    whole_digits = len(f"{abs(value):.0f}")
    if (
        decimals > 6
        or abs(value) >= SCIENTIFIC_FROM
        or decimals + whole_digits > DIGITS_OF_A_DOUBLE
    ):
        return format_number(value)
    if decimals < 0:
        if not round(value, decimals):
            return format_number(value)
        return _set_thousands_apart(f"{round(value, decimals):.0f}")
    for extra in range(3):  # a small number should not be written as 0
        text = f"{value:.{decimals + extra}f}"
        if float(text) != 0:
            return _set_thousands_apart(text)
    return f"{0:.{decimals}f}"


def format_p_value(p_value: float, alpha: float) -> str:
    """Return ``p = 0.013``, or ``p < 0.001``, with enough digits to show the side of alpha."""
    if p_value < 0.001 <= alpha:
        return "p < 0.001"
    for digits in range(2, 8):
        text = f"{p_value:.{digits}g}"
        if (float(text) < alpha) == (p_value < alpha):
            break
    return f"p = {text}"


def format_percent(share: float) -> str:
    """Return a share as a percentage: 95 %, 99.9 %."""
    return f"{100 * share:.6g} %"


def format_count(n: int) -> str:
    """Return a count; thousands are set apart from 10 000 on."""
    return _set_thousands_apart(str(n))


def _set_thousands_apart(text: str) -> str:
    """Return a decimal number with spaces between the thousands of a whole part from 10 000 on."""
    whole, point, decimals = text.partition(".")
    if abs(int(whole)) >= 10_000:
        whole = f"{int(whole):,}".replace(",", " ")
    return whole + point + decimals
