"""What a resampling scheme is and what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from thetahat.registry import MethodInfo
from thetahat.values.types import BlockKind, IntArray, Label


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One (train, test) pair.

    Parameters
    ----------
    repeat, block : int
        Which partition, and which block of it; blocks count 0, 1, ... inside a repeat.
    label : label
        What the block is called in the result: its number, or its source.
    train, test : ndarray of int
        Row numbers, ascending; in ``train`` a row stands as often as it is learnt from.
    """

    repeat: int
    block: int
    label: Label
    train: IntArray
    test: IntArray

    @property
    def n_train(self) -> int:
        """Number of different rows that are learnt from."""
        return 1 + int(np.count_nonzero(self.train[1:] != self.train[:-1]))

    @property
    def n_listed(self) -> int:
        """How many row numbers it holds, or will."""
        return len(self.train) + len(self.test)


class AllButTest(Split):
    """A split whose training part is every row that is not tested, once.

    Most learners that predict many splits at once never look at those: they are listed when they
    are asked for.

    Parameters
    ----------
    repeat, block, label, test
        As ``Split`` has them.
    n : int
        Number of rows of the data.
    """

    __slots__ = ("_listed", "n")
    n: int
    _listed: IntArray | None

    def __init__(self, repeat: int, block: int, label: Label, test: IntArray, n: int) -> None:
        object.__setattr__(self, "repeat", repeat)
        object.__setattr__(self, "block", block)
        object.__setattr__(self, "label", label)
        object.__setattr__(self, "test", test)
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "_listed", None)

    @property
    def train(self) -> IntArray:
        """Row numbers, ascending."""
        if self._listed is None:
            object.__setattr__(self, "_listed", rows_but(self.test, self.n))
        assert self._listed is not None  # noqa: S101 - just set
        return self._listed

    @property
    def n_train(self) -> int:
        """Number of rows that are learnt from."""
        return self.n - len(self.test)

    @property
    def n_listed(self) -> int:
        """How many row numbers it holds, or will."""
        return self.n


def rows_but(test: IntArray, n: int) -> IntArray:
    """Rows 0 to n - 1 that are not in ``test``, ascending."""
    kept = np.ones(n, dtype=np.bool_)
    kept[test] = False
    return np.flatnonzero(kept)


class OneRowEach(Iterator[Split]):
    """Splits that leave out one row of n each, row after row; only one exists at a time.

    Who can do with the row numbers takes ``rows``, and makes no split at all.

    Parameters
    ----------
    n : int
        Number of rows of the data.
    start, stop : int
        The first row that is left out, and the one before which it ends.
    """

    def __init__(self, n: int, start: int, stop: int) -> None:
        self.n, self.rows = n, range(start, stop)

    def __next__(self) -> Split:
        if not self.rows:
            raise StopIteration
        row, self.rows = self.rows[0], self.rows[1:]
        return self.leaving_out(row)

    def leaving_out(self, row: int) -> Split:
        """Return the split that leaves out this row."""
        train = np.arange(self.n - 1, dtype=np.intp)
        train[row:] += 1
        return Split(0, row, row, train, np.array([row], dtype=np.intp))


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What a scheme may know of the data.

    Parameters
    ----------
    n : int
        Number of rows.
    y : ndarray or None
        (n,) class codes (for stratified schemes) or values.
    source, cluster, fold, time : ndarray or None
        (n,) labels of source, cluster and predefined fold, and instants.
    classes : tuple of label
        What the class codes stand for; empty where ``y`` are values.
    """

    n: int
    y: np.ndarray | None = None
    source: np.ndarray | None = None
    fold: np.ndarray | None = None
    time: np.ndarray | None = None
    classes: tuple[Label, ...] = ()
    cluster: np.ndarray | None = None


class Scheme(Protocol):
    """A frozen dataclass whose fields are the scheme's parameters.

    A scheme whose splits are to be read with care has ``cautions``, a tuple of ``Caution`` that
    goes into every result.
    """

    info: ClassVar[MethodInfo]

    @property
    def requires(self) -> frozenset[str]:
        """What it asks of the rows: of "y", "source", "cluster", "fold" and "time"."""
        ...

    @property
    def block_kind(self) -> BlockKind:
        """What one of its test blocks is."""
        ...

    def n_splits(self, rows: Rows) -> int:
        """Return how many (train, test) pairs there will be; raises as ``splits`` does."""
        ...

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield the pairs, repeat by repeat; the same seed gives the same pairs, always.

        ``start`` and ``stop`` cut out pairs as a slice does, without building those before:
        a chunk of the work asks for its own pairs and gets what one pass would have given.
        """
        ...
