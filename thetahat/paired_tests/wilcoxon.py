"""Wilcoxon's signed-rank test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from thetahat.cautions import Caution
from thetahat.distributions import p_value_of, p_values_of
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._signed_ranks import (
    SignedRankBatch,
    SignedRanks,
    Zeros,
    exact_p_value,
    exact_p_values_without_ties,
    ranks_of_pair,
)
from thetahat.paired_tests._units import (
    cautions_of_count,
    count_units,
    unit_of,
    unit_refusal,
    unit_target,
    units_of_batch,
)
from thetahat.paired_tests.base import ManyOutcomes, PairBatch, PairedLosses, TestOutcome
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, Alternative, FloatArray, Needs, Target, UnitName

_AUTO_EXACT = 50  # differences up to which the exact distribution is the default
_MAX_EXACT = 500  # the distribution takes n^3 steps


@dataclass(frozen=True, slots=True)
class Wilcoxon:
    r"""Signed-rank test that the differences are symmetric about 0.

    .. math::

        R_+ = \sum_{d_i > 0} r_i, \qquad
        z = \frac{R_+ - \tfrac12 (R_+ + R_-)}{\sqrt{\tfrac14 \sum_i r_i^2}}

    with :math:`r_i` the mid-ranks of :math:`|d_i|`. Statistic: :math:`\min(R_+, R_-)` for a
    two-sided test, :math:`R_+` for a one-sided one; both sums stand in the details.

    Assumes independent units whose differences are symmetric about their centre. Over instances
    of random folds it compares the fitted models, and is liberal as a test of the learners.
    Losses with a skewed difference can make it reject where the means are equal.

    Source: wilcoxon1945; pratt1959 for ``pratt``; demsar2006 for ``demsar_split``.

    Deviations: differences closer than 8 units in the last place of their losses count as ties,
    and as zeros within that of 0. With ties or zeros the exact distribution is the one given the
    ranks, zeros held fixed. ``demsar_split`` has the printed variance N(N+1)(2N+1)/24, without a
    correction for ties.

    Degenerate cases: no difference anywhere gives p = 1.

    Parameters
    ----------
    zeros : str
        ``wilcox``: leave zeros out. ``pratt``: rank them, then drop their ranks. ``zsplit``: give
        half of their ranks to each side. ``demsar_split``: the same, leaving one of an odd number
        out.
    method : str
        ``exact`` (at most 500 units), ``normal``, or ``auto``: exact where at most 50
        differences are not 0.
    correction : bool
        Whether the normal approximation moves the sum half a rank towards its mean.
    unit : str or None
        ``instance``, ``cluster`` or ``block``. Left out: blocks for sources; else clusters,
        where they are known, or instances.
    """

    zeros: Zeros = "wilcox"
    method: Literal["auto", "exact", "normal"] = "auto"
    correction: bool = False
    unit: UnitName | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="wilcoxon",
        title="Wilcoxon signed-rank test",
        summary=(
            "Ranks the sizes of the differences of instances, clusters or sources and compares "
            "the rank sums of the two signs."
        ),
        formula=(
            r"R_+ = \sum_{d_i > 0} r_i,\quad"
            r" z = (R_+ - \tfrac12 (R_+ + R_-)) / \sqrt{\tfrac14 \sum_i r_i^2}"
        ),
        references=("demsar2006", "pratt1959", "wilcoxon1945"),
        assumptions="Independent units with differences that are symmetric about their centre.",
        errs=(
            "Over instances liberal as a test of the learners: instances of one fold share their "
            "models. With skewed differences it can reject where the means are equal. "
            "demsar_split is slightly conservative with ties."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.NEW_SOURCE, Target.THESE_SOURCES, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        check_choice("zeros", self.zeros, get_args(Zeros))
        check_choice("method", self.method, ("auto", "exact", "normal"))
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Say why the unit cannot be paired, or that there are too many for the exact test."""
        reason = unit_refusal(self.info.name, layout, self.unit)
        if reason is not None or self.method != "exact":
            return reason
        n = count_units(layout, unit_of(layout, self.unit))
        if n <= _MAX_EXACT:
            return None
        return f"wilcoxon is exact up to {_MAX_EXACT} units, and there are {n}; say normal or auto"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the differences are symmetric about 0."""
        found, unit, n_units = ranks_of_pair(pair, self.unit, self.zeros)
        layout = pair.difference.layout
        cautions = cautions_of_count(layout, unit, found.n_ranked)
        return self._outcome(found, n_units - found.n_ranked, alternative, layout, unit, cautions)

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> ManyOutcomes:
        """Test every pair of a batch, sorted together."""
        units = units_of_batch(batch, self.unit)
        ranked = SignedRankBatch.of(units, self.zeros)
        n, n_pairs = units.n_units, len(batch.pairs)

        known = np.full(n_pairs, np.nan)
        statistics = ranked.positive.copy()
        if ranked.clear.any():
            known = self._p_values_without_ties(n, ranked.positive, alternative)
        if alternative is Alternative.TWO_SIDED:
            statistics = np.minimum(statistics, n * (n + 1) / 2 - statistics)

        def tell(row: int) -> TestOutcome:
            found, cautions = ranked.of_row(row), units.cautions[row]
            looked_up = float(known[row]) if ranked.clear[row] and self._is_exact(n) else None
            zeros = int(ranked.n_zeros[row])
            return self._outcome(
                found, zeros, alternative, batch.models[0].layout, units.unit, cautions, looked_up
            )

        # what is not told by arrays is looked at now, the rest when it is asked for
        by_row = {row: tell(row) for row in np.flatnonzero(~ranked.clear).tolist()}
        for row, outcome in by_row.items():
            statistics[row], known[row] = outcome.statistic, outcome.p_value
        return ManyOutcomes(statistics, known, lambda row: by_row.get(row) or tell(row))

    def _outcome(  # noqa: PLR0913 - the ranks, where they are from, and a p-value that is known
        self,
        found: SignedRanks,
        n_zeros: int,
        alternative: Alternative,
        layout: Layout,
        unit: UnitName,
        cautions: tuple[Caution, ...],
        exact: float | None = None,
    ) -> TestOutcome:
        smaller = min(found.positive, found.negative)
        how: dict[str, Any] = {"method": "exact"}
        p_value = exact
        if p_value is None:
            p_value, how = self._p_value(found, alternative)
        return TestOutcome(
            statistic=smaller if alternative is Alternative.TWO_SIDED else found.positive,
            p_value=p_value,
            degrees_of_freedom=None,
            target=unit_target(layout, unit),
            unit=unit,
            cautions=cautions,
            details={
                "rank_sum_positive": found.positive,
                "rank_sum_negative": found.negative,
                "zeros": n_zeros,
                "ties": found.has_ties,
                **how,
            },
        )

    def _p_values_without_ties(
        self, n: int, positive: FloatArray, alternative: Alternative
    ) -> FloatArray:
        """(p,) p-values of the sums R+ of the ranks 1 to n."""
        if self._is_exact(n):
            return exact_p_values_without_ties(n, alternative)[positive.astype(np.intp)]
        distance = positive - n * (n + 1) / 4
        if self.correction:
            distance -= _towards(distance, alternative)
        z = distance / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
        return p_values_of(z, None, alternative)

    def _is_exact(self, n_ranked: int) -> bool:
        return self.method == "exact" or (self.method == "auto" and n_ranked <= _AUTO_EXACT)

    def _p_value(
        self, found: SignedRanks, alternative: Alternative
    ) -> tuple[float, dict[str, Any]]:
        if self._is_exact(found.n_ranked):
            return exact_p_value(found, alternative), {"method": "exact"}
        z = _standardised(found, alternative, correction=self.correction)
        return p_value_of(z, None, alternative), {"method": "normal", "z": z}


def _standardised(found: SignedRanks, alternative: Alternative, *, correction: bool) -> float:
    distance = found.positive - found.expected
    if found.variance == 0:
        return 0.0
    if correction:
        distance -= float(_towards(np.array(distance), alternative))
    return distance / math.sqrt(found.variance)


def _towards(distance: FloatArray, alternative: Alternative) -> FloatArray:
    """Return the half rank: towards the mean for two sides, against the alternative for one."""
    half = {
        Alternative.TWO_SIDED: np.copysign(np.minimum(0.5, np.abs(distance)), distance),
        Alternative.LESS: np.float64(-0.5),
        Alternative.GREATER: np.float64(0.5),
    }[alternative]
    return np.asarray(half)


METHOD = Wilcoxon
