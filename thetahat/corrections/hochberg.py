"""Hochberg's step-up procedure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Hochberg(StepwiseCorrection):
    """Hochberg's step-up procedure."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Hochberg's step-up procedure",
        summary=(
            "Holm's factors, applied from the largest p-value downwards; it bounds the chance of "
            "any false rejection."
        ),
        formula=r"\min_{j \ge i} (m - j + 1) \, p_{(j)}",
        references=("hochberg1988",),
        assumptions="Tests that are independent or positively dependent.",
        errs="Liberal where tests depend negatively; otherwise never weaker than holm.",
        correction=CorrectionTraits(bounds_any_false_rejection=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        m = len(ordered)
        return np.asarray(np.minimum.accumulate((ordered * (m - np.arange(m)))[::-1])[::-1])
