"""Generators of losses, data and samples whose truth is known, one module each, by wire name."""

from typing import Final

from thetahat.generators._size import DrawSize
from thetahat.generators.base import (
    DataGenerator,
    DrawKind,
    DrawnLosses,
    Generator,
    LossGenerator,
    PairGenerator,
    SamplePair,
    SourcesOfData,
    SourcesOfLosses,
)
from thetahat.registry import Registry

GENERATORS: Final[Registry[type[Generator]]] = Registry.collect(__name__, __path__)

__all__ = [
    "GENERATORS",
    "DataGenerator",
    "DrawKind",
    "DrawSize",
    "DrawnLosses",
    "Generator",
    "LossGenerator",
    "PairGenerator",
    "SamplePair",
    "SourcesOfData",
    "SourcesOfLosses",
]
