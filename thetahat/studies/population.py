"""What a study draws from, and what one draw is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol

import numpy as np

from thetahat.data import Data
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.generators import DataGenerator, DrawnLosses, LossGenerator, Size
from thetahat.layout import codes_of
from thetahat.seeds import stream
from thetahat.studies._rows import take
from thetahat.types import IntArray

MOST_JUDGED: Final = 10_000
"""Rows on which the risk of a model is taken, unless a request says otherwise."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DrawnData:
    """One draw of rows, and the rows that stand for what it was drawn from.

    Parameters
    ----------
    data : Data
        To learn from.
    group : ndarray of int or None
        (n,) codes: rows of one group are copies of each other.
    rest : callable
        Gives the rows on which a model's risk on the population is taken.
    outside : callable
        Gives rows of sources that were not drawn, or None where there are none.
    by_source : bool
        Whether every source counts the same in the population, whatever its rows in ``rest``.
    """

    data: Data
    group: IntArray | None
    rest: Callable[[], Data]
    outside: Callable[[], Data | None]
    by_source: bool


class Settled(Protocol):
    """A population whose sources were drawn."""

    def draw(self, size: Size, seed: int) -> DrawnData | DrawnLosses:
        """Draw rows, or losses; what the truth is taken on comes from streams of its own."""
        ...


class Population(Protocol):
    """Where data come from."""

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        ...

    def settle(self, size: Size, rng: np.random.Generator) -> Settled:
        """Draw the sources."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedLosses:
    """Losses with a known truth."""

    generator: LossGenerator

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        return "closed form"

    def settle(self, size: Size, rng: np.random.Generator) -> Settled:
        """Draw the expected losses of the sources; without sources there is one block."""
        return _OfLosses(self.generator.settle(size.n_sources or 1, rng))


@dataclass(frozen=True, slots=True, eq=False)
class _OfLosses:
    sources: Any

    def draw(self, size: Size, seed: int) -> DrawnLosses:
        drawn: DrawnLosses = self.sources.draw(size, stream(seed, _DRAW))
        return drawn


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedData:
    """Rows from a generator; the truth is taken on a fresh sample.

    Parameters
    ----------
    generator : DataGenerator
        What draws.
    n_judged : int
        Rows of the fresh sample.
    """

    generator: DataGenerator
    n_judged: int = MOST_JUDGED

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        return f"a fresh sample of {self.n_judged} rows in every repetition"

    def settle(self, size: Size, rng: np.random.Generator) -> Settled:
        """Draw the sources."""
        n_sources = size.n_sources or 1
        return _OfData(self, n_sources, self.generator.settle(n_sources, rng))


@dataclass(frozen=True, slots=True, eq=False)
class _OfData:
    population: GeneratedData
    n_sources: int
    sources: Any

    def draw(self, size: Size, seed: int) -> DrawnData:
        return DrawnData(
            data=self.sources.draw(size, stream(seed, _DRAW)),
            group=None,
            rest=cache(lambda: self._rest(seed)),
            outside=cache(lambda: None if size.n_sources is None else self._outside(seed)),
            by_source=True,
        )

    def _rest(self, seed: int) -> Data:
        data: Data = self.sources.draw(self._each(self.n_sources), stream(seed, _REST))
        return data

    def _outside(self, seed: int) -> Data:
        rng = stream(seed, _OUTSIDE)
        others = self.population.generator.settle(_NEW_SOURCES, rng)
        return others.draw(self._each(_NEW_SOURCES), rng)

    def _each(self, n_sources: int) -> Size:
        return Size(n_sources=n_sources, per_source=-(-self.population.n_judged // n_sources))


_DRAW, _REST, _OUTSIDE = "draw", "rest", "outside"
_NEW_SOURCES: Final = 100
"""Sources, drawn anew in every repetition, that a new source's error is the average over."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DataAsPopulation:
    """A data set taken as the population.

    Parameters
    ----------
    data : Data
        Its rows.
    group : ndarray or None
        (n,) labels: rows with equal labels are copies, kept on one side of every split.
    replace : bool
        Whether a row may be drawn twice. Then the data set is the whole population and the truth
        is taken on all its rows; else on those that were not drawn.
    n_judged : int
        The most rows on which the truth is taken; more are drawn from at random.
    """

    data: Data
    group: np.ndarray | None = None
    replace: bool = False
    n_judged: int = MOST_JUDGED

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        return "all rows of the data set" if self.replace else "the rows that were not drawn"

    def settle(self, size: Size, rng: np.random.Generator) -> Settled:
        """Choose the sources, without replacement."""
        codes = None if self.group is None else codes_of(list(self.group))[0]
        rows = np.arange(self.data.n)
        if size.n_sources is None:
            return _OfRows(self, codes, (rows,), rows[:0])
        if self.data.source is None:
            raise InvalidParameter(
                "n_sources needs the source of every row", loc=("n_sources",), value=size.n_sources
            )
        of_row, labels = codes_of(list(self.data.source))
        if size.n_sources > len(labels):
            raise InvalidParameter(
                f"{size.n_sources} sources cannot be drawn from {len(labels)}",
                loc=("n_sources",),
                value=size.n_sources,
            )
        chosen = np.sort(rng.permutation(len(labels))[: size.n_sources])
        drawn = tuple(rows[of_row == source] for source in chosen)
        return _OfRows(self, codes, drawn, rows[~np.isin(of_row, chosen)])


@dataclass(frozen=True, slots=True, eq=False)
class _OfRows:
    population: DataAsPopulation
    codes: IntArray | None  # (n,) of groups of copies
    sources: tuple[IntArray, ...]  # rows of each source that was drawn
    others: IntArray  # rows of the sources that were not

    def draw(self, size: Size, seed: int) -> DrawnData:
        rng = stream(seed, _DRAW)
        if size.per_source is None:
            chosen = self._some(np.concatenate(self.sources), size.rows, rng)
        else:
            each = size.per_source
            chosen = np.concatenate([self._some(rows, each, rng) for rows in self.sources])
        return DrawnData(
            data=take(self.population.data, chosen),
            group=self._groups(chosen),
            rest=cache(lambda: self._judged(self._rest(chosen), stream(seed, _REST))),
            outside=cache(lambda: self._outside(chosen, seed)),
            by_source=size.per_source is not None,
        )

    def _some(self, rows: IntArray, n: int, rng: np.random.Generator) -> IntArray:
        if not self.population.replace and n > len(rows):
            raise InsufficientData(
                f"{n} rows cannot be drawn from {len(rows)} without replacement",
                loc=("per_source",),
                value=n,
            )
        return np.sort(rng.choice(rows, size=n, replace=self.population.replace))

    def _rest(self, chosen: IntArray) -> IntArray:
        every = np.concatenate(self.sources)
        if self.population.replace:
            return every
        left = np.setdiff1d(every, chosen)
        left = left if self.codes is None else self._without_copies(left, chosen)
        for rows in self.sources:
            if not np.isin(rows, left).any():
                raise InsufficientData(
                    "all rows, or all of one source, were drawn, or copies of them, and none is "
                    "left to take the truth on; draw fewer, or with replacement"
                )
        return left

    def _without_copies(self, rows: IntArray, chosen: IntArray) -> IntArray:
        assert self.codes is not None  # noqa: S101 - asked where there are codes alone
        return rows[~np.isin(self.codes[rows], self.codes[chosen])]

    def _outside(self, chosen: IntArray, seed: int) -> Data | None:
        rows = self.others if self.codes is None else self._without_copies(self.others, chosen)
        return self._judged(rows, stream(seed, _OUTSIDE)) if len(rows) else None

    def _judged(self, rows: IntArray, rng: np.random.Generator) -> Data:
        most = self.population.n_judged
        some = rows if len(rows) <= most else np.sort(rng.choice(rows, size=most, replace=False))
        return take(self.population.data, some)

    def _groups(self, chosen: IntArray) -> IntArray | None:
        if self.codes is not None:
            return np.unique(self.codes[chosen], return_inverse=True)[1]
        return np.unique(chosen, return_inverse=True)[1] if self.population.replace else None
