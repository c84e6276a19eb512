"""Paired permutation test by sign flips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from thetahat.errors import InvalidParameter
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._sign_flips import FlippedPairs, binomials, by_enumeration, by_sampling
from thetahat.paired_tests._units import (
    paired_units,
    unit_cautions,
    unit_refusal,
    unit_target,
    units_of_batch,
)
from thetahat.paired_tests.base import PairBatch, PairedLosses, TestOutcome
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, FloatArray, Needs, Target, UnitName

_BINOMIAL = {"method": "exact_binomial"}
_ENUMERATED = 14  # 2^14 patterns take less time than 10 000 random ones
_MOST_RESAMPLES = 1_000_000
_DEFAULT_RESAMPLES, _LEAST_RESAMPLES, _MOST_FLIPS = 10_000, 999, 10**9


@dataclass(frozen=True, slots=True)
class Permutation:
    r"""Test that swapping the two models' names on any unit changes nothing.

    .. math::

        p = \frac{\#\{|T_b| \ge |T|\} + 1}{B + 1}, \qquad T = \sum_u w_u d_u, \quad
        T_b = \sum_u \pm w_u d_u

    with :math:`d_u` the mean difference of unit u and :math:`w_u` its share in the mean: equal
    for instances and blocks, by size for clusters. Statistic: T. Signs flip for instances (and
    so within blocks), for clusters or for whole blocks, by unit. With at most 14 differences
    that are not 0 all patterns are counted, and p is their share; with differences of one size
    (zero-one losses) the count is binomial; both are exact. Else B patterns are drawn, the same
    for all pairs of an evaluation.

    Assumes independent units whose differences are symmetric about 0 under the null. Over
    instances of random folds it compares the fitted models, and is liberal as a test of the
    learners.

    Source: fisher1935; phipson2010 for the one that is added.

    Deviations: sums closer than 1e-12 of the sum of sizes count as ties, and differences within
    8 units in the last place of the losses as 0.

    Degenerate cases: no difference anywhere gives p = 1.

    Parameters
    ----------
    n_resamples : int or None
        B, in 99 to 1 000 000. Left out: 10 000, and fewer for more than 100 000 units, so that
        n x B stays at a thousand million flips; never below 999.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. Left out: blocks for sources; else clusters,
        where they are known, or instances.
    """

    n_resamples: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="permutation",
        title="Permutation test by sign flips",
        summary=(
            "How often the mean difference would be as large if the two models' names were "
            "swapped at random on each instance, cluster or source."
        ),
        formula=(r"p = (\#\{|T_b| \ge |T|\} + 1) / (B + 1),\quad T_b = \sum_u \pm w_u d_u"),
        references=("fisher1935", "phipson2010"),
        assumptions="Independent units with differences that are symmetric about 0 under the null.",
        errs=(
            "Exact for units that are exchangeable under the null. Liberal over instances as a "
            "test of the learners: instances of one fold share their models."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)
        if self.n_resamples is not None and not 99 <= self.n_resamples <= _MOST_RESAMPLES:
            raise InvalidParameter(
                f"n_resamples must lie in 99 to {_MOST_RESAMPLES}",
                loc=("n_resamples",),
                value=self.n_resamples,
            )

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the unit cannot be paired, or None."""
        return unit_refusal(self.info.name, layout, self.unit)

    def test(
        self, pair: PairedLosses, alternative: Alternative, rng: np.random.Generator
    ) -> TestOutcome:
        """Test that the differences are symmetric about 0."""
        units = paired_units(pair, self.unit)
        terms = units.values * units.weights
        found = _exact(terms, alternative)
        if found is None:
            n_resamples = self._n_resamples(len(terms))
            p_value = by_sampling(terms, alternative, n_resamples, rng)
            found = p_value, {"method": "random", "n_resamples": n_resamples}
        return TestOutcome(
            statistic=float(terms.sum()),
            p_value=found[0],
            degrees_of_freedom=None,
            target=unit_target(pair.difference.layout, units.unit),
            unit=units.unit,
            cautions=unit_cautions(pair.difference.layout, units),
            details=found[1],
        )

    def test_many(
        self, batch: PairBatch, alternative: Alternative, rng: np.random.Generator
    ) -> Sequence[TestOutcome]:
        """Test every pair of a batch under the same random signs."""
        units = units_of_batch(batch, self.unit)
        terms = units.values * units.weights
        n_resamples = self._n_resamples(units.n_units)
        drawn = {"method": "random", "n_resamples": n_resamples}
        target = unit_target(batch.models[0].layout, units.unit)
        flipped: FlippedPairs | None = None
        outcomes = []
        statistics, of_one_size = terms.sum(axis=1).tolist(), binomials(terms, alternative)
        for row, (own, cautions) in enumerate(zip(terms, units.cautions, strict=True)):
            binomial = of_one_size[row]
            if binomial is not None:
                found: tuple[float, dict[str, Any]] | None = (binomial, _BINOMIAL)
            else:
                found = _by_enumeration(own, alternative)
            if found is None:
                flipped = flipped or FlippedPairs(batch, units, alternative, n_resamples, rng)
                found = flipped.p_value(row, own), drawn
            outcomes.append(
                TestOutcome(
                    statistic=statistics[row],
                    p_value=found[0],
                    degrees_of_freedom=None,
                    target=target,
                    unit=units.unit,
                    cautions=cautions,
                    details=found[1],
                )
            )
        return outcomes

    def _n_resamples(self, n_units: int) -> int:
        """B as asked, or by the size of the work alone: no look at the differences."""
        if self.n_resamples is not None:
            return self.n_resamples
        return max(_LEAST_RESAMPLES, min(_DEFAULT_RESAMPLES, _MOST_FLIPS // n_units))


def _exact(terms: FloatArray, alternative: Alternative) -> tuple[float, dict[str, Any]] | None:
    """Return the exact p-value and its method, or None where patterns must be drawn."""
    (binomial,) = binomials(terms[np.newaxis], alternative)
    return _by_enumeration(terms, alternative) if binomial is None else (binomial, _BINOMIAL)


def _by_enumeration(
    terms: FloatArray, alternative: Alternative
) -> tuple[float, dict[str, Any]] | None:
    n = int(np.count_nonzero(terms))
    if n > _ENUMERATED:
        return None
    p_value = by_enumeration(terms[terms != 0], alternative)
    return p_value, {"method": "exact", "n_patterns": 2**n}


METHOD = Permutation
