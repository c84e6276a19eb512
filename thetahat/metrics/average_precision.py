"""Average precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.metrics._one_against_rest import RankedStatistic, build_rankings, check_classes
from thetahat.metrics._ranking import compute_average_precisions, compute_precision_slopes
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric, describe_metric
from thetahat.numerics.loops.ranked_areas import precision_areas
from thetahat.registry import MethodInfo
from thetahat.values.types import Label, MeanKind


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragePrecision(Metric):
    r"""Mean, over the positives, of the precision among all rows that score at least as high.

    m is the number of positives: the sum is the area under the steps of the precision-recall curve,
    without interpolation. With :math:`\pi = m/n`, :math:`D_j = \#\{k : s_k \ge s_j\}` and
    :math:`p_j` the precision at :math:`s_j`, the derivative of :math:`p_j` by the weight of a row i
    that scores at least as high is :math:`(y_i - p_j) n / D_j`, so the influence function is

    .. math::
        \mathrm{IF}_i = \frac1\pi \Bigl[ y_i (p_i - \mathrm{AP})
        + \sum_{j:\,y_j = 1,\, s_j \le s_i} \frac{y_i - p_j}{D_j} \Bigr].

    Degenerate cases: undefined where a class is missing; 1, with variance 0, where every positive
    scores above every negative.

    Parameters
    ----------
    positive : str or int or None
        The positive class; the second of two, if left out. With more classes and none named, the
        average over classes, each against the rest.
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    positive: Label | None = None
    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="Average precision",
        summary=(
            "The mean, over the positives, of the precision among all rows that score at least as "
            "high. With more than two classes, the average over each class against the rest."
        ),
        formula=r"\frac1m \sum_{i: y_i = 1} \frac{\#\{j : s_j \ge s_i, y_j = 1\}}"
        r"{\#\{j : s_j \ge s_i\}}",
        references=("hampel1974", "manning2008"),
        assumptions=(
            "Independent instances, clusters or sources. The trained models are treated as fixed. "
            "All sources have the same share of positives, on which the value depends."
        ),
        errs=(
            "Too high in small samples with a poor ranking, and so is the mean over small folds; "
            "with two positives in a fold the pooled value covers far better. The normal interval "
            "is too short with few positives; the logit interval, with quantiles of t, covers in "
            "0.93 to 0.99 of the cases at level 0.95 with 5 to 50 positives."
        ),
    )
    undefined_if: ClassVar[str] = "there are no positives, or no negatives"
    uses: ClassVar[str] = "scores"
    fold_mean: ClassVar[MeanKind] = MeanKind.MACRO

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the average precision on those rows."""
        rankings = build_rankings(self.info.name, judged, self.positive)
        return RankedStatistic(
            rankings,
            compute_average_precisions,
            compute_precision_slopes,
            precision_areas,
            lambda positives, _: positives,
        )

    def check(self, classes: tuple[Label, ...]) -> None:
        """Raise ``InvalidParameter`` if the positive class is not one of the classes."""
        check_classes(self.info.name, self.positive, classes)
