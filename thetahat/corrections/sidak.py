"""The Holm-Sidak procedure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Sidak(StepwiseCorrection):
    """Sidak's inequality, for the hypotheses that are left after each rejection.

    Deviations: computed by ``log1p`` and ``expm1``, so that tiny p-values keep their digits.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Holm-Sidak's step-down procedure",
        summary=(
            "Holm's procedure with Sidak's inequality instead of Bonferroni's: slightly smaller "
            "adjusted p-values, for tests that are independent or positively dependent."
        ),
        formula=r"\max_{j \le i} 1 - (1 - p_{(j)})^{m - j + 1}",
        references=("holland1987", "sidak1967"),
        assumptions="Tests that are independent, or whose statistics depend positively.",
        errs=(
            "May reject too often where tests depend negatively. Conservative where p-values "
            "depend strongly on each other."
        ),
        correction=CorrectionTraits(bounds_any_false_rejection=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        left = len(ordered) - np.arange(len(ordered))
        with np.errstate(divide="ignore"):  # p = 1 has the logarithm -inf, and stays 1
            single = -np.expm1(left * np.log1p(-ordered))
        return np.asarray(np.maximum.accumulate(single))
