"""The interface of a population, and of one draw from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

import numpy as np

from thetahat.generators import DrawnLosses, DrawSize, SamplePair
from thetahat.tables.data import Data
from thetahat.values.types import IntArray

MAX_JUDGED: Final = 10_000
"""Rows on which the risk of a model is computed, unless a request says otherwise."""

DRAW, REST, OUTSIDE = "draw", "rest", "outside"
"""Purposes of the random streams of a repetition."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DrawnData:
    """One draw of rows, with further rows that represent the population."""

    data: Data
    """The rows to learn from."""
    group: IntArray | None
    """(n,) codes: rows with the same code are copies of each other."""
    rest: Callable[[], Data]
    """Returns the rows on which the risk of a model on the population is computed."""
    outside: Callable[[], Data | None]
    """Returns rows of sources that were not drawn, or None if there are none."""
    by_source: bool
    """Whether every source has the same weight in the population, whatever its number of rows in
    ``rest``."""


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPair:
    """One draw of two samples; ``on_target`` returns rows to compute the target risk on."""

    pair: SamplePair
    on_target: Callable[[], Data]


StudyDraw: TypeAlias = DrawnData | DrawnLosses | DrawnPair


DrawFromSources: TypeAlias = Callable[[DrawSize, int], StudyDraw]
"""Draws rows or losses of a size, by a seed, from sources that have been drawn; the rows for the
truth come from random streams of their own."""


class Population(Protocol):
    """The interface of populations, from which a study draws its data."""

    @property
    def truth_from(self) -> str:
        """How the truth is computed, for readers."""
        ...

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> DrawFromSources:
        """Draw the sources, and return what draws from them."""
        ...
