"""Resamples that a request lists as values of the sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.errors import InvalidParameter, Loc
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class GivenResamples:
    """Resamples that the request lists."""

    indices: IntArray
    """(B, U) row numbers of the values of each resample."""
    starts: IntArray
    """(S + 1,) first row of each sample."""

    @property
    def n_resamples(self) -> int:
        """B, the number of resamples."""
        return len(self.indices)

    def take(self, columns: FloatArray) -> FloatArray:
        """Return all rows."""
        return columns

    def counts(self, first: int, stop: int) -> FloatArray:
        """Return the (b, U) numbers of copies of each row in each resample."""
        batch = self.indices[first:stop]
        width = int(self.starts[-1])
        flat = batch + width * np.arange(len(batch), dtype=np.intp)[:, None]
        counts = np.bincount(flat.ravel(), minlength=len(batch) * width)
        return counts.reshape(len(batch), width).astype(np.float64)


def find_rows(
    resample: Sequence[FloatArray], columns: Sequence[FloatArray], locs: Sequence[Loc]
) -> IntArray:
    """Return (n,) rows of the sample with the same values as the entries of a resample.

    Equal rows get the same number; every statistic treats them alike. ``resample`` and ``columns``
    are the columns of the resample and of the sample, (n,) each; ``locs`` are the paths of the
    columns of the resample in the input.
    """
    n = len(columns[0])
    for values, loc in zip(resample, locs, strict=True):
        if len(values) != n:
            raise InvalidParameter(
                f"The resample has {len(values)} values and the sample {n}. They must have the "
                "same number.",
                loc=loc,
                value=len(values),
            )
    place = {row: i for i, row in reversed(list(enumerate(zip(*columns, strict=True))))}
    row_numbers = [place.get(row, -1) for row in zip(*resample, strict=True)]
    if -1 in row_numbers:
        at = row_numbers.index(-1)
        row = [float(column[at]) for column in resample]
        text = f"{row[0]:g}" if len(row) == 1 else str(tuple(row))
        raise InvalidParameter(
            f"{text} is not in the sample. A resample may only hold values of the sample.",
            loc=(*locs[0], at),
            value=row,
        )
    return np.array(row_numbers, dtype=np.intp)
