"""The linear discriminants of every training part, in rows that all rows make uncorrelated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from thetahat.learners._class_rows import LEAST_LEFT, ClassRows
from thetahat.learners._discriminants import Priors, leading, posterior_of
from thetahat.learners._ridge_rows import LARGEST_AMPLIFICATION
from thetahat.learners._turned_rows import TurnedRows
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
_ABSENT: Final = -1e300
"""Log share of a class that is absent; a number, as it is multiplied with zeros too."""
_HELD: Final = 4_000_000
"""Numbers of the rows of several splits that are looked at together."""


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
        self.farthest = float(np.sqrt(np.square(turned.means).sum(axis=1).max()))

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        """Predict the test parts of several splits."""
        said: list[Predictions | Plain] = []
        held: list[Part] = []
        n_held = 0
        for part in parts:
            held.append(part)
            n_held += len(_summed(part)) + len(part.test)
            if n_held * len(self.turned.both) > _HELD:
                said += self._predict(held)
                held, n_held = [], 0
        return said + self._predict(held) if held else said

    def _predict(self, parts: Sequence[Part]) -> list[Predictions | Plain]:
        sums, sizes = self._sums(parts), [len(part.test) for part in parts]
        tests = np.concatenate([part.test for part in parts])
        ends = list(accumulate(sizes, initial=0))
        lengths = np.maximum.reduceat(self.turned.lengths[tests], ends[:-1])
        said, slopes, levels = self._lines(sums, lengths)
        tested, n_classes = sums.rows, slopes.shape[2]
        if not (sums.is_rest.all() and all(part.tests_left_out for part in parts)):
            tested = np.take(self.turned.both, tests, axis=1)
        joint = np.empty((n_classes, len(tests)))
        lines = np.concatenate([slopes, levels], axis=1)
        for line, (a, b) in zip(lines, pairwise(ends), strict=True):
            np.matmul(line.T, tested[:, a:b], out=joint[:, a:b])
        lead = leading(joint)
        told = posterior_of(joint, lead, np.arange(n_classes), n_classes)
        assert told.probabilities is not None  # noqa: S101 - it has them always
        is_tied = np.logical_or.reduceat(lead.ahead <= DIGITS, ends[:-1]).tolist()
        return [
            why or (TIED if tied else Predictions(told.output[a:b], told.probabilities[a:b]))
            for why, tied, (a, b) in zip(said, is_tied, pairwise(ends), strict=True)
        ]

    def _sums(self, parts: Sequence[Part]) -> _Sums:
        """Return the sums over the training parts, by way of the fewer rows."""
        rows, turned, summed = self.rows, self.turned, [_summed(part) for part in parts]
        ends = list(accumulate(map(len, summed), initial=0))
        index, q, n_classes = np.concatenate(summed), len(turned.both), len(rows.means)
        both, w = np.take(turned.both, index, axis=1), rows.w[index]
        sums = np.empty((len(parts), q, q))
        for at, (a, b) in enumerate(pairwise(ends)):
            of_part: FloatArray = both[:, a:b]
            weighted = of_part * w[a:b] if rows.is_weighted else of_part
            np.matmul(weighted, of_part.T, out=sums[at])
        counts = np.einsum("kcc->kc", sums[:, q - n_classes :, q - n_classes :])
        if rows.is_weighted:
            seen = np.cumsum(both[q - n_classes :] * (w > 0), axis=1)[:, np.array(ends[1:]) - 1]
            counts = np.diff(seen, axis=1, prepend=0.0).T
        is_rest = np.array([one is part.left_out for one, part in zip(summed, parts, strict=True)])
        counts = np.where(is_rest[:, None], rows.n_with_weight - counts, counts)
        np.subtract(turned.sums, sums, out=sums, where=is_rest[:, None, None])
        return _Sums(both, is_rest, counts, sums)

    def _lines(
        self, sums: _Sums, lengths: FloatArray
    ) -> tuple[list[Plain | None], FloatArray, FloatArray]:
        """Return what the densities are lines of.

        Parameters
        ----------
        lengths : ndarray of float
            (K,) largest squared length of a test row.

        Returns
        -------
        plain : list of Plain or None
            Why a part has to be fitted.
        slopes : ndarray
            (K, p, C) what a turned row is multiplied with.
        levels : ndarray
            (K, C, C) what is added for a row of one class and the density of another.
        """
        turned, (n_parts, n_classes) = self.turned, sums.counts.shape
        p = len(turned.T)
        present = sums.counts > 0
        weight = np.where(present, np.einsum("kcc->kc", sums.sums[:, p:, p:]), 0.0)
        plain = self._too_little(sums, present, weight)
        x = sums.sums[:, p:, :p]
        moved = np.divide(x, weight[:, :, None], out=np.zeros(x.shape), where=present[:, :, None])
        means = turned.means + moved
        products = sums.sums[:, :p, :p] - moved.transpose(0, 2, 1) @ x
        if turned.constant.any():
            np.einsum("kii->ki", products)[:] += turned.constant
        slopes, amplification = np.zeros((n_parts, p, n_classes)), np.ones(n_parts)
        from scipy.linalg import lapack  # noqa: PLC0415 - the API need not load it

        for at in range(n_parts):
            solved = None if plain[at] else _solved(lapack, products[at], means[at])
            if solved is None:
                plain[at] = plain[at] or ILL_CONDITIONED
            else:
                slopes[at], amplification[at] = solved
        squares = np.vecdot(means, slopes.transpose(0, 2, 1))
        total = weight.sum(axis=1)
        size = np.where(present, squares, 0.0).max(axis=1)
        size += np.sqrt(size * amplification) * (np.sqrt(lengths) + self.farthest)
        is_wrong = ~(ROUNDING * turned.error * amplification * size * total <= DIGITS)
        for at in np.flatnonzero(is_wrong).tolist():
            plain[at] = plain[at] or ILL_CONDITIONED
        levels = turned.means @ slopes - 0.5 * squares[:, None]
        levels *= total[:, None, None]
        slopes *= total[:, None, None]
        levels += self._log_priors(weight, present)[:, None]
        return plain, slopes, levels

    def _too_little(
        self, sums: _Sums, present: np.ndarray, weight: FloatArray
    ) -> list[Plain | None]:
        """Return why parts have to be fitted of which hardly anything is left."""
        light = (weight < LEAST_LEFT * self.rows.all.weight) & present & sums.is_rest[:, None]
        n_present = present.sum(axis=1)
        too_few = (n_present < 2) | (sums.counts.sum(axis=1) <= n_present)
        if not (light.any() or too_few.any()):
            return [None] * len(present)
        is_light = light.any(axis=1)
        pairs = zip(is_light.tolist(), too_few.tolist(), strict=True)
        return [LIGHT if light else TOO_FEW if few else None for light, few in pairs]

    def _log_priors(self, weight: FloatArray, present: np.ndarray) -> FloatArray:
        """(K, C) log shares of the classes; of one that is absent a number below all others."""
        shares = present.astype(np.float64) if self.priors == "equal" else weight
        total = shares.sum(axis=1, keepdims=True)
        found = np.full(shares.shape, _ABSENT)
        np.log(shares / np.where(total > 0, total, 1.0), out=found, where=present)
        return found


def _solved(
    lapack: Any, products: FloatArray, means: FloatArray
) -> tuple[FloatArray, float] | None:
    """(p, C) slopes and the length of the inverse; None where that is too long."""
    factor, failed = lapack.dpotrf(products.T, lower=1, overwrite_a=1)  # it is symmetric
    if failed:
        return None
    amplification = 1 / lapack.dpocon(factor, 1.0, uplo="L")[0]
    if not amplification <= LARGEST_AMPLIFICATION:
        return None
    slopes, _ = lapack.dpotrs(factor, means.T, lower=1)
    return slopes, float(amplification)


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Sums over K training parts, by class, as ``ClassSums`` has them.

    Parameters
    ----------
    rows : ndarray of float
        (p + C, M) the turned rows that were summed, part after part.
    is_rest : ndarray of bool
        (K,) whether these are the rows left out, whose sums were taken from those of all.
    counts : ndarray
        (K, C) number of rows with weight.
    sums : ndarray
        (K, p + C, p + C) as ``TurnedRows`` has them.
    """

    rows: FloatArray
    is_rest: np.ndarray
    counts: FloatArray
    sums: FloatArray


def _summed(part: Part) -> IntArray:
    """Return the rows that the sums of a part are taken over: those left out where they are few."""
    if part.left_out is None or len(part.left_out) > part.n_train:
        return part.train
    return part.left_out


def gap(joint: FloatArray) -> FloatArray:
    """(n,) by how much the likeliest class is ahead of the next, of (n, C') densities."""
    return leading(np.ascontiguousarray(joint.T)).ahead
