"""The fits of the replace-one variance: cross-validations of half the rows, one of them changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetahat.refit_estimators._parameters import require_rows
from thetahat.refit_estimators.base import Fits
from thetahat.schemes._partitions import dealt
from thetahat.schemes.base import AllButTest, Rows, Split
from thetahat.seeds import stream
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True)
class Replacements:
    """A cross-validation of all rows, and those of half of them with one replaced at a time.

    Half of the rows, m, are at work, and the i-th of the other half stands ready to replace the
    i-th of them. Where fold f holds row i, the model without f is the same before and after, so
    it is fitted once and tested on the rows of f and on those that replace them: K + m (K - 1)
    fits do for m + 1 cross-validations.

    Parameters
    ----------
    n_folds, n_repeats : int
        K, and the number of partitions that are averaged over.
    """

    n_folds: int
    n_repeats: int

    def n_splits(self, rows: Rows) -> int:
        """For each repeat, 2 K + m (K - 1)."""
        what = f"cross-validation of half the rows in {self.n_folds} folds"
        require_rows(rows, 2 * self.n_folds, what)
        return self.n_repeats * self._per_repeat(rows.n)

    def n_tests(self, rows: Rows) -> int:
        """For each repeat all rows once, those of the halves, and every row for every other."""
        m = rows.n // 2
        sizes = np.bincount(np.arange(m) % self.n_folds)
        return self.n_repeats * int(rows.n + 2 * m + m * m - (sizes**2).sum())

    def _per_repeat(self, n: int) -> int:
        return 2 * self.n_folds + n // 2 * (self.n_folds - 1)

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield, by repeat, the folds of all rows, those of the half, and those with i replaced."""
        n, K = rows.n, self.n_folds
        base, others = self._halves(n, seed)
        drawn = -1
        of_all, of_half = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            repeat, block = divmod(split, self._per_repeat(n))
            if repeat != drawn:
                drawn, of_all, of_half = repeat, *self._folds(n, seed, repeat)
            if block < K:
                test = np.flatnonzero(of_all == block)
                yield AllButTest(repeat, block, block, test, n)
                continue
            if block < 2 * K:
                is_test, working = of_half == block - K, base
                test = np.concatenate([base[is_test], others[is_test]])
            else:
                i, f = self._replaced(block, of_half)
                is_test, working = of_half == f, base.copy()
                working[i] = others[i]
                test = working[is_test]
            yield Split(repeat, block, block, train=np.sort(working[~is_test]), test=test)

    def _replaced(self, block: int, of_half: IntArray) -> tuple[int, int]:
        """Return which row is replaced, and which of the folds without it is tested on."""
        i, rank = divmod(block - 2 * self.n_folds, self.n_folds - 1)
        return i, rank if rank < of_half[i] else rank + 1

    def _halves(self, n: int, seed: int) -> tuple[IntArray, IntArray]:
        order = stream(seed, "halves to replace").permutation(n).astype(np.intp, copy=False)
        return order[: n // 2], order[n // 2 : 2 * (n // 2)]

    def _folds(self, n: int, seed: int, repeat: int) -> tuple[IntArray, IntArray]:
        """(n,) and (m,) folds of one repeat."""
        rng = stream(seed, "folds to replace in", repeat)
        return (
            dealt(rng.permutation(n), self.n_folds),
            dealt(rng.permutation(n // 2), self.n_folds),
        )

    def errors(self, fits: Fits) -> tuple[float, float, FloatArray]:
        """Return the error on all rows, R of the half, and (m,) R_i with row i replaced."""
        n, m, K = fits.rows.n, fits.rows.n // 2, self.n_folds
        on_all, on_half, replaced = 0.0, 0.0, np.zeros(m)
        for repeat in range(self.n_repeats):
            losses = fits.losses[repeat * self._per_repeat(n) :][: self._per_repeat(n)]
            _, of_half = self._folds(n, fits.seed, repeat)
            on_all += sum(float(part.sum()) for part in losses[:K]) / n
            others = np.empty(m)
            for f, part in enumerate(losses[K : 2 * K]):
                on_half += float(part[: len(part) // 2].sum()) / m
                # the fold of i under the same model, with the replacement in the place of i
                own, new = part[: len(part) // 2], part[len(part) // 2 :]
                others[of_half == f] = own.sum() - own + new
            sums = np.array([float(part.sum()) for part in losses[2 * K :]]).reshape(m, K - 1)
            replaced += (others + sums.sum(axis=1)) / m
        return on_all / self.n_repeats, on_half / self.n_repeats, replaced / self.n_repeats
