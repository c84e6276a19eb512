"""Populations that generators are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np

from thetahat.analyses.studies.population import (
    DRAW,
    MOST_JUDGED,
    OUTSIDE,
    REST,
    DrawnData,
    DrawnPair,
    PopulationSources,
)
from thetahat.generators import DataGenerator, DrawnLosses, DrawSize, LossGenerator, PairGenerator
from thetahat.seeds import stream
from thetahat.tables.data import Data


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedLosses:
    """Losses with a known truth."""

    generator: LossGenerator

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        return "closed form"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> PopulationSources:
        """Draw the expected losses of the sources; without sources there is one block."""
        return _OfLosses(self.generator.draw_sources(size.n_sources or 1, rng))


@dataclass(frozen=True, slots=True, eq=False)
class _OfLosses:
    sources: Any

    def draw(self, size: DrawSize, seed: int) -> DrawnLosses:
        drawn: DrawnLosses = self.sources.draw(size, stream(seed, DRAW))
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

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> PopulationSources:
        """Draw the sources."""
        n_sources = size.n_sources or 1
        return _OfData(self, n_sources, self.generator.draw_sources(n_sources, rng))


@dataclass(frozen=True, slots=True, eq=False)
class _OfData:
    population: GeneratedData
    n_sources: int
    sources: Any

    def draw(self, size: DrawSize, seed: int) -> DrawnData:
        return DrawnData(
            data=self.sources.draw(size, stream(seed, DRAW)),
            group=None,
            rest=cache(lambda: self._rest(seed)),
            outside=cache(lambda: None if size.n_sources is None else self._outside(seed)),
            by_source=True,
        )

    def _rest(self, seed: int) -> Data:
        apart = getattr(self.sources, "without_clusters", None)
        sources = self.sources if apart is None else apart()
        data: Data = sources.draw(self._each(self.n_sources), stream(seed, REST))
        return data

    def _outside(self, seed: int) -> Data:
        rng = stream(seed, OUTSIDE)
        others = self.population.generator.draw_sources(_NEW_SOURCES, rng)
        return others.draw(self._each(_NEW_SOURCES), rng)

    def _each(self, n_sources: int) -> DrawSize:
        return DrawSize(n_sources=n_sources, per_source=-(-self.population.n_judged // n_sources))


_NEW_SOURCES: Final = 100
"""Sources, drawn anew in every repetition, that a new source's error is the average over."""


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedPairs:
    """Source and target samples from a generator; target risks are taken on a fresh sample."""

    generator: PairGenerator
    n_judged: int = MOST_JUDGED

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        return f"a fresh target sample of {self.n_judged} rows in every repetition"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> PopulationSources:
        """Return the generator as it is: there are no sources to draw."""
        del size, rng
        return _OfPairs(self)


@dataclass(frozen=True, slots=True, eq=False)
class _OfPairs:
    population: GeneratedPairs

    def draw(self, size: DrawSize, seed: int) -> DrawnPair:
        of = self.population
        many = DrawSize(n=2, n_target=of.n_judged)
        return DrawnPair(
            of.generator.draw(size, stream(seed, DRAW)),
            cache(lambda: of.generator.draw(many, stream(seed, REST)).target),
        )
