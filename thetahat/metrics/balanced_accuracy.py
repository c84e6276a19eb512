"""Balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._confusion import average_known, build_table_statistic, compute_ratios
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric, describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancedAccuracy(Metric):
    r"""Average over the true classes of the share that is classified correctly.

    With :math:`\pi_c` the share of class c and :math:`r_c` the share of it that is classified
    correctly, the weight of a row changes :math:`r_c` of its own class only, so the influence
    function is

    .. math:: \mathrm{IF}_i = \frac{1}{C \pi_{y_i}} \bigl( 1\{\hat y_i = y_i\} - r_{y_i} \bigr).

    It averages to 0 inside each class: the variance is a sum of binomial variances, with ddof 1.

    Degenerate cases: undefined where fewer than two classes occur in the truth; otherwise it is
    over the classes that occur, as in scikit-learn.

    Parameters
    ----------
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="Balanced accuracy",
        summary="The average over the true classes of the share that is classified correctly.",
        formula=r"\frac1C \sum_c \frac{\#\{i : \hat y_i = y_i = c\}}{\#\{i : y_i = c\}}",
        references=("brodersen2010",),
        errs=(
            "With few instances of a class the normal and the logit interval are far too short, "
            "because a class without an error adds nothing to the standard error; the recommended "
            "score interval keeps its uncertainty."
        ),
    )
    undefined_if: ClassVar[str] = "there is one true class only"

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the balanced accuracy on those rows."""
        return build_table_statistic(judged, _compute_mean_recalls, _compute_slopes)

    def strata(self, judged: TruthAndPredictions) -> IntArray | None:
        """Return (n,) codes of the true classes."""
        return judged.truth.astype(np.intp)

    def count_hits(self, judged: TruthAndPredictions) -> FloatArray | None:
        """Return (n,) 1 where a row is classified correctly."""
        return np.asarray(judged.truth == judged.output, dtype=np.float64)


def _compute_mean_recalls(tables: FloatArray) -> FloatArray:
    recalls = compute_ratios(np.einsum("bcc->bc", tables), tables.sum(axis=2))
    return average_known(recalls, 2)


def _compute_slopes(table: FloatArray) -> FloatArray:
    shares = table.sum(axis=1)
    occurring = shares > 0
    factor = np.divide(1.0, shares, out=np.zeros_like(shares), where=occurring) / occurring.sum()
    recalls = np.diag(table) * factor * occurring.sum()
    return np.asarray((np.eye(len(table)) - recalls[:, None]) * factor[:, None])
