"""Texts as instants that can be put in order, or a refusal.

The order of texts is that of their characters, and that is the order of time for few ways of
writing it: ``05.11.2020`` comes before ``06.01.2020``, and ``10:00`` before ``9:00``. A model
would then learn from the future, with no sign of it in the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import numpy as np

from thetahat.errors import InvalidParameter

_SHAPE: Final = str.maketrans("012345678", "999999999")
_LARGEST_FIRST: Final = re.compile(r"9{4}.*|[^9]*9+[^9]*|99:99.*", re.DOTALL)


def instants_of_texts(texts: Sequence[str] | np.ndarray, what: str) -> np.ndarray:
    """Return what puts texts in the order of time.

    Parameters
    ----------
    texts : sequence of str
        (n,) dates or times.
    what : str
        What the column is called, for messages.

    Returns
    -------
    ndarray
        (n,) the texts themselves where all are written alike, the largest unit first
        (``2020-05-01``, ``2020-Q1``, ``09:30``, ``week 05``): their order is that of time, to
        the last digit. Else datetime64 in microseconds, in UTC where the texts name their zone.

    Raises
    ------
    InvalidParameter
        A text that is no ISO 8601 date or time and not written as the first one is; some texts
        with a zone and some without. ``loc`` is ``(what, row)``.
    """
    moments = [_moment(text) for text in texts]
    zoned = [moment is not None and moment.tzinfo is not None for moment in moments]
    if not any(zoned) and _written_alike(texts):
        return np.array(texts, dtype=object)
    for row, moment in enumerate(moments):
        if moment is None:
            raise InvalidParameter(
                f"the {what} {texts[row]!r} in row {row} cannot be put in order; write times as "
                "2020-12-31, 2020-12-31T23:59:00 (ISO 8601) or as numbers",
                loc=(what, row),
                value=texts[row][:100],
            )
    if any(zoned) and not all(zoned):
        row = next(i for i in range(len(zoned)) if zoned[i] != zoned[0])
        raise InvalidParameter(
            f"the {what} {texts[row]!r} in row {row} {'names' if zoned[row] else 'lacks'} its "
            f"zone, and {texts[0]!r} in row 0 {'names' if zoned[0] else 'lacks'} one",
            loc=(what, row),
            value=texts[row][:100],
        )
    plain = [None if m is None else _without_zone(m) for m in moments]
    return np.array(plain, dtype="datetime64[us]")


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _without_zone(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:  # within a day of the first or last instant that there is
        return moment.replace(tzinfo=None)


def _written_alike(texts: Sequence[str] | np.ndarray) -> bool:
    """Tell whether texts differ in their digits alone, and these count from the largest unit."""
    shapes = {text.translate(_SHAPE) for text in texts}
    return len(shapes) == 1 and _LARGEST_FIRST.fullmatch(shapes.pop()) is not None
