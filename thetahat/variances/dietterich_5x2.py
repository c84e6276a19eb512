"""Variance of one split's mean from five repeats of two folds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from thetahat.cautions import HALF_OF_THE_DATA, ORDER_DEPENDENT, UNEQUAL_HALVES, Caution
from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Needs, Target
from thetahat.variances._applicability import explain_wrong_block_kind
from thetahat.variances._building import build_estimate
from thetahat.variances.base import VarianceEstimate

_REPEATS = 5


@dataclass(frozen=True, slots=True)
class Dietterich5x2:
    r"""Variance of the mean of the first split, from the two halves of five repeats.

    :math:`p_{ij}` is the mean loss of fold j of repeat i, and :math:`\bar p_i` the average of the
    two folds. The estimate that goes with the variance is :math:`p_{11}`, the mean of the first
    fold of the first repeat, with 5 degrees of freedom.

    Degenerate cases: halves with equal means in every repeat give 0.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Five repeats of two folds (Dietterich)",
        summary=(
            "The variance of one split's mean loss, from how much the two halves of each of five "
            "repeats differ. The estimate that it belongs to is the mean of the first split."
        ),
        formula=(
            r"\frac15 \sum_{i=1}^5 \left[(p_{i1} - \bar p_i)^2 + (p_{i2} - \bar p_i)^2\right]"
        ),
        references=("dietterich1998", "schulz2024"),
        assumptions=(
            "The two halves of a repeat are independent, and so are the five repeats. In fact each "
            "half is the training set of the other, and the repeats share all instances."
        ),
        errs=(
            "Intervals are wide, because they rest on one split. Too small for the expected error "
            "with all the data, because the repeats share every instance; and the estimate is "
            "about models that are trained on half of the data."
        ),
        needs=Needs.REPEATS,
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.FIRST_SPLIT,
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := explain_wrong_block_kind(self.info, layout):
            return reason
        per_repeat = np.bincount(layout.split_repeat)
        if len(per_repeat) == _REPEATS and set(per_repeat.tolist()) == {2}:
            return None
        return (
            "dietterich_5x2 needs exactly 5 repeats of 2 folds (scheme five_by_two), and there "
            f"{_describe_repeats(per_repeat.tolist())}"
        )

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the first split's mean."""
        if reason := self.inapplicable(losses.layout):
            raise InsufficientData(reason, loc=("repeat",))
        moments = losses.moments
        halves = moments.deviations.reshape(_REPEATS, 2)
        # the squared deviations of two numbers from their average add up to half their squared
        # difference
        value = float(((halves[:, 0] - halves[:, 1]) ** 2).mean()) / 2
        estimate = build_estimate(
            self.info,
            losses,
            value,
            float(_REPEATS),
            cautions=(
                ORDER_DEPENDENT(losses.layout.words),
                *_list_cautions_about_halves(losses.layout),
            ),
        )
        return replace(estimate, estimate=float(moments.means[0]))


def _describe_repeats(per_repeat: list[int]) -> str:
    r, k = len(per_repeat), "/".join(str(k) for k in sorted(set(per_repeat)))
    return f"{'is 1 repeat' if r == 1 else f'are {r} repeats'} of {k}"


def _list_cautions_about_halves(layout: Layout) -> tuple[Caution, ...]:
    sizes = layout.n_test.reshape(_REPEATS, 2)
    uneven = bool(np.any(np.abs(sizes[:, 0] - sizes[:, 1]) > 1))
    return (HALF_OF_THE_DATA(), UNEQUAL_HALVES()) if uneven else (HALF_OF_THE_DATA(),)
