"""A learner with a grid of values of one of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.analyses.importance_weighting.signs import FittedToSigns
from thetahat.values.types import FloatArray

_SMALLER_PENALISES_MORE: Final = frozenset({"C"})
"""Parameters that are the inverse of a penalty."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerWithGrid:
    """One learner at every value of its grid.

    Parameters
    ----------
    name : str
        What the request calls it.
    learners : tuple of Learner
        (L,) the learner with each value.
    parameter : str or None
        Which parameter varies; None for a learner as it is, with L = 1.
    values : tuple
        (L,) its values, as the request has them; empty where there is no parameter.
    """

    name: str
    learners: tuple[Any, ...]
    parameter: str | None = None
    values: tuple[Any, ...] = ()

    @property
    def size(self) -> int:
        """L."""
        return len(self.learners)

    def value_at(self, j: int) -> Any:
        """Return the value at a place of the grid; None where no parameter varies."""
        return self.values[j] if self.values else None

    def place_at(self, j: int) -> str:
        """Name the learner and the value, for people."""
        what = f" with {self.parameter} = {self.values[j]}" if self.values else ""
        return f"{self.name!r}{what}"

    def rank(self) -> FloatArray:
        """(L,) which of equal risks is preferred: the larger penalty, else the first."""
        if not self.are_numbers():
            return np.zeros(self.size)
        numbers = np.array(self.values, dtype=np.float64)
        return -numbers if self.parameter in _SMALLER_PENALISES_MORE else numbers

    def are_numbers(self) -> bool:
        """Whether every value is a number."""
        return bool(self.values) and all(type(value) in {int, float} for value in self.values)

    def is_at_edge(self, j: int) -> bool:
        """Whether a place is an end of a grid of numbers, beyond which there may be better."""
        if not self.are_numbers() or self.size < 3:
            return False
        return self.values[j] in {min(self.values), max(self.values)}

    def ridge_path(self) -> tuple[FloatArray, bool] | None:
        """Return (L,) penalties and whether there is an intercept, where one fit serves all."""
        inner = [one.learner if isinstance(one, FittedToSigns) else one for one in self.learners]
        if not all(_is_ridge_alone(one) for one in inner):
            return None
        if len({one.intercept for one in inner}) > 1:
            return None
        return np.array([one.penalty for one in inner], dtype=np.float64), inner[0].intercept


def _is_ridge_alone(learner: Any) -> bool:
    """Return whether a learner is penalised least squares, and not a pipeline that ends in it.

    A pipeline has the ``info`` of its last step, but not its parameters.
    """
    is_ridge: bool = learner.info.learner.is_penalised_least_squares
    return is_ridge and hasattr(learner, "penalty") and hasattr(learner, "intercept")
