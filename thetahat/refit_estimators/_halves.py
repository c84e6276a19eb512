"""The fits of the conservative variance: subsamples of all rows, and of pairs of halves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.refit_estimators._parameters import require_rows
from thetahat.refit_estimators.base import Fits
from thetahat.schemes._sizes import n_test_of
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import stream
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True)
class Halves:
    """J random subsamples of all rows, then J of each half, for M ways to cut the rows in two.

    Every test part has the same size. With an odd number of rows one is left out of each cut.

    Parameters
    ----------
    n_halvings, n_subsamples : int
        M and J.
    test_size : float
        Share of all rows, or number of rows, in each test part.
    """

    n_halvings: int
    n_subsamples: int
    test_size: float

    def n_splits(self, rows: Rows) -> int:
        """J (1 + 2 M)."""
        require_rows(rows, 4, "a subsampling of halves")
        n_test = n_test_of(self.test_size, rows.n)
        if n_test >= rows.n // 2:
            raise InsufficientData(
                f"{n_test} test rows leave none of half of {rows.n} rows to learn from",
                loc=("test_size",),
                value=self.test_size,
            )
        return self.n_subsamples * (1 + 2 * self.n_halvings)

    def n_tests(self, rows: Rows) -> int:
        """As many as there are splits, times the size of a test part."""
        return self.n_splits(rows) * n_test_of(self.test_size, rows.n)

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield the subsamples of all rows, then those of each half of each cut in turn."""
        n_test = n_test_of(self.test_size, rows.n)
        drawn, of_part = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            part, draw = divmod(split, self.n_subsamples)
            if part != drawn:
                drawn, of_part = part, self._rows_of(rows.n, seed, part)
            order = of_part[stream(seed, "subsamples", part, draw).permutation(len(of_part))]
            train, test = np.sort(order[n_test:]), np.sort(order[:n_test])
            yield Split(part, draw, draw, train=train, test=test)

    def _rows_of(self, n: int, seed: int, part: int) -> IntArray:
        """All rows for part 0; then the two halves of the first cut, of the second, and so on."""
        if part == 0:
            return np.arange(n, dtype=np.intp)
        cut, which = divmod(part - 1, 2)
        order = stream(seed, "halves", cut).permutation(n)
        half = n // 2
        return np.asarray(order[which * half : (which + 1) * half], dtype=np.intp)

    def means(self, fits: Fits) -> tuple[float, FloatArray]:
        """Return the mean over the subsamples of all rows, and (M, 2) those of the halves."""
        of_split = np.array([part.mean() for part in fits.losses])
        of_part = of_split.reshape(-1, self.n_subsamples).mean(axis=1)
        return float(of_part[0]), of_part[1:].reshape(-1, 2)
