"""Widths of the Gaussian kernel exp(-d^2 / (2 s^2))."""

from __future__ import annotations

import math
from typing import Final, Literal

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.importance_weights._distances import mean_distance_to_nearest, squared_distances
from thetahat.importance_weights.base import Samples
from thetahat.values.types import FloatArray

WidthRule = Literal["neighbours", "silverman", "median"]
RULES: Final = ("neighbours", "silverman", "median")
N_NEIGHBOURS: Final = 5
MOST_ROWS: Final = 1000
"""Rows among which the median distance is taken; of more so many are drawn."""


def check_width(width: float | str, *others: str) -> None:
    """Refuse what is neither a rule, nor one of the others, nor a number above 0."""
    if isinstance(width, str):
        if width not in (*RULES, *others):
            raise InvalidParameter(
                f"width is {width!r}; it must be {', '.join((*RULES, *others))} or a number",
                loc=("width",),
                value=width,
            )
    elif not (math.isfinite(width) and width > 0):
        raise InvalidParameter(f"width must be above 0, got {width}", loc=("width",), value=width)


def width_of(width: float | WidthRule, samples: Samples, rng: np.random.Generator) -> float:
    """Return s: the number, or what a rule makes of the samples.

    ``neighbours`` is the mean distance of the source rows to their five nearest target rows.
    ``silverman`` is (4 / (p + 2))^(1 / (p + 4)) N^(-1 / (p + 4)) times the root of the mean
    variance of the features, over the N rows of both samples. ``median`` is the median distance
    between two rows of both samples.
    """
    if not isinstance(width, str):
        return float(width)
    if width == "neighbours":
        found = mean_distance_to_nearest(samples.source, samples.target, N_NEIGHBOURS)
    elif width == "silverman":
        found = _silverman(np.concatenate([samples.source, samples.target]))
    else:
        found = _median(np.concatenate([samples.source, samples.target]), rng)
    if not (math.isfinite(found) and found > 0):
        raise InsufficientData(
            f"the width by the rule {width} is {found:g}, since rows stand in the same place; give "
            "a number",
            loc=("width",),
        )
    return found


def _silverman(rows: FloatArray) -> float:
    n, p = rows.shape
    spread = math.sqrt(float((rows - rows.mean(axis=0)).var(axis=0, ddof=1).mean()))
    return float((4 / (p + 2) / n) ** (1 / (p + 4)) * spread)


def _median(rows: FloatArray, rng: np.random.Generator) -> float:
    if len(rows) > MOST_ROWS:
        rows = rows[np.sort(rng.choice(len(rows), MOST_ROWS, replace=False))]
    pairs = np.triu_indices(len(rows), 1)
    return math.sqrt(float(np.median(squared_distances(rows, rows)[pairs])))
