"""What a column contains, as far as it tells what the column is for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Final, NamedTuple

import numpy as np

from thetahat.common_names import MISSING_WORDS, OUTCOME_WORDS, TOTAL_FILLERS, TOTAL_WORDS
from thetahat.tables.columns import RawColumn, find_mixed_marks
from thetahat.values.sorted_rows import is_numbering
from thetahat.values.types import FloatArray

MOST_TOTALS: Final = 2
"""Of so many rows at most one is a total, unless the table is a summary."""
SUMMARY_OF_TABLE: Final = frozenset({"count", "mean", "std", "min", "max", "median"})
"""Rows of a summary, as pandas writes it."""
PLAIN: Final = r"[+-]?(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?"
"""The pattern of a number as computers write it, with a decimal point.

Single characters are repeated possessively, so that long lines take no quadratic time.
"""
PLAIN_NUMBER: Final = re.compile(PLAIN)
_SPACE: Final = r"['\u2019_ \xa0\u2009\u202f]"
WITH_UNIT: Final = re.compile(
    r"(?:\W*|(?:[A-Z]{1,3}|Rs\.?)[$\s]\s?|.{,30}(?:[(\[{=]\s*|:\s))[+\u2212-]?"  # tensor(
    rf"(?:\d+(?:(?:,|{_SPACE})\d{{2,3}})*[.\u066b\uff0e]|\d+(?:(?:\.|{_SPACE})\d{{3}})*,)\d+"
    r"(?:[eEdD][+-]?\d+|\s?[*x\u00b7\u00d7]\s?10(?:\D{,3}\d+|\D{,4})|\s?/\s?\d+)?"  # 1D-01, 8.5/10
    r"(?:\D{,12}|\s*\u00b1.*|\s*\(.*\)|,\s.*)"  # a unit, brackets, the uncertainty
    r"|[+-]?\d+/\d+|[+-]?\d{1,3}(?:[_,]\d{2,3})+"
)
"""A fraction with a currency, a unit, a footnote, its uncertainty, in quotes, in brackets, in other
digits or with a power of ten; also 1/2, 1_000 and 1,23,456."""
LONGEST_NUMBER: Final = 60
"""Characters of such a number at most."""
SAME_STEP: Final = 1e-6
"""How far the steps of a time or a grid may differ by rounding, as a share of them."""
PADDED: Final = re.compile(r"0[0-9]+")
NUMERIC_KINDS: Final = frozenset("iufb")


class FileCell(NamedTuple):
    """A cell of a column: its row, from 0, and its text."""

    row: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnProfile:
    """What a column contains."""

    name: str
    """Its name."""
    position: int
    """Its place in the table, from 0."""
    type: str
    """``integer``, ``number``, ``boolean``, ``string``, or another type of the API."""
    rows: int
    present: int
    distinct: int
    """Number of rows, of values that are not missing, and of different values."""
    numbers: int
    """Number of values that are numbers or, in a column of text, could be read as numbers."""
    distinct_others: int = 0
    """Number of different values in a column of text that are no numbers."""
    first_missing: int | None = None
    """The first row without a value."""
    first_other: FileCell | None = None
    """The first value of a column of text that is no number."""
    mixed_marks: tuple[FileCell, ...] = ()
    """In a column of text that is all numbers, the first one with a decimal point and the first one
    with a comma, if it has both."""
    with_units: int = 0
    """Number of values of a column of text that are numbers with a unit or a sign: ``0.5s``."""
    are_padded: bool = False
    """Whether all values of a column of text are whole numbers, of which some begin with 0."""
    is_partly_percent: bool = False
    """Whether all values of a column of text are numbers, of which some have a percent sign."""
    are_outcomes: bool = False
    """Whether all values of a column of text are words such as pass and fail."""
    totals: tuple[FileCell, ...] = ()
    """Cells of a column of text that name what sums up other rows, such as ``mean``."""
    low: float = np.nan
    high: float = np.nan
    middle: float = np.nan
    """Smallest and largest number, and the median; NaN where there are none."""
    is_whole: bool = False
    is_binary: bool = False
    """Whether all numbers are whole, and whether all are 0 or 1."""
    is_numbering: bool = False
    """Whether the values are whole numbers without gap or repetition, in any order."""
    is_increasing: bool = False
    """Whether each whole number is larger than the one above it, or each number by one step."""

    @property
    def is_numeric(self) -> bool:
        """Whether the column has numbers, or true and false."""
        return self.type in {"integer", "number", "boolean"}

    @property
    def repeats(self) -> bool:
        """Whether rows share a value, and there is more than one value."""
        return 1 < self.distinct < self.present


def profile_column(name: str, position: int, kind: str, values: np.ndarray) -> ColumnProfile:
    """Return what a column of (n,) numbers or texts contains; None and NaN are missing."""
    if values.dtype.kind in NUMERIC_KINDS:
        return _profile_numbers(name, position, kind, values.astype(np.float64))
    texts = [None if value is None else str(value) for value in values.tolist()]
    known = [text for text in texts if text is not None]
    counts: dict[str, int] = {}
    for text in known:
        counts[text] = counts.get(text, 0) + 1
    other = {text for text in counts if parse_number(text) is None}
    rows_with_other = (FileCell(i, t) for i, t in enumerate(texts) if t is not None and t in other)
    return ColumnProfile(
        name=name,
        position=position,
        type=kind,
        rows=len(texts),
        present=len(known),
        distinct=len(counts),
        numbers=len(known) - sum(counts[text] for text in other),
        distinct_others=len(other),
        first_missing=texts.index(None) if None in texts else None,
        first_other=next(rows_with_other, None),
        mixed_marks=tuple(starmap(FileCell, () if other else find_mixed_marks(texts) or ())),
        are_padded=any(map(PADDED.fullmatch, counts)) and all(map(str.isdecimal, counts)),
        is_partly_percent=0 < len(other) < len(counts)
        and all(parse_number(text.strip().removesuffix("%")) is not None for text in other),
        with_units=sum(
            n
            for text, n in counts.items()
            if len(text) <= LONGEST_NUMBER and WITH_UNIT.fullmatch(text.strip())
        ),
        are_outcomes=_are_outcomes(other) and {parse_number(t) for t in counts} <= {None, 0.0, 1.0},
        totals=tuple(_find_totals(texts, counts)),
    )


def is_total_name(text: str) -> bool:
    """Return whether a text names what sums up other rows: ``Mean``, ``Grand total:``."""
    words = set(re.findall(r"\w+", text.lower()))
    return bool(words & TOTAL_WORDS) and words <= TOTAL_WORDS | TOTAL_FILLERS


def _find_totals(texts: Sequence[str | None], counts: Mapping[str, int]) -> Iterator[FileCell]:
    """Yield cells that name totals, unless there are as many of them as of other labels."""
    names = {text for text in counts if is_total_name(text)}
    others = sorted(n for text, n in counts.items() if text not in names)
    usual = others[len(others) // 2] if others else 0
    rare = {text for text in names if counts[text] == 1 or 2 * counts[text] < usual or usual == 1}
    is_summary = len({text.lower() for text in rare} & SUMMARY_OF_TABLE) > 2
    if is_summary or sum(counts[text] for text in rare) * MOST_TOTALS <= sum(counts.values()):
        yield from (FileCell(i, t) for i, t in enumerate(texts) if t is not None and t in rare)


def profile_raw_column(name: str, column: RawColumn) -> ColumnProfile:
    """Return what a column of a call or a request contains: an array, or a list of any values."""
    values = np.asarray(column)
    if values.dtype.kind == "O" or not isinstance(column, np.ndarray):
        known = [v for v in column if v is not None and v == v]  # noqa: PLR0124 - NaN
        if known and all(isinstance(v, bool | np.bool_) for v in known):
            return replace(profile_raw_column(name, np.array(known)), rows=len(column))
        if all(isinstance(v, int | float | np.number) for v in known):
            values = np.array([np.nan if v is None else v for v in column], dtype=np.float64)
        else:
            texts = [None if v is None or v != v else v for v in column]  # noqa: PLR0124
            from thetahat.tables.written_numbers import parse_texts  # noqa: PLC0415 - seldom needed

            numbers = parse_texts(texts)
            values = np.array([*texts, None], dtype=object)[:-1] if numbers is None else numbers
    kind = {"b": "boolean", "i": "integer", "u": "integer", "f": "number"}.get(values.dtype.kind)
    return profile_column(name, 0, kind or "string", values)


def parse_number(text: str) -> float | None:
    """Return the number that a text is, with a decimal point or comma; None if it is none."""
    written = text.strip().replace(",", ".", 1)
    return float(written) if PLAIN_NUMBER.fullmatch(written) else None


def _are_outcomes(texts: AbstractSet[str]) -> bool:
    words = {text.strip().lower() for text in texts}
    return bool(words & OUTCOME_WORDS) and words <= OUTCOME_WORDS | MISSING_WORDS


def _are_increasing(values: FloatArray, *, is_whole: bool) -> bool:
    steps = np.diff(values)
    is_even = is_whole or float(np.ptp(steps)) < SAME_STEP * float(steps.mean())
    return is_even and bool((steps > 0).all())


def _profile_numbers(name: str, position: int, kind: str, values: FloatArray) -> ColumnProfile:
    missing = np.isnan(values)
    known = values[~missing]
    finite = known[np.isfinite(known)]
    is_whole = len(finite) > 0 and bool((finite == np.round(finite)).all())
    return ColumnProfile(
        name=name,
        position=position,
        type=kind,
        rows=len(values),
        present=len(known),
        distinct=len(np.unique(known)),
        numbers=len(known),
        first_missing=int(np.argmax(missing)) if missing.any() else None,
        low=float(finite.min()) if len(finite) else np.nan,
        high=float(finite.max()) if len(finite) else np.nan,
        middle=float(np.median(finite)) if len(finite) else np.nan,
        is_whole=is_whole,
        is_binary=is_whole and bool(((finite == 0) | (finite == 1)).all()),
        is_numbering=len(known) > 0 and not missing.any() and is_numbering(values),
        is_increasing=len(finite) > 2 and _are_increasing(finite, is_whole=is_whole),
    )
