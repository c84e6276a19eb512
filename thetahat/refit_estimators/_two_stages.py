"""The fits of the two-stage bootstrap: a bootstrap of every resample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.refit_estimators._bootstrap_632 import Plus
from thetahat.refit_estimators._parameters import require_rows
from thetahat.refit_estimators.base import APPARENT, Fits
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import stream
from thetahat.values.types import IntArray

_MOST_KEPT: Final = 20_000
"""Row numbers of a stage up to which they are kept: of all that are, about 100 megabytes."""
_INNER: Final = "inner resamples"

_Stage = tuple[IntArray, tuple[tuple[IntArray, IntArray], ...]]
"""(n,) rows of a stage's sample; of each of its resamples, the rows in it and those out of it."""


@dataclass(frozen=True)
class TwoStages:
    """Fits to a sample and to resamples of it, for the data and for resamples of the data.

    The sample of stage 0 is the data; those of the others are resamples. A row that the outer
    resample holds several times is out of an inner one only where none of its copies is in, so
    nothing that was learnt is tested on. Resamples that leave nothing out are drawn again.

    Parameters
    ----------
    n_outer, n_inner : int
        Resamples of the data, and of each sample.
    """

    n_outer: int
    n_inner: int

    def n_splits(self, rows: Rows) -> int:
        """(outer + 1) x (inner + 1)."""
        require_rows(rows, 2, "a bootstrap")
        return (self.n_outer + 1) * (self.n_inner + 1)

    def n_tests(self, rows: Rows) -> int:
        """At most n for each."""
        return self.n_splits(rows) * rows.n

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield, by sample, the fit to it, and those to its resamples."""
        for split in range(self.n_splits(rows))[start:stop]:
            stage, inner = divmod(split, self.n_inner + 1)
            sample, resamples = self._of(stage, rows.n, seed)
            if inner == 0:
                yield Split(stage, 0, APPARENT, train=sample, test=sample)
            else:
                train, test = resamples[inner - 1]
                yield Split(stage, inner, inner, train=train, test=test)

    def sample(self, n: int, seed: int, stage: int) -> IntArray:
        """(n,) rows of a stage's sample, ascending; at least two of them differ."""
        if stage == 0:
            return np.arange(n, dtype=np.intp)
        rng = stream(seed, "outer resamples", stage)
        while True:
            rows = np.sort(rng.integers(n, size=n))
            if rows[0] != rows[-1]:
                return np.asarray(rows, dtype=np.intp)

    def _of(self, stage: int, n: int, seed: int) -> _Stage:
        """Return what a stage draws, kept where it is little: fits and estimates both need it."""
        known = n * (self.n_inner + 1) <= _MOST_KEPT
        return (_drawn_once if known else _drawn)(self, n, seed, stage)

    def estimates(self, fits: Fits) -> list[Plus]:
        """Return the .632+ combination of each sample; the first is that of the data."""
        return [self._of_stage(fits, stage) for stage in range(self.n_outer + 1)]

    def _of_stage(self, fits: Fits, stage: int) -> Plus:
        first = stage * (self.n_inner + 1)
        gamma = None if fits.no_information is None else fits.no_information[first]
        if gamma is None:
            raise UnsupportedCombination("a difference of two learners has no .632+ error")
        n = fits.rows.n
        sample, resamples = self._of(stage, n, fits.seed)
        sums, times = np.zeros(n), np.zeros(n)
        for inner, (_, test) in enumerate(resamples, start=1):
            # copies of a row have the same loss, and are the same row out of the same bag
            sums[test] += fits.losses[first + inner]
            times[test] += 1
        of_copy = sample[times[sample] > 0]
        error = float((sums[of_copy] / times[of_copy]).mean())
        return Plus(float(fits.losses[first].mean()), error, gamma)


def _drawn(design: TwoStages, n: int, seed: int, stage: int) -> _Stage:
    sample = design.sample(n, seed, stage)
    inner = range(1, design.n_inner + 1)
    return sample, tuple(_resample(sample, stream(seed, _INNER, stage, i)) for i in inner)


_drawn_once = lru_cache(maxsize=256)(_drawn)


def _resample(sample: IntArray, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Return the rows of a resample, ascending, and the rows that are out of it."""
    n = len(sample)
    while True:
        train = np.sort(sample[rng.integers(n, size=n)])
        inside = np.zeros(n, dtype=np.bool_)
        inside[train] = True
        test = sample[~inside[sample]]
        if len(test):
            return train, test
