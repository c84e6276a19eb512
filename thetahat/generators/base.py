"""What a generator is and what it gives.

There are three sorts. A generator of losses knows the truth in closed form; one of data gives rows
to learn from, from sources that stay the same from draw to draw or are drawn again; one of pairs
gives a source sample and a target sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Protocol

import numpy as np

from thetahat.generators._size import DrawSize
from thetahat.registry import MethodInfo
from thetahat.tables.data import Data
from thetahat.values.block_losses import LossTable
from thetahat.values.types import FloatArray


class DrawKind(StrEnum):
    """What a generator draws."""

    LOSSES = "losses"  # the losses of one or more models, over blocks
    DATA = "data"  # rows to learn from, with targets
    PAIRS = "pairs"  # a source sample and a target sample


class Generator(Protocol):
    """A frozen dataclass whose fields are the generator's parameters."""

    info: ClassVar[MethodInfo]
    draws: ClassVar[DrawKind]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DrawnLosses:
    """The losses of some models, and what is true of them.

    Parameters
    ----------
    table : LossTable
        Over blocks as the generator says.
    truths : mapping
        By model, the value of each truth by its name (see ``thetahat.analyses.studies.truths``),
        in units
        of the loss: ``fold_models``, ``expected_at_training_size``, ``new_source``.
    variances : mapping
        By model, by truth, the variance of the macro mean about that truth over draws, in squared
        units of the loss.
    """

    table: LossTable
    truths: Mapping[str, Mapping[str, float]]
    variances: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


class SourcesOfLosses(Protocol):
    """Sources that were drawn once, on which losses are drawn again and again."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> DrawnLosses:
        """Draw the losses of all models; ``size`` has as many sources as were drawn."""
        ...


class LossGenerator(Generator, Protocol):
    """Gives losses whose moments are known."""

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> SourcesOfLosses:
        """Draw the sources: what each model's expected loss is on each."""
        ...


class SourcesOfData(Protocol):
    """Sources that were drawn once, from which rows are drawn again and again.

    Where rows come in clusters, ``without_clusters()`` gives the same sources with rows each by
    itself, distributed as a single row is here: they tell a model's risk with the least noise.
    """

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Data:
        """Draw rows; where ``size`` has ``n`` alone, each row's source is drawn too."""
        ...


class DataGenerator(Generator, Protocol):
    """Gives rows to learn from."""

    task: ClassVar[str]  # "classification" or "regression"

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> SourcesOfData:
        """Draw the sources; a generator that has none gives itself, with one source or more."""
        ...


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SamplePair:
    """A labelled source sample and a target sample.

    Parameters
    ----------
    source, target : Data
        Both with targets: those of ``target`` are for the truth alone.
    weights : ndarray of float or None
        (n_source,) the true ratio of the target's density to the source's.
    """

    source: Data
    target: Data
    weights: FloatArray | None = None


class PairGenerator(Generator, Protocol):
    """Gives a source sample and a target sample."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> SamplePair:
        """Draw both."""
        ...
