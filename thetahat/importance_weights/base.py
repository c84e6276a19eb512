"""The interface of estimators of importance weights: samples, weights, and checks of both."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray

MAX_MAGNITUDE = 1e140
"""Largest feature and largest weight: squares of larger numbers overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """A source sample and a target sample, checked."""

    source: FloatArray
    """(n, p), n at least 2: the rows whose losses or labels are known."""
    target: FloatArray
    """(m, p), m at least 1: a sample of the target population."""
    known_weights: FloatArray | None = None
    """(n,) weights of the source rows from the data's own weight column."""

    def __post_init__(self) -> None:
        for name, least in (("source", 2), ("target", 1)):
            _check_sample(getattr(self, name), name, least)
        if self.source.shape[1] != self.target.shape[1]:
            raise InvalidParameter(
                f"The source has {self.source.shape[1]} features and the target "
                f"{self.target.shape[1]}.",
                loc=("target",),
                value=self.target.shape[1],
            )
        if self.known_weights is not None and self.known_weights.shape != (self.n,):
            raise InvalidParameter(
                f"There are {self.known_weights.size} weights for {self.n} source rows.",
                loc=("source", "weight"),
                value=self.known_weights.size,
            )

    @property
    def n(self) -> int:
        """Number of source rows."""
        return len(self.source)

    @property
    def m(self) -> int:
        """Number of target rows."""
        return len(self.target)

    @property
    def p(self) -> int:
        """Number of features."""
        return int(self.source.shape[1])


def _check_sample(rows: FloatArray, name: str, least: int) -> None:
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InvalidParameter(
            f"The {name} has the shape {rows.shape}. It must be two-dimensional with at least one "
            "feature.",
            loc=(name,),
            value=list(rows.shape),
        )
    if len(rows) < least:
        raise InsufficientData(
            f"The {name} has {len(rows)} rows, and at least {least} are needed.", loc=(name,)
        )
    is_valid = np.abs(rows) <= MAX_MAGNITUDE  # False for NaN too
    if not is_valid.all():
        row, column = (int(i) for i in np.argwhere(~is_valid)[0])
        raise InvalidParameter(
            f"Feature {column} of {name} row {row} is {rows[row, column]}. Features must be "
            f"finite and at most {MAX_MAGNITUDE:g} in size.",
            loc=(name, row, column),
            value=str(rows[row, column]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ImportanceWeights:
    """Importance weights of the source rows."""

    values: FloatArray
    """(n,) weights, finite, not negative and not all zero."""
    target_values: FloatArray | None = None
    """(m,) values of the weight function at the target rows, if the method estimates a function:
    their mean estimates the second moment of the weights."""
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Further numbers of the method, such as the kernel's width or the objective."""
    cautions: tuple[Caution, ...] = ()
    """Cautions of the method; ``diagnose`` adds those that apply to weights of any method."""
    weight_function: Callable[[FloatArray], FloatArray] | None = field(default=None, repr=False)
    """Takes (k, p) other rows and returns their (k,) weights, if the method estimates a function; a
    weight may overflow to infinity."""


class WeightEstimator(Protocol):
    """The interface of weight estimators; the fields of the dataclass are their parameters."""

    info: ClassVar[MethodInfo]

    def estimate(self, samples: Samples, rng: np.random.Generator) -> ImportanceWeights:
        """Estimate the weights; ``rng`` is the source of random choices such as kernel centres."""
        ...


def compute_weights_from_logarithms(logarithms: FloatArray) -> FloatArray:
    """Return (n,) weights of the source rows from their logarithms.

    Raises ``InsufficientData`` if a weight is above ``MAX_MAGNITUDE``, or all underflow to 0: the
    source and the target hardly overlap.
    """
    largest = float(logarithms.max())
    if not largest <= math.log(MAX_MAGNITUDE):
        row = int(np.argmax(logarithms))
        raise InsufficientData(
            f"The weight of source row {row} would be exp({largest:.5g}): the source sample hardly "
            "covers the target, and no weights can correct that.",
            loc=("source",),
            value=row,
        )
    return check_some_positive(np.exp(logarithms))


def check_some_positive(weights: FloatArray) -> FloatArray:
    """Return (n,) weights of the source rows; raise ``InsufficientData`` if all are 0."""
    if not weights.any():
        raise InsufficientData(
            "Every source row would have weight 0: no source row is near the target sample.",
            loc=("source",),
        )
    return weights
