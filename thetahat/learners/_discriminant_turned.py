"""The linear discriminants of every training part, in rows that all rows make uncorrelated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from thetahat.learners._class_rows import LEAST_LEFT, ClassRows, members
from thetahat.learners._discriminants import Priors, log_priors, posterior
from thetahat.learners._ridge_rows import LARGEST_AMPLIFICATION
from thetahat.learners.base import Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

ILL_CONDITIONED: Final = Plain("the training part's covariance matrix is ill-conditioned")
LIGHT: Final = Plain("hardly any weight of a class is in the training part")
TOO_FEW: Final = Plain("the training part has too few classes or rows")
TIED: Final = Plain("two classes are as likely as one another to the last digits")

ROUNDING = 1e-15
DIGITS = 1e-9
"""What a log density may be wrong by; then a probability agrees to eight digits."""
_IS_UNIT: Final = 1e3
"""Up to this condition the products of turned rows are the unit matrix to eleven digits."""
_MOST: Final = 1e9
"""The condition of the products up to which rows are turned."""

Joint = tuple[FloatArray, IntArray]
"""(n_test, C') log joint densities, and (C',) the classes."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnedRows:
    """Rows whose products within the classes are the unit matrix, but for rounding.

    A training part has nearly these products, so that its own are as well conditioned as its
    rows are many, however ill-conditioned the features are.

    Parameters
    ----------
    T : ndarray of float
        (n, p) rows less the mean of their class; a column that never varies is 0.
    means : ndarray of float
        (C, p) means of the classes about that of all rows.
    x : ndarray of float
        (C, p) weighted sums over the rows of each class, about 0.
    products : ndarray of float
        (p, p) weighted sums of products.
    constant : ndarray of bool
        (p,) which column never varies within the classes.
    condition : float
        Length of the inverse of the products before, their diagonal being 1.
    error : float
        What a product of two turned rows may be wrong by, in units of the last place.
    """

    T: FloatArray
    means: FloatArray
    x: FloatArray
    products: FloatArray
    constant: np.ndarray
    condition: float
    error: float


def turned_rows(rows: ClassRows, scale: FloatArray) -> TurnedRows | None:
    """Return the rows turned, or None where that would cost the digits.

    Parameters
    ----------
    scale : ndarray of float
        (p,) one over the length of each column; 0 for one that never varies.
    """
    found = factor_of(rows.products, scale)
    if found is None or not found[1] <= _MOST:
        return None
    from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

    factor, condition = found
    inverse, _ = lapack.dtrtri(factor, lower=1)
    turn = (inverse * scale).T
    T, constant, is_unit = rows.Z @ turn, scale == 0, condition <= _IS_UNIT
    products = np.diag((~constant).astype(np.float64)) if is_unit else _products(T, rows)
    error = condition if is_unit else np.sqrt(condition)
    return TurnedRows(
        T, rows.means @ turn, rows.all.x @ turn, products, constant, condition, float(error)
    )


def _products(T: FloatArray, rows: ClassRows) -> FloatArray:
    weighted = T * rows.w[:, None] if rows.is_weighted else T
    return np.asarray(weighted.T @ T)


def factor_of(products: FloatArray, scale: FloatArray) -> tuple[FloatArray, float] | None:
    """Return the Cholesky factor of scaled products, and the length of the inverse."""
    from scipy.linalg import lapack  # noqa: PLC0415 - as above

    matrix = products * scale * scale[:, None]
    # A column that never varies within the classes counts for nothing: it stands alone.
    np.einsum("ii->i", matrix)[:] += scale == 0
    factor, failed = lapack.dpotrf(matrix, lower=1)
    if failed:
        return None
    return factor, float(1 / lapack.dpocon(factor, 1.0, uplo="L")[0])


class TurnedSplits:
    """Sums over the rows left out are taken from those over all, class by class.

    Parameters
    ----------
    rows : ClassRows
        All rows.
    turned : TurnedRows
        These, turned.
    priors : {"shares", "equal"}
        As the learner has it.
    """

    def __init__(self, rows: ClassRows, turned: TurnedRows, priors: Priors) -> None:
        self.rows, self.turned, self.priors = rows, turned, priors
        self.lengths = np.vecdot(turned.T, turned.T)
        self.farthest = float(np.linalg.norm(turned.means, axis=1).max())

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        """Predict the test parts of several splits."""
        joints = [self._joint(part) for part in parts]
        said: list[Predictions | Plain] = [
            joint if isinstance(joint, Plain) else TIED for joint in joints
        ]
        together: dict[bytes, list[tuple[int, Joint]]] = {}
        for at, joint in enumerate(joints):
            if not isinstance(joint, Plain):
                together.setdefault(joint[1].tobytes(), []).append((at, joint))
        for group in together.values():
            all_of_them = np.concatenate([of_part for _, (of_part, _) in group])
            told = posterior(all_of_them, group[0][1][1], len(self.rows.means))
            is_tied, end = gap(all_of_them) <= DIGITS, 0
            for at, (of_part, _) in group:
                some = slice(end, end + len(of_part))
                end = some.stop
                if not is_tied[some].any():
                    assert told.probabilities is not None  # noqa: S101 - it has them always
                    said[at] = Predictions(told.output[some], told.probabilities[some])
        return said

    def _joint(self, part: Part) -> Joint | Plain:
        """Return the log joint densities of a test part, unless digits would be lost."""
        from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

        rows, turned, all_of = self.rows, self.turned, self.rows.all
        is_fresh = part.left_out is None or len(part.left_out) > len(part.train)
        index = part.train if part.left_out is None or is_fresh else part.left_out
        Z, y, w = np.take(turned.T, index, axis=0), rows.y[index], rows.w[index]
        member = members(y, w, len(rows.means))
        weight, x = member.sum(axis=1), member @ Z
        counts = np.bincount(y[w > 0] if rows.is_weighted else y, minlength=len(rows.means))
        products = (Z * w[:, None] if rows.is_weighted else Z).T @ Z
        if not is_fresh:
            counts, weight = all_of.rows - counts, all_of.weight - weight
            x, products = turned.x - x, turned.products - products
        present = np.flatnonzero(counts > 0)
        if not is_fresh and (weight[present] < LEAST_LEFT * all_of.weight[present]).any():
            return LIGHT
        if len(present) < 2 or counts.sum() <= len(present):
            return TOO_FEW
        x, weight = x[present], weight[present]
        moved = x / weight[:, None]
        products -= moved.T @ x
        if turned.constant.any():
            np.einsum("ii->i", products)[:] += turned.constant
        factor, failed = lapack.dpotrf(products.T, lower=1, overwrite_a=1)  # it is symmetric
        if failed:
            return ILL_CONDITIONED
        amplification = float(1 / lapack.dpocon(factor, 1.0, uplo="L")[0])
        if not amplification <= LARGEST_AMPLIFICATION:
            return ILL_CONDITIONED
        means = turned.means[present] + moved
        slopes, _ = lapack.dpotrs(factor, means.T, lower=1)
        squares = np.vecdot(means, slopes.T)
        total = weight.sum()
        largest = np.sqrt(amplification) * (np.sqrt(self.lengths[part.test].max()) + self.farthest)
        size = float(squares.max() + np.sqrt(squares.max()) * largest)
        if not ROUNDING * turned.error * amplification * size * total <= DIGITS:
            return ILL_CONDITIONED
        tested = Z if index is part.left_out and np.array_equal(index, part.test) else None
        if tested is None:
            tested = np.take(turned.T, part.test, axis=0)
        joint = tested @ slopes
        joint += np.take(turned.means @ slopes - 0.5 * squares, rows.y[part.test], axis=0)
        joint *= total
        joint += log_priors(weight, self.priors)
        return joint, present


def gap(joint: FloatArray) -> FloatArray:
    """(n,) by how much the likeliest class is ahead of the next."""
    by_class = np.array(joint.T, order="C")  # a copy, even of one row: it is written to
    best = by_class.max(axis=0)
    by_class[np.argmax(by_class, axis=0), np.arange(len(best))] = -np.inf
    return np.asarray(best - by_class.max(axis=0))
