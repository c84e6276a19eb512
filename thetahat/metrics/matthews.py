"""Matthews correlation coefficient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._confusion import build_table_statistic, compute_ratios
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric, describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Matthews(Metric):
    r"""Correlation of true and predicted classes; for two classes, the phi coefficient.

    s is the number of rows, c the number of correctly classified rows, and :math:`t_k` and
    :math:`p_k` the numbers of rows of true and of predicted class k. With N the numerator and A, B
    the two factors under the root, as functions of the rows' weights with shares in the place of
    numbers (s = 1), a row of true class t and predicted class p has

    .. math::
        dN = 1\{t = p\} + c - p_t - t_p, \quad dA = 2 - 2 p_p, \quad dB = 2 - 2 t_t,

        \mathrm{IF}_i = \frac{dN}{\sqrt{A B}} - \frac{R}{2} \Bigl(\frac{dA}{A} + \frac{dB}{B}\Bigr).

    Degenerate cases: undefined where all rows are of one class, or are predicted to be;
    scikit-learn gives 0 there.

    Parameters
    ----------
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="Matthews correlation coefficient",
        summary=(
            "The correlation of true and predicted classes, between -1 and 1; Gorodkin's form for "
            "more than two classes."
        ),
        formula=r"\frac{c s - \sum_k p_k t_k}{\sqrt{(s^2 - \sum_k p_k^2)(s^2 - \sum_k t_k^2)}}",
        references=("gorodkin2004", "matthews1975"),
        errs=(
            "With few instances of a class normal and logit intervals are too short (.81 covered "
            "at level .95); limits_of_shares, recommended for two classes, covers in .93 and more "
            "from five on. The normal interval may pass 1; the logit interval, which is Fisher's z "
            "here, does not."
        ),
    )
    undefined_if: ClassVar[str] = "all rows are of one class, or are called one"
    value_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    is_agreement: ClassVar[bool] = True

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return the coefficient on those rows."""
        return build_table_statistic(judged, _compute_correlations, _compute_slopes)


def _compute_correlations(tables: FloatArray) -> FloatArray:
    true, predicted = tables.sum(axis=2), tables.sum(axis=1)
    total = true.sum(axis=1)
    covariance = np.einsum("bcc->b", tables) * total - np.einsum("bc,bc->b", true, predicted)
    squares = (total**2 - (predicted**2).sum(axis=1)) * (total**2 - (true**2).sum(axis=1))
    return compute_ratios(covariance, np.sqrt(np.maximum(squares, 0.0)))


def _compute_slopes(table: FloatArray) -> FloatArray:
    true, predicted = table.sum(axis=1), table.sum(axis=0)
    hits = np.trace(table)
    of_predicted, of_true = 1 - predicted @ predicted, 1 - true @ true
    root = np.sqrt(of_predicted * of_true)
    value = (hits - true @ predicted) / root
    moved = np.eye(len(table)) + hits - predicted[:, None] - true[None, :]
    shrunk = (1 - predicted)[None, :] / of_predicted + (1 - true)[:, None] / of_true
    return np.asarray(moved / root - value * shrunk)
