"""Checks of samples with several columns, and columns on a common scale."""

from __future__ import annotations

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.statistics._columns import centre_and_scale
from thetahat.statistics.vector_statistics.base import VectorSample
from thetahat.values.types import FloatArray


def check_columns(
    name: str, sample: VectorSample, *, fewest_rows: int, most_columns: int, response: bool
) -> None:
    """Refuse too few rows, too many columns, and a response that lacks or has no place."""
    if (sample.y is not None) != response:
        raise InvalidParameter(
            f"{name} needs the response y beside the columns of x."
            if response
            else f"{name} is of the columns of x, and there is a y. Leave it out.",
            loc=("y",),
        )
    if sample.n < fewest_rows:
        raise InsufficientData(
            f"{name} needs at least {fewest_rows} rows, and there are {sample.n}.", loc=("x",)
        )
    if len(sample.columns) > most_columns:
        raise InvalidParameter(
            f"{name} is of at most {most_columns} columns, and there are {len(sample.columns)}.",
            loc=("x",),
            value=len(sample.columns),
        )


def centre_columns(sample: VectorSample) -> tuple[FloatArray, FloatArray]:
    """Return the (n, p) columns less their means, at most 1 in size, and the (p,) scales."""
    parts = [centre_and_scale(values) for values in sample.columns.values()]
    return np.stack([part for part, _ in parts], axis=1), np.array([scale for _, scale in parts])
