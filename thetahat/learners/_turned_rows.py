"""Rows of all classes, turned so that they are uncorrelated within them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.learners._class_rows import ClassRows
from thetahat.types import FloatArray

_IS_UNIT: Final = 1e3
"""Up to this condition the products of turned rows are the unit matrix to eleven digits."""
_MOST: Final = 1e9
"""The condition of the products up to which rows are turned."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnedRows:
    """Rows whose products within the classes are the unit matrix, but for rounding.

    A training part has nearly these products, so that its own are as well conditioned as its
    rows are many, however ill-conditioned the features are.

    Parameters
    ----------
    both : ndarray of float
        (p + C, n) as ``ClassRows`` has it; a column that never varies is 0.
    means : ndarray of float
        (C, p) means of the classes about that of all rows.
    sums : ndarray of float
        (p + C, p + C) weighted sums of products, sums by class, and weights.
    lengths : ndarray of float
        (n,) squared lengths of the rows.
    constant : ndarray of bool
        (p,) which column never varies within the classes.
    condition : float
        Length of the inverse of the products before, their diagonal being 1.
    error : float
        What a product of two turned rows may be wrong by, in units of the last place.
    """

    both: FloatArray
    means: FloatArray
    sums: FloatArray
    lengths: FloatArray
    constant: np.ndarray
    condition: float
    error: float

    @property
    def T(self) -> FloatArray:  # noqa: N802 - as the rows are called
        """(p, n) rows."""
        some: FloatArray = self.both[: self.means.shape[1]]
        return some


def turned_rows(rows: ClassRows, scale: FloatArray) -> TurnedRows | None:
    """Return the rows turned, or None where that would cost the digits.

    They are turned where they stand: ``rows.Z`` are other numbers afterwards.

    Parameters
    ----------
    scale : ndarray of float
        (p,) one over the length of each column; 0 for one that never varies.
    """
    found = factor_of(rows.products, scale)
    if found is None or not found[1] <= _MOST:
        return None
    from scipy.linalg import blas  # noqa: PLC0415 - the API need not load it

    factor, condition = found
    constant, is_unit, p = scale == 0, condition <= _IS_UNIT, len(scale)
    triangle = np.asfortranarray(factor / np.where(constant, 1.0, scale)[:, None])
    few = np.asfortranarray(np.vstack([rows.means, rows.all.x]) * ~constant)
    means, x = few[: len(rows.means)], few[len(rows.means) :]
    for some in (few, rows.Z.T):  # columns stand one after another in both, as it has to be
        blas.dtrsm(1.0, triangle, some, side=1, lower=1, trans_a=1, overwrite_b=1)
    if is_unit:
        sums = rows.sums.copy()
        sums[:p, :p] = np.diag(~constant)
        sums[p:, :p], sums[:p, p:] = x, x.T
    else:
        sums = rows.products_of(rows.both, rows.w)
    error = condition if is_unit else np.sqrt(condition)
    lengths = np.einsum("ij,ij->j", rows.Z, rows.Z)
    return TurnedRows(rows.both, means, sums, lengths, constant, condition, float(error))


def factor_of(products: FloatArray, scale: FloatArray) -> tuple[FloatArray, float] | None:
    """Return the Cholesky factor of scaled products, and the length of the inverse."""
    from scipy.linalg import lapack  # noqa: PLC0415 - as above

    matrix = products * scale * scale[:, None]
    # A column that never varies within the classes counts for nothing: it stands alone.
    if not scale.all():
        np.einsum("ii->i", matrix)[:] += scale == 0
    factor, failed = lapack.dpotrf(matrix, lower=1)
    if failed:
        return None
    return factor, float(1 / lapack.dpocon(factor, 1.0, uplo="L")[0])
