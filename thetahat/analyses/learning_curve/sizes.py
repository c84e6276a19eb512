"""Training sizes as they are asked for: shares of a training part, or counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thetahat.errors import InsufficientData, InvalidParameter

MOST_SIZES = 50


def check_sizes(sizes: Sequence[float]) -> tuple[float, ...]:
    """Return the sizes, refused where one is neither a share in (0, 1] nor a count from 2.

    1 is the whole training part, and not one row: nothing is learnt from one row.

    Raises
    ------
    InvalidParameter
        With the place of the size, or of the list where there are none or too many.
    """
    if not 0 < len(sizes) <= MOST_SIZES:
        raise InvalidParameter(
            f"there are {len(sizes)} sizes; between 1 and {MOST_SIZES} make a curve",
            loc=("sizes",),
            value=len(sizes),
        )
    for i, size in enumerate(sizes):
        if not (0 < size <= 1 or (math.isfinite(size) and size >= 2 and size == int(size))):
            raise InvalidParameter(
                "a size must be a share of the training part, above 0 and at most 1, or a whole "
                f"number from 2, and is {size:g}",
                loc=("sizes", i),
                value=size,
            )
    return tuple(float(size) for size in sizes)


def counts_of(sizes: Sequence[float], n_units: int, unit: str, place: str) -> tuple[int, ...]:
    r"""Return how many of a training part's units each size takes; they must grow.

    .. math:: m = \max(1, \lfloor s N + 10^{-9} \rfloor)

    for a share s of N units; the small number undoes the rounding of products such as 0.29 x 100.

    Parameters
    ----------
    n_units : int
        N: rows, or sources, of the training part.
    unit, place : str
        What they are, and which split it is, for the refusal.
    """
    counts: list[int] = []
    for i, size in enumerate(sizes):
        count = max(1, math.floor(size * n_units + 1e-9)) if size <= 1 else int(size)
        if count > n_units:
            raise InsufficientData(
                f"size {count} is more than the {n_units} {unit}s that {place} learns from",
                loc=("sizes", i),
                value=size,
            )
        if counts and count <= counts[-1]:
            raise InvalidParameter(
                f"sizes must grow, and size {size:g} takes {count} of the {n_units} {unit}s that "
                f"{place} learns from, after {counts[-1]}",
                loc=("sizes", i),
                value=size,
            )
        counts.append(count)
    return tuple(counts)


def label_of(size: float) -> str:
    """Return what a size is called in a result: ``0.25``, ``1`` or ``200``."""
    return str(int(size)) if size == int(size) else repr(size)
