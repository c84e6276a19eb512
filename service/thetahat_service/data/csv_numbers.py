"""Numbers as people write them in text tables: 1,234.50 and 1.234,50, 1'234 and 81 %."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final, NamedTuple

import pyarrow as pa

from thetahat.common_names import MISSING_MARKS
from thetahat.tables.column_profiles import PLAIN
from thetahat_service.data import arrow_functions as pc
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.data.base import MISSING

_DIGITS: Final = r"[+-]?[0-9]"
_EXPONENT: Final = r"(?:[eE][+-]?[0-9]+)?"
_SPACE: Final = r"['\x{2019}\x{2009}\x{202f}\x{a0} ]"
_SPACED: Final = rf"^{_DIGITS}{{1,3}}(?:{_SPACE}[0-9]{{3}})+(?:[.,][0-9]+)?$"
_PERCENT: Final = r"\s?%$"
_MINUS: Final = "\N{MINUS SIGN}"
_MARKS: Final = make_arrow_array(sorted(MISSING_MARKS))
_MISSING: Final = make_arrow_array(MISSING)
MISSING_TEXT: Final = pa.nulls(1, pa.string())[0]
"""A missing value; None in its place makes pyarrow import pandas."""

FRACTION: Final = {
    ".": rf"[+-]?(?:[0-9]*\.[0-9]+|[0-9]+\.){_EXPONENT}",
    ",": rf"{_DIGITS}+,[0-9]+{_EXPONENT}",
}
"""Patterns of numbers by their decimal mark."""
EITHER: Final = {mark: rf"[+-]?[1-9][0-9]{{0,2}}\{mark}[0-9]{{3}}" for mark in ".,"}
"""Those of which the mark may also stand between thousands."""
GROUPED: Final = {
    ".": rf"{_DIGITS}{{1,3}}(?:(?:,[0-9]{{3}})+\.[0-9]+|(?:,[0-9]{{3}}){{2,}})",
    ",": rf"{_DIGITS}{{1,3}}(?:(?:\.[0-9]{{3}})+,[0-9]+|(?:\.[0-9]{{3}}){{2,}})",
}
"""Numbers with marks of thousands that show, by the decimal mark, which one is which."""
NUMBER: Final = "|".join(
    [
        re.sub(r"([+*?])\+", r"\1", PLAIN),  # Arrow has no possessive repetition, and needs none
        *("[+-]?(?i:inf|infinity)", FRACTION[","], *GROUPED.values()),
    ]
)
"""A number in any of these forms."""


class NumberForm(NamedTuple):
    """How the numbers of one column are written."""

    decimal: str
    """Point or comma; the other one stands between thousands."""
    is_percent: bool
    """Whether every number has a percent sign, so that it is divided by 100."""
    is_grouped: bool
    """Whether some have marks of thousands."""

    def parse(self, texts: pa.Array, kind: pa.DataType) -> pa.Array:
        """Return the numbers of texts of this form, null for marks of missing values."""
        if self == PLAIN_FORM and (numbers := cast_numbers(texts, kind)) is not None:
            return numbers
        texts, _ = split_marks(texts)
        texts, _, _ = remove_signs(texts)
        if self.is_grouped:
            thousands = "," if self.decimal == "." else "."
            texts = pc.replace_substring(texts, pattern=thousands, replacement="")
        texts = pc.replace_substring(texts, pattern=self.decimal, replacement=".")
        texts = pc.utf8_ltrim(texts, characters="+")
        if not self.is_percent:
            return pc.cast(texts, kind)
        # 78.6 divided by 100 is not the number nearest to 0.786, which 78.6e-2 is.
        numbers = cast_numbers(pc.binary_join_element_wise(texts, "e-2", ""), kind)
        return pc.divide(pc.cast(texts, kind), 100.0) if numbers is None else numbers


PLAIN_FORM: Final = NumberForm(".", is_percent=False, is_grouped=False)
"""Numbers as computers write them."""


def cast_numbers(texts: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Return numbers of texts as computers write them; None if some text is none."""
    try:
        return pc.cast(texts, kind)
    except pa.ArrowInvalid:
        return None


def split_marks(texts: pa.Array) -> tuple[pa.Array, Counter[str]]:
    """Return trimmed texts with null for each mark of a missing value, and those marks."""
    trimmed = pc.replace_substring(pc.utf8_trim_whitespace(texts), pattern=_MINUS, replacement="-")
    are_marks = pc.is_in(pc.utf8_lower(trimmed), value_set=_MARKS)
    marks = Counter(pc.filter(trimmed, pc.and_(are_marks, pc.is_valid(trimmed))).to_pylist())
    return pc.if_else(are_marks, MISSING_TEXT, trimmed), marks


def drop_marks(texts: pa.Array) -> pa.Array:
    """Return texts as they are, with null for each mark of a missing value."""
    return pc.if_else(pc.is_valid(split_marks(texts)[0]), texts, MISSING_TEXT)


def drop_missing(cells: pa.Array) -> pa.Array:
    """Return cells with null for NA and NaN, which are missing unless the column has labels."""
    are_missing = pc.is_in(cells, value_set=_MISSING)
    return pc.if_else(are_missing, MISSING_TEXT, cells) if pc.any(are_missing).as_py() else cells


def remove_signs(texts: pa.Array) -> tuple[pa.Array, int, bool]:
    """Return texts without percent signs, how many had one, and without spaces of thousands.

    The last of the three says whether some had such spaces or apostrophes.
    """
    n_percent = pc.sum(pc.match_substring(texts, pattern="%")).as_py() or 0
    if n_percent:
        texts = pc.replace_substring_regex(texts, pattern=_PERCENT, replacement="")
    are_spaced = pc.match_substring_regex(texts, pattern=_SPACED)
    if not pc.any(are_spaced).as_py():
        return texts, n_percent, False
    joined = pc.replace_substring_regex(texts, pattern=_SPACE, replacement="")
    return pc.if_else(are_spaced, joined, texts), n_percent, True


def are_matched(texts: pa.Array, pattern: str) -> pa.Array:
    """Return whether each text as a whole has a pattern; null for null."""
    return pc.match_substring_regex(texts, pattern=rf"^(?:{pattern})$")
