"""Checks of the data that several refit estimators share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.schemes.base import Rows
from thetahat.values.types import BlockKind, FloatArray

INDEPENDENT_ROWS = frozenset(BlockKind) - {BlockKind.SOURCE}
"""The blocks of data whose instances may be drawn one by one."""


def require_rows(rows: Rows, least: int, what: str) -> None:
    """Raise ``InsufficientData`` if the data have too few rows."""
    if rows.n < least:
        raise InsufficientData(
            f"{what} needs at least {least} rows. The data have {rows.n}.", value=rows.n
        )


def reason_against_dependent_rows(
    name: str, kind: BlockKind, *, source: bool, cluster: bool, time: bool
) -> str | None:
    """Return why a method that draws instances one by one does not fit these data, or None.

    If instances are drawn one by one, those of one source or cluster are in both the training and
    the test part, and the error and its variance are too small.
    """
    which = "sources" if source or kind is BlockKind.SOURCE else "clusters" if cluster else None
    if which is not None:
        return (
            f"{name} draws instances one by one, as if they were independent, but these data have "
            f"{which}, so dependent rows would be in both the training and the test part; leave "
            "that column out if the instances are independent nevertheless"
        )
    if time:
        return f"{name} draws instances in any order, but the rows of these data have times"
    return None


def zero_if_rounding(variance: float, losses: Iterable[FloatArray]) -> float:
    """Return the variance, or 0 if it is not larger than the rounding of the losses."""
    largest = max((float(np.abs(part).max(initial=0)) for part in losses), default=0.0)
    rounding = (8 * float(np.finfo(np.float64).eps) * largest) ** 2
    return variance if abs(variance) > rounding else 0.0
