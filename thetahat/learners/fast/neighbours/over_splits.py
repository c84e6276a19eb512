"""Nearest neighbours in every training part, from one list of neighbours for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

import numpy as np

from thetahat.learners._training_parts import concatenate_predictions, take_rows
from thetahat.learners.base import OrdinaryFit, OverPath, OverSplits, Part
from thetahat.learners.fast.neighbours.search import Search
from thetahat.learners.fast.ordinary_fits import REPEATED_ROWS
from thetahat.losses.base import Predictions
from thetahat.values.types import FloatArray, IntArray

TOO_FEW_IN_PART: Final = OrdinaryFit("the training part has fewer rows than neighbours")

TOO_FEW_IN_DATA: Final = OrdinaryFit("there are fewer rows than neighbours")

_MAX_ENTRIES: Final = 1_000_000
"""Largest number of entries of the arrays of test rows and parts in one vote."""

VoteFunction = Callable[[IntArray, FloatArray], Predictions]
"""Takes (q, k) row numbers of all data and squared distances and returns predictions."""
VotesFunction = Callable[[IntArray, FloatArray, Sequence[int]], list[Predictions]]
"""Like ``VoteFunction``, for each of several numbers of neighbours."""


class NeighbourSplits(OverSplits):
    """Predicts splits from a list of the nearest rows of each row, longer than k rows.

    If the list has too few neighbours, or another row might be as near, the neighbours are searched
    in the training part. A list is computed at its first use, and does not depend on when that is.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(self, X: FloatArray, allowed: np.ndarray, k: int, vote: VoteFunction) -> None:
        self.X, self.allowed, self.k, self.vote = X, allowed, k, vote
        self.numbers = np.flatnonzero(allowed)
        self.search = Search(X if allowed.all() else X[self.numbers])
        n, length = len(X), min(k + max(8, k), len(self.numbers))
        self.length = length
        self.known = np.zeros(n, dtype=np.bool_)
        self.rows = np.zeros((n, length), dtype=np.intp)
        self.squares = np.zeros((n, length))
        self.complete_below = np.zeros(n)

    def predict_all(self, parts: Sequence[Part]) -> list[Predictions | OrdinaryFit]:
        """Predict several splits at once."""
        self.look_up(rows_tested(parts))
        predictions: list[Predictions | OrdinaryFit] = [TOO_FEW_IN_PART] * len(parts)
        some: list[tuple[int, np.ndarray]] = []
        held = 0
        for at, part in enumerate(parts):
            inside = self.inside(part)
            if part.left_out is None and self.k > 1:  # a row and its copy are one nearest row
                predictions[at] = REPEATED_ROWS
            elif np.count_nonzero(inside) >= self.k:
                some.append((at, inside))
                held += len(inside) + self.length * len(part.test)
            if held > _MAX_ENTRIES or at == len(parts) - 1:
                self._write_predictions(predictions, parts, some)
                some, held = [], 0
        return predictions

    def _write_predictions(
        self,
        predictions: list[Predictions | OrdinaryFit],
        parts: Sequence[Part],
        some: Sequence[tuple[int, np.ndarray]],
    ) -> None:
        """Write the predictions of these parts to their positions."""
        if not some:
            return
        tests = [parts[at].test for at, _ in some]
        sizes = np.array([len(test) for test in tests])
        of_part = np.repeat(np.arange(len(some)), sizes)
        inside = np.array([rows for _, rows in some])
        outcomes = self.vote(*self._find_nearest(np.concatenate(tests), of_part, inside, self.k))
        for (at, _), end, size in zip(some, np.cumsum(sizes).tolist(), sizes.tolist(), strict=True):
            predictions[at] = take_rows(outcomes, slice(end - size, end))

    def inside(self, part: Part) -> np.ndarray:
        """Return an (n,) mask of the rows that may be neighbours in this split."""
        if part.left_out is not None:
            inside = self.allowed.copy()
            inside[part.left_out] = False
            return inside
        inside = np.zeros(len(self.X), dtype=np.bool_)
        inside[part.train] = True
        inside &= self.allowed
        return inside

    def nearest(self, test: IntArray, inside: np.ndarray, k: int) -> tuple[IntArray, FloatArray]:
        """Return (q, k) rows and squared distances of the k nearest rows inside the mask."""
        return self._find_nearest(test, np.zeros(len(test), dtype=np.intp), inside[None], k)

    def _find_nearest(
        self, test: IntArray, of_part: IntArray, inside: np.ndarray, k: int
    ) -> tuple[IntArray, FloatArray]:
        """Return the same for the test rows of J parts; ``inside`` is (J, n)."""
        self.look_up(test)
        fit = inside[of_part[:, None], self.rows[test]]
        rows, squares, unsure = self._read_lists(test, fit, k)
        for part in np.unique(of_part[unsure]).tolist():
            mine = unsure & (of_part == part)
            train = np.flatnonzero(inside[part])
            at, nearest_squares = Search(self.X[train]).nearest(self.X[test[mine]], k)
            rows[mine], squares[mine] = train[at], nearest_squares
        return rows, squares

    def _read_lists(
        self, test: IntArray, fit: np.ndarray, k: int
    ) -> tuple[IntArray, FloatArray, np.ndarray]:
        """Return (q, k) rows and squared distances, and (q,) whether the lists were too short.

        ``fit`` is (q, length), whether a row of the list may be a neighbour.
        """
        place = np.cumsum(fit, axis=1, dtype=np.int32)
        few = np.flatnonzero(place[:, -1] < k)
        if len(few):  # others are taken, and not trusted
            fit[few], place[few] = True, np.arange(1, self.length + 1)
        taken = np.flatnonzero(fit & (place <= k))
        taken += self.length * np.repeat(test - np.arange(len(test)), k)
        rows = self.rows.reshape(-1)[taken].reshape(len(test), k)
        squares = self.squares.reshape(-1)[taken].reshape(len(test), k)
        unsure = squares[:, -1] >= self.complete_below[test]
        unsure[few] = True
        return rows, squares, unsure

    def others(self, rows: IntArray) -> tuple[IntArray, FloatArray, np.ndarray]:
        """Return each row's k nearest other rows, and whether its list suffices."""
        self.look_up(rows)
        chosen, squares, unsure = self._read_lists(rows, self.rows[rows] != rows[:, None], self.k)
        return chosen, squares, ~unsure

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions of rows, and whether each list suffices."""
        chosen, squares, suffices = self.others(rows)
        return self.vote(chosen, squares), suffices

    def look_up(self, rows: IntArray) -> None:
        """Search the lists of the rows that have none yet."""
        if self.known[rows].all():
            return
        asked = np.zeros(len(self.X), dtype=np.bool_)
        asked[rows] = True
        wanted = np.flatnonzero(asked & ~self.known)
        queries = self.X if len(wanted) == len(self.X) else self.X[wanted]
        lists = self.search.lists(queries, self.length)
        self.rows[wanted] = self.numbers[lists.rows]
        self.squares[wanted] = lists.squares
        self.complete_below[wanted] = lists.complete_below
        self.known[wanted] = True


def rows_tested(parts: Sequence[Part]) -> IntArray:
    """Return the tested rows of the splits, split after split."""
    return np.concatenate([np.empty(0, dtype=np.intp), *(part.test for part in parts)])


class NeighbourPath(OverPath):
    """Predictions of splits for several numbers of neighbours, from one list of each row.

    Parameters
    ----------
    splits : NeighbourSplits
        With the largest of the numbers.
    numbers : sequence of int
        (L,) numbers of neighbours.
    votes : callable
        Counts the votes.
    """

    leaves_rows_out: ClassVar[bool] = True

    def __init__(
        self, splits: NeighbourSplits, numbers: Sequence[int], votes: VotesFunction
    ) -> None:
        self.splits, self.numbers, self.votes = splits, numbers, votes

    def predict(self, part: Part) -> tuple[Predictions, np.ndarray]:
        """Predict a split for each number of neighbours that its training part has."""
        splits, n_test = self.splits, len(part.test)
        inside = splits.inside(part)
        fits = np.array(self.numbers) <= np.count_nonzero(inside)
        if part.left_out is None or not fits.any():
            nothing = np.zeros((n_test, 1), dtype=np.intp), np.zeros((n_test, 1))
            return self._count_votes(*nothing), np.zeros(len(self.numbers), dtype=np.bool_)
        most = max(k for k, fit in zip(self.numbers, fits, strict=True) if fit)
        return self._count_votes(*splits.nearest(part.test, inside, most)), fits

    def predict_all(self, parts: Sequence[Part]) -> list[tuple[Predictions, np.ndarray]]:
        """Predict several splits, with all lists searched at once."""
        self.splits.look_up(rows_tested(parts))
        return [self.predict(part) for part in parts]

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Return leave-one-out predictions for each number, and whether each list suffices."""
        splits = self.splits
        chosen, squares, suffices = splits.others(rows)
        enough = np.array(self.numbers)[:, None] <= len(splits.numbers) - splits.allowed[rows]
        return self._count_votes(chosen, squares), enough & suffices

    def _count_votes(self, rows: IntArray, squares: FloatArray) -> Predictions:
        return concatenate_predictions(self.votes(rows, squares, self.numbers))
