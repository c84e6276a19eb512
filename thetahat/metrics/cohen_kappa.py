"""Cohen's kappa."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.metrics._confusion import build_table_statistic, compute_ratios
from thetahat.metrics.base import Metric, TruthAndPredictions, WeightedMetric, describe_metric
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class CohenKappa(Metric):
    r"""Agreement of true and predicted classes beyond what their shares alone would give.

    With :math:`t_k` and :math:`p_k` the shares of rows of true and of predicted class k,
    :math:`p_o` the share of rows that agree and :math:`p_e = \sum_k t_k p_k`, a row of true class t
    and predicted class p has

    .. math::
        \mathrm{IF}_i = \frac{1\{t = p\} - p_o}{1 - p_e}
        - \frac{(1 - p_o)(p_t + t_p - 2 p_e)}{(1 - p_e)^2}.

    Its mean square over n is the large-sample variance of fleiss1969.

    Degenerate cases: undefined where all rows are of one class and are predicted to be.

    Parameters
    ----------
    n_resamples : int or None
        Of the bootstrap intervals; 0 for none. If left out, as in ``choose_n_resamples``.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = describe_metric(
        title="Cohen's kappa",
        summary=(
            "The agreement of true and predicted classes beyond chance: 0 where the shares of the "
            "classes alone explain it, and 1 where all rows agree."
        ),
        formula=r"\frac{p_o - p_e}{1 - p_e}",
        references=("cohen1960", "fleiss1969"),
        errs=(
            "With few instances of a class normal and logit intervals are too short (.83 covered "
            "at level .95), and the normal one may pass 1; limits_of_shares, recommended for two "
            "classes, covers in .93 and more from five on."
        ),
    )
    undefined_if: ClassVar[str] = "all rows are of one class and are called it"
    value_range: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    is_agreement: ClassVar[bool] = True

    def statistic(self, judged: TruthAndPredictions) -> WeightedMetric:
        """Return kappa on those rows."""
        return build_table_statistic(judged, _compute_kappas, _compute_slopes)


def _compute_kappas(tables: FloatArray) -> FloatArray:
    true, predicted = tables.sum(axis=2), tables.sum(axis=1)
    total = true.sum(axis=1)
    expected = np.einsum("bc,bc->b", true, predicted)
    return compute_ratios(np.einsum("bcc->b", tables) * total - expected, total**2 - expected)


def _compute_slopes(table: FloatArray) -> FloatArray:
    true, predicted = table.sum(axis=1), table.sum(axis=0)
    observed, expected = np.trace(table), true @ predicted
    agreeing = (np.eye(len(table)) - observed) / (1 - expected)
    moved = predicted[:, None] + true[None, :] - 2 * expected
    return np.asarray(agreeing - (1 - observed) * moved / (1 - expected) ** 2)
