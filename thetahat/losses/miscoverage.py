"""Whether a prediction set or interval misses the true value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._regions import get_limits, get_sets
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.traits import LossTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Miscoverage:
    """1 where the truth is not in the set, or outside the limits, else 0.

    Degenerate cases: a value that is equal to a limit is covered, and an empty set covers nothing.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Miscoverage",
        summary=(
            "1 where a prediction set or interval misses the true class or value, else 0. Its mean "
            "is one minus the coverage."
        ),
        formula=r"e_i = [y_i \notin C_i]",
        references=("vovk2005", "romano2020"),
        assumptions="Sets or limits were made without these rows.",
        errs=(
            "It says nothing about the size of sets: one of all classes never misses. Compare size "
            "or interval_score, too."
        ),
        loss=LossTraits(can_be_zero_one=True),
    )
    task: ClassVar[str | None] = None
    uses: ClassVar[str] = "regions"
    value_range: ClassVar[tuple[float, float]] = (0.0, 1.0)

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:
        """Return (n,) zeros and ones."""
        limits = get_limits(predictions, self.info.name)
        if limits is None:
            covered = get_sets(predictions)[np.arange(len(y_true)), y_true]
            return np.asarray(~covered, dtype=np.float64)
        outside = (y_true < limits[:, 0]) | (y_true > limits[:, 1])
        return np.asarray(outside, dtype=np.float64)
