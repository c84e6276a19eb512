"""Bayesian signed-rank test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._posteriors import (
    PriorPlace,
    Shares,
    check_prior,
    check_rope,
    posterior_cautions,
    shares_told,
)
from thetahat.paired_tests._units import count_units, paired_units, unit_refusal, unit_target
from thetahat.paired_tests.base import PairedLosses, TestOutcome
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, FloatArray, Needs, Target, UnitName

_DEFAULT_DRAWS, _LEAST_DRAWS, _MOST_DRAWS = 10_000, 1_000, 1_000_000
_MOST_WEIGHTS = 2 * 10**7
_MOST_UNASKED = 2_000  # units; more take above half a second for each pair


@dataclass(frozen=True, slots=True)
class BayesianSignedRank:
    r"""Posterior probability that sums of two differences fall mostly left of, in or right of 0.

    .. math::

        \theta_l = \sum_{i,j} w_i w_j\,[z_i + z_j < -2r], \quad
        \theta_r = \sum_{i,j} w_i w_j\,[z_i + z_j > 2r], \quad
        w \sim \mathrm{Dirichlet}(s, 1, \ldots, 1)

    with :math:`z_1, \ldots, z_n` the mean differences of the units, :math:`z_0` the prior's and
    :math:`\theta_e = 1 - \theta_l - \theta_r`; a sum at the edge of the region counts half.
    ``p_left`` is the share of draws in which :math:`\theta_l` (a is better) is the largest, and so
    on; ``monte_carlo_error`` is the largest standard error of the three. There is no p-value.

    Assumes independent units, and asks of their differences what Wilcoxon's test does, without
    the symmetry. Over random folds the training sets overlap, and it is too sure; over instances
    it compares the fitted models.

    Source: benavoli2014, benavoli2017.

    Deviations: none in the model. The code that goes with benavoli2017 has a prior of 0.6 in
    places; here it is 0.5, unless it is given. The pairs are not enumerated: values are sorted
    once, and each draw takes time in proportion to n. Sums within 16 units in the last place of
    the losses count as at the edge.

    Degenerate cases: without any difference and a region of width 0, half left and half right.

    Parameters
    ----------
    rope : float or None
        r, half the width of the region of practical equivalence, in units of the loss, 0 or
        above. Left out: the request's ``rope`` or ``margin``, else 0.
    prior : float
        s, in units, 0 or above.
    prior_place : str
        Where :math:`z_0` is: ``rope`` (0), or at the far ``left`` or ``right``.
    n_draws : int or None
        In 100 to 1 000 000. Left out: 10 000, and fewer for more than 2 000 units, so that all
        draws together have twenty million weights; never below 1 000.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. Left out: blocks. A holdout is one block, and
        needs another unit.
    """

    rope: float | None = None
    prior: float = 0.5
    prior_place: PriorPlace = "rope"
    n_draws: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayesian_signed_rank",
        title="Bayesian signed-rank test",
        summary=(
            "The posterior probabilities that a is better, that the two are practically alike and "
            "that b is better, from sums of two differences of sources or blocks. No p-value."
        ),
        formula=(
            r"\theta_l = \sum_{ij} w_i w_j [z_i + z_j < -2r],\quad "
            r"w \sim \mathrm{Dirichlet}(s, 1, \ldots, 1)"
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
        if self.n_draws is not None and not 100 <= self.n_draws <= _MOST_DRAWS:
            raise InvalidParameter(
                f"n_draws must lie in 100 to {_MOST_DRAWS}, and is {self.n_draws}",
                loc=("n_draws",),
                value=self.n_draws,
            )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the unit cannot be paired, or None."""
        return unit_refusal(self.info.name, layout, self.unit or "block")

    def too_much_unasked(self, layout: Layout) -> str | None:
        """Say that there are more units than are weighed by default, or None."""
        unit = self.unit or "block"
        n = count_units(layout, unit)
        if n <= _MOST_UNASKED:
            return None
        return f"draws over {n} {unit}s take seconds for each pair; name it to have it"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,  # noqa: ARG002 - a posterior has both directions
        rng: np.random.Generator,
    ) -> TestOutcome:
        """Give the posterior's shares."""
        units, rope = paired_units(pair, self.unit or "block"), self.rope or 0.0
        n_draws = self._n_draws(units.n_units)
        shares = simulated_shares(
            units.values,
            2 * float(units.roundings.max()),
            rope,
            self.prior,
            self.prior_place,
            n_draws,
            rng,
        )
        error = max(math.sqrt(p * (1 - p) / n_draws) for p in shares)
        return TestOutcome(
            statistic=None,
            p_value=None,
            degrees_of_freedom=None,
            target=unit_target(pair.difference.layout, units.unit),
            unit=units.unit,
            cautions=posterior_cautions(pair.difference.layout, units),
            details={
                **shares_told(shares, rope),
                "n_draws": n_draws,
                "monte_carlo_error": error,
            },
        )

    def _n_draws(self, n_units: int) -> int:
        """As asked, or by the size of the work alone: no look at the differences."""
        if self.n_draws is not None:
            return self.n_draws
        return max(_LEAST_DRAWS, min(_DEFAULT_DRAWS, _MOST_WEIGHTS // n_units))


_CHUNK = 2**15  # weights in memory at a time, which stay in the cache
_ALIKE = 1e-12  # of all weight: shares that differ by less are tied
_AT: dict[PriorPlace, float] = {"left": -np.inf, "rope": 0.0, "right": np.inf}


def simulated_shares(  # noqa: PLR0913 - one argument per part of the model
    values: FloatArray,
    rounding: float,
    rope: float,
    prior: float,
    place: PriorPlace,
    n_draws: int,
    rng: np.random.Generator,
) -> Shares:
    r"""Return how often left, rope and right have the largest weight of pairwise sums.

    Each draw weighs the n values and the prior's z_0 by w ~ Dirichlet(1, ..., 1; s), and

    .. math::

        \theta_l = \sum_{ij} w_i w_j \,[z_i + z_j < -2r], \qquad
        \theta_r = \sum_{ij} w_i w_j \,[z_i + z_j > 2r]

    with a sum at the edge counted half. The values are sorted once; the j that go with an i are
    then a stretch of them, and its weight a difference of cumulative weights: O(n) per draw.
    A draw in which two are equally large counts for both in halves.

    Parameters
    ----------
    values : ndarray of float
        (n,) differences.
    rounding : float
        Sums closer than this to an edge are at it.
    rope, prior, place : float, float, str
        r, s, and where z_0 lies.
    n_draws : int
        Number of draws.
    rng : numpy Generator
        Draws the weights; how many are drawn at a time does not change them.
    """
    z = np.concatenate([[_AT[place]], values])
    order = np.argsort(z, kind="stable")
    z, prior_at = z[order], int(np.argmin(order))
    low, high = -2 * rope - z, 2 * rope - z
    left_of = (
        np.searchsorted(z, low - rounding, "left"),
        np.searchsorted(z, low + rounding, "right"),
    )
    right_of = (
        np.searchsorted(z, high - rounding, "left"),
        np.searchsorted(z, high + rounding, "right"),
    )
    gammas = rng.standard_gamma(prior, n_draws)
    wins = np.zeros(3)
    at_once = max(1, _CHUNK // len(z))
    for start in range(0, n_draws, at_once):
        prior_weights = gammas[start : start + at_once]
        drawn = rng.standard_exponential((len(prior_weights), len(z)))
        drawn[:, prior_at] = prior_weights
        weights = np.ascontiguousarray(drawn.T)  # draws side by side, for what follows
        below = _below(weights)
        total = below[-1] ** 2
        left = _pairs_weight(weights, below, left_of) / total
        right = 1 - _pairs_weight(weights, below, right_of) / total
        wins += _wins(left, right)
    share = wins / n_draws
    return float(share[0]), float(share[1]), float(share[2])


def _below(weights: FloatArray) -> FloatArray:
    """(n + 1, draws) weight of all values before each."""
    n, n_draws = weights.shape
    below = np.zeros((n + 1, n_draws))
    if n > n_draws:
        np.cumsum(weights, axis=0, out=below[1:])
    else:  # the same additions, many at a time
        for i, row in enumerate(weights):
            np.add(below[i], row, out=below[i + 1])
    return below


def _pairs_weight(
    weights: FloatArray, below: FloatArray, stretch: tuple[np.ndarray, np.ndarray]
) -> FloatArray:
    """(draws,) weight of the pairs (i, j) with j in the first stretch of the sorted values.

    The stretch's end is given twice, without and with the pairs at the edge; those count half.
    """
    without, with_edge = stretch
    partners = below[without]
    if not np.array_equal(without, with_edge):
        partners = (partners + below[with_edge]) / 2
    return np.asarray(np.einsum("id,id->d", weights, partners))


def _wins(left: FloatArray, right: FloatArray) -> FloatArray:
    """(3,) number of draws that each of left, rope and right wins."""
    shares = np.stack([left, 1 - left - right, right])
    is_largest = shares >= shares.max(axis=0) - _ALIKE
    return np.asarray((is_largest / is_largest.sum(axis=0)).sum(axis=1))


METHOD = BayesianSignedRank
