"""Nearest neighbours in every training part, from one list of neighbours for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from thetahat.learners._neighbour_search import Search, nearest
from thetahat.learners.base import Part, Plain
from thetahat.losses.base import Predictions
from thetahat.types import FloatArray, IntArray

TAKEN_TWICE: Final = Plain("rows stand more than once in the training part")
TOO_FEW: Final = Plain("the training part has fewer rows than neighbours are asked for")

Vote = Callable[[IntArray, FloatArray], Predictions]
"""From (q, k) row numbers of all data and squared distances to predictions."""


class NeighbourSplits:
    """Lists with room to spare: of a row's list those in the training part are its neighbours.

    Where the list has too few of them, or where another row might be as near, the row is searched
    for in the training part. Lists are made when a row is first asked for; what is in them does
    not depend on when that is.
    """

    def __init__(self, X: FloatArray, allowed: np.ndarray, k: int, vote: Vote) -> None:
        self.X, self.allowed, self.k, self.vote = X, allowed, k, vote
        self.numbers = np.flatnonzero(allowed)
        self.search = Search(X[self.numbers])
        n, length = len(X), min(k + max(8, k), len(self.numbers))
        self.length = length
        self.known = np.zeros(n, dtype=np.bool_)
        self.rows = np.zeros((n, length), dtype=np.intp)
        self.squares = np.zeros((n, length))
        self.complete_below = np.zeros(n)

    def predict(self, part: Part) -> Predictions | Plain:
        """Take each test row's neighbours in the training part, and let them vote."""
        if part.left_out is None:
            return TAKEN_TWICE
        inside = np.zeros(len(self.X), dtype=np.bool_)
        inside[part.train] = True
        inside &= self.allowed
        if np.count_nonzero(inside) < self.k:
            return TOO_FEW
        self._look_up(part.test)
        rows, squares, unsure = self._nearest(part.test, inside[self.rows[part.test]])
        if unsure.any():
            train = np.flatnonzero(inside)
            at, found = nearest(Search(self.X[train]), self.X[part.test[unsure]], self.k)
            rows[unsure], squares[unsure] = train[at], found
        return self.vote(rows, squares)

    def _nearest(self, test: IntArray, fit: np.ndarray) -> tuple[IntArray, FloatArray, np.ndarray]:
        """Return (q, k) rows and squared distances, and (q,) whether they may not be the right.

        ``fit`` is (q, length), whether a row of the list may be a neighbour.
        """
        of_test = self.rows[test]
        first = np.argsort(~fit, axis=1, kind="stable")[:, : self.k]
        rows = np.take_along_axis(of_test, first, axis=1)
        squares = np.take_along_axis(self.squares[test], first, axis=1)
        enough = np.count_nonzero(fit, axis=1) >= self.k
        return rows, squares, ~(enough & (squares[:, -1] < self.complete_below[test]))

    def each_left_out(self, rows: IntArray) -> tuple[Predictions, np.ndarray]:
        """Let each row's neighbours other than itself vote; and whether its list suffices."""
        self._look_up(rows)
        chosen, squares, unsure = self._nearest(rows, self.rows[rows] != rows[:, None])
        return self.vote(chosen, squares), ~unsure

    def _look_up(self, rows: IntArray) -> None:
        """Make the lists of the rows that have none yet."""
        wanted = rows[~self.known[rows]]
        if not len(wanted):
            return
        lists = self.search.lists(self.X[wanted], self.length)
        self.rows[wanted] = self.numbers[lists.rows]
        self.squares[wanted] = lists.squares
        self.complete_below[wanted] = lists.complete_below
        self.known[wanted] = True
