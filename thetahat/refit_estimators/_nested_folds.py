"""The fits of nested cross-validation: every fold left out, and every pair of folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from thetahat.refit_estimators._parameters import require_rows
from thetahat.refit_estimators.base import Fits
from thetahat.schemes._partitions import dealt
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import stream
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True)
class NestedFolds:
    """K fits without one fold and K (K - 1) / 2 without two, repeat by repeat.

    The fit without f and g serves twice: its losses on g belong to outer fold f, and those on f
    to outer fold g. After the repeats come plain cross-validations on partitions of their own.

    Parameters
    ----------
    n_folds, n_repeats : int
        K, at least 3, and the number of partitions.
    n_plain : int
        Number of plain cross-validations beside.
    """

    n_folds: int
    n_repeats: int
    n_plain: int = 0

    @cached_property
    def left_out(self) -> tuple[tuple[int, ...], ...]:
        """The folds that each fit of a repeat is made without."""
        folds = range(self.n_folds)
        return (*((f,) for f in folds), *combinations(folds, 2))

    def n_splits(self, rows: Rows) -> int:
        """K (K + 1) / 2 for each repeat, and K for each plain cross-validation."""
        require_rows(rows, self.n_folds, f"nested cross-validation in {self.n_folds} folds")
        return self.n_repeats * len(self.left_out) + self.n_plain * self.n_folds

    def n_tests(self, rows: Rows) -> int:
        """Each row K times in a repeat, and once in a plain cross-validation."""
        return rows.n * (self.n_repeats * self.n_folds + self.n_plain)

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield the fits of a stretch; a partition is drawn once for each repeat it touches."""
        drawn, fold = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            repeat, block = self._position(split)
            if repeat != drawn:
                drawn, fold = repeat, self.folds(rows.n, seed, repeat)
            is_test = np.isin(fold, self.left_out[block])
            yield Split(
                repeat, block, block, train=np.flatnonzero(~is_test), test=np.flatnonzero(is_test)
            )

    def _position(self, split: int) -> tuple[int, int]:
        nested = self.n_repeats * len(self.left_out)
        if split < nested:
            return divmod(split, len(self.left_out))
        repeat, block = divmod(split - nested, self.n_folds)
        return self.n_repeats + repeat, block

    def folds(self, n: int, seed: int, repeat: int) -> IntArray:
        """(n,) fold of each row; partitions after the repeats' are those of the plain ones."""
        return dealt(stream(seed, "nested folds", repeat).permutation(n), self.n_folds)

    def outer_and_inner(
        self, fits: Fits, repeat: int
    ) -> tuple[list[FloatArray], list[list[FloatArray]]]:
        """Return the losses of one repeat.

        ``outer[f]`` are those on f of the fit without f; ``inner[f]`` holds, for every other fold
        g in order, those on g of the fit without f and g.
        """
        K = self.n_folds
        of_fit = fits.losses[repeat * len(self.left_out) :][: len(self.left_out)]
        fold = self.folds(fits.rows.n, fits.seed, repeat)
        inner: list[list[FloatArray]] = [[np.empty(0)] * K for _ in range(K)]
        for (f, g), losses in zip(self.left_out[K:], of_fit[K:], strict=True):
            of_row = fold[np.isin(fold, (f, g))]
            inner[f][g], inner[g][f] = losses[of_row == g], losses[of_row == f]
        return list(of_fit[:K]), [
            [losses for g, losses in enumerate(inner[f]) if g != f] for f in range(K)
        ]

    def plain(self, fits: Fits) -> list[FloatArray]:
        """Return the (n,) losses of each plain cross-validation, fold by fold."""
        start, K = self.n_repeats * len(self.left_out), self.n_folds
        return [
            np.concatenate(fits.losses[start + K * r : start + K * (r + 1)])
            for r in range(self.n_plain)
        ]
