"""The training sizes of a request: shares of a training part, or numbers of rows or sources."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thetahat.errors import InsufficientData, InvalidParameter

MAX_SIZES = 50
"""Largest number of sizes of one curve."""


def check_sizes(sizes: Sequence[float]) -> tuple[float, ...]:
    """Return the sizes; one that is neither a share in (0, 1] nor a number from 2 is refused.

    1 is the whole training part, not one row: no learner learns from one row. ``InvalidParameter``
    has the path of the size, or of the list if it is empty or too long.
    """
    if not 0 < len(sizes) <= MAX_SIZES:
        raise InvalidParameter(
            f"A curve has between 1 and {MAX_SIZES} sizes; the request has {len(sizes)}.",
            loc=("sizes",),
            value=len(sizes),
        )
    for i, size in enumerate(sizes):
        if not (0 < size <= 1 or (math.isfinite(size) and size >= 2 and size == int(size))):
            raise InvalidParameter(
                f"The size {size:g} is neither a share of the training part (above 0, at most 1) "
                "nor a whole number from 2.",
                loc=("sizes", i),
                value=size,
            )
    return tuple(float(size) for size in sizes)


def convert_to_counts(
    sizes: Sequence[float], n_units: int, unit: str, place: str
) -> tuple[int, ...]:
    r"""Return the number of rows, or sources, at each size; the numbers must grow.

    .. math:: m = \max(1, \lfloor s N + 10^{-9} \rfloor)

    for a share s of N units; the small number corrects the rounding of products such as 0.29 x 100.
    ``n_units`` is N, the number of rows, or sources, in the training part. The message of a refusal
    has ``unit``, which is ``row`` or ``source``, and ``place``, the name of the split.
    """
    counts: list[int] = []
    for i, size in enumerate(sizes):
        count = max(1, math.floor(size * n_units + 1e-9)) if size <= 1 else int(size)
        if count > n_units:
            raise InsufficientData(
                f"The size {count} is larger than the training part of {place}, which has "
                f"{n_units} {unit}s. Name smaller sizes, or shares of the training part.",
                loc=("sizes", i),
                value=size,
            )
        if counts and count <= counts[-1]:
            raise InvalidParameter(
                f"The sizes do not grow: size {size:g} is {count} of the {n_units} {unit}s in the "
                f"training part of {place}, and the size before it is {counts[-1]}.",
                loc=("sizes", i),
                value=size,
            )
        counts.append(count)
    return tuple(counts)


def format_size(size: float) -> str:
    """Return the name of a size in a result: ``0.25``, ``1`` or ``200``."""
    return str(int(size)) if size == int(size) else repr(size)
