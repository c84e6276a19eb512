"""Recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._classes import find_positive_code
from thetahat.metrics._confusion import build_share_statistic
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.types import IntArray, Label, Needs, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall(Metric):
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

    positive: Label | None = None
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="recall",
        title="Recall",
        summary=(
            "The share of the positive rows that are predicted positive, also called sensitivity."
        ),
        formula=r"\frac{TP}{TP + FN}",
        references=("powers2011",),
        assumptions=(
            "Independent instances, clusters or sources. The trained models are treated as fixed. "
            "For random folds the pooled value is reported."
        ),
        errs="With few rows of the positive class the normal interval is too short and may pass 1.",
        needs=Needs.PREDICTIONS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.THESE_MODELS, Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the recall on those rows."""
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        is_positive = np.arange(len(judged.classes)) == code
        true, predicted = is_positive[:, None], is_positive[None, :]
        return build_share_statistic(judged, true & predicted, true)

    def check(self, classes: tuple[Label, ...]) -> None:
        """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
        find_positive_code(self.info.name, self.positive, classes)

    def strata(self, judged: TruthAndPredictions) -> IntArray | None:
        """Return (n,) codes: 1 for rows of the positive class."""
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        codes: IntArray = (judged.truth == code).astype(np.intp)
        return codes

    def undefined(self) -> str:
        """Return when the metric is undefined, as the end of a sentence."""
        return "no row is positive"


METHOD = Recall
