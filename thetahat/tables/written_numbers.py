"""Numbers that stand as text in a column where a role needs numbers: ``"0.31"``."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np

from thetahat.common_names import FALSE_WORDS, MISSING_MARKS, TRUE_WORDS
from thetahat.tables.column_profiles import PLAIN_NUMBER
from thetahat.values.types import FloatArray

_NUMBERS: Final = (bool, int, float, Decimal, np.integer, np.floating, np.bool_)
_LEADING_ZERO: Final = re.compile(r"[+-]?0[0-9]+")


def parse_texts(values: Sequence[Any] | np.ndarray) -> FloatArray | None:
    """Return (n,) numbers, NaN where one is missing; None if a value is neither.

    Texts are numbers as computers write them, or true and false. Of others, such as 0,31 or 1 000,
    only a file shows what they are. Whole numbers of which some begin with 0 are names, as in a
    file.
    """
    truths = _parse_truths(values)
    if truths is not None:
        return truths
    numbers = np.empty(len(values))
    have_fractions = have_zeros = False
    for row, value in enumerate(values):
        if value is None:
            numbers[row] = math.nan
        elif not isinstance(value, str):
            if isinstance(value, np.timedelta64) or not isinstance(value, _NUMBERS):
                return None  # NumPy counts durations among its whole numbers
            numbers[row] = float(value)
        elif (text := value.strip().replace("\N{MINUS SIGN}", "-")).lower() in MISSING_MARKS:
            numbers[row] = math.nan
        elif PLAIN_NUMBER.fullmatch(text):
            numbers[row] = float(text)
            have_zeros = have_zeros or _LEADING_ZERO.fullmatch(text) is not None
            have_fractions = have_fractions or not numbers[row].is_integer()
        else:
            return None
    is_missing = len(numbers) > 0 and bool(np.isnan(numbers).all())
    return None if is_missing or (have_zeros and not have_fractions) else numbers


def _parse_truths(values: Sequence[Any] | np.ndarray) -> FloatArray | None:
    """Return 1 and 0 for texts that are all true or false, or missing; else None."""
    if not all(value is None or isinstance(value, str) for value in values):
        return None
    texts = [None if value in {None, "", "NA", "NaN"} else value.strip() for value in values]
    words = {*texts} - {None}
    are_letters = not words.isdisjoint("tTfF")
    if not are_letters:  # beside letters a mark may be a category
        texts = [None if text is None or text.lower() in MISSING_MARKS else text for text in texts]
        words = {*texts} - {None}
    if not words or not words <= TRUE_WORDS | FALSE_WORDS:
        return None
    if are_letters and not (words & TRUE_WORDS and words & FALSE_WORDS):
        return None
    truths = [math.nan if text is None else text in TRUE_WORDS for text in texts]
    return np.array(truths, dtype=np.float64)
