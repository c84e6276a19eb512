"""A learner with a grid of values of one of its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from thetahat.analyses.importance_weighting.sign_classifiers import SignClassifier
from thetahat.values.types import FloatArray

_SMALLER_PENALISES_MORE: Final = frozenset({"C"})
"""Parameters that are the inverse of a penalty: a smaller value penalises more."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerWithGrid:
    """A learner at every value of its grid."""

    name: str
    """Name of the learner in the request."""
    learners: tuple[Any, ...]
    """(L,) learners, one for each value."""
    parameter: str | None = None
    """Parameter that varies; None for a learner without a grid, for which L = 1."""
    values: tuple[Any, ...] = ()
    """(L,) values of the parameter, as in the request; empty if no parameter varies."""

    @property
    def size(self) -> int:
        """Number of values of the grid, L."""
        return len(self.learners)

    def get_value(self, j: int) -> Any:
        """Return the value with this index; None if no parameter varies."""
        return self.values[j] if self.values else None

    def describe_candidate(self, j: int) -> str:
        """Return the name of the learner with the value, for messages."""
        suffix = f" with {self.parameter} = {self.values[j]}" if self.values else ""
        return f"{self.name!r}{suffix}"

    def rank(self) -> FloatArray:
        """Return (L,) ranks for equal risks: the larger penalty wins, other values are equal."""
        if not self.are_numbers():
            return np.zeros(self.size)
        numbers = np.array(self.values, dtype=np.float64)
        return -numbers if self.parameter in _SMALLER_PENALISES_MORE else numbers

    def are_numbers(self) -> bool:
        """Return whether every value is a number."""
        return bool(self.values) and all(type(value) in {int, float} for value in self.values)

    def is_at_edge(self, j: int) -> bool:
        """Return whether a value is the smallest or largest of a grid of three or more numbers."""
        if not self.are_numbers() or self.size < 3:
            return False
        return self.values[j] in {min(self.values), max(self.values)}

    def get_ridge_path(self) -> tuple[FloatArray, bool] | None:
        """Return (L,) ridge penalties and whether an intercept is fitted; None if not ridge."""
        ridges = [
            learner.learner if isinstance(learner, SignClassifier) else learner
            for learner in self.learners
        ]
        if not all(_is_ridge_without_steps(ridge) for ridge in ridges):
            return None
        if len({ridge.intercept for ridge in ridges}) > 1:
            return None
        return np.array([ridge.penalty for ridge in ridges], dtype=np.float64), ridges[0].intercept


def _is_ridge_without_steps(learner: Any) -> bool:
    """Return whether a learner is penalised least squares without preparation steps.

    A pipeline has the ``info`` of its last step, but not its parameters.
    """
    is_ridge: bool = learner.info.learner.is_penalised_least_squares
    return is_ridge and hasattr(learner, "penalty") and hasattr(learner, "intercept")
