"""Recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.metrics._class_shares import ClassShare
from thetahat.metrics.base import TruthAndPredictions, describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import BoolArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(ClassShare):
    r"""Share of the positive rows that are predicted positive: sensitivity, true positive rate.

    With :math:`\pi` the share of positive rows among all rows, the influence function of the recall
    R is

    .. math:: \mathrm{IF}_i = \frac{1\{y_i = c\}}{\pi} \bigl( 1\{\hat y_i = c\} - R \bigr).

    It averages to 0 inside the class and outside it: the variance is a binomial one, with ddof 1.

    Degenerate cases: undefined where no row is positive; scikit-learn gives 0 there.

    Parameters
    ----------
    positive : str or int or None
        The positive class; the second of two, if left out.
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    info: ClassVar[MethodInfo] = describe_metric(
        title="Recall",
        summary=(
            "The share of the positive rows that are predicted positive, also called sensitivity."
        ),
        formula=r"\frac{TP}{TP + FN}",
        references=("powers2011",),
        errs="With few rows of the positive class the normal interval is too short and may pass 1.",
    )
    undefined_if: ClassVar[str] = "no row is positive"

    def choose_cells(self, true: BoolArray, predicted: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return the cells whose rows count, and those of which they are a share."""
        return true & predicted, true

    def strata(self, judged: TruthAndPredictions) -> IntArray | None:
        """Return (n,) codes: 1 for rows of the positive class."""
        return self.mark_positives(judged)
