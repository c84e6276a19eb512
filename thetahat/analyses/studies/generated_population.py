"""Populations whose data come from a generator."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from thetahat.analyses.studies.population import (
    DRAW,
    MAX_JUDGED,
    OUTSIDE,
    REST,
    DrawFromSources,
    DrawnData,
    DrawnPair,
)
from thetahat.generators import DataGenerator, DrawSize, LossGenerator, PairGenerator, SourcesOfData
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data

N_NEW_SOURCES: Final = 100
"""Sources drawn anew in every repetition, over which the error on a new source is averaged."""


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedLosses:
    """Losses with a known truth."""

    generator: LossGenerator

    @property
    def truth_from(self) -> str:
        """How the truth is computed, for readers."""
        return "closed form"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> DrawFromSources:
        """Draw the expected losses of the sources; without sources there is one block."""
        sources = self.generator.draw_sources(size.n_sources or 1, rng)
        return lambda size, seed: sources.draw(size, make_random_stream(seed, DRAW))


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedData:
    """Rows from a generator; the truth is computed on a fresh sample."""

    generator: DataGenerator
    """The generator of the rows."""
    n_judged: int = MAX_JUDGED
    """Rows of the fresh sample."""

    @property
    def truth_from(self) -> str:
        """How the truth is computed, for readers."""
        return f"a fresh sample of {self.n_judged} rows in every repetition"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> DrawFromSources:
        """Draw the sources."""
        n_sources = size.n_sources or 1
        return _DataSources(self, n_sources, self.generator.draw_sources(n_sources, rng)).draw


@dataclass(frozen=True, slots=True, eq=False)
class _DataSources:
    population: GeneratedData
    n_sources: int
    sources: SourcesOfData

    def draw(self, size: DrawSize, seed: int) -> DrawnData:
        return DrawnData(
            data=self.sources.draw(size, make_random_stream(seed, DRAW)),
            group=None,
            rest=cache(lambda: self._draw_rest(seed)),
            outside=cache(lambda: None if size.n_sources is None else self._draw_outside(seed)),
            by_source=True,
        )

    def _draw_rest(self, seed: int) -> Data:
        drop_clusters = getattr(self.sources, "drop_clusters", None)
        sources: SourcesOfData = self.sources if drop_clusters is None else drop_clusters()
        return sources.draw(
            self._choose_judged_size(self.n_sources), make_random_stream(seed, REST)
        )

    def _draw_outside(self, seed: int) -> Data:
        rng = make_random_stream(seed, OUTSIDE)
        others = self.population.generator.draw_sources(N_NEW_SOURCES, rng)
        return others.draw(self._choose_judged_size(N_NEW_SOURCES), rng)

    def _choose_judged_size(self, n_sources: int) -> DrawSize:
        return DrawSize(n_sources=n_sources, per_source=-(-self.population.n_judged // n_sources))


@dataclass(frozen=True, slots=True, eq=False)
class GeneratedPairs:
    """Source and target samples from a generator; target risks use a fresh target sample."""

    generator: PairGenerator
    n_judged: int = MAX_JUDGED

    @property
    def truth_from(self) -> str:
        """How the truth is computed, for readers."""
        return f"a fresh target sample of {self.n_judged} rows in every repetition"

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> DrawFromSources:
        """Return what draws from the generator as it is: there are no sources to draw."""
        del size, rng
        return self._draw

    def _draw(self, size: DrawSize, seed: int) -> DrawnPair:
        judged_size = DrawSize(n=2, n_target=self.n_judged)
        return DrawnPair(
            self.generator.draw(size, make_random_stream(seed, DRAW)),
            cache(lambda: self.generator.draw(judged_size, make_random_stream(seed, REST)).target),
        )
