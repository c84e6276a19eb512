"""Rows that sum up other rows, as spreadsheets and pandas write them, and such columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from thetahat.tables.labels import list_names
from thetahat.values.types import FloatArray

if TYPE_CHECKING:
    from thetahat.tables.column_profiles import ColumnProfile

FEWEST_ROWS: Final = 5
LARGEST_CHANCE: Final = 2.5e-4
"""The largest probability by which a row may agree with means or sums by chance."""
NO_CHANCE: Final = 1e-9
"""That of a fraction among whole numbers, or of a number far larger than the others."""
MOST_OF_DIGITS: Final = 0.1
"""The largest chance of agreement beside which it counts that a row has other digits than the rest:
0 and 1 among fractions have other digits, and agree with every mean."""
MOST_DIGITS: Final = 9
MOST_COLUMNS: Final = 40
"""Columns among which differences of two others are looked for."""
FEWEST_VALUES: Final = 3
"""Different values of a column that may be computed from others: 0 and 1 agree by chance."""
FEWEST_OF_EXTREMES: Final = 10
"""Those of a column that may be the largest or smallest of others: grades agree by chance."""
MOST_ROWS: Final = 1_000_000
"""Rows of a table in which totals are looked for; among more a row counts for little."""


class TotalRow(NamedTuple):
    """A row of totals: its number, from 0, and what shows it, as the end of a sentence."""

    row: int
    reason: str


def find_named_total(columns: Iterable[ColumnProfile]) -> TotalRow | None:
    """Return the first row that a text such as ``mean`` shows to be no test instance."""
    for column in columns:
        if column.totals:
            cell, *others = column.totals
            more = f", and so do {len(others)} more rows" if len(others) > 1 else ""
            more = f", and so does row {others[0].row}" if len(others) == 1 else more
            return TotalRow(cell.row, f"it has {cell.text!r} in column {column.name!r}{more}")
    return None


def find_computed_total(models: Sequence[FloatArray]) -> TotalRow | None:
    """Return a row whose values are the means or the sums of the other rows, or of those above.

    ``models`` are the (n,) numbers of the models. A row in the middle has to agree more closely
    than the first or the last one, as there are more that may agree by chance. A row that is
    rounded to other digits than the rest may agree less closely.
    """
    known = [v for v in models if np.isfinite(v).all() and v.min() < v.max()]
    n = len(models[0]) if models else 0
    if not known or not FEWEST_ROWS < n <= MOST_ROWS:
        return None
    trials = np.full(n, float(n))
    trials[[0, -1, -2]] = 1.0, 1.0, 2.0  # a standard deviation may stand below the mean
    tolerances = [_find_tolerances(values) for values in known]
    of_row = np.min(tolerances, axis=0)  # a mean of 0.5 beside one of 0.417 is 0.500
    for place, reason in enumerate(
        (
            "mean of the other values",
            "sum of the other values",
            "mean of the values above it",
            "sum of the values above it",
        )
    ):
        apart = [np.abs(list(_list_expected(values))[place] - values) for values in known]
        agrees = np.all(np.array(apart) <= tolerances, axis=0)
        if not agrees.any():
            continue
        chances, before = np.where(agrees, trials, np.inf), np.zeros(n)
        for values, own, distance in zip(known, tolerances, apart, strict=True):
            # Near copies agree together.
            spread = np.minimum(_measure_spreads(values), _measure_spreads(values - before))
            chance = _compute_chances(values, np.where(distance <= of_row, of_row, own), spread)
            before = values
            unusual = np.where(chance <= MOST_OF_DIGITS, _compare_digits(of_row, own), 1.0)
            chances *= chance * unusual
        row = int(np.argmin(chances))
        if chances[row] < LARGEST_CHANCE:
            return TotalRow(row, f"in every column its value is the {reason}")
    return None


def find_computed_column(columns: Mapping[str, FloatArray]) -> tuple[str, str] | None:
    """Return the name of a column that is computed from the others, and how.

    It is the difference of two of them, the mean or the sum of all, or the largest or the smallest
    of them, in every row.
    """
    known = {name: v for name, v in columns.items() if np.isfinite(v).all()}
    if len(known) < 3:
        return None
    total = np.sum([*known.values()], axis=0)
    for name, values in known.items():
        if len(np.unique(values[:MOST_ROWS])) < FEWEST_VALUES or len(values) < FEWEST_ROWS:
            continue
        tolerances = _find_tolerances(values)
        others = [other for other in known if other != name]
        for reason, expected in _list_computed(known, others, total - values):
            if (np.abs(expected - values) <= tolerances).all():
                return name, reason
        if len(np.unique(values[:MOST_ROWS])) >= FEWEST_OF_EXTREMES:
            rows = np.array([known[other] for other in others])
            if (rows == values).all(axis=1).any():
                continue  # a copy of another column
            for word, extreme in (("largest", rows.max(axis=0)), ("smallest", rows.min(axis=0))):
                if (extreme == values).all():
                    return name, f"is the {word} of {list_names([*map(repr, others)])} in every row"
    return None


def _list_computed(
    columns: Mapping[str, FloatArray], others: Sequence[str], total: FloatArray
) -> Iterator[tuple[str, FloatArray]]:
    """Yield what a column may be of the others, as the end of a sentence, and its values."""
    listed = list_names([*map(repr, others)])
    yield f"is the mean of {listed} in every row", total / len(others)
    yield f"is the sum of {listed} in every row", total
    if len(others) < MOST_COLUMNS:
        for first, second in permutations(others, 2):
            if columns[second].any():
                difference = columns[first] - columns[second]
                yield f"is {first!r} minus {second!r} in every row", difference


def _list_expected(values: FloatArray) -> Iterator[FloatArray]:
    """Yield for each row the mean and the sum of the other rows, and of the rows above."""
    n, others = len(values), values.sum() - values
    yield others / (n - 1)
    yield others
    above, counts = np.cumsum(values) - values, np.arange(n)
    above[counts < FEWEST_ROWS] = np.nan
    yield above / np.maximum(counts, 1)
    yield above


def _find_tolerances(values: FloatArray) -> FloatArray:
    """Return half a unit of the last digit that each value is written with."""
    tolerances = 1e-9 * np.abs(values)
    for digits in range(MOST_DIGITS, -1, -1):
        is_short = np.round(values, digits) == values
        tolerances = np.where(is_short, np.maximum(tolerances, 0.5001 * 10.0**-digits), tolerances)
    return tolerances


def _compare_digits(of_row: FloatArray, own: FloatArray) -> FloatArray:
    """Return how likely a value has so few or so many digits by chance, as those of its column."""
    order = np.sort(own)
    fewer = len(own) - np.searchsorted(order, of_row * (1 - 1e-9))
    more = np.searchsorted(order, of_row * (1 + 1e-9))
    return np.minimum(1.0, 2 * np.maximum(np.minimum(fewer, more), 1) / len(own))


def _compute_chances(values: FloatArray, tolerances: FloatArray, spread: FloatArray) -> FloatArray:
    """Return how likely each value agrees with a given number by chance.

    Shares of three runs agree with their mean far more often than numbers of 16 digits would, so
    that a value is at least as likely as it is frequent in the column.
    """
    n, largest = len(values), np.sort(values)[-2:]
    chances = np.minimum(1.0, 2 * tolerances / np.maximum(spread, tolerances))
    fractions = values != np.round(values)
    is_of_another_kind = (fractions & (fractions.sum() == 1)) | (
        (values == largest[1]) & (largest[1] > 2 * largest[0]) & (largest[0] > 0)
    )
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    frequent = (counts[places] - 1) / n
    result: FloatArray = np.maximum(np.where(is_of_another_kind, NO_CHANCE, chances), frequent)
    return result


def _measure_spreads(values: FloatArray) -> FloatArray:
    """Return the standard deviation of the other values, for each row."""
    others = len(values) - 1
    variances: FloatArray = values.var() - (values - values.mean()) ** 2 / others
    return np.sqrt(np.maximum(variances, 0))
