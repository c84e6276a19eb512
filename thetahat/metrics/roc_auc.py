"""Area under the ROC curve."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.metrics._auc_power import compute_needed_positives, estimate_power
from thetahat.metrics._classes import find_positive_code
from thetahat.metrics._one_against_rest import RankedStatistic, build_rankings, check_classes
from thetahat.metrics._ranking import Ranking, compute_placements, compute_roc_areas
from thetahat.metrics.base import (
    Metric,
    TruthAndPredictions,
    WeightedMetric,
    check_resamples,
    describe_metric,
)
from thetahat.numerics.loops.ranked_areas import roc_areas
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray, Label, MeanKind

_FOLD_TIES = ("strict", "half")


@dataclass(frozen=True, slots=True, kw_only=True)
class RocAuc(Metric):
    r"""Probability that a positive instance scores above a negative one, with ties as one half.

    m positives x and n negatives y. The influence function is :math:`(V_{10,i} - A)/\pi_1` for a
    positive and :math:`(V_{01,j} - A)/\pi_0` for a negative, with :math:`V_{10,i}` the share of
    negatives below it, :math:`V_{01,j}` the share of positives above it and :math:`\pi` the shares
    of the classes. Its variance with ddof 1 inside each class is DeLong's,

    .. math:: \frac{S^2_{10}}{m} + \frac{S^2_{01}}{n},

    for one model, and for two with the variances of the differences of placements. Over random
    folds the mean of the folds' areas has the variance of ledell2015.

    Degenerate cases: undefined where a class is missing. Where the classes are fully separated the
    variance is 0, and no interval is built on it. The bound ``no_error_bound`` then has the size k
    of the smaller class: k disjoint pairs of a positive and a negative are k independent trials,
    each right with probability A, so full separation has a probability of at most :math:`A^k`. It
    has that probability where each instance of that class, with probability 1 - A, is on the wrong
    side of all of the other class, so no larger k is valid for all scores.

    Parameters
    ----------
    positive : str or int or None
        The positive class; the second of two, if left out. With more classes and none named, the
        average of the areas of each class against the rest.
    fold_ties : str
        What a tie counts in the variance ``ledell`` of a mean over folds: nothing (``strict``, as
        in the source's own code, which makes it larger the more scores are tied) or ``half``, as
        in the area itself.
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    positive: Label | None = None
    fold_ties: str = "strict"
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="Area under the ROC curve",
        summary=(
            "The probability that a positive instance scores above a negative one, with ties as "
            "one half. With more than two classes, the average over each class against the rest."
        ),
        formula=r"\frac{1}{m n} \sum_i \sum_j 1\{x_i > y_j\} + \tfrac12 1\{x_i = y_j\}",
        references=("delong1988", "ledell2015"),
        assumptions=(
            "Independent instances, clusters or sources. The trained models are treated as fixed. "
            "For folds the mean of their areas is reported, because scores of different models "
            "need not be comparable."
        ),
        errs=(
            "The normal interval is too short, and may pass 1, with few instances of a class or an "
            "area near 1; the logit interval does not pass 1, but covers in 0.73 to 0.98 of the "
            "cases at level 0.95 with 5 to 50 positives. The recommended area_score covers in 0.92 "
            "to 0.99. Pooled over folds the area is too low where the models' scales differ."
        ),
    )
    undefined_if: ClassVar[str] = "there are no positives, or no negatives"
    uses: ClassVar[str] = "scores"
    fold_mean: ClassVar[MeanKind] = MeanKind.MACRO

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        if self.fold_ties not in _FOLD_TIES:
            raise InvalidParameter(
                f"fold_ties is not one of {', '.join(_FOLD_TIES)}, got {self.fold_ties!r}.",
                loc=("fold_ties",),
                value=self.fold_ties,
            )

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the area on those rows."""
        rankings = build_rankings(self.info.name, judged, self.positive)
        tie = 0.5 if self.fold_ties == "half" else 0.0
        return RankedStatistic(
            rankings,
            compute_roc_areas,
            _compute_slopes,
            roc_areas,
            min,
            partial(_compute_slopes, tie=tie),
        )

    def check(self, classes: tuple[Label, ...]) -> None:
        """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
        check_classes(self.info.name, self.positive, classes)

    def strata(self, judged: TruthAndPredictions) -> IntArray | None:
        """Return (n,) codes of the two classes; None where classes are averaged over."""
        if self.positive is None and len(judged.classes) > 2:
            return None
        code = find_positive_code(self.info.name, self.positive, judged.classes)
        return np.asarray(judged.truth == code, dtype=np.intp)

    def details(
        self, strata: IntArray | None, value: float, level: float, power: float
    ) -> dict[str, Any]:
        """Return the power of the test against an area of one half, and the instances it needs.

        ``strata`` are those of all rows, and ``value`` is their area; empty where classes are
        averaged over.
        """
        if strata is None:
            return {}
        positives = int(strata.sum())
        negatives = len(strata) - positives
        numbers: dict[str, Any] = {
            "positives": positives,
            "negatives": negatives,
            "level": level,
            "power": None,
            "power_asked": power,
            "positives_needed": None,
            "negatives_needed": None,
        }
        if 0 < value < 1:
            ratio = negatives / positives
            needed = compute_needed_positives(power, value, level, ratio)
            numbers["power"] = estimate_power(positives, negatives, value, level)
            if needed is not None:
                numbers["positives_needed"] = math.ceil(needed)
                numbers["negatives_needed"] = math.ceil(needed * ratio)
        return {"against_chance": numbers}


def _compute_slopes(ranking: Ranking, tie: float = 0.5) -> FloatArray:
    placed = compute_placements(ranking, tie)
    positive = ranking.to_rows(ranking.positive) > 0
    share = float(positive.mean())
    positives, negatives = ranking.compute_unit_weights()
    area = float(compute_roc_areas(positives[None], negatives[None])[0])
    return np.asarray((placed - area) / np.where(positive, share, 1 - share))
