"""Benjamini and Yekutieli's false discovery rate under any dependence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class BenjaminiYekutieli(StepwiseCorrection):
    """Benjamini and Yekutieli's step-up procedure."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Benjamini and Yekutieli's false discovery rate",
        summary=(
            "Bounds the expected share of false rejections among the rejections, however the tests "
            "depend on each other."
        ),
        formula=r"\min_{j \ge i} \frac{m}{j} \, p_{(j)} \sum_{l=1}^m \frac1l",
        references=("benjamini2001",),
        assumptions="None: it holds under every dependence of the tests.",
        errs=(
            "It promises less than the others: of many rejections a share alpha may be false. "
            "Conservative, by the sum of 1/l, where tests depend positively."
        ),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        ranks = np.arange(1, len(ordered) + 1)
        factors = len(ordered) * (1 / ranks).sum() / ranks
        return np.asarray(np.minimum.accumulate((ordered * factors)[::-1])[::-1])
