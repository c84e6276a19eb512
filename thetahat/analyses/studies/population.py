"""What a population is, and what one draw from it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from thetahat.generators import DrawnLosses, DrawSize, SamplePair
from thetahat.tables.data import Data
from thetahat.values.types import IntArray

MOST_JUDGED: Final = 10_000
"""Rows on which the risk of a model is taken, unless a request says otherwise."""

DRAW, REST, OUTSIDE = "draw", "rest", "outside"
"""Purposes of the streams of a repetition."""


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


@dataclass(frozen=True, slots=True, eq=False)
class DrawnPair:
    """One draw of two samples; ``on_target`` gives rows on which a target risk is taken."""

    pair: SamplePair
    on_target: Callable[[], Data]


StudyDraw = DrawnData | DrawnLosses | DrawnPair


class PopulationSources(Protocol):
    """A population whose sources were drawn."""

    def draw(self, size: DrawSize, seed: int) -> StudyDraw:
        """Draw rows, or losses; what the truth is taken on comes from streams of its own."""
        ...


class Population(Protocol):
    """Where data come from."""

    @property
    def truth_from(self) -> str:
        """Say what the truth is taken from, for people."""
        ...

    def draw_sources(self, size: DrawSize, rng: np.random.Generator) -> PopulationSources:
        """Draw the sources."""
        ...
