"""Numbers in sentences, with the digits that a person would write."""

from __future__ import annotations

import math


def format_number(value: float) -> str:
    """Return a number with at most four significant digits: 0.02, 0.3333, 1.235e+06."""
    return f"{value:.4g}"


def format_to_error(value: float, standard_error: float) -> str:
    """Return a number with the decimals of its standard error's second significant digit.

    Where the error is 0, undefined or so large that no digit of the number is certain, the number
    has four significant digits.
    """
    if not (math.isfinite(standard_error) and standard_error > 0 and math.isfinite(value)):
        return format_number(value)
    decimals = 1 - math.floor(math.log10(standard_error))
    if decimals > 6 or decimals < 0 or abs(value) >= 1e6:
        return format_number(value)
    for extra in range(3):  # a small number should not be written as 0
        text = f"{value:.{decimals + extra}f}"
        if float(text) != 0:
            return text
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
    return f"{n:,}".replace(",", " ") if n >= 10_000 else str(n)
