"""The fits of the two-stage bootstrap: a bootstrap of every resample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.refits._bootstrap_632 import Plus
from thetahat.refits._parameters import require_rows
from thetahat.refits.base import APPARENT, Fits
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import stream
from thetahat.types import IntArray


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
        drawn, sample = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            stage, inner = divmod(split, self.n_inner + 1)
            if stage != drawn:
                drawn, sample = stage, self.sample(rows.n, seed, stage)
            if inner == 0:
                yield Split(stage, 0, APPARENT, train=sample, test=sample)
            else:
                train, test = self._resample(sample, seed, stage, inner)
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

    def _resample(
        self, sample: IntArray, seed: int, stage: int, inner: int
    ) -> tuple[IntArray, IntArray]:
        rng = stream(seed, "inner resamples", stage, inner)
        while True:
            train = np.sort(sample[rng.integers(len(sample), size=len(sample))])
            test = sample[~np.isin(sample, train)]
            if len(test):
                return train, test

    def estimates(self, fits: Fits) -> list[Plus]:
        """Return the .632+ combination of each sample; the first is that of the data."""
        return [self._of_stage(fits, stage) for stage in range(self.n_outer + 1)]

    def _of_stage(self, fits: Fits, stage: int) -> Plus:
        first = stage * (self.n_inner + 1)
        gamma = None if fits.no_information is None else fits.no_information[first]
        if gamma is None:
            raise UnsupportedCombination("a difference of two learners has no .632+ error")
        n = fits.rows.n
        sample = self.sample(n, fits.seed, stage)
        sums, times = np.zeros(n), np.zeros(n)
        for inner in range(1, self.n_inner + 1):
            _, test = self._resample(sample, fits.seed, stage, inner)
            # copies of a row have the same loss, and are the same row out of the same bag
            sums[test] += fits.losses[first + inner]
            times[test] += 1
        of_copy = sample[times[sample] > 0]
        out = float((sums[of_copy] / times[of_copy]).mean())
        return Plus(float(fits.losses[first].mean()), out, gamma)
