"""Rows of a sparse matrix, normalised: columns ascending, none repeated, no stored zero."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from thetahat_service.errors import InvalidFile

IntegerArray = np.ndarray[tuple[int, ...], np.dtype[np.integer]]
FloatArray = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


class SparseRows(NamedTuple):
    """Some rows of a sparse matrix, in compressed form."""

    starts: IntegerArray
    """(n + 1,) where each row's entries begin; the last is their number."""
    indices: IntegerArray
    """(nnz,) column of each entry."""
    values: FloatArray
    """(nnz,)."""

    @property
    def n_entries(self) -> int:
        """Number of stored values."""
        return len(self.values)


def check_entries(rows: SparseRows, first_row: int, width: int) -> None:
    """Refuse columns outside the matrix and values that are not finite, and name the row.

    ``first_row`` is the number, in the whole file, of the first of the rows, and ``width`` says how
    many columns there are.
    """
    outside = (rows.indices < 0) | (rows.indices >= width)
    if outside.any():
        at = int(np.argmax(outside))
        raise InvalidFile(
            f"Row {first_row + find_row(rows, at)} has a value in column {rows.indices[at]}, but "
            f"the matrix has columns 0 to {width - 1}."
        )
    unfit = ~np.isfinite(rows.values)
    if unfit.any():
        at = int(np.argmax(unfit))
        raise InvalidFile(
            f"Row {first_row + find_row(rows, at)} has the value {rows.values[at]} in column "
            f"{rows.indices[at]}. Every number must be finite."
        )


def find_row(rows: SparseRows, entry: int) -> int:
    """Return the row of an entry, counted from the first of these rows."""
    return int(np.searchsorted(rows.starts, entry, side="right")) - 1


def normalise(rows: SparseRows) -> tuple[SparseRows, int]:
    """Return the rows with ascending columns, and how many repeated entries were added up."""
    lengths = np.diff(rows.starts)
    row = np.repeat(np.arange(len(lengths)), lengths)
    starts, indices, values = rows.starts, rows.indices, rows.values
    n_repeated = 0
    # One number per (row, column): ascending if the entries are in order.
    place = row * (int(indices.max(initial=0)) + 1) + indices
    if not np.all(np.diff(place) > 0):
        order = np.argsort(place, kind="stable")
        place = place[order]
        is_new = np.concatenate([[True], np.diff(place) > 0])
        n_repeated = len(place) - int(is_new.sum())
        values = np.add.reduceat(values[order], np.flatnonzero(is_new))
        row, indices = row[order][is_new], indices[order][is_new]
    if not values.all():
        is_nonzero = values != 0
        row, indices, values = row[is_nonzero], indices[is_nonzero], values[is_nonzero]
    if len(values) != rows.n_entries:
        starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(lengths)))])
    return SparseRows(starts.astype(np.int64), indices.astype(np.int32), values), n_repeated
