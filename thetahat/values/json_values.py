"""Values as JSON has them: no numpy types, and never NaN or infinity."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import numpy as np

from thetahat.values.types import Caution

AS_THEY_ARE = frozenset({type(None), bool, int, str})  # most of a result, told without a search


def plain(value: Any) -> Any:
    """Return the value in float, int, str, bool, None, list and dict; undefined numbers are None.

    Mappings keep their order and get string keys; arrays and tuples become lists.
    """
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is dict:
        return {str(key): _item(item) for key, item in value.items()}
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    return [_item(item) for item in value]


def _item(value: Any) -> Any:
    """As ``plain``; most items need no look at all."""
    return value if type(value) in AS_THEY_ARE else plain(value)


def told(cautions: Iterable[Caution]) -> list[dict[str, str]]:
    """Return cautions as the wire has them, each once."""
    unique = dict.fromkeys((caution.code, caution.message) for caution in cautions)
    return [{"code": code, "message": message} for code, message in unique]


def number(value: float) -> str:
    """Return a number for a sentence: four significant digits."""
    return f"{value:.4g}"
