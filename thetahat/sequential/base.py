"""The interface of sequential methods, and what they give at a look.

A method keeps a few sums of the rows that it has seen, never the rows. ``advance`` adds the rows of
a batch to the sums and looks once, so a look costs the same after a thousand rows and after a
hundred million.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from thetahat.distributions import bound_p_value
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialQuestion:
    """What is asked at every look."""

    level: float
    """Confidence level of the intervals of all looks together."""
    reference: float = 0.0
    """The mean that the e-value is against: 0 for a difference."""
    is_pair: bool = True
    """Whether the values are differences of two models, else the losses of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookOutcome:
    """What a method says after the rows so far."""

    n: int
    """Values so far."""
    estimate: float | None
    """Their mean; None without a value."""
    standard_deviation: float | None
    """Their standard deviation, with divisor n; None without a value."""
    lower: float | None = None
    """Lower end of the interval; None without an interval."""
    upper: float | None = None
    """Upper end of the interval; None without an interval."""
    log_e_value: float | None = None
    """Logarithm of the e-value against the reference; None for methods without one."""
    p_value: float | None = None
    """p-value of the reference at this look, for methods without an e-value."""
    reason: str = ""
    """Why there is no interval, in a sentence; empty with one."""


class SequentialMethod(ABC):
    """Base class of sequential methods: frozen dataclasses whose fields are their parameters.

    The state is a mapping that JSON can hold. By default a method fits all values and may look
    after every batch, for ever.
    """

    __slots__ = ()

    info: ClassVar[MethodInfo]

    @abstractmethod
    def begin(self) -> dict[str, Any]:
        """Return the state before the first row."""

    @abstractmethod
    def advance(
        self, state: Mapping[str, Any], values: FloatArray, question: SequentialQuestion
    ) -> tuple[dict[str, Any], LookOutcome]:
        """Return the state and the outcome after the (n,) values of one more batch."""

    @abstractmethod
    def foresee(
        self, n: int, mean: float, standard_deviation: float, question: SequentialQuestion
    ) -> tuple[float, float] | None:
        """Return the interval that n values of this mean and spread would give; None for none."""

    def find_refusal(self, *, is_pair: bool, has_clusters: bool) -> str | None:
        """Return why the method does not fit such values, or None."""
        del is_pair, has_clusters
        return None

    def list_looks(self) -> tuple[int, ...] | None:
        """Return the numbers of values at which to look; None for a look after every batch."""
        return None

    def is_over(self, state: Mapping[str, Any]) -> bool:
        """Return whether no further look is allowed."""
        del state
        return False

    def compute_conditional_power(
        self,
        state: Mapping[str, Any],
        least: float | None,
        most: float | None,
        question: SequentialQuestion,
    ) -> float | None:
        """Return the probability that the last interval lies between two bounds.

        The values to come are taken to have the mean and the spread of those so far. None where
        there is no last look to come, and without spread. ``least`` and ``most`` are the bounds;
        None for one that there is not.
        """
        del state, least, most, question
        return None


def limit_p_value(log_e_value: float) -> float:
    """Return the p-value of an e-value: its inverse, at most 1."""
    return bound_p_value(math.exp(-log_e_value)) if log_e_value > 0 else 1.0
