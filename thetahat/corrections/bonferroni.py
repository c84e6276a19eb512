"""Bonferroni's correction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class Bonferroni(StepwiseCorrection):
    """Every p-value times the number of hypotheses."""

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bonferroni's correction",
        summary="Each p-value times the number of comparisons.",
        formula=r"m \, p_{(i)}",
        references=("holm1979",),
        assumptions="None: it holds under every dependence of the tests.",
        errs="Conservative, and never less so than holm, which has the same guarantee.",
        correction=CorrectionTraits(is_single_step=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones."""
        return ordered * len(ordered)
