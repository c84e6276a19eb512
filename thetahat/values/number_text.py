"""Numbers in sentences, with the digits that a person would write."""

from __future__ import annotations

import math
from collections.abc import Sequence
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
    return format_alike([value], standard_error)[0]


def format_alike(values: Sequence[float], standard_error: float) -> list[str]:
    """Return numbers of one interval, all with the digits of ``format_to_error``."""
    is_finite = all(map(math.isfinite, (standard_error, *values)))
    if not is_finite or standard_error <= 0:
        return [format_number(value) for value in values]
    decimals = 1 - math.floor(math.log10(standard_error))
    whole_digits = max(len(f"{abs(value):.0f}") for value in values)
    is_huge = any(abs(value) >= SCIENTIFIC_FROM for value in values)
    if decimals > 6 or is_huge or decimals + whole_digits > DIGITS_OF_A_DOUBLE:
        return [format_number(value) for value in values]
    if decimals < 0 and all(round(value, decimals) or value == 0 for value in values):
        return [_set_thousands_apart(f"{round(value, decimals):.0f}") for value in values]
    if decimals < 0 and len(values) == 1:
        return [format_number(value) for value in values]
    decimals = max(decimals, 0)
    for extra in range(3):  # a small number should not be written as 0
        texts = [f"{value:.{decimals + extra}f}" for value in values]
        if all(value == 0 or float(text) for value, text in zip(values, texts, strict=True)):
            break
    else:
        texts = [f"{value:.{decimals}f}" for value in values]
    return [_set_thousands_apart(text if float(text) else text.lstrip("-")) for text in texts]


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
