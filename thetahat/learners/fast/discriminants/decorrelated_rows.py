"""Rows transformed so that they are uncorrelated within the classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy

from thetahat.learners.fast.discriminants.class_rows import ClassRows
from thetahat.values.types import FloatArray

_MAX_VALUE: Final = 1e9
"""Largest condition number of the products for which rows are decorrelated."""


@dataclass(frozen=True, slots=True, eq=False)
class DecorrelatedRows:
    """Rows whose within-class product matrix is close to the identity.

    A training part has nearly these products, so that its products are well conditioned if it has
    enough rows, however ill-conditioned the features are.
    """

    both: FloatArray
    """(p + C, n) as ``ClassRows`` has it; a column that never varies is 0."""
    means: FloatArray
    """(C, p) means of the classes about that of all rows."""
    lengths: FloatArray
    """(n,) squared lengths of the rows."""
    constant: np.ndarray
    """(p,) which column never varies within the classes."""
    error: float
    """Error bound of a product of two decorrelated rows, in units of the last place."""

    @property
    def T(self) -> FloatArray:  # noqa: N802 - as the rows are called
        """(p, n) rows."""
        some: FloatArray = self.both[: self.means.shape[1]]
        return some

    def decorrelate(self, products: FloatArray) -> DecorrelatedRows | None:
        """Return these rows transformed by their own (p, p) products.

        None if digits would be lost.
        """
        lengths = np.diag(products) + self.constant
        scale = np.where(self.constant, 0.0, 1 / np.sqrt(lengths))
        decorrelated = _turned(self.both, self.means, products, scale, self.constant)
        return (
            None
            if decorrelated is None
            else replace(decorrelated, error=self.error + decorrelated.error)
        )


def unit_rows(rows: ClassRows) -> DecorrelatedRows | None:
    """Return rows whose product matrix is the identity, or None if that would lose digits.

    They are transformed in place: ``rows.Z`` has other numbers afterwards. After two
    transformations the products are the identity up to rounding, whatever their condition was.
    """
    turned = decorrelate_rows(rows)
    return None if turned is None else turned.decorrelate(rows.sum_products(turned.T, rows.w))


def decorrelate_rows(rows: ClassRows) -> DecorrelatedRows | None:
    """Return rows decorrelated by their own products, or None if that would lose digits."""
    products = rows.sum_products(rows.Z, rows.w)
    constant = rows.squares == 0
    scale = np.divide(1.0, np.sqrt(rows.squares), out=np.zeros(len(constant)), where=~constant)
    return _turned(rows.both, rows.means * ~constant, products, scale, constant)


def _turned(
    both: FloatArray,
    means: FloatArray,
    products: FloatArray,
    scale: FloatArray,
    constant: np.ndarray,
) -> DecorrelatedRows | None:
    factored = factorise(products, scale, constant)
    if factored is None or not factored[1] <= _MAX_VALUE:
        return None
    factor, condition = factored
    triangle = np.asfortranarray(factor / np.where(constant, 1.0, scale)[:, None])
    turned, Z = np.array(means, order="F"), both[: len(scale)]
    for some in (turned, Z.T):  # columns stand one after another in both, as it has to be
        scipy.linalg.blas.dtrsm(1.0, triangle, some, side=1, lower=1, trans_a=1, overwrite_b=1)
    lengths = np.einsum("ij,ij->j", Z, Z)
    return DecorrelatedRows(both, turned, lengths, constant, float(np.sqrt(condition)))


def factorise(
    products: FloatArray, scale: FloatArray, constant: np.ndarray
) -> tuple[FloatArray, float] | None:
    """Return the Cholesky factor of a scaled product matrix, and the norm of its inverse."""
    matrix = products * scale * scale[:, None]
    # A column that never varies within the classes is ignored: its entry is the identity.
    if constant.any():
        np.einsum("ii->i", matrix)[:] += constant
    factor, failed = scipy.linalg.lapack.dpotrf(matrix, lower=1)
    if failed:
        return None
    return factor, float(1 / scipy.linalg.lapack.dpocon(factor, 1.0, uplo="L")[0])
