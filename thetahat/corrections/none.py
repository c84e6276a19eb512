"""No correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class NoCorrection(StepwiseCorrection):
    """The p-values as they are."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="No correction",
        summary="The p-values as they are.",
        formula=r"p_{(i)}",
        assumptions="One comparison was planned beforehand.",
        errs="Liberal: of many true hypotheses a share alpha is rejected.",
        correction=CorrectionTraits(corrects=False, is_single_step=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        return ordered
