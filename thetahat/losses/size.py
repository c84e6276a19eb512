"""The size of a prediction set, or the width of an interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.losses._regions import get_limits, get_sets
from thetahat.losses.base import Predictions
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The number of classes in the set, or the width between the limits.

    Degenerate cases: an empty set has the size 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Size of sets",
        summary=(
            "The number of classes in a prediction set, or the width between prediction limits. "
            "Smaller is better among sets of equal coverage."
        ),
        formula=r"e_i = |C_i| \quad \text{or} \quad u_i - l_i",
        references=("vovk2005", "romano2020"),
        assumptions="The sets that are compared cover the truth equally often.",
        errs=(
            "Sets that cover too rarely are small: compare miscoverage, too, or interval_score, "
            "which has both."
        ),
    )
    task: ClassVar[str | None] = None
    uses: ClassVar[str] = "regions"
    value_range: ClassVar[tuple[float, float]] = (0.0, math.inf)

    def losses(self, y_true: np.ndarray, predictions: Predictions) -> FloatArray:  # noqa: ARG002 - the protocol of losses
        """Return (n,) sizes."""
        limits = get_limits(predictions, self.info.name)
        if limits is None:
            return np.asarray(get_sets(predictions).sum(axis=1), dtype=np.float64)
        return np.asarray(limits[:, 1] - limits[:, 0], dtype=np.float64)
