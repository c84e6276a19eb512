"""Weights that can be used, or words why not."""

from __future__ import annotations

import math

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.values.types import FloatArray

LARGEST = 1e140
"""Squares of larger weights leave double precision."""


def from_logarithms(logarithms: FloatArray) -> FloatArray:
    """(n,) weights from their logarithms; refused where they leave the range of numbers.

    A weight too small for a number is zero; all of them, or one above ``LARGEST``, mean that
    source and target share no region that either sample shows.
    """
    top = float(logarithms.max())
    if not top <= math.log(LARGEST):
        row = int(np.argmax(logarithms))
        raise InsufficientData(
            f"the weight of source row {row} would be exp({top:.5g}): the source sample hardly "
            "covers the target, and no weights can make up for it",
            loc=("source",),
            value=row,
        )
    return usable(np.exp(logarithms))


def usable(values: FloatArray) -> FloatArray:
    """(n,) weights, refused where all are zero."""
    if not values.any():
        raise InsufficientData(
            "every source row would have weight 0: no source row lies where the target sample is",
            loc=("source",),
        )
    return values


def check_share(value: float, name: str) -> None:
    """Refuse what is not within [0, 1)."""
    if not 0 <= value < 1:
        raise InvalidParameter(f"{name} must be in [0, 1), got {value}", loc=(name,), value=value)


def check_positive(value: float, name: str) -> None:
    """Refuse what is not a finite number above 0."""
    if not (math.isfinite(value) and value > 0):
        raise InvalidParameter(
            f"{name} must be a number above 0, got {value}", loc=(name,), value=value
        )


def check_penalty(value: float | str) -> None:
    """Refuse what is neither a finite number of 0 or more nor the search for one."""
    if not isinstance(value, str):
        check_not_negative(value, "penalty")
    elif value != "cross_validation":
        raise InvalidParameter(
            f"penalty is {value!r}; it must be a number or cross_validation",
            loc=("penalty",),
            value=value,
        )


def check_not_negative(value: float, name: str) -> None:
    """Refuse what is not a finite number of 0 or more."""
    if not (math.isfinite(value) and value >= 0):
        raise InvalidParameter(
            f"{name} must be a number of 0 or more, got {value}", loc=(name,), value=value
        )
