"""Metrics of ranked scores: of the positive class, or averaged over all classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.metrics._classes import find_positive_code
from thetahat.metrics._ranking import Ranking
from thetahat.metrics.base import TruthAndPredictions, WeightedMetric, count_units
from thetahat.tables.labels import ABSENT_CLASSES
from thetahat.values.types import FloatArray, IntArray, Label


@dataclass(frozen=True, slots=True, eq=False)
class RankedStatistic(WeightedMetric):
    """The average of an area under a curve over one or more rankings of the same rows."""

    rankings: Sequence[Ranking]
    """One ranking, or one for each class."""
    areas: Callable[[FloatArray, FloatArray], FloatArray]
    """(B,) values of (B, G) weights of positives and negatives."""
    slopes: Callable[[Ranking], FloatArray]
    """(m,) influence function of one ranking."""
    kernel: Callable[..., None]
    """The compiled version of ``areas``."""
    trials: Callable[[int, int], int]
    """Number of independent comparisons that were all right at an area of 1, from the numbers of
    positive and of negative units."""
    fold_slopes: Callable[[Ranking], FloatArray] | None = None
    """The influence function for the variance of a mean over folds; only for one ranking."""

    def value(self) -> float:
        """Return the metric; NaN where a class is missing."""
        if not all(ranking.is_defined for ranking in self.rankings):
            return float("nan")
        values = []
        for ranking in self.rankings:
            positives, negatives = ranking.compute_unit_weights()
            values.append(float(self.areas(positives[None], negatives[None])[0]))
        return sum(values) / len(values)

    def influence(self) -> FloatArray:
        """Return (m,) values of the influence function."""
        return np.asarray(sum(map(self.slopes, self.rankings)) / len(self.rankings))

    def fold_influence(self) -> FloatArray | None:
        """Return (m,) influences for the variance of a mean over folds; None if not separate."""
        if self.fold_slopes is None or len(self.rankings) > 1:
            return None
        return self.fold_slopes(self.rankings[0])

    def find_bound_at_limit(self, tail: float, unit: IntArray | None) -> float | None:
        """Return the area farthest from 1, or from 0, that this separation does not exclude.

        An average of areas that is that far away has one that is at least as far. In clusters that
        have both classes, two clusters make one comparison.
        """
        fewest = []
        for ranking in self.rankings:
            positive = ranking.to_rows(ranking.positive) > 0
            counted = count_units(positive, unit), count_units(~positive, unit)
            k = self.trials(*counted)
            if unit is not None:
                k = max(1, min(k, len(np.unique(unit)) // 2))
            fewest.append(k)
        share = float(tail ** (1 / min(fewest)))
        return share if self.value() > 0.5 else 1 - share

    def resampled(self, counts: FloatArray, *, many: bool = False) -> FloatArray:
        """Return (B,) metrics under (B, m) weights."""
        total = np.zeros(len(counts))
        for ranking in self.rankings:
            if many:
                total += ranking.compute_by_kernel(self.kernel, counts)
            else:
                total += self.areas(*ranking.sum_by_class(counts))
        return total / len(self.rankings)

    def kinds(self) -> tuple[IntArray, int]:
        """Return the kind of each row, which is its score and class, and the number of kinds."""
        first = self.rankings[0]
        if len(self.rankings) > 1:
            n = len(first.order)
            return np.arange(n, dtype=np.intp), n
        return first.kinds()

    def resampled_by_kind(self, counts: FloatArray) -> FloatArray:
        """Return (B,) metrics under (B, 2 G) weights: negatives and positives of each group."""
        if len(self.rankings) > 1:
            return self.resampled(counts)
        return self.areas(counts[:, 1::2], counts[:, ::2])


def build_rankings(name: str, judged: TruthAndPredictions, positive: Label | None) -> list[Ranking]:
    """Return the ranking of the positive class, or one for each class where there are more."""
    scores = judged.scores
    if scores is None:
        raise UnsupportedCombination(
            f"{name} ranks instances by a score of the positive class, and there is none.",
            loc=("scores",),
            value=name,
        )
    if scores.ndim == 2 and scores.shape[1] != len(judged.classes):
        raise InvalidParameter(
            f"There are {len(judged.classes)} classes and {scores.shape[1]} columns of scores. "
            f"{ABSENT_CLASSES}",
            loc=("scores",),
            value=int(scores.shape[1]),
        )
    if positive is None and len(judged.classes) > 2:
        if scores.ndim == 1:
            raise UnsupportedCombination(
                f"There are {len(judged.classes)} classes, and {name} needs one score for each, "
                "or a positive class.",
                loc=("scores",),
                value=name,
            )
        return [Ranking(scores[:, c], judged.truth == c) for c in range(len(judged.classes))]
    code = find_positive_code(name, positive, judged.classes)
    return [Ranking(_select_scores(scores, code, judged), judged.truth == code)]


def check_classes(name: str, positive: Label | None, classes: tuple[Label, ...]) -> None:
    """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
    if positive is not None or len(classes) <= 2:
        find_positive_code(name, positive, classes)


def _select_scores(scores: FloatArray, code: int, judged: TruthAndPredictions) -> FloatArray:
    if scores.ndim == 2:
        return scores[:, code]
    if len(judged.classes) > 2:
        raise UnsupportedCombination(
            f"There are {len(judged.classes)} classes, and one score a row says nothing of all "
            "but one of them.",
            loc=("scores",),
        )
    return scores if code == 1 else -scores
