"""Nemenyi's test of all pairs of mean ranks, with its critical difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy import special

from thetahat.multiple_tests._ranks import friedman_ranks
from thetahat.multiple_tests._rows import RowTest, no_difference, rows_of
from thetahat.multiple_tests.base import OmnibusOutcome, alpha_of, check_alpha
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.types import FloatArray, Needs, Target


@dataclass(frozen=True, slots=True)
class Nemenyi(RowTest):
    r"""Which mean ranks lie further apart than chance, over all pairs at once.

    .. math::

        \mathrm{CD} = q_\alpha \sqrt{\frac{k (k + 1)}{6 N}}, \qquad
        z = \max_{i,j} \frac{R_i - R_j}{\sqrt{k (k + 1) / (6 N)}}

    with :math:`R_j` the mean rank of model j over N rows and :math:`q_\alpha` the upper
    :math:`\alpha` quantile of the studentised range of k groups at infinite degrees of freedom,
    over :math:`\sqrt 2`. Statistic: z; its p-value is the range's tail at :math:`z \sqrt 2`. Two
    models differ where their mean ranks are at least CD apart; ``groups`` lists, from the best
    mean rank on, the largest sets of models that do not.

    Assumes independent rows, and enough of them for mean ranks to be near normal. Ties shrink
    the differences but not the critical difference, so it is conservative with them. Over random
    folds it is liberal, since their training sets overlap.

    Source: nemenyi1963, demsar2006.

    Deviations: mean losses within 8 units in the last place of each other count as ties. The
    quantile is at infinite degrees of freedom, as in demsar2006's table; some packages take
    k (N - 1).

    Degenerate cases: where no row tells the models apart the statistic is 0 and p = 1.

    Parameters
    ----------
    alpha : float or None
        In (0, 1): the chance of any false difference, which the critical difference is for. Left
        out: 1 - the request's level.
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    alpha: float | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="nemenyi",
        title="Nemenyi test and critical difference",
        summary=(
            "The least difference of two mean ranks that is significant when all pairs are "
            "compared, and the groups of models that it leaves tied."
        ),
        formula=r"\mathrm{CD} = q_\alpha \sqrt{k (k + 1) / (6 N)}",
        references=("demsar2006", "nemenyi1963"),
        assumptions="Independent rows (blocks, clusters or instances), and at least about ten.",
        errs=(
            "Conservative with ties, with few rows, and for any pair when other models differ. "
            "Over random folds liberal as a test of the learners: their training sets overlap. "
            "A pair's outcome depends on which other models are in the table."
        ),
        needs=Needs.SPLITS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        RowTest.__post_init__(self)
        check_alpha(self.alpha)

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> OmnibusOutcome:
        """Test that no two models' mean ranks differ."""
        rows = rows_of(table, self.unit)
        found = friedman_ranks(rows.losses)
        k, R = rows.n_models, found.mean_ranks
        scale = math.sqrt(k * (k + 1) / (6 * rows.n_rows))
        alpha = alpha_of(self.alpha)
        q_alpha = range_quantile(alpha, k) / math.sqrt(2)
        groups = tied_groups(R, q_alpha * scale, rows.names)
        statistic = float(R.max() - R.min()) / scale
        flat = found.statistic.value is None
        return OmnibusOutcome(
            statistic=statistic,
            p_value=range_tail(statistic * math.sqrt(2), k),
            degrees_of_freedom=None,
            target=rows.target,
            unit=rows.unit,
            cautions=(*rows.cautions, no_difference(rows)) if flat else rows.cautions,
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


def tied_groups(
    mean_ranks: FloatArray, critical_difference: float, names: tuple[str, ...]
) -> list[list[str]]:
    """Return the largest sets of models less than the critical difference apart, best first.

    A model that differs from every other stands in a set of its own.
    """
    order = np.argsort(mean_ranks, kind="stable")
    ordered = mean_ranks[order]
    ends = np.searchsorted(ordered - critical_difference, ordered, side="left")
    groups: list[list[str]] = []
    reached = 0
    for start, end in enumerate(ends.tolist()):
        if end > reached:  # else the set before holds it
            groups.append([names[i] for i in order[start:end]])
            reached = end
    return groups


_REACH = 9.0  # normals beyond it add less than 1e-18
_LARGEST = 60.0  # the tail, about exp(-q^2 / 4), is below the smallest double
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(16)
_PANEL = 0.5  # in standard deviations; 16 nodes on it leave rounding alone


def range_tail(q: float, k: int) -> float:
    r"""Return the chance that the range of k independent standard normals exceeds q.

    .. math::

        P(Q > q) = k \int \phi(z)\, \Phi(z)^{k-1}
        \Bigl[1 - \Bigl(1 - \frac{\Phi(z - q)}{\Phi(z)}\Bigr)^{k-1}\Bigr] dz

    with z the largest. The tail is integrated, not one minus it, so that small p-values keep
    their digits. Source: nemenyi1963 for its use.
    """
    if q <= 0:
        return 1.0
    if q > _LARGEST:
        return 0.0
    edges = np.arange(-_REACH, q + _REACH + _PANEL, _PANEL)
    z = (edges[:-1, np.newaxis] + _PANEL * (_NODES + 1) / 2).ravel()
    weights = np.tile(_WEIGHTS * _PANEL / 2, len(edges) - 1)
    below = special.ndtr(z)
    density = np.exp(-z * z / 2) / np.sqrt(2 * np.pi)
    # for a tiny q the ratio rounds to 1, whose logarithm would be infinite
    ratio = np.minimum(special.ndtr(z - q) / below, 1 - np.finfo(np.float64).epsneg)
    reached = -np.expm1((k - 1) * np.log1p(-ratio))
    return min(1.0, float(k * (weights @ (density * below ** (k - 1) * reached))))


@lru_cache(maxsize=64)
def range_quantile(tail: float, k: int) -> float:
    """Return the q that the range exceeds with probability ``tail``, by bisection."""
    low, high = 0.0, 1.0
    while range_tail(high, k) > tail:
        low, high = high, 2 * high
    while high - low > 4 * np.finfo(np.float64).eps * high:
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, k) > tail else (low, middle)
    return (low + high) / 2


METHOD = Nemenyi
