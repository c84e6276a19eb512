"""Parsing texts as dates and times that can be sorted.

Texts sort by their characters, which is the order of time only for some formats: ``05.11.2020``
sorts before ``06.01.2020``, and ``10:00`` before ``9:00``. A model trained in such an order would
learn from the future without any sign of it in the result, so other formats are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

import numpy as np

from thetahat.errors import InvalidParameter

_SHAPE: Final = str.maketrans("012345678", "999999999")
_LARGEST_FIRST: Final = re.compile(r"9{4}.*|[^9]*9+[^9]*|99:99.*", re.DOTALL)


def parse_times(texts: Sequence[str] | np.ndarray, column: str) -> np.ndarray:
    """Return values that sort in the order of time.

    Parameters
    ----------
    texts : sequence of str
        (n,) dates or times.
    column : str
        Name of the column, for messages.

    Returns
    -------
    ndarray
        (n,) the texts themselves if all have the same format with the largest unit first
        (``2020-05-01``, ``2020-Q1``, ``09:30``, ``week 05``), which sort in the order of time.
        Otherwise datetime64 in microseconds, in UTC if the texts have a time zone.

    Raises
    ------
    InvalidParameter
        A text that is not an ISO 8601 date or time where formats differ; some texts with a time
        zone and some without. ``loc`` is ``(column, row)``.
    """
    moments = [_parse_time(text) for text in texts]
    zoned = [moment is not None and moment.tzinfo is not None for moment in moments]
    if not any(zoned) and _have_one_sortable_format(texts):
        return np.array(texts, dtype=object)
    for row, moment in enumerate(moments):
        if moment is None:
            raise InvalidParameter(
                f"The {column} {texts[row]!r} in row {row} is not a date or time that can be "
                "sorted. Write times as 2020-12-31, 2020-12-31T23:59:00 (ISO 8601) or as numbers.",
                loc=(column, row),
                value=texts[row][:100],
            )
    if any(zoned) and not all(zoned):
        row = next(i for i in range(len(zoned)) if zoned[i] != zoned[0])
        raise InvalidParameter(
            f"The {column} {texts[row]!r} in row {row} {'has a' if zoned[row] else 'has no'} time "
            f"zone, but {texts[0]!r} in row 0 {'has one' if zoned[0] else 'has none'}.",
            loc=(column, row),
            value=texts[row][:100],
        )
    plain = [None if m is None else _remove_zone(m) for m in moments]
    return np.array(plain, dtype="datetime64[us]")


def read_moments(texts: Iterable[str]) -> list[datetime] | None:
    """Return dates or times as moments, a month as its first day; None if one is neither."""
    moments = [_parse_time(text) or _parse_time(f"{text}-01") for text in texts]
    return [moment for moment in moments if moment is not None] if all(moments) else None


def _parse_time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _remove_zone(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # within a day of the first or last instant that there is
        return moment.replace(tzinfo=None)


def _have_one_sortable_format(texts: Sequence[str] | np.ndarray) -> bool:
    """Return whether texts differ only in their digits and start with the largest unit."""
    shapes = {text.translate(_SHAPE) for text in texts}
    return len(shapes) == 1 and _LARGEST_FIRST.fullmatch(shapes.pop()) is not None
