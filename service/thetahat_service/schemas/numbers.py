"""Strict reading of lists of finite numbers and of labels from JSON, with the path of an error.

pydantic's ``list[float]`` accepts ``true`` and ``"1.5"`` as numbers, and is slow to locate a NaN in
a nested list. These functions read the lists of the JSON parser.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from thetahat.errors import InvalidParameter, Loc, shorten_value
from thetahat.values.types import FloatArray, Label

NUMBERS = frozenset({float, int})


def read_number_array(
    values: Any, loc: Loc, *, largest: float = math.inf, booleans: bool = False
) -> FloatArray:
    """Return (n,) float64 of a JSON list of finite numbers, none larger than ``largest`` in size.

    With ``booleans`` a list of true and false alone is read as 1 and 0. Raises ``InvalidParameter``
    for what is no list, or has an entry that is not a finite number; ``loc`` says which.
    """
    if not isinstance(values, list):
        raise InvalidParameter(
            "The value is not a list of numbers.", loc=loc, value=shorten_value(values)
        )
    if NUMBERS.issuperset(map(type, values)):
        try:
            array = np.array(values, dtype=np.float64)
        except OverflowError:
            array = np.array([math.inf])
        sizes = np.abs(array)
        if array.ndim == 1 and np.isfinite(sizes).all() and (sizes <= largest).all():
            return array
    if booleans and set(map(type, values)) == {bool}:
        return np.array(values, dtype=np.float64)
    for i, value in enumerate(values):
        if abs(check_number(value, (*loc, i))) > largest:
            raise InvalidParameter(
                f"The number {value} is too large. Numbers may not be larger than {largest:g} in "
                "size.",
                loc=(*loc, i),
                value=shorten_value(value),
            )
    return np.empty(0)


def check_number(value: Any, loc: Loc) -> float:
    """Return a finite JSON number as a float; refuse anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidParameter(
            f"The value {shorten_value(value)!r} is not a number.",
            loc=loc,
            value=shorten_value(value),
        )
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidParameter(
            f"The number {number} is not finite.", loc=loc, value=shorten_value(number)
        )
    return number


def check_whole_sizes(value: Any, name: str) -> Any:
    """Return a size, or sizes in a list or by label, unless one is not a whole number.

    pydantic would take ``true`` for 1 and ``"9"`` for 9.
    """
    if isinstance(value, dict):
        sizes = list(value.values())
    else:
        sizes = value if isinstance(value, list) else [value]
    for size in sizes:
        is_number = isinstance(size, int | float) and not isinstance(size, bool)
        if size is not None and not (is_number and math.isfinite(size) and size == int(size)):
            raise InvalidParameter(
                f"The field {name} is a number of instances, so it must be a whole number, and is "
                f"{size!r}.",
                loc=(name,),
                value=shorten_value(size),
            )
    return value


def read_label_list(values: Any, loc: Loc) -> list[Label]:
    """Return a JSON list of labels: strings or whole numbers, none missing."""
    if not isinstance(values, list):
        raise InvalidParameter(
            "The value is not a list of labels.", loc=loc, value=shorten_value(values)
        )
    for i, value in enumerate(values):
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InvalidParameter(
                "A label must be a string or a whole number; a longer one than 64 bits is sent as "
                "a string.",
                loc=(*loc, i),
                value=shorten_value(value),
            )
        if type(value) is not type(values[0]):
            raise InvalidParameter(
                f"The labels are texts and whole numbers: {shorten_value(values[0])!r} in entry 0, "
                f"and {shorten_value(value)!r} in entry {i}. Write all of them as texts or all as "
                "numbers.",
                loc=(*loc, i),
                value=shorten_value(value),
            )
    return values
