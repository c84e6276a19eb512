"""Bayesian sign test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from thetahat import special_functions as special
from thetahat.paired_tests._posteriors import PLACES, PosteriorOfUnits, PriorPlace
from thetahat.paired_tests._units import PairedUnits
from thetahat.paired_tests.base import PairBatch, RandomStreams, TestOutcome
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, Needs, Target, UnitName

_NODES = 1001
_NEGLIGIBLE = 1e-20  # probability of a component that the integral leaves out at each end


@dataclass(frozen=True, slots=True)
class BayesianSign(PosteriorOfUnits):
    r"""Posterior probability that differences below, in or above a region are most frequent.

    In the formula :math:`n_l` counts the units whose difference is below -r (a has the smaller
    loss), :math:`n_r` those above r and :math:`n_e` the others. The weight s of the prior is added
    to one of the three. ``p_left`` is the probability that :math:`\theta_l` is the largest of the
    three, and so on.

    Deviations: the probabilities are integrals in one dimension, not shares of random draws. A
    difference within 8 units in the last place of the losses of an edge of the region is inside.

    Degenerate cases: an outcome that has neither units nor prior has probability 0. Without any
    difference all probability is within the region.

    Parameters
    ----------
    rope : float or None
        r, half the width of the region of practical equivalence, in units of the loss, at least 0.
        By default the request's ``rope`` or ``margin``, else 0.
    prior : float
        s, in units, at least 0.
    prior_place : str
        Place of the prior: ``left``, ``rope`` or ``right``.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. By default blocks. A holdout is one block, and
        needs another unit.
    """

    rope: float | None = None
    prior: float = 1.0
    prior_place: PriorPlace = "rope"
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bayesian sign test",
        summary=(
            "Returns the posterior probabilities that the difference of a source or block is most "
            "often below, within, or above the region in which the two models are practically "
            "equivalent. It has no p-value, and does not use how large the differences are."
        ),
        formula=(
            r"(\theta_l, \theta_e, \theta_r) \sim \mathrm{Dirichlet}(n_l + s_l, n_e + s_e, "
            r"n_r + s_r)"
        ),
        references=("benavoli2014", "benavoli2017"),
        assumptions=(
            "Independent units: sources or blocks, or instances or clusters if requested."
        ),
        errs=(
            "Leans towards the place of the prior with few units. It is too certain over random "
            "folds, because their training sets overlap, and over instances as a statement about "
            "the learners rather than the fitted models."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,  # noqa: ARG002 - a posterior has both directions
        streams: RandomStreams,  # noqa: ARG002 - draws no random numbers
    ) -> Sequence[TestOutcome]:
        """Compute the posterior probabilities of every pair."""
        units = self.average_units(batch)
        return [self._compute_outcome(batch.layout, units, row) for row in range(len(batch.pairs))]

    def _compute_outcome(self, layout: Layout, units: PairedUnits, row: int) -> TestOutcome:
        counts = _count_outcomes(units, row, self.rope or 0.0)
        weights = [float(n) for n in counts]
        weights[PLACES.index(self.prior_place)] += self.prior
        probabilities = probabilities_of_largest((weights[0], weights[1], weights[2]))
        return self.build_outcome(
            layout, units, probabilities, {"counts": counts, "alpha": weights}
        )


def _count_outcomes(units: PairedUnits, row: int, rope: float) -> list[int]:
    """Return the numbers of units of a pair that are left of, within and right of the region."""
    values = units.values[row]
    edge = rope + (units.roundings(row) if rope > 0 else 0.0)  # differences near 0 are 0 already
    left, right = int((values < -edge).sum()), int((values > edge).sum())
    return [left, units.n_units - left - right, right]


@lru_cache(maxsize=1024)  # counts of a few blocks recur from pair to pair
def probabilities_of_largest(
    weights: tuple[float, float, float],
) -> tuple[float, float, float]:
    r"""Return P(theta_i is the largest) for theta ~ Dirichlet(weights) with three components.

    A Dirichlet variable is three gamma variables divided by their sum, so

    .. math:: P_i = \int_0^\infty f_{a_i}(x) \prod_{j \ne i} F_{a_j}(x)\, dx

    with f and F the density and distribution function of the gamma variables. In log x the
    integrand is smooth and falls off fast at both ends, so the trapezium rule is accurate. A
    component of weight 0 is 0 and never the largest.
    """
    positive = [(i, a) for i, a in enumerate(weights) if a > 0]
    probabilities = [0.0, 0.0, 0.0]
    if len(positive) == 1:
        probabilities[positive[0][0]] = 1.0
    elif len(positive) == 2:
        (i, a), (j, b) = positive
        probabilities[i] = float(special.betaincc(a, b, 0.5))
        probabilities[j] = float(special.betainc(a, b, 0.5))
    else:
        for i, a in positive:
            others = [b for j, b in positive if j != i]
            probabilities[i] = _compute_probability_of_largest(a, others[0], others[1])
        total = sum(probabilities)
        probabilities = [probability / total for probability in probabilities]
    return probabilities[0], probabilities[1], probabilities[2]


def _compute_probability_of_largest(a: float, b: float, c: float) -> float:
    """Return the chance that a gamma variable of shape a exceeds those of shapes b and c."""
    lowest = max(float(special.gammaincinv(x, _NEGLIGIBLE)) for x in (a, b, c))
    highest = float(special.gammainccinv(a, _NEGLIGIBLE))
    if lowest >= highest:
        return 0.0
    t, step = np.linspace(np.log(lowest), np.log(highest), _NODES, retstep=True)
    x = np.exp(t)
    density = np.exp(special.xlogy(a, x) - x - special.gammaln(a))
    return float(step * np.sum(density * special.gammainc(b, x) * special.gammainc(c, x)))
