"""Numbers such as -999, or -1 among shares or among 0 and 1, that stand for a missing value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from thetahat.values.types import FloatArray

CODES: Final = tuple(sign * number for number in (99, 999, 9999, 99999, 999999) for sign in (-1, 1))
FURTHEST: Final = 20.0
"""How many times larger than all other values a code is."""
NO_SHARE: Final = -1
"""A code where all other values are from 0 to 1."""
FEWEST_OTHERS: Final = 5
LARGEST_SHARE: Final = 0.5
LARGEST_SHARE_OF_OUTCOMES: Final = 0.1
"""The same beside 0 and 1 alone, since -1, 0 and 1 may be losses, ties and wins."""


class MissingCode(NamedTuple):
    """A number that seems to be a code of missing values: where it stands, and beside what."""

    name: str
    row: int
    code: int
    n: int
    low: float
    high: float


def find_missing_code(columns: Mapping[str, FloatArray]) -> MissingCode | None:
    """Return the first code of missing values in (n,) columns of numbers; None without one."""
    for name, values in columns.items():
        for code in (*CODES, NO_SHARE):
            are_codes = values == code
            others = values[~are_codes & np.isfinite(values)]
            n = int(are_codes.sum())
            if not n or len(others) < FEWEST_OTHERS or n > LARGEST_SHARE * len(others):
                continue
            if _are_shares(others, n) if code == NO_SHARE else _is_far(code, others):
                return MissingCode(
                    name,
                    int(np.argmax(are_codes)),
                    code,
                    n,
                    float(others.min()),
                    float(others.max()),
                )
    return None


def _is_far(code: int, others: FloatArray) -> bool:
    return bool(abs(code) > FURTHEST * np.abs(others).max())


def _are_shares(others: FloatArray, n: int) -> bool:
    """Return whether numbers beside n times -1 are shares, or 0 and 1 that far outnumber them."""
    if others.min() < 0 or others.max() > 1:
        return False
    return bool((others % 1 > 0).any()) or n <= LARGEST_SHARE_OF_OUTCOMES * len(others)
