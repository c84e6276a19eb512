"""Benjamini and Hochberg's false discovery rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class BenjaminiHochberg(StepwiseCorrection):
    """Benjamini and Hochberg's step-up procedure."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Benjamini and Hochberg's false discovery rate",
        summary="Bounds the expected share of false rejections among the rejections.",
        formula=r"\min_{j \ge i} \frac{m}{j} \, p_{(j)}",
        references=("benjamini1995",),
        assumptions="Tests that are independent or positively dependent.",
        errs=(
            "It promises less than the others: of many rejections a share alpha may be false. "
            "Conservative where few hypotheses are true."
        ),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        m = len(ordered)
        return np.asarray(np.minimum.accumulate((ordered * m / np.arange(1, m + 1))[::-1])[::-1])
