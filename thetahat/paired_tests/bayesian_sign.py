"""Bayesian sign test."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from scipy import special

from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._posteriors import (
    PLACES,
    PriorPlace,
    Shares,
    check_prior,
    check_rope,
    posterior_cautions,
    shares_told,
)
from thetahat.paired_tests._units import PairedUnits, paired_units, unit_refusal, unit_target
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, Needs, Target, UnitName


@dataclass(frozen=True, slots=True)
class BayesianSign(DrawsNothing):
    r"""Posterior probability that "a better", "alike" or "b better" is the most frequent outcome.

    .. math::

        (\theta_l, \theta_e, \theta_r) \sim
        \mathrm{Dirichlet}(n_l + s_l,\; n_e + s_e,\; n_r + s_r)

    with :math:`n_l` the units whose difference is below -r (a is better), :math:`n_r` those above
    r, :math:`n_e` the rest, and the prior's weight s in one place. ``p_left`` is the probability
    that :math:`\theta_l` is the largest of the three, and so on. There is no p-value.

    Assumes independent units. Says nothing of how large the differences are. Over random folds
    the training sets overlap, and it is too sure; over instances it compares the fitted models.

    Source: benavoli2017, benavoli2014.

    Deviations: the probabilities are integrals in one dimension, not shares of random draws. A
    difference at the edge of the region, to 8 units in the last place of the losses, is inside.

    Degenerate cases: an outcome that has neither units nor prior has probability 0; without any
    difference all is within the region.

    Parameters
    ----------
    rope : float or None
        r, half the width of the region of practical equivalence, in units of the loss, 0 or
        above. Left out: the request's ``rope`` or ``margin``, else 0.
    prior : float
        s, in units, 0 or above.
    prior_place : str
        Where it is: ``left``, ``rope`` or ``right``.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. Left out: blocks. A holdout is one block, and
        needs another unit.
    """

    rope: float | None = None
    prior: float = 1.0
    prior_place: PriorPlace = "rope"
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayesian_sign",
        title="Bayesian sign test",
        summary=(
            "The posterior probabilities that a being better, the two being practically alike, or "
            "b being better is the most frequent outcome among sources or blocks. No p-value."
        ),
        formula=(
            r"(\theta_l, \theta_e, \theta_r) \sim \mathrm{Dirichlet}(n_l + s_l, n_e + s_e, "
            r"n_r + s_r)"
        ),
        references=("benavoli2014", "benavoli2017"),
        assumptions="Independent units (sources or blocks; instances or clusters where asked).",
        errs=(
            "Leans to the prior's place with few units. Too sure over random folds, whose training "
            "sets overlap, and over instances as a statement on the learners."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
        costly_per_pair=True,
    )

    def __post_init__(self) -> None:
        check_rope(self.rope)
        check_prior(self.prior, self.prior_place)
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the unit cannot be paired, or None."""
        return unit_refusal(self.info.name, layout, self.unit or "block")

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,  # noqa: ARG002 - a posterior has both directions
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Give the posterior's shares."""
        units, rope = paired_units(pair, self.unit or "block"), self.rope or 0.0
        counts = _counts(units, rope)
        weights = [float(n) for n in counts]
        weights[PLACES.index(self.prior_place)] += self.prior
        return TestOutcome(
            statistic=None,
            p_value=None,
            degrees_of_freedom=None,
            target=unit_target(pair.difference.layout, units.unit),
            unit=units.unit,
            cautions=posterior_cautions(pair.difference.layout, units),
            details={
                **shares_told(shares_of_largest((weights[0], weights[1], weights[2])), rope),
                "counts": counts,
                "alpha": weights,
            },
        )


def _counts(units: PairedUnits, rope: float) -> list[int]:
    edge = rope + (units.roundings if rope > 0 else 0.0)  # values have their zeros rounded
    left, right = int((units.values < -edge).sum()), int((units.values > edge).sum())
    return [left, units.n_units - left - right, right]


_NODES = 1001
_NEGLIGIBLE = 1e-20  # of a component's mass, left out at each end


@lru_cache(maxsize=1024)  # counts of a few blocks recur from pair to pair
def shares_of_largest(weights: tuple[float, float, float]) -> Shares:
    r"""Return P(theta_i is the largest) for theta ~ Dirichlet(weights) of three components.

    A Dirichlet variable is three gamma variables over their sum, so

    .. math:: P_i = \int_0^\infty f_{a_i}(x) \prod_{j \ne i} F_{a_j}(x)\, dx

    with f and F the density and distribution function of the gamma variables. In log x the
    integrand is smooth and falls off fast at both ends, where the trapezium rule loses nothing;
    a component of weight 0 is 0 and never the largest.
    """
    known = [(i, a) for i, a in enumerate(weights) if a > 0]
    shares = [0.0, 0.0, 0.0]
    if len(known) == 1:
        shares[known[0][0]] = 1.0
    elif len(known) == 2:
        (i, a), (j, b) = known
        shares[i], shares[j] = float(special.betaincc(a, b, 0.5)), float(special.betainc(a, b, 0.5))
    else:
        for i, a in known:
            others = [b for j, b in known if j != i]
            shares[i] = _share(a, others[0], others[1])
        total = sum(shares)
        shares = [share / total for share in shares]
    return shares[0], shares[1], shares[2]


def _share(a: float, b: float, c: float) -> float:
    lowest = max(float(special.gammaincinv(x, _NEGLIGIBLE)) for x in (a, b, c))
    highest = float(special.gammainccinv(a, _NEGLIGIBLE))
    if lowest >= highest:
        return 0.0
    t, step = np.linspace(np.log(lowest), np.log(highest), _NODES, retstep=True)
    x = np.exp(t)
    density = np.exp(special.xlogy(a, x) - x - special.gammaln(a))
    return float(step * np.sum(density * special.gammainc(b, x) * special.gammainc(c, x)))


METHOD = BayesianSign
