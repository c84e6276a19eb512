"""Bayesian signed-rank test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.paired_tests._posteriors import PosteriorOfUnits, PriorPlace
from thetahat.paired_tests._units import PairedUnits, count_units
from thetahat.paired_tests.base import PairBatch, RandomStreams, TestOutcome
from thetahat.parameter_checks import check_range
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.values.batch_sizes import NUMBERS_IN_256_KB
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, FloatArray, Needs, Target, UnitName

_DEFAULT_DRAWS, _MIN_DRAWS, _MAX_DRAWS = 10_000, 1_000, 1_000_000
_MAX_WEIGHTS = 2 * 10**7
_MAX_DEFAULT_UNITS = 2_000  # units; more take above half a second for each pair
_TIE = 1e-12  # shares of the total weight that differ by less are tied
_POSITIONS: dict[PriorPlace, float] = {"left": -np.inf, "rope": 0.0, "right": np.inf}


@dataclass(frozen=True, slots=True)
class BayesianSignedRank(PosteriorOfUnits):
    r"""Posterior probability that sums of two differences are mostly below, in or above a region.

    In the formula :math:`z_1, \ldots, z_n` are the mean differences of the units and :math:`z_0`
    is the prior's. :math:`\theta_r` sums the pairs above 2r, and :math:`\theta_e = 1 - \theta_l -
    \theta_r`; a sum at the edge of the region counts half. ``p_left`` is the share of draws in
    which :math:`\theta_l` is the largest, and so on; ``monte_carlo_error`` is the
    largest standard error of the three.

    Deviations: none in the model. The code that goes with benavoli2017 has a prior of 0.6 in some
    places; here the default is 0.5. The pairs are not enumerated: values are sorted once, and each
    draw takes time proportional to n. Sums within 16 units in the last place of the losses of an
    edge count as at the edge.

    Degenerate cases: without any difference and with a region of width 0, half is left and half is
    right.

    Parameters
    ----------
    rope : float or None
        r, half the width of the region of practical equivalence, in units of the loss, at least 0.
        By default the request's ``rope`` or ``margin``, else 0.
    prior : float
        s, in units, at least 0.
    prior_place : str
        Place of :math:`z_0`: ``rope`` (0), or at the far ``left`` or ``right``.
    n_draws : int or None
        Number of draws, from 100 to 1 000 000. By default 10 000, and fewer for more than 2 000
        units, so that all draws together have twenty million weights, but at least 1 000.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. By default blocks. A holdout is one block, and
        needs another unit.
    """

    rope: float | None = None
    prior: float = 0.5
    prior_place: PriorPlace = "rope"
    n_draws: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bayesian signed-rank test",
        summary=(
            "Returns the posterior probabilities that sums of two differences of sources or blocks "
            "are mostly below, within, or above the region in which the two models are practically "
            "equivalent. It has no p-value."
        ),
        formula=(
            r"\theta_l = \sum_{ij} w_i w_j [z_i + z_j < -2r],\quad "
            r"w \sim \mathrm{Dirichlet}(s, 1, \ldots, 1)"
        ),
        references=("benavoli2014", "benavoli2017"),
        assumptions=(
            "Independent units: sources or blocks, or instances or clusters if requested. Unlike "
            "Wilcoxon's test it does not assume that differences are symmetric."
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

    def __post_init__(self) -> None:
        PosteriorOfUnits.__post_init__(self)
        check_range("n_draws", self.n_draws, 100, _MAX_DRAWS)

    def too_slow_by_default(self, layout: Layout) -> str | None:
        """Return why the test takes too long to be a default here, or None if it does not."""
        unit = self.unit or "block"
        n = count_units(layout, unit)
        if n <= _MAX_DEFAULT_UNITS:
            return None
        return (
            f"bayesian_signed_rank with {n} {unit}s would take half a second or more for each "
            f"pair. Name it in the request to run it"
        )

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,  # noqa: ARG002 - a posterior has both directions
        streams: RandomStreams,
    ) -> Sequence[TestOutcome]:
        """Simulate the posterior probabilities of every pair, each with its own draws."""
        units = self.average_units(batch)
        return [
            self._simulate_outcome(batch.layout, units, row, streams(*position))
            for row, position in enumerate(batch.positions.tolist())
        ]

    def _simulate_outcome(
        self, layout: Layout, units: PairedUnits, row: int, rng: np.random.Generator
    ) -> TestOutcome:
        n_draws = self._choose_n_draws(units.n_units)
        probabilities = simulate_probabilities(
            units.values[row],
            2 * float(units.roundings(row).max()),
            self.rope or 0.0,
            self.prior,
            self.prior_place,
            n_draws,
            rng,
        )
        error = max(math.sqrt(p * (1 - p) / n_draws) for p in probabilities)
        return self.build_outcome(
            layout, units, probabilities, {"n_draws": n_draws, "monte_carlo_error": error}
        )

    def _choose_n_draws(self, n_units: int) -> int:
        """Return the requested number of draws, or a default for this number of units."""
        if self.n_draws is not None:
            return self.n_draws
        return max(_MIN_DRAWS, min(_DEFAULT_DRAWS, _MAX_WEIGHTS // n_units))


def simulate_probabilities(  # noqa: PLR0913 - one argument per part of the model
    values: FloatArray,
    rounding: float,
    rope: float,
    prior: float,
    place: PriorPlace,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[float, float, float]:
    r"""Return how often left, rope and right have the largest weight of pairwise sums.

    Each draw weights the n values and the prior's z_0 by w ~ Dirichlet(1, ..., 1; s). The values
    are sorted once. The values whose sum with a given value is below an edge are then a range, and
    the weight of a range is a difference of cumulative weights, so a draw takes O(n) steps. A draw
    in which two of the three weights are equally large counts half for each.

    Parameters
    ----------
    values : ndarray of float
        (n,) differences.
    rounding : float
        Sums closer than this to an edge of the region are at the edge.
    rope, prior, place : float, float, str
        r, s, and the place of z_0.
    n_draws : int
        Number of draws.
    rng : numpy Generator
        Draws the weights; the result does not depend on how many are drawn at a time.
    """
    z = np.concatenate([[_POSITIONS[place]], values])
    order = np.argsort(z, kind="stable")
    z, prior_row = z[order], int(np.argmin(order))
    low, high = -2 * rope - z, 2 * rope - z
    left_ends = (
        np.searchsorted(z, low - rounding, "left"),
        np.searchsorted(z, low + rounding, "right"),
    )
    right_ends = (
        np.searchsorted(z, high - rounding, "left"),
        np.searchsorted(z, high + rounding, "right"),
    )
    prior_weights = rng.standard_gamma(prior, n_draws)
    wins = np.zeros(3)
    step = max(1, NUMBERS_IN_256_KB // len(z))
    for start in range(0, n_draws, step):
        chunk = prior_weights[start : start + step]
        drawn = rng.standard_exponential((len(chunk), len(z)))
        drawn[:, prior_row] = chunk
        weights = np.ascontiguousarray(drawn.T)  # draws side by side, which is faster below
        below = np.zeros((len(z) + 1, len(chunk)))  # weight of all values before each
        np.cumsum(weights, axis=0, out=below[1:])
        total = below[-1] ** 2
        left = _sum_pair_weights(weights, below, left_ends) / total
        right = 1 - _sum_pair_weights(weights, below, right_ends) / total
        wins += _count_wins(left, right)
    shares = wins / n_draws
    return float(shares[0]), float(shares[1]), float(shares[2])


def _sum_pair_weights(
    weights: FloatArray, below: FloatArray, ends: tuple[np.ndarray, np.ndarray]
) -> FloatArray:
    """Return the (draws,) weight of the pairs (i, j) with j before the end for i.

    ``ends`` has the ends without and with the pairs at the edge of the region, which count half.
    """
    without_edge, with_edge = ends
    partners = below[without_edge]
    if not np.array_equal(without_edge, with_edge):
        partners = (partners + below[with_edge]) / 2
    return np.asarray(np.einsum("id,id->d", weights, partners))


def _count_wins(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the (3,) numbers of draws in which left, rope and right are the largest."""
    shares = np.stack([left, 1 - left - right, right])
    is_largest = shares >= shares.max(axis=0) - _TIE
    return np.asarray((is_largest / is_largest.sum(axis=0)).sum(axis=1))
