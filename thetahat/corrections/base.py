"""The interface of corrections of p-values for the number of comparisons."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, Protocol

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


class Correction(Protocol):
    """A frozen dataclass that turns the p-values of a family of hypotheses into adjusted ones.

    The adjusted p-value is the smallest alpha at which the procedure rejects that hypothesis.
    """

    info: ClassVar[MethodInfo]

    def adjust(self, p_values: FloatArray) -> FloatArray:
        """Return the (m,) adjusted p-values in the order of the p-values.

        They may be above 1. A hypothesis with the p-value NaN has none and is not counted.
        """
        ...


class StepwiseCorrection(ABC):
    """A correction that looks at nothing but the p-values in ascending order."""

    __slots__ = ()

    info: ClassVar[MethodInfo]

    @abstractmethod
    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""

    def adjust(self, p_values: FloatArray) -> FloatArray:
        """Return the (m,) adjusted p-values in the order of the p-values."""
        return adjust_in_ascending_order(p_values, self.adjust_ordered)


def adjust_in_ascending_order(
    p_values: FloatArray, adjust_ordered: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """Return the adjusted p-values in the order of the p-values, from a function of ascending ones.

    NaN, which stands for a hypothesis without a p-value, stays NaN.
    """
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = adjust_ordered(p_values[order])
    return adjusted


def count_models(n_pairs: int, correction: str) -> int:
    """Return the number of models that have so many pairs; refuse a number that none has."""
    k = (1 + math.isqrt(1 + 8 * n_pairs)) // 2
    if k * (k - 1) // 2 != n_pairs:
        raise InvalidParameter(
            f"{correction} is for all pairs of some models, and no number of models has exactly "
            f"{n_pairs} pairs.",
            loc=("correction",),
            value=correction,
        )
    return k
