"""Nemenyi's test of all pairs of mean ranks, with its critical difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from thetahat import special_functions as special
from thetahat.distributions import LEAST_P_VALUE, bound_p_value
from thetahat.multiple_tests._loss_rows import LossRows, RowTest
from thetahat.multiple_tests._ranks import compute_friedman_ranks
from thetahat.multiple_tests.base import OmnibusOutcome, choose_alpha, find_groups
from thetahat.parameter_checks import check_probability
from thetahat.registry import MethodInfo
from thetahat.values.types import FloatArray, Needs, Target


@dataclass(frozen=True, slots=True)
class Nemenyi(RowTest):
    r"""Test of all pairs of mean ranks by the studentised range of the models.

    In the formula :math:`q_\alpha` is the upper :math:`\alpha` quantile of the studentised range of
    k groups at infinite degrees of freedom, over :math:`\sqrt 2`. The statistic is

    .. math:: z = \max_{i,j} \frac{R_i - R_j}{\sqrt{k (k + 1) / (6 N)}}

    with :math:`R_j` the mean rank of model j over N rows; its p-value is the tail of the range at
    :math:`z \sqrt 2`. Two models differ if their mean ranks are at least CD apart. ``groups`` lists
    the largest sets of models that do not differ, from the best mean rank on.

    Deviations: mean losses within 8 units in the last place of each other count as ties. The
    quantile is at infinite degrees of freedom, as in the table of demsar2006; some packages use
    k (N - 1).

    Degenerate cases: if in every row all models are tied the statistic is 0 and p = 1.

    Parameters
    ----------
    alpha : float or None
        Probability of any false difference, above 0 and below 1, for the critical difference. By
        default 1 minus the request's level.
    """

    alpha: float | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Nemenyi test and critical difference",
        summary=(
            "Computes the smallest difference of two mean ranks that is significant when all "
            "pairs are compared, and the groups of models that it leaves tied."
        ),
        formula=r"\mathrm{CD} = q_\alpha \sqrt{k (k + 1) / (6 N)}",
        references=("demsar2006", "nemenyi1963"),
        assumptions=(
            "Independent rows (blocks, clusters or instances), at least about ten of them."
        ),
        errs=(
            "Rejects too rarely with ties, which shrink the differences but not the critical "
            "difference, with few rows, and for a pair if other models differ. Over random "
            "folds it rejects too often as a test of the learners, because their training sets "
            "overlap. The outcome of a pair depends on which other models are in the table."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        RowTest.__post_init__(self)
        check_probability("alpha", self.alpha)

    def test_rows(self, rows: LossRows) -> OmnibusOutcome:
        """Test that no two models' mean ranks differ."""
        ranks = compute_friedman_ranks(rows.losses)
        k, R = rows.n_models, ranks.mean_ranks
        scale = math.sqrt(k * (k + 1) / (6 * rows.n_rows))
        alpha = choose_alpha(self.alpha)
        q_alpha = compute_range_quantile(alpha, k) / math.sqrt(2)
        groups = find_tied_groups(R, q_alpha * scale, rows.names)
        statistic = float(R.max() - R.min()) / scale
        return OmnibusOutcome(
            statistic=statistic,
            p_value=compute_range_tail(statistic * math.sqrt(2), k),
            target=rows.target,
            unit=rows.unit,
            cautions=rows.list_cautions(is_flat=ranks.statistic.value is None),
            details={
                "alpha": alpha,
                "rows": rows.n_rows,
                "q_alpha": q_alpha,
                "critical_difference": q_alpha * scale,
                "mean_ranks": rows.by_model(R),
                "groups": groups,
                "tied": groups,
                "diagram": {
                    "score": "mean_ranks",
                    "values": rows.by_model(R),
                    "alpha": alpha,
                    "critical_difference": q_alpha * scale,
                    "groups": groups,
                },
            },
        )


def find_tied_groups(
    mean_ranks: FloatArray, critical_difference: float, names: tuple[str, ...]
) -> list[list[str]]:
    """Return the largest sets of models less than the critical difference apart, best first."""
    order = np.argsort(mean_ranks, kind="stable")
    ordered = mean_ranks[order]
    differ = ordered - critical_difference >= ordered[:, np.newaxis]
    return find_groups(differ, [names[i] for i in order])


_REACH = 9.0  # the integral over normal values beyond it is below 1e-18
_MAX_RANGE = 60.0  # the tail, about exp(-q^2 / 4), is below the smallest double
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 0.5  # in standard deviations; with 16 nodes only rounding errors remain


def compute_range_tail(q: float, k: int) -> float:
    r"""Return the probability that the range of k independent standard normals exceeds q.

    .. math::

        P(Q > q) = k \int \phi(z)\, \Phi(z)^{k-1}
        \Bigl[1 - \Bigl(1 - \frac{\Phi(z - q)}{\Phi(z)}\Bigr)^{k-1}\Bigr] dz

    with z the largest. The tail itself is integrated, so that small p-values keep their digits.
    """
    if q <= 0:
        return 1.0
    if q > _MAX_RANGE:
        return LEAST_P_VALUE
    edges = np.arange(-_REACH, q + _REACH + _PANEL, _PANEL)
    z = (edges[:-1, np.newaxis] + _PANEL * (_NODES + 1) / 2).ravel()
    weights = np.tile(_WEIGHTS * _PANEL / 2, len(edges) - 1)
    below = special.ndtr(z)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    # for a tiny q the ratio would round to 1, and its logarithm be infinite
    ratio = np.minimum(special.ndtr(z - q) / below, 1 - np.finfo(np.float64).epsneg)
    exceeds = -np.expm1((k - 1) * np.log1p(-ratio))
    return bound_p_value(float(k * (weights @ (density * below ** (k - 1) * exceeds))))


@lru_cache(maxsize=64)
def compute_range_quantile(tail: float, k: int) -> float:
    """Return the q that the range exceeds with probability ``tail``, by bisection."""
    low, high = 0.0, 1.0
    while compute_range_tail(high, k) > tail:
        low, high = high, 2 * high
    while high - low > 4 * np.finfo(np.float64).eps * high:
        middle = (low + high) / 2
        low, high = (middle, high) if compute_range_tail(middle, k) > tail else (low, middle)
    return (low + high) / 2
