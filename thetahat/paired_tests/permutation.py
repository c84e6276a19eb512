"""Paired permutation test by sign flips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.paired_tests._sign_flips import FlippedPairs, binomial_p_values, enumerated_p_value
from thetahat.paired_tests._thresholds import MAX_ENUMERATED
from thetahat.paired_tests._units import batch_units, reason_against_unit, unit_target
from thetahat.paired_tests.base import PairBatch, PairedTest, RandomStreams, TestOutcome
from thetahat.parameter_checks import check_choice, check_range
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, Needs, Target, UnitName

_BINOMIAL: Final[Mapping[str, JsonValue]] = {"method": "exact_binomial"}
_DEFAULT_RESAMPLES, _MIN_RESAMPLES, _MAX_FLIPS = 10_000, 999, 10**9


@dataclass(frozen=True, slots=True)
class Permutation(PairedTest):
    r"""Test that swapping the two models' names on any unit changes nothing.

    In the formula :math:`T = \sum_u w_u d_u`, with :math:`d_u` the mean difference of unit u and
    :math:`w_u` its share in the mean: equal for instances and blocks, by size for clusters. The
    statistic is T. Signs flip for instances (and so within blocks), for clusters or for whole
    blocks. With at most 14 differences that are not 0 all patterns are counted, and p is their
    share. With differences of one size, as for losses of 0 and 1, the count is binomial. Otherwise
    B patterns are drawn, the same for all pairs of an evaluation.

    Deviations: sums closer than 1e-12 of the sum of absolute terms count as ties, and differences
    within 8 units in the last place of the losses as 0.

    Degenerate cases: no difference anywhere gives p = 1.

    Parameters
    ----------
    n_resamples : int or None
        B, from 99 to 1 000 000. By default 10 000, and fewer for more than 100 000 units, so that
        n x B stays at a thousand million flips, but at least 999.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. By default blocks if they are sources; otherwise
        clusters if they are known, else instances.
    """

    n_resamples: int | None = None
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Permutation test by sign flips",
        summary=(
            "Returns how often the mean difference would be at least as large if the two models' "
            "names were swapped at random on each instance, cluster or source."
        ),
        formula=(r"p = (\#\{|T_b| \ge |T|\} + 1) / (B + 1),\quad T_b = \sum_u \pm w_u d_u"),
        references=("fisher1935", "phipson2010"),
        assumptions=(
            "Independent units whose differences are distributed symmetrically about 0 under the "
            "null."
        ),
        errs=(
            "Exact if the models are exchangeable on each unit under the null. Over instances it "
            "rejects too often as a test of the learners, because instances of one fold share "
            "their models."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)
        check_range("n_resamples", self.n_resamples, 99, 1_000_000)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the units cannot be paired, or None if they can."""
        return reason_against_unit(self.info.name, layout, self.unit)

    def test_many(
        self, batch: PairBatch, alternative: Alternative, streams: RandomStreams
    ) -> Sequence[TestOutcome]:
        """Test every pair of the batch under the same random signs."""
        units = batch_units(batch, self.unit)
        terms = units.values * units.weights
        n_resamples = self._choose_n_resamples(units.n_units)
        sampled: Mapping[str, JsonValue] = {"method": "random", "n_resamples": n_resamples}
        target = unit_target(batch.layout, units.unit)
        flipped: FlippedPairs | None = None
        outcomes = []
        statistics = terms.sum(axis=1).tolist()
        binomials = binomial_p_values(terms, alternative)
        for row, (terms_of_pair, cautions) in enumerate(zip(terms, units.cautions, strict=True)):
            p_value, details = binomials[row], _BINOMIAL
            if p_value is None and (n := np.count_nonzero(terms_of_pair)) <= MAX_ENUMERATED:
                p_value = enumerated_p_value(terms_of_pair[terms_of_pair != 0], alternative)
                details = {"method": "exact", "n_patterns": 2 ** int(n)}
            elif p_value is None:
                flipped = flipped or FlippedPairs(batch, units, alternative, n_resamples, streams())
                p_value, details = flipped.p_value(row, terms_of_pair), sampled
            outcomes.append(
                TestOutcome(
                    statistic=statistics[row],
                    p_value=p_value,
                    target=target,
                    unit=units.unit,
                    cautions=cautions,
                    details=details,
                )
            )
        return outcomes

    def _choose_n_resamples(self, n_units: int) -> int:
        """Return the requested B, or a default that depends on the number of units alone."""
        if self.n_resamples is not None:
            return self.n_resamples
        return max(_MIN_RESAMPLES, min(_DEFAULT_RESAMPLES, _MAX_FLIPS // n_units))
