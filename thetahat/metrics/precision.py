"""Precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._classes import find_positive_code
from thetahat.metrics._confusion import build_share_statistic
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.types import Label, Needs, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision(Metric):
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

    positive: Label | None = None
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="precision",
        title="Precision",
        summary="The share of truly positive rows among those that are predicted positive.",
        formula=r"\frac{TP}{TP + FP}",
        references=("powers2011",),
        assumptions=(
            "Independent instances, clusters or sources. The trained models are treated as fixed. "
            "For random folds the pooled value is reported."
        ),
        errs=(
            "With few rows that are called positive the normal interval is too short and may pass "
            "1."
        ),
        needs=Needs.PREDICTIONS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.THESE_MODELS, Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the precision on those rows."""
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        is_positive = np.arange(len(judged.classes)) == code
        true, predicted = is_positive[:, None], is_positive[None, :]
        return build_share_statistic(judged, true & predicted, predicted)

    def check(self, classes: tuple[Label, ...]) -> None:
        """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
        find_positive_code(self.info.name, self.positive, classes)

    def undefined(self) -> str:
        """Return when the metric is undefined, as the end of a sentence."""
        return "no row is called positive"


METHOD = Precision
