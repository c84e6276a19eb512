"""What a preparation step is."""

from __future__ import annotations

from typing import ClassVar, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InvalidParameter
from thetahat.pipelines.allowed import ActsOn
from thetahat.registry import MethodInfo
from thetahat.tables.features import Features
from thetahat.values.types import FloatArray


class Learnt(Protocol):
    """What a step learnt from a training part."""

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know of the way it was learnt."""
        ...

    def transform(self, part: Features) -> Features:
        """Return the transformed columns; their names are the same for every part."""
        ...


class Step(Protocol):
    """A frozen dataclass whose fields are the step's parameters.

    One that makes of a row what that row and its parameters say, whatever the training part, may
    have ``learns_nothing``, which is True; it is then applied to all rows once. One that can learn
    with the weights of the instances has ``takes_weights``, which is True, and an argument
    ``weights`` of ``learn``: (n,) or None.
    """

    info: ClassVar[MethodInfo]

    @property
    def acts_on(self) -> ActsOn:
        """The columns it takes where the request names none."""
        ...

    def learn(
        self, part: Features, y: np.ndarray, *, task: str, rng: np.random.Generator
    ) -> tuple[Learnt, Features]:
        """Learn from the chosen columns of the training part.

        Returns
        -------
        learnt, transformed
            What transforms other parts, and the transformed training part. A column that keeps
            its name keeps its place in the table; the other new ones come last.
        """
        ...


def present(name: str, column: FloatArray) -> FloatArray:
    """Return the values of a numeric column that are not missing."""
    if column.dtype.kind != "f":
        raise InvalidParameter(
            f"column {name!r} is not numeric; prepare it (one_hot) or leave it out",
            loc=("columns", "features", name),
        )
    return column[~np.isnan(column)]


def missing(column: np.ndarray) -> np.ndarray:
    """(n,) True where a column has no value."""
    if column.dtype.kind == "f":
        return np.asarray(np.isnan(column))
    return np.fromiter((value is None for value in column), dtype=bool, count=len(column))
