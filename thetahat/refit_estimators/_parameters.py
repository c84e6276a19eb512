"""Checks of parameters, and of data, that several methods share."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.schemes.base import Rows
from thetahat.values.types import BlockKind, FloatArray

INDEPENDENT_ROWS = frozenset(BlockKind) - {BlockKind.SOURCE}
"""The blocks of data whose instances may be drawn one by one."""


def require_rows(rows: Rows, least: int, what: str) -> None:
    """Refuse data of too few rows."""
    if rows.n < least:
        raise InsufficientData(
            f"{what} needs {least} rows at least, and the data have {rows.n}", value=rows.n
        )


def reason_against_dependent_rows(
    name: str, kind: BlockKind, *, source: bool, cluster: bool, time: bool
) -> str | None:
    """Say why a method that draws instances one by one cannot be used on these data, or None.

    Drawn one by one, instances of one source or cluster would stand in training and test part
    at once: the error comes out too small, and so does its variance.
    """
    which = "sources" if source or kind is BlockKind.SOURCE else "clusters" if cluster else None
    if which is not None:
        return (
            f"{name} draws instances one by one, as if they were independent, and these data have "
            f"{which}, which would stand on both sides of a split; leave that column out if the "
            "instances are independent all the same"
        )
    if time:
        return f"{name} draws instances in any order, and these data have a time"
    return None


def above_rounding(variance: float, losses: Iterable[FloatArray]) -> float:
    """Return the variance, or 0 where it is no more than the rounding of the losses."""
    largest = max((float(np.abs(part).max(initial=0)) for part in losses), default=0.0)
    rounding = (8 * float(np.finfo(np.float64).eps) * largest) ** 2
    return variance if abs(variance) > rounding else 0.0
