"""Specificity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.metrics._class_shares import ClassShare
from thetahat.metrics.base import TruthAndPredictions, describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import BoolArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Specificity(ClassShare):
    r"""Share of the rows that are not positive that are not predicted positive.

    With :math:`\pi` the share of rows that are not positive among all rows, the influence function
    of the specificity S is

    .. math:: \mathrm{IF}_i = \frac{1\{y_i \ne c\}}{\pi} \bigl( 1\{\hat y_i \ne c\} - S \bigr).

    It averages to 0 inside the class and outside it: the variance is a binomial one, with ddof 1.

    Degenerate cases: undefined where every row is positive.

    Parameters
    ----------
    positive : str or int or None
        The positive class; the second of two, if left out.
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    info: ClassVar[MethodInfo] = describe_metric(
        title="Specificity",
        summary="The share of the rows of other classes that are not predicted positive.",
        formula=r"\frac{TN}{TN + FP}",
        references=("powers2011",),
        errs="With few rows of other classes the normal interval is too short and may pass 1.",
    )
    undefined_if: ClassVar[str] = "every row is positive"

    def choose_cells(self, true: BoolArray, predicted: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return the cells whose rows count, and those of which they are a share."""
        return ~true & ~predicted, ~true

    def strata(self, judged: TruthAndPredictions) -> IntArray | None:
        """Return (n,) codes: 1 for rows of the positive class."""
        return self.mark_positives(judged)
