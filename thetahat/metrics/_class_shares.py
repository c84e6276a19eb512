"""Metrics that are a share of rows by true and predicted class: recall, specificity, precision."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from thetahat.metrics._classes import find_positive_code
from thetahat.metrics._confusion import build_share_statistic
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric
from thetahat.values.types import BoolArray, IntArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassShare(Metric):
    """Base class of these metrics."""

    positive: Label | None = None
    n_resamples: int | None = None

    @abstractmethod
    def choose_cells(self, true: BoolArray, predicted: BoolArray) -> tuple[BoolArray, BoolArray]:
        """Return the cells whose rows count, and those of which they are a share.

        ``true`` (C, 1) and ``predicted`` (1, C) say whether the true, or predicted, class is the
        positive one.
        """

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the share on those rows."""
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        is_positive = np.arange(len(judged.classes)) == code
        return build_share_statistic(
            judged, *self.choose_cells(is_positive[:, None], is_positive[None, :])
        )

    def check(self, classes: tuple[Label, ...]) -> None:
        """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
        find_positive_code(self.info.name, self.positive, classes)

    def mark_positives(self, judged: TruthAndPredictions) -> IntArray:
        """Return (n,) codes: 1 for rows of the positive class."""
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        codes: IntArray = (judged.truth == code).astype(np.intp)
        return codes
