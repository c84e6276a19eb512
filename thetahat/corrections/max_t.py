"""Step-down max-t over the joint distribution of the differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.corrections.base import StepwiseCorrection
from thetahat.registry import MethodInfo
from thetahat.traits import CorrectionTraits
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True)
class MaxT(StepwiseCorrection):
    """Step-down max-t over the joint distribution of the differences.

    The joint distribution is that of ``thetahat.numerics.joint_distribution``, estimated from the
    losses. ``adjust`` is for p-values whose dependence is not known, such as those of metrics and
    of mean ranks: it is Holm's procedure, which is valid under every dependence.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Romano and Wolf's max-t procedure",
        summary=(
            "Compares each difference with the largest of all that are left, under the joint "
            "distribution that the losses show. It bounds the chance of any false rejection, also "
            "where the best of many models was found in the same data."
        ),
        formula=(
            r"\max_{l \le i} P\big(\max_{j \ge l} |Z_j| \ge z_{(l)}\big), \quad"
            r" z_{(l)} = \Phi^{-1}(1 - p_{(l)} / 2)"
        ),
        references=("romano2005", "hsu1984", "westfall1993", "schafer2005"),
        assumptions=(
            "Means that are jointly about normal, with the correlations that the losses of "
            "independent units show."
        ),
        errs=(
            "Close to its level from five units on (.04 to .07 in simulations). For p-values whose "
            "joint distribution is not known it is Holm's procedure."
        ),
        correction=CorrectionTraits(bounds_any_false_rejection=True, uses_joint_distribution=True),
    )

    def adjust_ordered(self, ordered: FloatArray) -> FloatArray:
        """Return the adjusted p-values of (m,) ascending ones, whatever their dependence."""
        m = len(ordered)
        return np.asarray(np.maximum.accumulate(ordered * (m - np.arange(m))))
