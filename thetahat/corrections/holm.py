"""Holm's step-down procedure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Holm(StepwiseCorrection):
    """Holm's step-down procedure."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Holm's step-down procedure",
        summary=(
            "Bonferroni's correction for the hypotheses that are left after each rejection; it "
            "bounds the chance of any false rejection."
        ),
        formula=r"\max_{j \le i} (m - j + 1) \, p_{(j)}",
        references=("holm1979",),
        assumptions="None: it holds under every dependence of the tests.",
        errs="Conservative where p-values depend strongly on each other.",
        is_default=True,
        correction=CorrectionTraits(bounds_any_false_rejection=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        m = len(ordered)
        return np.asarray(np.maximum.accumulate(ordered * (m - np.arange(m))))
