"""Bayesian sign test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._dirichlet import shares_of_largest
from thetahat.paired_tests._posteriors import (
    PLACES,
    PriorPlace,
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

    costly_per_pair: ClassVar[bool] = True
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


METHOD = BayesianSign
