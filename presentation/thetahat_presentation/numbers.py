"""Numbers as they are shown everywhere: rounded by their standard error, with plain hyphens.

The library writes the numbers of its sentences by them, too (``thetahat.values.number_text``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

MISSING: Final = "\N{EN DASH}"
SCIENTIFIC_FROM: Final = 1e12
"""Numbers of that size and larger are written with a power of ten."""
DIGITS_OF_A_DOUBLE: Final = 15
TINY: Final = 1e-12
"""Standard errors below this share of a value are rounding errors."""
_HYPHEN: Final = re.compile(r"(?<![\w.)])-(?=\.?\d)")


def format_number(value: object) -> str:
    """Return a number with at most four significant digits, and a missing one as a dash.

    0.02, 0.3333, 12 346, 1 235 000; numbers below 10^-4 or from 10^12 on have a power of ten.
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return format_count(value)
    if not isinstance(value, float):
        return str(value)
    if not 9999.5 <= abs(value) < SCIENTIFIC_FROM:
        return f"{value:.4g}"
    digits = 0 if abs(value) < 1e6 else 3 - math.floor(math.log10(abs(value)))
    return _set_thousands_apart(f"{round(value, digits):.0f}")


def format_estimate(value: float | None, standard_error: float | None) -> str:
    """Return a number with the decimals of its standard error's second significant digit.

    Where the error is 0, undefined or so large that no digit of the number is certain, the number
    has four significant digits.
    """
    if value is None or not math.isfinite(value):
        return MISSING
    return format_alike([value], standard_error)[0]


def format_alike(values: Sequence[float], standard_error: float | None) -> list[str]:
    """Return finite numbers of one interval, all with the digits of ``format_estimate``."""
    if standard_error is None or not (math.isfinite(standard_error) and standard_error > 0):
        return [format_number(float(value)) for value in values]
    decimals = 1 - math.floor(math.log10(standard_error))
    whole_digits = max(len(f"{abs(value):.0f}") for value in values)
    is_huge = any(abs(value) >= SCIENTIFIC_FROM for value in values)
    if decimals > 6 or is_huge or decimals + whole_digits > DIGITS_OF_A_DOUBLE:
        return [format_number(float(value)) for value in values]
    if decimals < 0 and all(round(value, decimals) or value == 0 for value in values):
        return [_set_thousands_apart(f"{round(value, decimals):.0f}") for value in values]
    if decimals < 0 and len(values) == 1:
        return [format_number(float(value)) for value in values]
    decimals = max(decimals, 0)
    for extra in range(3):  # a small number should not be written as 0
        texts = [f"{value:.{decimals + extra}f}" for value in values]
        if all(value == 0 or float(text) for value, text in zip(values, texts, strict=True)):
            break
    else:
        texts = [f"{value:.{decimals}f}" for value in values]
    return [_set_thousands_apart(text if float(text) else text.lstrip("-")) for text in texts]


def format_with_error(value: float | None, standard_error: float | None) -> str:
    """Return a number with its standard error in brackets, unless that is a rounding error."""
    if value is None or not standard_error or standard_error <= TINY * abs(value):
        return format_number(value)
    error = format_number(float(f"{standard_error:.2g}"))
    return f"{format_estimate(value, standard_error)} (± {error})"


def format_ends(lower: float | None, upper: float | None) -> str:
    """Return the ends of an interval; an open end is written in words."""
    return format_interval(None, lower, upper)[1]


def format_interval(
    estimate: float | None,
    lower: float | None,
    upper: float | None,
    standard_error: float | None = None,
) -> tuple[str, str]:
    """Return an estimate and the ends of its interval, all three with the same digits.

    A quarter of the length of the interval, about one standard error, decides on the digits where
    there is no standard error.
    """
    error = standard_error
    if not error and lower is not None and upper is not None:
        error = (upper - lower) / 4
    numbers = [each for each in (estimate, lower, upper) if each is not None]
    finite = [number for number in numbers if math.isfinite(number)]
    texts = iter(format_alike(finite, error) if finite else ())
    middle, low, high = (
        MISSING if each is None or not math.isfinite(each) else next(texts)
        for each in (estimate, lower, upper)
    )
    if lower is None and upper is None:
        return middle, MISSING
    if lower is None:
        return middle, f"at most {high}"
    if upper is None:
        return middle, f"at least {low}"
    return middle, f"{low} to {high}"


def format_p_value(p_value: float | None) -> str:
    """Return ``0.013`` or ``< 0.001``."""
    if p_value is None:
        return MISSING
    return "< 0.001" if p_value < 0.001 else f"{p_value:.2g}"


def format_level(level: float) -> str:
    """Return a confidence level in per cent: 95 %, 99.9 %."""
    return f"{100 * level:.6g} %"


def format_percent(share: float | None) -> str:
    """Return a share in per cent with at most one decimal."""
    return MISSING if share is None else format_level(round(share, 3))


def format_count(n: int) -> str:
    """Return a count; thousands are set apart from 10 000 on."""
    return _set_thousands_apart(str(n))


def count(n: int, noun: str) -> str:
    """Return a number with its noun, as ``1 table`` or ``3 tables``."""
    return f"{format_count(n)} {noun if n == 1 else f'{noun}s'}"


def set_minus(text: str) -> str:
    """Return a text of numbers with minus signs in the place of hyphens."""
    return _HYPHEN.sub("\N{MINUS SIGN}", text)


def _set_thousands_apart(text: str) -> str:
    """Return a decimal number with spaces between the thousands of a whole part from 10 000 on."""
    whole, point, decimals = text.partition(".")
    if abs(int(whole)) >= 10_000:
        whole = f"{int(whole):,}".replace(",", " ")
    return whole + point + decimals
