"""What an estimator of importance weights is, what it is given and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

import numpy as np

from thetahat.cautions import Caution
from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray

LARGEST_ENTRY = 1e140
"""Squares of larger features leave double precision."""


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """The two samples, checked.

    Parameters
    ----------
    source : ndarray of float
        (n, p), n at least 2: what the losses or labels are known of.
    target : ndarray of float
        (m, p), m at least 1: a sample of the population that is asked about.
    given : ndarray of float or None
        (n,) weights of the source rows that came with the data.
    """

    source: FloatArray
    target: FloatArray
    given: FloatArray | None = None

    def __post_init__(self) -> None:
        for name, least in (("source", 2), ("target", 1)):
            _check_sample(getattr(self, name), name, least)
        if self.source.shape[1] != self.target.shape[1]:
            raise InvalidParameter(
                f"the source has {self.source.shape[1]} features and the target "
                f"{self.target.shape[1]}",
                loc=("target",),
                value=self.target.shape[1],
            )
        if self.given is not None and self.given.shape != (self.n,):
            raise InvalidParameter(
                f"there are {self.given.size} weights for {self.n} source rows",
                loc=("source", "weight"),
                value=self.given.size,
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
            f"the {name} has shape {rows.shape}; rows of at least one feature are needed",
            loc=(name,),
            value=list(rows.shape),
        )
    if len(rows) < least:
        raise InsufficientData(
            f"the {name} has {len(rows)} rows, and at least {least} are needed", loc=(name,)
        )
    fit = np.abs(rows) <= LARGEST_ENTRY  # false for NaN, too
    if not fit.all():
        row, column = (int(i) for i in np.argwhere(~fit)[0])
        raise InvalidParameter(
            f"feature {column} of {name} row {row} is {rows[row, column]}; features must be "
            f"finite and at most {LARGEST_ENTRY:g} in size",
            loc=(name, row, column),
            value=str(rows[row, column]),
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weighing:
    """Importance weights of the source rows.

    Parameters
    ----------
    values : ndarray of float
        (n,) weights, finite, not negative and not all zero.
    of_target : ndarray of float or None
        (m,) the same function at the target rows, where the method estimates a function: its mean
        there estimates the second moment of the weights.
    details : mapping
        What the method found on its way: the kernel's width, an objective, ...
    cautions : tuple of Caution
        What to know before using the weights; ``diagnose`` adds those that hold for any method.
    function : callable or None
        From other rows (k, p) to their (k,) weights, where the method estimates a function; they
        may be infinite where it is beyond the range of numbers.
    """

    values: FloatArray
    of_target: FloatArray | None = None
    details: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    cautions: tuple[Caution, ...] = ()
    function: Callable[[FloatArray], FloatArray] | None = field(default=None, repr=False)


class WeightEstimator(Protocol):
    """A frozen dataclass whose fields are the method's parameters."""

    info: ClassVar[MethodInfo]

    def estimate(self, samples: Samples, rng: np.random.Generator) -> Weighing:
        """Estimate the weights; ``rng`` draws what the method draws, such as kernel centres."""
        ...
