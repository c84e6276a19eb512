"""Numbers such as -999 that stand for a missing value among numbers of another size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from thetahat.values.types import FloatArray

CODES: Final = tuple(sign * number for number in (99, 999, 9999, 99999, 999999) for sign in (-1, 1))
FURTHEST: Final = 20.0
"""How many times larger than all other values a code is."""
FEWEST_OTHERS: Final = 5
LARGEST_SHARE: Final = 0.5


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
        for code in CODES:
            are_codes = values == code
            others = values[~are_codes & np.isfinite(values)]
            n = int(are_codes.sum())
            if not n or len(others) < FEWEST_OTHERS or n > LARGEST_SHARE * len(others):
                continue
            if abs(code) > FURTHEST * np.abs(others).max():
                return MissingCode(
                    name,
                    int(np.argmax(are_codes)),
                    code,
                    n,
                    float(others.min()),
                    float(others.max()),
                )
    return None
