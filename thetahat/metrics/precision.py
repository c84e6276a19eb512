"""Precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.metrics._class_shares import ClassShare
from thetahat.metrics.base import describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import BoolArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision(ClassShare):
    r"""Share of the rows that are predicted positive that are positive.

    With :math:`\pi` the share of rows that are predicted positive among all rows, the influence
    function of the precision P is

    .. math:: \mathrm{IF}_i = \frac{1\{\hat y_i = c\}}{\pi} \bigl( 1\{y_i = c\} - P \bigr).

    Degenerate cases: undefined where no row is called positive; scikit-learn gives 0 there.

    Parameters
    ----------
    positive : str or int or None
        The positive class; the second of two, if left out.
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    info: ClassVar[MethodInfo] = describe_metric(
        title="Precision",
        summary="The share of truly positive rows among those that are predicted positive.",
        formula=r"\frac{TP}{TP + FP}",
        references=("powers2011",),
        errs=(
            "With few rows that are called positive the normal interval is too short and may pass "
            "1."
        ),
    )
    undefined_if: ClassVar[str] = "no row is called positive"

    def choose_cells(self, true: BoolArray, predicted: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return the cells whose rows count, and those of which they are a share."""
        return true & predicted, predicted
