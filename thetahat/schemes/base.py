"""The base class of resampling schemes, and the splits that they yield."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from thetahat.cautions import Caution
from thetahat.registry import MethodInfo
from thetahat.values.block_nouns import DEFAULT_NOUNS, read_noun
from thetahat.values.types import BlockKind, IntArray, Label


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One (train, test) pair."""

    repeat: int
    block: int
    """Which partition, and which block of it; blocks count 0, 1, ... inside a repeat."""
    label: Label
    """Label of the block in the result: its number, or its source."""
    train: IntArray
    test: IntArray
    """Row numbers of both parts, ascending; ``train`` repeats a row that is used several times."""

    @property
    def n_train(self) -> int:
        """Number of different training rows."""
        return 1 + int(np.count_nonzero(self.train[1:] != self.train[:-1]))

    @property
    def n_listed(self) -> int:
        """Number of row numbers in both parts."""
        return len(self.train) + len(self.test)


class ComplementSplit(Split):
    """A split that trains once on every row that is not tested.

    The training rows are listed on first access, because most learners that predict many splits at
    once never use the list.

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
            object.__setattr__(self, "_listed", list_other_rows(self.test, self.n))
        assert self._listed is not None  # noqa: S101 - just set
        return self._listed

    @property
    def n_train(self) -> int:
        """Number of training rows."""
        return self.n - len(self.test)

    @property
    def n_listed(self) -> int:
        """Number of row numbers in both parts."""
        return self.n


def list_other_rows(test: IntArray, n: int) -> IntArray:
    """Return the row numbers from 0 to n - 1 that are not in ``test``, ascending."""
    kept = np.ones(n, dtype=np.bool_)
    kept[test] = False
    return np.flatnonzero(kept)


class LeaveOneOutSplits(Iterator[Split]):
    """An iterator over the splits that leave out one of n rows; only one is in memory at a time.

    Code that needs only the row numbers reads ``rows`` and builds no split.

    Parameters
    ----------
    n : int
        Number of rows of the data.
    start, stop : int
        The first row that is left out, and the row after the last one that is.
    """

    def __init__(self, n: int, start: int, stop: int) -> None:
        self.n, self.rows = n, range(start, stop)

    def __next__(self) -> Split:
        if not self.rows:
            raise StopIteration
        row, self.rows = self.rows[0], self.rows[1:]
        return self.build_split_without(row)

    def build_split_without(self, row: int) -> Split:
        """Return the split that leaves out this row."""
        train = np.arange(self.n - 1, dtype=np.intp)
        train[row:] += 1
        return Split(0, row, row, train, np.array([row], dtype=np.intp))


Splits: TypeAlias = Iterator[Split]
"""The splits of a scheme, each built when it is wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The properties of the rows that a scheme may use."""

    n: int
    y: np.ndarray | None = None
    """(n,) class codes (for stratified schemes) or values."""
    source: np.ndarray | None = None
    fold: np.ndarray | None = None
    time: np.ndarray | None = None
    """(n,) labels of source and predefined fold, and instants."""
    classes: tuple[Label, ...] = ()
    """Labels of the class codes; empty where ``y`` are values."""
    cluster: np.ndarray | None = None
    """(n,) labels of clusters."""


class Scheme(ABC):
    """Base class of resampling schemes; the fields of the dataclass are their parameters.

    A scheme may have ``cautions``, a tuple of ``Caution`` that every result contains, and
    ``find_draw_cautions(rows, seed)``, which returns those about the splits that were drawn.
    Where ``groups_sources`` is True, a block of the scheme is a group of whole sources.
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]

    @property
    def requires(self) -> frozenset[str]:
        """The columns that it needs, among "y", "source", "cluster", "fold" and "time"."""
        return frozenset()

    @property
    def block_kind(self) -> BlockKind:
        """The kind of its test blocks."""
        (kind,) = self.info.blocks
        return kind

    @abstractmethod
    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits; raises the same exceptions as ``splits``."""

    @abstractmethod
    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the splits, repeat by repeat; the same seed always gives the same splits.

        ``start`` and ``stop`` select splits as a slice does, without building the earlier ones, so
        that each chunk of the work builds only its own splits.
        """


def collect_scheme_cautions(scheme: Scheme, rows: Rows, seed: int) -> tuple[Caution, ...]:
    """Return the cautions about a scheme and about the splits that it draws of these rows."""
    find_draw_cautions = getattr(scheme, "find_draw_cautions", None)
    of_draws = () if find_draw_cautions is None else find_draw_cautions(rows, seed)
    return (*getattr(scheme, "cautions", ()), *of_draws)


def word_blocks(
    scheme: type[Scheme], unit: str | None, unit_plural: str | None
) -> tuple[str | None, str | None]:
    """Return the singular and the plural word for a block of a scheme.

    A fold of random rows is not a school, and a fold of whole schools contains several. Sentences
    count blocks, so the user's word for a source would give a wrong number of schools. ``scheme``
    is the class of the scheme; ``unit`` and ``unit_plural`` are the user's word for one source, and
    its plural.
    """
    if getattr(scheme, "groups_sources", False):
        noun = read_noun(unit, unit_plural) or DEFAULT_NOUNS[BlockKind.SOURCE]
        return f"group of {noun.plural}", f"groups of {noun.plural}"
    is_random = not scheme.info.blocks & {BlockKind.SOURCE, BlockKind.HOLDOUT}
    return (None, None) if is_random else (unit, unit_plural)
