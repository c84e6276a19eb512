"""Finner's step-down procedure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Finner(StepwiseCorrection):
    """Finner's step-down procedure.

    The literature on comparing learners recommends it. Its critical values are nearly those of
    ``benjamini_hochberg``.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Finner's step-down procedure",
        summary="Sidak's formula with an exponent that falls with each rejection.",
        formula=r"\max_{j \le i} 1 - (1 - p_{(j)})^{m/j}",
        references=("finner1993", "garcia2010"),
        assumptions="Tests that are independent or positively dependent.",
        errs=(
            "It bounds the chance of any false rejection only where all hypotheses are true; where "
            "many models differ it rejects true hypotheses more often than alpha."
        ),
        correction=CorrectionTraits(is_liberal_where_models_differ=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        m = len(ordered)
        with np.errstate(divide="ignore"):  # p = 1 has the logarithm -inf, and stays 1
            single = np.log1p(-ordered)
        return np.asarray(np.maximum.accumulate(-np.expm1(single * (m / np.arange(1, m + 1)))))
