"""The interface of generators.

There are three kinds. A generator of losses knows the truth in closed form. A generator of data
draws rows to learn from; its sources may be kept from draw to draw. A generator of pairs draws a
source sample and a target sample.
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
    """The kind of data that a generator draws."""

    LOSSES = "losses"  # the losses of one or more models, over blocks
    DATA = "data"  # rows to learn from, with targets
    PAIRS = "pairs"  # a source sample and a target sample


class Generator(Protocol):
    """A frozen dataclass whose fields are the generator's parameters."""

    info: ClassVar[MethodInfo]
    draws: ClassVar[DrawKind]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DrawnLosses:
    """The losses of one or more models, with their true expectations and variances."""

    table: LossTable
    """The losses, in blocks."""
    truths: Mapping[str, Mapping[str, float]]
    """By model, the value of each truth by its name (see ``thetahat.analyses.studies.truths``), in
    units of the loss: ``fold_models``, ``expected_at_training_size``, ``new_source``."""
    variances: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """By model, by truth, the variance of the macro mean about that truth over draws, in squared
    units of the loss."""


class SourcesOfLosses(Protocol):
    """Drawn sources, from which losses can be drawn repeatedly."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> DrawnLosses:
        """Draw the losses of all models; ``size`` must have as many sources as were drawn."""
        ...


class LossGenerator(Generator, Protocol):
    """Draws losses whose moments are known."""

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> SourcesOfLosses:
        """Draw the sources: the expected loss of each model on each source."""
        ...


class SourcesOfData(Protocol):
    """Drawn sources, from which rows can be drawn repeatedly.

    If rows come in clusters, ``drop_clusters()`` returns the same sources with independent rows
    of the same marginal distribution, which estimate the risk of a model with the least error.
    """

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Data:
        """Draw rows; if ``size`` has only ``n``, the source of each row is drawn too."""
        ...


class DataGenerator(Generator, Protocol):
    """Draws rows to learn from."""

    task: ClassVar[str]  # "classification" or "regression"

    def draw_sources(self, n_sources: int, rng: np.random.Generator) -> SourcesOfData:
        """Draw the sources."""
        ...


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SamplePair:
    """A labelled source sample and a target sample."""

    source: Data
    target: Data
    """Both with targets; those of ``target`` are used only for the truth."""
    weights: FloatArray | None = None
    """(n_source,) the true ratio of the target's density to the source's."""


class PairGenerator(Generator, Protocol):
    """Draws a source sample and a target sample."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> SamplePair:
        """Draw both samples."""
        ...
